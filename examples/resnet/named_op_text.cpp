// Named-op text, as bishengir-opt leaves it for torch_npu up to 26.0.0: every tensor is tensor.empty and an
// operation that overwrites it; add and sub multiply their right side by an alpha tensor; scalars are filled;
// empties are shared.
#include <map>

#include "examples/resnet/kernel_graph.hpp"

namespace bufferproof::examples {
namespace {

std::string type(const Shape& shape, const char* element) {
  std::string text = "tensor<";
  for (const Extent& extent : shape) text += (extent.symbolic ? "?" : extent.str()) + "x";
  return text + element + ">";
}

class NamedOpPrinter {
 public:
  explicit NamedOpPrinter(const KernelGraph& graph) : graph_(graph) {}

  std::string print(const std::string& kernel) {
    std::string parameters;
    int count = 0;
    for (int index : graph_.placeholders()) {
      values_[index] = fmt::format("%arg{}", count++);
      parameters += (parameters.empty() ? "" : ", ") + values_[index] + ": " +
                    (node(index).op == Op::symbol ? "i64" : f32(node(index).shape));
    }
    if (graph_.batch_symbol() >= 0) take_dim();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!graph_.nodes[i].inputs.empty()) operation(static_cast<int>(i));
    const std::string result = f32(graph_.output().shape);
    return fmt::format(
        "module {{\n  func.func @{}({}) -> {} attributes {{hacc.entry, hacc.function_kind = "
        "#hacc.function_kind<{}>}} {{\n{}{}    return {} : {}\n  }}\n}}\n",
        kernel, parameters, result, graph_.batch_symbol() < 0 ? "DEVICE" : "HOST", constants_text_, body_,
        values_[graph_.result], result);
  }

 private:
  const Node& node(int index) const { return graph_.nodes[static_cast<std::size_t>(index)]; }
  static std::string f32(const Shape& shape) { return type(shape, "f32"); }
  void line(const std::string& text) { body_ += "    " + text + "\n"; }
  std::string fresh() { return fmt::format("%{}", next_++); }

