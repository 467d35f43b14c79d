// Allocation in its many spellings, views, layout assertions, methods of tensors.
#include <algorithm>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

bool begins(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool is_allocation(std::string_view function) {
  while (begins(function, "_")) function.remove_prefix(1);
  return function == "empty" || begins(function, "empty_strided") || function == "tracked_empty_strided";
}

}  // namespace

/// `wanted` without the prefix of the function it is made in; what the body's hints are filed under.
std::optional<LayoutText> Evaluator::hint_for(const std::string& wanted) const {
  const Frame& here = frames_.back();
  if (!here.hints || wanted.size() <= here.prefix.size()) return std::nullopt;
  const std::string_view name = std::string_view(wanted).substr(here.prefix.size());
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos) return here.hints->layout(name);
  int index = 0;
  for (char c : name.substr(open + 1)) {
    if (c < '0' || c > '9') break;
    index = std::min(index * 10 + (c - '0'), 100'000);
  }
  return here.hints->layout(name.substr(0, open), index);
}

/// Functions that make or check tensors, by the last part of their names; nullopt if it is another one.
std::optional<Value> Evaluator::tensor_call(std::string_view function, const Expr& call,
                                            const std::string& wanted) {
  if (is_allocation(function)) return allocate(function, call, wanted);
  if (function == "reinterpret_tensor" || function == "_reinterpret_tensor")
    return reinterpret(call, wanted, false);
  if (function == "as_strided") return reinterpret(call, wanted, true);
  if (function == "alloc_from_pool") return pool_slice(call, wanted);
  if (begins(function, "assert_size_stride") || function == "assert_tensor_metadata") {
    assert_layout(function, call);
    return Value{};
  }
  if (function == "copy_misaligned" || function == "copy_if_misaligned") {
    // A misaligned input is replaced by a copy of itself: the same values either way.
    builder_.assume("inputs are aligned: copy_misaligned returns its argument");
    const Expr* tensor = positional(call, 0);
    if (!tensor) throw Outside{"copy_misaligned without argument"};
    return eval(*tensor);
  }
  return std::nullopt;
}

Value Evaluator::allocate(std::string_view function, const Expr& call, const std::string& wanted) {
  const Expr* sizes = argument(call, 0, "size");
  if (!sizes) throw Outside{"an allocation without sizes"};
  const Expr* strides = argument(call, 1, "stride");
  const bool strided = function.find("strided") != std::string_view::npos;
  if (strided && !strides) throw Outside{"an allocation without strides"};
  const Layout layout = strided ? *this->layout(sizes, strides) : contiguous(integers(*sizes));
  std::optional<DType> dtype;
  for (const Expr* argument : call.items.subspan(1)) {
    const Expr& value = argument->kind == ExprKind::keyword ? *argument->items[0] : *argument;
    if (argument->kind == ExprKind::keyword && argument->text != "dtype") continue;
    if (const auto found = dtype_of_size(value)) dtype = found;
  }
  if (const Expr* name = keyword(call, "name"); name && wanted.empty())
    return allocate(function, call, python::string_value(*name));
  return Value::handle(temporary(builder_.alloc(named(wanted, "empty"), layout, dtype)));
}

/// reinterpret_tensor adds its offset to the base's; as_strided (absolute) sets it where it is given.
Value Evaluator::reinterpret(const Expr& call, const std::string& wanted, bool absolute) {
  const Expr* tensor = positional(call, 0);
  if (!tensor) throw Outside{"a view without a tensor"};
  const std::string base = handle_of(eval(*tensor));
  if (base.empty()) throw Outside{"a view of something that is no tensor: " + python::str(*tensor, 60)};
  auto layout = this->layout(argument(call, 1, "size"), argument(call, 2, "stride"));
  if (!layout) throw Outside{"a view without sizes and strides"};
  const Expr* offset = argument(call, 3, "storage_offset");
  if (!offset) offset = keyword(call, "offset_increment");
  if (offset && !(offset->kind == ExprKind::constant && offset->text == "None"))
    layout->offset = integer(*offset);
  else
    absolute = false;
  return Value::handle(
      temporary(builder_.view(named(wanted, base + ".view"), base, layout, std::nullopt, absolute)));
}

/// alloc_from_pool(pool, offset in bytes, dtype, sizes, strides)
Value Evaluator::pool_slice(const Expr& call, const std::string& wanted) {
  const Expr* tensor = positional(call, 0);
  const Expr* offset = positional(call, 1);
  const Expr* dtype = positional(call, 2);
  auto layout = this->layout(positional(call, 3), positional(call, 4));
  if (!tensor || !offset || !layout || !dtype) throw Outside{"a slice of a pool in an unknown form"};
  const auto type = dtype_of_size(*dtype);
  if (!type) throw Outside{"a slice of a pool with the element type " + python::str(*dtype, 60)};
  const std::string pool = handle_of(eval(*tensor));
  if (pool.empty()) throw Outside{"a slice of something that is no pool"};
  layout->offset = floordiv(integer(*offset), size_in_bytes(*type));
  return Value::handle(temporary(builder_.pool_slice(named(wanted, pool + ".slice"), pool, *layout, *type)));
}

