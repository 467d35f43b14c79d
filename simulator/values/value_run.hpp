// What happens on one run of a lowered wrapper, with values: the tag run's executor, and bytes beside the
// tags.
//
// Kernels with a readable body are computed by the reference kernels; a fallback computes its FX graph where
// the file has one, else what the compiled text says; library calls by the table of aten functions. Memory
// nobody wrote holds what RunPlan::memory says. All calls of the plan share the device's memory, its pool,
// and the inputs, which keep what a call stored to them. Tested by tests/simulator/value_run_test.cpp and
// tests/simulator/value_resnet_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"
#include "simulator/body/births.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::simulator {

class RunState;

/// A launch that has been computed. What is here lives until `computed` returns.
struct ComputedLaunch {
  std::size_t call = 0;     ///< of the plan
  std::size_t ordinal = 0;  ///< of the launches of this call
  const std::string& kernel;
  const model::SourceLocation& where;
  const std::shared_ptr<const model::TensorFunction>& body;
  std::span<const BodyArgument> arguments;
  std::span<const std::string> names;            ///< of the arguments; empty: a scalar
  std::span<const std::string> outputs;          ///< per result of the body; empty: nobody's
  std::span<const kernels::TensorView> results;  ///< row-major; an observer may store other values
  const RunState& state;                         ///< simulator/run_state.hpp
  std::uint32_t writer = 0;                      ///< its number in the tags
};
/// A buffer as a launch left it, whatever its road did.
struct DeliveredBuffer {
  std::size_t call = 0;
  const std::string& name;
  const kernels::Tensor& tensor;
};
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  virtual void computed(const ComputedLaunch&) {}
  virtual bool wants_buffers() const { return false; }
  virtual void delivered(const DeliveredBuffer&) {}
};

struct ValueOptions {
  /// Inputs by name; those missing are generated (generated_input.hpp).
  const std::map<std::string, kernels::Tensor>* tensors = nullptr;
  /// What generated inputs depend on besides their names.
  std::uint64_t input_seed = 0;
  kernels::NumericsProfile numerics;
  /// Look for NaN and infinity that were born in arithmetic (body/births.hpp).
  bool births = false;
  /// Told after each launch that computes something, before its results are handed over.
  LaunchObserver* observer = nullptr;
  /// Told before each launch, with the kernel's name.
  std::function<void(const std::string&)> on_launch;
};

struct ReturnedTensor {
  std::string name;
  kernels::Tensor tensor;
};

/// NaN or infinity that a launch made of finite inputs, or of inputs without NaN.
struct LaunchBirth {
  std::string kernel;
  model::SourceLocation launch;
  std::size_t call = 0;  ///< of the plan
  Birth birth;
};

struct ValueTrace {
  TagTrace tags;
  std::vector<std::vector<ReturnedTensor>> calls;  ///< per call of the plan, in the order of the Return
  std::vector<LaunchBirth> births;  ///< with ValueOptions::births, in the order of the launches
  std::int64_t peak_bytes = 0;      ///< of device memory
};

/// Raises InputError: what run_tags raises; a given tensor of another shape or element type, one that no
/// input has; a kernel without a readable body, a library function outside of the table or of unknown effects
/// (named, with its place).
ValueTrace run_values(const model::Program& program, const model::RunPlan& plan,
                      const ValueOptions& options = {});

}  // namespace bufferproof::simulator
