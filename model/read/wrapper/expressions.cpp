// Expressions other than arithmetic (integers.cpp) and calls (calls.cpp).
#include "model/read/wrapper/choice.hpp"
#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

constexpr std::int64_t kMostItems = 100'000;  ///< of a list

}  // namespace

Value Evaluator::eval(const Expr& expr, const std::string& wanted) {
  switch (expr.kind) {
    case ExprKind::name:
      return lookup(expr.text);
    case ExprKind::constant:
      if (expr.text == "True" || expr.text == "False") return Value::condition(expr.text == "True");
      return Value{};
    case ExprKind::string:
      return Value::of(Value::Kind::text, python::string_value(expr));
    case ExprKind::tuple:
    case ExprKind::list:
      return eval_list(expr);
    case ExprKind::attribute:
      return attribute(expr);
    case ExprKind::subscript:
      return subscript(expr, wanted);
    case ExprKind::call:
      return call(expr, wanted);
    case ExprKind::conditional:
      return conditional(expr, wanted);
    case ExprKind::compare:
    case ExprKind::boolean:
      return Value::condition(condition(expr));
    case ExprKind::unary:
      if (expr.text == "not") return Value::condition(condition(expr));
      if (const std::string number = real_text(*expr.items[0]); !number.empty())
        return Value::of(Value::Kind::unknown, std::string(expr.text) + number);
      [[fallthrough]];
    case ExprKind::binary: {
      // [None] * 2
      const bool repeat =
          expr.kind == ExprKind::binary && expr.text == "*" && expr.items[0]->kind == ExprKind::list;
      if (repeat) {
        const auto count = integer(*expr.items[1]).constant();
        if (!count || *count < 0 || *count > kMostItems) throw Outside{"a list of unknown length"};
        List items;
        const Value once = eval_list(*expr.items[0]);
        for (std::int64_t i = 0; i < *count; ++i)
          items.insert(items.end(), once.items->begin(), once.items->end());
        return Value::list(std::move(items));
      }
      return Value::integer(arithmetic(expr));
    }
    case ExprKind::integer:
      return Value::integer(integer(expr));
    default:
      return Value::of(Value::Kind::unknown, python::str(expr, 60));
  }
}

/// A real number of the text, infinities included; empty for anything else.
std::string Evaluator::real_text(const Expr& expr) {
  if (expr.kind == ExprKind::real) return std::string(expr.text);
  const bool name = expr.kind == ExprKind::name || expr.kind == ExprKind::attribute;
  const std::string path = name ? path_of(expr) : std::string{};
  return path == "math.inf" || path == "inf" ? "inf" : std::string{};
}

Value Evaluator::eval_list(const Expr& expr) {
  List items;
  items.reserve(expr.items.size());
  for (const Expr* item : expr.items) {
    if (item->kind == ExprKind::starred) {
      const Value inner = eval(*item->items[0]);
      if (!inner.is(Value::Kind::list)) throw Outside{"a starred " + python::str(*item, 60)};
      items.insert(items.end(), inner.items->begin(), inner.items->end());
    } else {
      items.push_back(eval(*item));
    }
    items.back().owned = false;  // the list that is being made does not own what names hold
  }
  return Value::list(std::move(items));
}

/// "torch.ops.aten.mm" of names that lead outside the file, aliases followed; empty where it is something
/// else.
std::string Evaluator::path_of(const Expr& expr) {
  if (expr.kind == ExprKind::name) {
    const Variable* variable = frames_.empty() ? nullptr : find_variable(expr.text);
    if (!variable) return std::string(expr.text);
    if (variable->value.is(Value::Kind::path)) return variable->value.name;
    return variable->value.is(Value::Kind::unknown) ? std::string(expr.text) : std::string{};
  }
  if (expr.kind != ExprKind::attribute) return {};
  const std::string base = path_of(*expr.items[0]);
  return base.empty() ? base : base + "." + std::string(expr.text);
}

