// From the texts a wrapper holds to TensorFunctions: every MLIR kernel's module, every import_fx docstring,
// and the traced graphs of a dump folder.
//
// A text that is malformed or holds an unknown operation leaves its kernel without a body and says why in
// KernelDef::body_unsupported; lowering then lists what it assumes (E9), and the rest of the program is
// judged as usual. Tested by tests/model/read_kernel_bodies_test.cpp.
#pragma once

#include <map>
#include <string>

#include "model/program.hpp"

namespace bufferproof::model {

/// A module file of a traced-graph cache.
struct TracedGraph {
  std::string text;
  std::string file;
};
/// By traced_graph_hash.
using TracedGraphs = std::map<std::string, TracedGraph, std::less<>>;

/// Sets `body`, `fx_body` and `body_unsupported` of the program's kernels, and adds to its risks what the
/// texts show: a cast to the same type, which no compiler accepts (the kernel always falls back), and
/// constants that a traced graph saved without their values (B5). Kernels of C++ and Triton stay as they are.
void read_kernel_bodies(Program& program, const TracedGraphs& graphs = {});

}  // namespace bufferproof::model
