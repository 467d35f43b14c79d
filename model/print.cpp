#include "model/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace bufferproof::model {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

template <typename T>
std::string list(const std::vector<T>& values, const char* separator = ", ") {
  std::vector<std::string> texts;
  for (const T& value : values) texts.push_back(value.str());
  return joined(texts, separator);
}

/// The part of an index that one variable sweeps: "lo:hi", shifted by what is added to it.
std::optional<std::string> as_slice(const IndexSet& set, const SymExpr& index) {
  for (const BoundVariable& variable : set.variables) {
    const SymExpr rest = index - SymExpr::symbol(variable.name);
    std::set<std::string> symbols;
    rest.collect_symbols(symbols);
    bool alone = true;
    for (const BoundVariable& other : set.variables) alone = alone && !symbols.contains(other.name);
    if (alone) return fmt::format("{}:{}", (variable.lo + rest).str(), (variable.hi + rest).str());
  }
  return std::nullopt;
}

/// "[0:8, 3]" when every axis is one index or swept by a variable of its own; nullopt otherwise.
std::optional<std::string> as_box(const IndexSet& set) {
  if (!set.where.is_true()) return std::nullopt;
  std::vector<std::string> axes;
  std::size_t swept = 0;
  for (const SymExpr& index : set.index) {
    std::set<std::string> symbols;
    index.collect_symbols(symbols);
    const bool fixed = std::none_of(set.variables.begin(), set.variables.end(),
                                    [&](const BoundVariable& v) { return symbols.contains(v.name); });
    const auto slice = fixed ? std::optional(index.str()) : as_slice(set, index);
    if (!slice) return std::nullopt;
    axes.push_back(*slice);
    swept += !fixed;
  }
  if (swept != set.variables.size()) return std::nullopt;
  return "[" + joined(axes, ",") + "]";
}

/// The bufprog reader names the variables of a set "$i", so that they cannot meet a name of the text.
IndexSet with_plain_names(const IndexSet& set) {
  IndexSet out = set;
  std::map<std::string, SymExpr, std::less<>> plain;
  for (BoundVariable& v : out.variables) {
    if (!v.name.starts_with("$")) continue;
    const std::string name =
        std::isdigit(static_cast<unsigned char>(v.name[1])) ? "_" + v.name.substr(1) : v.name.substr(1);
    plain.emplace(v.name, SymExpr::symbol(name));
    v.name = name;
  }
  for (SymExpr& index : out.index) index = index.substitute(plain);
  out.where = out.where.substitute(plain);
  return out;
}

/// One side of a comparison with zero: the terms of one sign, as they stand on their side.
SymExpr side(const SymExpr& expr, bool positive) {
  SymExpr out(positive == (expr.constant_part() > 0) ? expr.constant_part() : 0);
  for (const Term& term : expr.terms()) {
    SymExpr single = term.coefficient;
    for (const AtomRef& atom : term.atoms) single = single * from_atom(atom);
    if (positive == (term.coefficient > 0)) out = out + single;
  }
  return positive ? out : -out;
}

std::string as_braces(const IndexSet& marked) {
  const IndexSet set = with_plain_names(marked);
  std::vector<std::string> variables;
  for (const BoundVariable& v : set.variables) {
    const std::string low = v.lo == SymExpr(0) ? "" : v.lo.str() + "<=";
    variables.push_back(fmt::format("{}{}<{}", low, v.name, v.hi.str()));
  }
  const std::string where = set.where.is_true() ? "" : " ; " + print_condition(set.where);
  return fmt::format("{{{} | {}{}}}", list(set.index), joined(variables, ", "), where);
}

std::string print_from(const From& from) {
  switch (from.kind) {
    case From::Kind::any:
      return "";
    case From::Kind::one_of:
      return " from " + list(from.names, "|");
    case From::Kind::all_of:
      return " from " + list(from.names, "&");
    case From::Kind::exactly:
      return " from =" + list(from.names, "&");
    case From::Kind::intended:
      return " as intended";
  }
  return "";
}

const char* verb(Clause::Kind kind) {
  switch (kind) {
    case Clause::Kind::read:
      return "read";
    case Clause::Kind::write:
      return "write";
    case Clause::Kind::accumulate:
      return "accum";
    case Clause::Kind::modify:
      return "modify";
    case Clause::Kind::unknown:
      return "unknown";
  }
  return "";
}

const char* init_word(Init init) {
  switch (init) {
    case Init::uninit:
      return "uninit";
    case Init::zero:
      return "zero";
    case Init::input:
      return "input";
    case Init::filled:
      return "filled";
  }
  return "";
}