/// x.view(dtype): the same bytes as other elements. With another element size the last axis grows or shrinks.
Value Evaluator::view_dtype(const std::string& base, const Expr& dtype, const std::string& wanted) {
  const auto to = dtype_of_size(dtype);
  if (!to) throw Outside{"a view with the element type " + python::str(dtype, 60)};
  const HandleInfo known = builder_.find(base) ? *builder_.find(base) : HandleInfo{};
  std::optional<Layout> layout = known.layout;
  if (layout) layout->offset = 0;
  // Of elements of unknown size it is not known what of the memory a window of others covers (E1).
  if (!known.dtype)
    layout.reset();
  else if (size_in_bytes(*known.dtype) != size_in_bytes(*to))
    layout = layout_of(hint_for(wanted));
  return Value::handle(temporary(builder_.view(named(wanted, base + ".view"), base, layout, to)));
}

void Evaluator::one_assert_layout(const Expr& tensor, const Expr& sizes, const Expr& strides,
                                  std::optional<DType> dtype) {
  const std::string handle = handle_of(eval(tensor));
  if (handle.empty()) return;  // an integer input
  const auto asserted = layout(&sizes, &strides);
  if (asserted) builder_.step(AssertLayout{handle, *asserted, dtype});
}

void Evaluator::assert_layout(std::string_view function, const Expr& call) {
  const Expr* tensor = positional(call, 0);
  const Expr* sizes = positional(call, 1);
  const Expr* strides = positional(call, 2);
  if (!tensor || !sizes || !strides) throw Outside{"an assertion in an unknown form"};
  if (function != "assert_size_stride_grouped") {
    const Expr* dtype = function == "assert_tensor_metadata" ? positional(call, 3) : nullptr;
    return one_assert_layout(*tensor, *sizes, *strides, dtype ? dtype_of(*dtype) : std::nullopt);
  }
  if (tensor->items.size() != sizes->items.size() || sizes->items.size() != strides->items.size())
    throw Outside{"a grouped assertion of unequal lengths"};
  for (std::size_t i = 0; i < tensor->items.size(); ++i)
    one_assert_layout(*tensor->items[i], *sizes->items[i], *strides->items[i], std::nullopt);
}

/// x.item(): the host waits and reads; the number can be any that may be a size.
Value Evaluator::item(const std::string& handle, const std::string& wanted) {
  read_on_host(handle, "item");
  const HandleInfo* known = builder_.find(handle);
  if (known && known->dtype == DType::i1)
    return Value::integer(builder_.fresh_symbol(named(wanted, handle + "_item"), 0, 1));
  const std::string name = named(wanted, handle + "_item");
  if (!known || !known->dtype || !is_floating(*known->dtype))
    builder_.assume(name + ", a number that is read from " + handle + ", is not negative");
  return Value::integer(builder_.fresh_symbol(name, 0, std::nullopt));
}

std::string Evaluator::transposed(const std::string& handle, const std::string& wanted) {
  const HandleInfo* known = builder_.find(handle);
  std::optional<Layout> layout = known ? known->layout : std::nullopt;
  if (layout && layout->rank() >= 2) {
    const std::size_t last = layout->rank() - 1;
    std::swap(layout->sizes[last], layout->sizes[last - 1]);
    std::swap(layout->strides[last], layout->strides[last - 1]);
    layout->offset = 0;
  }
  return temporary(builder_.view(named(wanted, handle + ".mT"), handle, layout, std::nullopt));
}

Value Evaluator::method(const std::string& handle, std::string_view name, const Expr& call,
                        const std::string& wanted) {
  if (name == "item") return item(handle, wanted);
  if (name == "size" || name == "stride") {
    Value sizes = Value::of(Value::Kind::sizes, handle);
    sizes.strides = name == "stride";
    const Expr* axis = positional(call, 0);
    return axis ? element(sizes, *axis, wanted) : sizes;
  }
  if (name == "data_ptr" || name == "detach") return Value::handle(handle);
  if (name == "dim") {
    const HandleInfo* known = builder_.find(handle);
    if (known && known->layout) return Value::integer(static_cast<std::int64_t>(known->layout->rank()));
  }
  if (name == "as_strided") {
    auto layout = this->layout(argument(call, 0, "size"), argument(call, 1, "stride"));
    const Expr* offset = argument(call, 2, "storage_offset");
    if (!layout) throw Outside{"a view without sizes and strides"};
    if (offset) layout->offset = integer(*offset);
    return Value::handle(temporary(
        builder_.view(named(wanted, handle + ".view"), handle, layout, std::nullopt, offset != nullptr)));
  }
  if (name == "view" && positional(call, 0) && dtype_of_size(*positional(call, 0)))
    return view_dtype(handle, *positional(call, 0), wanted);
  if (name == "contiguous") {
    const HandleInfo* known = builder_.find(handle);
    if (known && known->layout && known->layout->is_contiguous()) return Value::handle(handle);
  }
  std::vector<Value> values{Value::handle(handle)};
  for (Value& value : arguments(call)) values.push_back(std::move(value));
  return operator_call("torch.ops.aten." + std::string(name), call, wanted, std::move(values));
}

}  // namespace bufferproof::model::wrapper
