// Which tensor function a launch computes, and for which outputs.
//
// Shared by runs with values and by explanations. Tested by tests/simulator/value_contract_test.cpp and
// tests/simulator/why_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::simulator {

using BodyPointer = std::shared_ptr<const model::TensorFunction>;

/// What a kernel computes on this road: a fallback its traced graph, where the file has one. Null: the file
/// does not say.
BodyPointer body_of(const model::KernelDef& kernel, const model::Variant& road);

/// E4: what a traced graph stores into its inputs is one more result each, unless the input is an output as
/// well. `outputs`: a name per result; `inputs`: a name per parameter.
void add_stored_inputs(BodyPointer& body, std::vector<std::string>& outputs,
                       const std::vector<std::string>& inputs);

/// The function with every size a number. Throws ExecutionError (simulator/body/execute.hpp) for a size
/// that has no value.
model::TensorFunction with_sizes(const model::TensorFunction& function, const model::Valuation& sizes);

}  // namespace bufferproof::simulator