std::string on(const Name& stream) {
  return stream.empty() || stream == Name("s0") ? "" : " on " + stream.str();
}

std::string type_of(const std::optional<DType>& dtype) {
  return dtype ? " " + std::string(name(*dtype)) : "";
}

/// One line per step, blocks indented by two blanks.
class Listing {
 public:
  explicit Listing(const Program& program) : program_(program) {}

  std::string text() {
    for (const Symbol& symbol : program_.symbols) header(symbol);
    for (const KernelDef& kernel : program_.kernels) header(kernel);
    block(program_.body);
    return std::move(out_);
  }

  void operator()(const Alloc& s) {
    if (program_.dialect == Dialect::bufprog) {
      const std::string size = s.layout ? list(s.layout->sizes) : "?";
      line(fmt::format("buf {}[{}] {}", s.name.str(), size, init_word(s.init)));
    } else {
      const std::string layout = s.layout ? s.layout->str() : "(size unknown)";
      line(fmt::format("buf {}{} {} {}", s.name.str(), type_of(s.dtype), layout, init_word(s.init)));
    }
  }
  void operator()(const View& s) {
    if (!s.layout) {
      const char* window = s.unknown_layout ? " (window unknown)" : "";
      line(fmt::format("view {} = {}{}{}", s.name.str(), s.base.str(), type_of(s.dtype), window));
    } else if (program_.dialect == Dialect::bufprog) {
      bufprog_view(s);
    } else {
      const char* offset = s.absolute_offset ? " offset from the storage" : "";
      line(fmt::format("{} {} = {}{} {}{}", s.pool_slice ? "slice" : "view", s.name.str(), s.base.str(),
                       type_of(s.dtype), s.layout->str(), offset));
    }
  }
  void operator()(const Bind& s) {
    static constexpr const char* kWords[] = {"name", "same", "take", "rename", "reuse"};
    line(fmt::format("{} {} = {}", kWords[static_cast<int>(s.kind)], s.name.str(), s.source.str()));
  }
  void operator()(const Point& s) { line(fmt::format("point {} -> {}", s.handle.str(), s.target.str())); }
  void operator()(const Launch& s) {
    if (program_.dialect == Dialect::bufprog && s.variants.size() == 1) {
      line(fmt::format("kernel {}{}: {}", s.kernel.str(), on(s.stream), effects(s.variants[0])));
    } else {
      wrapper_launch(s);
    }
  }
  void operator()(const Copy& s) {
    const std::string stream = s.stream == Name("s0") ? "" : " on " + s.stream.str() + ":";
    line(fmt::format("copy{} {} -> {}", stream, print_set(s.source, s.source_set),
                     print_set(s.destination, s.destination_set)));
  }
  void operator()(const Free& s) {
    for (const Name& name : s.names) line("drop " + name.str());
  }
  void operator()(const Signal& s) { line(fmt::format("signal {} on {}", s.event.str(), s.stream.str())); }
  void operator()(const Wait& s) { line(fmt::format("wait {} on {}", s.event.str(), s.stream.str())); }
  void operator()(const HostSync& s) { line("hostsync " + s.stream.str()); }
  void operator()(const Branch& s) {
    line(fmt::format("if {}:", print_condition(s.condition)));
    nested(s.then_block);
    if (s.else_block.empty()) return;
    line("else:");
    nested(s.else_block);
  }
  void operator()(const Loop& s) {
    line(fmt::format("loop {}<{}:", s.variable, s.count.str()));
    nested(s.body);
  }
  void operator()(const Return& s) {
    for (const Return::Item& item : s.items)
      line(fmt::format("result {}{}", print_set(item.name, item.set), print_from(item.from)));
  }
  void operator()(const AssertLayout& s) {
    line(fmt::format("assert {}{} {}", s.name.str(), type_of(s.dtype), s.layout.str()));
  }
  void operator()(const Unsupported& s) {
    line(fmt::format("unsupported {}: {}", s.what,
                     s.touched.empty() ? "touches nothing known" : list(s.touched)));
  }

 private:
  void header(const Symbol& symbol) {
    const std::string value = symbol.value ? fmt::format(" = {}", *symbol.value) : "";
    const std::string high = symbol.hi ? std::to_string(*symbol.hi) : "inf";
    line(fmt::format("param {}{} in {}..{}", symbol.name, value, symbol.lo, high));
  }
  void header(const KernelDef& kernel) {
    step_ = nullptr;
    const std::string outputs = !kernel.num_outputs ? ""
                                : *kernel.num_outputs == 1
                                    ? ", the last argument is an output"
                                    : fmt::format(", the last {} arguments are outputs", *kernel.num_outputs);
    const char* dynamic = kernel.dynamic ? ", dynamic" : "";
    out_ += fmt::format("# kernel {}{}{} (line {})\n", kernel.name, outputs, dynamic, kernel.where.line);
  }

