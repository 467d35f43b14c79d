// The traced graph of one fused batch-norm kernel: what all three texts of a kernel are printed from.
//
// Batch normalisation is decomposed as Inductor does for inference: sub, add eps, sqrt, reciprocal, times 1,
// two multiplications, add. Sizes that broadcast are expanded explicitly; with a symbolic batch the symbol is
// a placeholder between the tensors, where it is first needed. Tested by tests/model/resnet_*.cpp.
#pragma once

#include <string>
#include <vector>

#include "examples/resnet/extent.hpp"

namespace bufferproof::examples {

enum class Op {
  tensor,
  symbol,
  unsqueeze,
  expand,
  sub,
  add,
  add_eps,
  sqrt,
  reciprocal,
  times_one,
  mul,
  relu,
  mean
};

struct Node {
  Op op = Op::tensor;
  std::string name;         ///< FX name: "arg0_1", "unsqueeze_3"
  std::vector<int> inputs;  ///< nodes
  Shape shape;              ///< of the result; of `expand` the target; empty for a symbol
};

/// What a kernel reads, in placeholder order.
enum class Feed {
  data,
  mean,
  batch,
  variance,
  weight,
  bias,
  residual,
  data2,
  mean2,
  variance2,
  weight2,
  bias2
};

struct KernelGraph {
  std::vector<Node> nodes;
  std::vector<Feed> feeds;  ///< of the placeholders
  int result = -1;
  std::string fused_name;  ///< "fused__native_batch_norm_legit_no_training_add_relu"

  const Node& output() const { return nodes[static_cast<std::size_t>(result)]; }
  /// Placeholders in order.
  std::vector<int> placeholders() const;
  int batch_symbol() const;  ///< node of the symbol, -1: static
};

enum class Residual { none, identity, projection };

struct KernelSpec {
  Shape shape;  ///< (batch, channels, height, width)
  Residual residual = Residual::none;
  bool relu = true;
  bool mean = false;  ///< the last block: average over height and width, kept as size 1
};

KernelGraph make_kernel_graph(const KernelSpec& spec);

/// The class with a forward method that stands above an import_fx.
std::string fx_text(const KernelGraph& graph, const std::string& class_name);
/// The module file a dump folder holds for the fallback, named by its traced_graph_hash. `constants`: with
/// the epsilon as a tensor constant, which the dump saves as memory nobody fills (B5).
std::string module_text(const KernelGraph& graph, const std::string& hash, bool constants = false);
/// 26.1.0 and later: the module in torch dialect.
std::string torch_text(const KernelGraph& graph, const std::string& kernel);
/// Up to 26.0.0: the module in linalg and hfusion named ops.
std::string named_op_text(const KernelGraph& graph, const std::string& kernel);

}  // namespace bufferproof::examples