  /// Constants stand at the top; floating ones are numbered %cst, %cst_0, ...
  std::string constant(const std::string& value, const std::string& element) {
    const auto found = constants_.find(value + " : " + element);
    if (found != constants_.end()) return found->second;
    std::string name = "%c" + value + (element == "index" ? "" : "_" + element);
    if (element[0] == 'f') {
      name = floats_ < 0 ? "%cst" : fmt::format("%cst_{}", floats_);
      ++floats_;
    }
    constants_text_ += fmt::format("    {} = arith.constant {} : {}\n", name, value, element);
    return constants_[value + " : " + element] = name;
  }
  void take_dim() {
    const std::string zero = constant("0", "index");
    line(fmt::format("%dim = tensor.dim {}, {} : {}", values_[0], zero, f32(node(0).shape)));
  }
  /// The batch as an index: of the data operand, or of the symbol where an expand asks for it.
  std::string batch(bool from_symbol) {
    if (!from_symbol) return "%dim";
    if (symbol_index_.empty()) {
      symbol_index_ = fresh();
      line(fmt::format("{} = arith.index_cast {} : i64 to index", symbol_index_,
                       values_[graph_.batch_symbol()]));
    }
    return symbol_index_;
  }
  std::string empty(const Shape& shape, const char* element, bool from_symbol = false) {
    const std::string kind = type(shape, element) + (from_symbol ? "*" : "");
    const auto found = empties_.find(kind);
    if (found != empties_.end()) return found->second;
    std::string dims;
    for (const Extent& extent : shape)
      if (extent.symbolic) dims = batch(from_symbol);
    const std::string name = fresh();
    line(fmt::format("{} = tensor.empty({}) : {}", name, dims, type(shape, element)));
    return empties_[kind] = name;
  }
  std::string fill(const std::string& scalar, const char* element, const Shape& shape) {
    const std::string out = empty(shape, element);
    const std::string name = fresh();
    const std::string t = type(shape, element);
    line(fmt::format("{} = linalg.fill ins({} : {}) outs({} : {}) -> {}", name, scalar, element, out, t, t));
    return name;
  }
  /// The integer 1 as f32 tensor, once per shape.
  std::string one(const Shape& shape) {
    const auto found = ones_.find(f32(shape));
    if (found != ones_.end()) return found->second;
    const std::string ints = fill(constant("1", "i64"), "i64", shape);
    const std::string out = empty(shape, "f32");
    const std::string name = fresh();
    line(fmt::format(
        "{} = hfusion.cast {{round_mode = #hfusion.round_mode<rint>}} ins({} : {}) outs({} : {}) -> {}", name,
        ints, type(shape, "i64"), out, f32(shape), f32(shape)));
    return ones_[f32(shape)] = name;
  }
  std::string binary(const char* fun, const std::string& a, const std::string& b, const Shape& shape) {
    const std::string out = empty(shape, "f32");
    const std::string name = fresh();
    const std::string t = f32(shape);
    line(
        fmt::format("{} = linalg.elemwise_binary {{fun = #linalg.binary_fn<{}>}} ins({}, {} : {}, {}) "
                    "outs({} : {}) -> {}",
                    name, fun, a, b, t, t, out, t, t));
    return name;
  }
  std::string unary(const char* fun, const std::string& a, const Shape& shape) {
    const std::string out = empty(shape, "f32");
    const std::string name = fresh();
    const std::string t = f32(shape);
    line(fmt::format(
        "{} = hfusion.elemwise_unary {{fun = #hfusion.unary_fn<{}>}} ins({} : {}) outs({} : {}) -> {}", name,
        fun, a, t, out, t, t));
    return name;
  }
  std::string with_alpha(const char* fun, const Node& n) {
    const std::string alpha = one(n.shape);
    return binary(fun, values_[n.inputs[0]], binary("mul", values_[n.inputs[1]], alpha, n.shape), n.shape);
  }
  std::string add_eps(const Node& n) {
    const std::string eps = fresh();
    line(fmt::format("{} = arith.truncf {} : f64 to f32", eps, constant("1.000000e-05", "f64")));
    const std::string filled = fill(eps, "f32", n.shape);
    const std::string scaled = binary("mul", filled, one(n.shape), n.shape);
    return binary("add", values_[n.inputs[0]], scaled, n.shape);
  }
  /// The vector behind two unsqueezes is broadcast along the other three axes.
  std::string broadcast(const Node& n) {
    const int vector = node(node(n.inputs[0]).inputs[0]).inputs[0];
    const std::string out = empty(n.shape, "f32", n.shape[0].symbolic);
    const std::string name = numbered("%broadcasted", broadcasts_);
    line(fmt::format("{} = linalg.broadcast ins({} : {}) outs({} : {}) dimensions = [0, 2, 3] ", name,
                     values_[vector], f32(node(vector).shape), out, f32(n.shape)));
    return name;
  }
  std::string numbered(const char* name, int& count) {
    const std::string text = count == 0 ? name : fmt::format("{}_{}", name, count);
    ++count;
    return text;
  }
  std::string mean(const Node& n) {
    const Shape& in = node(n.inputs[0]).shape;
    const Shape rest{in[0], in[1]};
    const std::string init = fill(constant("0.000000e+00", "f32"), "f32", rest);
    line(fmt::format("%reduced = linalg.reduce ins({} : {}) outs({} : {}) dimensions = [2, 3] ",
                     values_[n.inputs[0]], f32(in), init, f32(rest)));
    line("  (%in: f32, %init: f32) {");
    const std::string sum = fresh();
    line(fmt::format("    {} = arith.addf %in, %init : f32", sum));
    line(fmt::format("    linalg.yield {} : f32", sum));
    line("  }");
    const std::string batch_size = in[0].symbolic ? "%dim" : in[0].str();
    line(fmt::format(
        "%expanded = tensor.expand_shape %reduced [[0], [1, 2, 3]] output_shape [{}, {}, 1, 1] : {} into {}",
        batch_size, in[1].str(), f32(rest), f32(n.shape)));
    const std::string count =
        constant(fmt::format("{:.6e}", static_cast<double>((in[2] * in[3]).factor)), "f32");
    return binary("div", "%expanded", fill(count, "f32", n.shape), n.shape);
  }
  void operation(int index) {
    const Node& n = node(index);
    switch (n.op) {
      case Op::unsqueeze:
        return;  // folded into the broadcast
      case Op::expand:
        values_[index] = broadcast(n);
        return;
      case Op::sub:
        values_[index] = with_alpha("sub", n);
        return;
      case Op::add:
        values_[index] = with_alpha("add", n);
        return;
      case Op::add_eps:
        values_[index] = add_eps(n);
        return;
      case Op::times_one:
        values_[index] = binary("mul", values_[n.inputs[0]], one(n.shape), n.shape);
        return;
      case Op::mul:
        values_[index] = binary("mul", values_[n.inputs[0]], values_[n.inputs[1]], n.shape);
        return;
      case Op::sqrt:
        values_[index] = unary("sqrt", values_[n.inputs[0]], n.shape);
        return;
      case Op::reciprocal:
        values_[index] = unary("rec", values_[n.inputs[0]], n.shape);
        return;
      case Op::relu:
        values_[index] = unary("relu", values_[n.inputs[0]], n.shape);
        return;
      default:
        values_[index] = mean(n);
        return;
    }
  }

  const KernelGraph& graph_;
  std::map<int, std::string> values_;
  std::map<std::string, std::string> constants_;
  std::map<std::string, std::string> empties_;
  std::map<std::string, std::string> ones_;
  std::string constants_text_;
  std::string body_;
  std::string symbol_index_;
  int next_ = 0;
  int floats_ = -1;
  int broadcasts_ = 0;
};

}  // namespace

std::string named_op_text(const KernelGraph& graph, const std::string& kernel) {
  return NamedOpPrinter(graph).print(kernel);
}

}  // namespace bufferproof::examples
