// FX text: print_readable's form, one statement a line, names dropped after their last use.
#include <map>

#include "examples/resnet/kernel_graph.hpp"

namespace bufferproof::examples {
namespace {

class FxPrinter {
 public:
  explicit FxPrinter(const KernelGraph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      for (int input : graph.nodes[i].inputs) last_use_[input] = i;
  }

  std::string readable(const std::string& class_name) const {
    std::string text = fmt::format("class {}(torch.nn.Module):\n    def forward(self", class_name);
    for (int index : graph_.placeholders())
      text += fmt::format(", {}: \"{}\"", name(index), annotation(index));
    text += "):\n        # No stacktrace found for following nodes\n";
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) text += statement(i, true);
    return text + fmt::format("        return ({},)\n", name(graph_.result));
  }

  /// As written by GraphModule.to_folder: no annotations. `constants`: the epsilon is a tensor constant,
  /// which that function saves as memory nobody fills.
  std::string module(const std::string& hash, bool constants) {
    constants_ = constants;
    std::string text = fmt::format(
        "\nimport torch\nfrom math import inf\nfrom math import nan\nNoneType = type(None)\nimport torch\n"
        "from torch import device\n\nfrom torch.nn import *\n\nclass {}(torch.nn.Module):\n    def "
        "__init__(self):\n"
        "        super().__init__()\n{}\n    \n    \n    def forward(self",
        hash, constants ? kConstant : "");
    for (int index : graph_.placeholders()) text += ", " + name(index);
    text += "):\n";
    if (constants) text += "        _tensor_constant0 = self._tensor_constant0\n";
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) text += statement(i, false);
    return text + fmt::format("        return ({},)\n        \n", name(graph_.result));
  }

 private:
  const Node& node(int index) const { return graph_.nodes[static_cast<std::size_t>(index)]; }
  const std::string& name(int index) const { return node(index).name; }
  /// Every placeholder graph starts with the data, whose first size is the batch.
  std::string batch() const { return node(0).shape[0].str(); }

  std::string annotation(int index) const {
    if (node(index).op == Op::symbol) return "Sym(" + batch() + ")";
    return "f32[" + list(node(index).shape) + "]";
  }
  std::string target_sizes(const Node& expand) const {
    std::string text;
    for (const Extent& extent : expand.shape)
      text += (text.empty() ? "" : ", ") + (extent.symbolic ? name(expand.inputs.at(1)) : extent.str());
    return "[" + text + "]";
  }
  std::string call(const Node& n) const {
    const std::string a = name(n.inputs.at(0));
    switch (n.op) {
      case Op::unsqueeze:
        return fmt::format("unsqueeze.default({}, -1)", a);
      case Op::expand:
        return fmt::format("expand.default({}, {})", a, target_sizes(n));
      case Op::sub:
        return fmt::format("sub.Tensor({}, {})", a, name(n.inputs[1]));
      case Op::add:
        return fmt::format("add.Tensor({}, {})", a, name(n.inputs[1]));
      case Op::mul:
        return fmt::format("mul.Tensor({}, {})", a, name(n.inputs[1]));
      case Op::add_eps:
        return fmt::format("add.Tensor({}, {})", a, constants_ ? "_tensor_constant0" : "1e-05");
      case Op::times_one:
        return fmt::format("mul.Tensor({}, 1)", a);
      case Op::sqrt:
        return fmt::format("sqrt.default({})", a);
      case Op::reciprocal:
        return fmt::format("reciprocal.default({})", a);
      case Op::relu:
        return fmt::format("relu.default({})", a);
      default:
        return fmt::format("mean.dim({}, [2, 3], True)", a);
    }
  }
  std::string statement(std::size_t i, bool annotated) const {
    const Node& n = graph_.nodes[i];
    if (n.inputs.empty()) return "";
    const std::string typed = annotated ? fmt::format("{}: \"f32[{}]\"", n.name, list(n.shape)) : n.name;
    std::string text = fmt::format("        {} = torch.ops.aten.{};", typed, call(n));
    std::string dropped;
    for (int input : n.inputs)
      if (last_use_.at(input) == i) dropped += name(input) + " = ";
    if (dropped.empty()) text.pop_back();
    return text + (dropped.empty() ? "" : "  " + dropped + "None") + "\n";
  }

  static constexpr const char* kConstant =
      "        self.register_buffer('_tensor_constant0', torch.empty([], dtype=torch.float32))\n";

  const KernelGraph& graph_;
  bool constants_ = false;
  std::map<int, std::size_t> last_use_;
};

}  // namespace

std::string fx_text(const KernelGraph& graph, const std::string& class_name) {
  return FxPrinter(graph).readable(class_name);
}

std::string module_text(const KernelGraph& graph, const std::string& hash, bool constants) {
  return FxPrinter(graph).module(hash, constants);
}

}  // namespace bufferproof::examples