  void block(const Block& steps) {
    for (const Step& step : steps) {
      step_ = &step;
      std::visit(*this, step.node);
    }
  }
  void nested(const Block& steps) {
    depth_ += 2;
    block(steps);
    depth_ -= 2;
  }

  void line(const std::string& text) {
    std::string row = std::string(depth_, ' ') + text;
    if (program_.dialect == Dialect::wrapper && step_ && step_->where.line > 0)
      row += fmt::format("{:{}}  # line {}", "", row.size() < 72 ? 72 - row.size() : 0, step_->where.line);
    out_ += row + "\n";
  }

  void bufprog_view(const View& s) {
    if (s.layout->rank() == 1 && s.layout->strides[0] == SymExpr(1)) {
      line(fmt::format("view {} = {} + {} len {}", s.name.str(), s.base.str(), s.layout->offset.str(),
                       s.layout->sizes[0].str()));
      return;
    }
    const std::string at = s.layout->offset == SymExpr(0) ? "" : " + " + s.layout->offset.str();
    line(fmt::format("layout {} = {}{} shape ({}) stride ({})", s.name.str(), s.base.str(), at,
                     list(s.layout->sizes, ","), list(s.layout->strides, ",")));
  }

  void wrapper_launch(const Launch& s) {
    std::vector<std::string> arguments;
    for (const Argument& a : s.arguments) arguments.push_back(a.scalar ? a.scalar->str() : a.handle.str());
    const std::string outputs = s.outputs.empty() ? "" : " -> " + list(s.outputs);
    line(fmt::format("kernel {}({}){}{}", s.kernel.str(), joined(arguments, ", "), on(s.stream), outputs));
    step_ = nullptr;
    depth_ += 2;
    for (const Variant& variant : s.variants)
      line(variant.name + (variant.name.empty() ? "" : ": ") + effects(variant));
    depth_ -= 2;
  }

  static std::string rebind(const Rebind& r) {
    std::string text = "rebind " + r.handle.str();
    if (r.result) text += " as " + r.result->str();
    if (r.dtype) text += type_of(r.dtype);
    if (!r.alias_of.empty()) text += (r.carries ? " carrying view of " : " view of ") + r.alias_of.str();
    if (r.same_as >= 0) text += fmt::format(" sharing result {}", r.same_as);
    return text;
  }

  static std::string effects(const Variant& variant) {
    std::vector<std::string> parts;
    for (const Clause& clause : variant.clauses) parts.push_back(print_clause(clause));
    for (const Rebind& r : variant.rebinds) parts.push_back(rebind(r));
    if (!variant.raises.empty()) parts.push_back("raises " + variant.raises);
    return parts.empty() ? "nothing" : joined(parts, "; ");
  }

  const Program& program_;
  const Step* step_ = nullptr;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string print_condition(const Cond& condition) {
  switch (condition.kind()) {
    case Cond::Kind::constant:
      return condition.is_true() ? "0 == 0" : "0 == 1";
    case Cond::Kind::le_zero:
    case Cond::Kind::eq_zero: {
      const char* relation = condition.kind() == Cond::Kind::le_zero ? "<=" : "==";
      return fmt::format("{} {} {}", side(condition.expr(), true).str(), relation,
                         side(condition.expr(), false).str());
    }
    case Cond::Kind::conj:
    case Cond::Kind::disj:
      break;
  }
  std::vector<std::string> parts;
  for (const Cond& part : condition.parts())
    parts.push_back(part.parts().empty() ? print_condition(part) : "(" + print_condition(part) + ")");
  return joined(parts, condition.kind() == Cond::Kind::conj ? " and " : " or ");
}

std::string print_set(const Name& buffer, const IndexSet& set) {
  if (set.whole) return buffer.str();
  const auto box = as_box(set);
  return buffer.str() + (box ? *box : as_braces(set));
}

std::string print_clause(const Clause& clause) {
  std::string text = fmt::format("{}{} {}{}", clause.may ? "may " : "", verb(clause.kind),
                                 print_set(clause.buffer, clause.set), print_from(clause.from));
  if (clause.as_layout) text += " as " + clause.as_layout->str();
  return text;
}

std::string print_text(const Program& program) { return Listing(program).text(); }

}  // namespace bufferproof::model