Value Evaluator::attribute(const Expr& expr) {
  if (std::string path = path_of(expr); !path.empty()) return Value::of(Value::Kind::path, std::move(path));
  const Value base = eval(*expr.items[0]);
  const std::string_view name = expr.text;
  if (base.is(Value::Kind::stream))
    return base;  // stream.npu_stream, stream.cuda_stream: the raw handle of it
  if (base.is(Value::Kind::kernel)) return base;  // kernel.run
  if (base.is(Value::Kind::handle)) {
    if (name == "mT" || name == "T") return Value::handle(transposed(handle_of(base), ""));
    if (name == "shape") {
      Value sizes = Value::of(Value::Kind::sizes, base.name);
      return sizes;
    }
    throw Outside{"the attribute " + python::str(expr, 60)};
  }
  return Value::of(Value::Kind::unknown, python::str(expr, 60));
}

Value Evaluator::subscript(const Expr& expr, const std::string& wanted) {
  const Expr& base = *expr.items[0];
  if (base.kind == ExprKind::attribute && base.text == "partitions") {
    const auto index = integer(*expr.items[1]).constant();
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(partitions_.size()))
      throw Outside{"a partition that the Runner is not given: " + python::str(expr, 60)};
    return partitions_[static_cast<std::size_t>(*index)];
  }
  return element(eval(base), *expr.items[1], wanted);
}

Value Evaluator::element(const Value& base, const Expr& index, const std::string& wanted) {
  if (base.is(Value::Kind::kernel)) return base;  // kernel[grid](...)
  if (base.is(Value::Kind::list) && base.items->size() == 1 && index.kind == ExprKind::string)
    return base.items->front();  // buf3['k'] of an operator that returns one named tensor
  if (base.is(Value::Kind::path) && is_buffer_name(base.name))  // nobody bound it: C6 finds it
    return Value::handle(
        temporary(builder_.bind(named(wanted, base.name + ".item"), base.name, Bind::Kind::alias)));
  if (base.is(Value::Kind::unknown) || base.is(Value::Kind::path))
    return Value::of(Value::Kind::unknown, base.name);
  const auto at = index.kind == ExprKind::string || index.kind == ExprKind::slice ? std::nullopt
                                                                                  : integer(index).constant();
  if (at.value_or(-kMostItems) > -kMostItems && *at < kMostItems) {
    if (base.is(Value::Kind::sizes)) return axis(base, *at, wanted);
    if (base.is(Value::Kind::list)) return (*base.items)[in_range(*at, base.items->size())];
    if (base.is(Value::Kind::inputs) && *at >= 0)  // args[0] without unpacking
      return input_value(named(wanted, "arg" + std::to_string(*at)), static_cast<std::size_t>(*at));
  }
  throw Outside{"the subscript " + python::str(index, 60) + " of something that is no tuple"};
}

/// A Python index, negative ones counted from the end.
std::size_t Evaluator::in_range(std::int64_t at, std::size_t size) const {
  const std::int64_t from_begin = at < 0 ? at + static_cast<std::int64_t>(size) : at;
  if (from_begin < 0 || from_begin >= static_cast<std::int64_t>(size))
    throw InputError(builder_.where(), "an index below " + std::to_string(size), std::to_string(at));
  return static_cast<std::size_t>(from_begin);
}

/// x.size()[at]; where x's layout is not known, a new symbol.
Value Evaluator::axis(const Value& sizes, std::int64_t at, const std::string& wanted) {
  const HandleInfo* known = builder_.find(sizes.name);
  if (!known || !known->layout)
    return Value::integer(builder_.symbol(named(wanted, sizes.name + "_size" + std::to_string(at))));
  const std::vector<SymExpr>& numbers = sizes.strides ? known->layout->strides : known->layout->sizes;
  return Value::integer(numbers[in_range(at, numbers.size())]);
}

Value Evaluator::conditional(const Expr& expr, const std::string& wanted) {
  const Cond test = condition(*expr.items[1]);
  if (test.is_true()) return eval(*expr.items[0], wanted);
  if (test.is_false()) return eval(*expr.items[2], wanted);
  const SymExpr yes = integer(*expr.items[0]), no = integer(*expr.items[2]);
  if (yes == no) return Value::integer(yes);
  const auto range_of = [&](const std::string& name) {
    const Symbol* symbol = builder_.find_symbol(name);
    return symbol ? std::pair(symbol->lo, symbol->hi) : std::pair(INT64_MIN, std::optional<std::int64_t>());
  };
  if (const auto chosen = choose(test, yes, no, range_of)) return Value::integer(*chosen);
  throw Outside{"the choice of a size by " + python::str(*expr.items[1], 60)};
}

}  // namespace bufferproof::model::wrapper
