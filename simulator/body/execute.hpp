// Executes a kernel body on the CPU with the reference kernels.
//
// Every operation is one lookup in kernels_ref's registry. Movement operations are strided views where a view
// can say it; runs of elementwise operations of one shape go through one ElementwiseChain, block by block,
// with the bits they have one after the other. `tensor.empty` holds the signalling pattern of fresh storage,
// so an undefined element shows. Not executed: `loaded` constants, whose values stand in another file. Errors
// are ExecutionErrors with the operation and its place; kernel argument errors pass through. Tested by
// tests/simulator/body_execute_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::simulator {

class ExecutionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument of the kernel: a tensor, or the number a scalar parameter stands for.
using BodyArgument = std::variant<kernels::ConstTensorView, std::int64_t, double>;

/// An operation that has run.
struct Ran {
  const model::TensorFunction& function;
  const model::TensorOp& op;
  const model::Valuation& sizes;
  std::vector<kernels::ConstTensorView> operands;
  std::vector<kernels::ConstTensorView> results;
};
class BodyObserver {
 public:
  virtual ~BodyObserver() = default;
  virtual void ran(const Ran& what) = 0;
};

struct ExecuteOptions {
  kernels::NumericsProfile numerics;
  bool fuse = true;  ///< false: each operation over whole tensors; the bits are the same where the profile
                     ///< keeps each step's rounding
  BodyObserver* observer = nullptr;  ///< told of every operation; with `fuse` false only
};

/// Sizes of the body's symbols for these arguments. Throws ExecutionError where an argument's shape or
/// element type does not fit its parameter, or an assumption of the body does not hold.
model::Valuation bind_sizes(const model::TensorFunction& function, std::span<const BodyArgument> arguments);

struct ResultShape {
  model::DType dtype = model::DType::f32;
  kernels::Sizes sizes;
};
/// What the body returns for these arguments. Throws as bind_sizes does.
std::vector<ResultShape> result_shapes(const model::TensorFunction& function,
                                       std::span<const BodyArgument> arguments);

/// Writes result i to targets[i], row-major memory of its shape that no argument shares. A value returned
/// twice is written twice.
void execute_into(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                  std::span<const kernels::TensorView> targets, const ExecuteOptions& options = {});

/// One owned, row-major tensor per result, in order.
std::vector<kernels::Tensor> execute(const model::TensorFunction& function,
                                     std::span<const BodyArgument> arguments,
                                     const ExecuteOptions& options = {});

}  // namespace bufferproof::simulator
