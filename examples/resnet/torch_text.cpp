// Torch-dialect text: one torch.aten operation per node, numbers and lists as constants before their use.
#include <map>

#include "examples/resnet/kernel_graph.hpp"

namespace bufferproof::examples {
namespace {

std::string type(const Shape& shape) {
  std::string sizes;
  for (const Extent& extent : shape)
    sizes += (sizes.empty() ? "" : ",") + (extent.symbolic ? "?" : extent.str());
  return "!torch.vtensor<[" + sizes + "],f32>";
}

class TorchPrinter {
 public:
  explicit TorchPrinter(const KernelGraph& graph) : graph_(graph) {}

  std::string print(const std::string& kernel) {
    std::string parameters;
    int count = 0;
    for (int index : graph_.placeholders()) {
      values_[index] = fmt::format("%arg{}", count++);
      parameters += (parameters.empty() ? "" : ", ") + values_[index] + ": " +
                    (node(index).op == Op::symbol ? "!torch.int" : type(node(index).shape));
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!graph_.nodes[i].inputs.empty()) operation(static_cast<int>(i));
    const std::string result = type(graph_.output().shape);
    return fmt::format(
        "module {{\n  func.func @{}({}) -> {} attributes {{hacc.entry, hacc.function_kind = "
        "#hacc.function_kind<{}>}} {{\n{}    return {} : {}\n  }}\n}}\n",
        kernel, parameters, result, graph_.batch_symbol() < 0 ? "DEVICE" : "HOST", body_,
        values_[graph_.result], result);
  }

 private:
  const Node& node(int index) const { return graph_.nodes[static_cast<std::size_t>(index)]; }
  void line(const std::string& text) { body_ += "    " + text + "\n"; }

  std::string constant(const std::string& name, const std::string& definition) {
    if (constants_.insert({name, definition}).second) line(name + " = torch.constant." + definition);
    return name;
  }
  std::string integer(std::int64_t value) {
    return constant(fmt::format("%int{}", value), fmt::format("int {}", value));
  }
  std::string int_list(const std::vector<std::string>& elements) {
    const std::string name = fmt::format("%{}", next_++);
    const std::vector<std::string> types(elements.size(), "!torch.int");
    line(fmt::format("{} = torch.prim.ListConstruct {} : ({}) -> !torch.list<int>", name,
                     fmt::join(elements, ", "), fmt::join(types, ", ")));
    return name;
  }
  std::string sizes(const Node& n) {
    std::vector<std::string> elements;
    for (const Extent& extent : n.shape)
      elements.push_back(extent.symbolic ? values_[n.inputs.at(1)] : integer(extent.factor));
    return int_list(elements);
  }

  void emit(int index, const std::string& op, const std::string& operands, const std::string& types) {
    const std::string name = fmt::format("%{}", next_++);
    values_[index] = name;
    line(fmt::format("{} = torch.aten.{} {} : {} -> {}", name, op, operands, types, type(node(index).shape)));
  }
  void operation(int index) {
    const Node& n = node(index);
    const std::string a = values_[n.inputs[0]];
    const std::string ta = type(node(n.inputs[0]).shape);
    switch (n.op) {
      case Op::unsqueeze:
        return emit(index, "unsqueeze", a + ", " + integer(-1), ta + ", !torch.int");
      case Op::expand: {
        const std::string target = sizes(n);
        const std::string no = constant("%false", "bool false");
        return emit(index, "expand", a + ", " + target + ", " + no, ta + ", !torch.list<int>, !torch.bool");
      }
      case Op::sub:
        return alpha(index, "sub.Tensor", a, ta);
      case Op::add:
        return alpha(index, "add.Tensor", a, ta);
      case Op::add_eps: {
        const std::string eps = constant("%float1.000000e-05", "float 1.000000e-05");
        return emit(index, "add.Scalar", a + ", " + eps + ", " + integer(1),
                    ta + ", !torch.float, !torch.int");
      }
      case Op::times_one:
        return emit(index, "mul.Scalar", a + ", " + integer(1), ta + ", !torch.int");
      case Op::mul:
        return emit(index, "mul.Tensor", a + ", " + second(n), ta + ", " + second_type(n));
      case Op::sqrt:
        return emit(index, "sqrt", a, ta);
      case Op::reciprocal:
        return emit(index, "reciprocal", a, ta);
      case Op::relu:
        return emit(index, "relu", a, ta);
      default:
        return mean(index, a, ta);
    }
  }
  std::string second(const Node& n) { return values_[n.inputs.at(1)]; }
  std::string second_type(const Node& n) const { return type(node(n.inputs.at(1)).shape); }
  void alpha(int index, const char* op, const std::string& a, const std::string& ta) {
    const Node& n = node(index);
    emit(index, op, a + ", " + second(n) + ", " + integer(1), ta + ", " + second_type(n) + ", !torch.int");
  }
  void mean(int index, const std::string& a, const std::string& ta) {
    const std::string dims = int_list({integer(2), integer(3)});
    const std::string yes = constant("%true", "bool true");
    const std::string none = constant("%none", "none");
    emit(index, "mean.dim", a + ", " + dims + ", " + yes + ", " + none,
         ta + ", !torch.list<int>, !torch.bool, !torch.none");
  }

  const KernelGraph& graph_;
  std::map<int, std::string> values_;
  std::map<std::string, std::string> constants_;
  std::string body_;
  int next_ = 0;
};

}  // namespace

std::string torch_text(const KernelGraph& graph, const std::string& kernel) {
  return TorchPrinter(graph).print(kernel);
}

}  // namespace bufferproof::examples
