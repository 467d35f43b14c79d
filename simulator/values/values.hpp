// The bytes of one call of a wrapper: what the executor's steps do to them.
//
// A launch computes its results when it takes effect, into the memory of its outputs where nothing speaks
// against it, else beside it; the clauses and rebinds of the road then say what becomes of them. Results of
// eager execution (a fallback's, E4) are blocks of device memory of their own. A launch that is given a
// tensor the program has lost, or one of another shape (C6, C7), has results nobody knows: signalling
// patterns. Tested by tests/simulator/value_run_test.cpp.
#pragma once

#include <map>

#include "simulator/body/execute.hpp"
#include "simulator/memory/device_memory.hpp"
#include "simulator/values/bytes.hpp"
#include "simulator/values/value_hooks.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::simulator {

/// Memory that outlives a call: the device's, and the inputs, which keep what a call stored to them.
struct ValueSession {
  DeviceMemory memory;
  struct Input {
    std::shared_ptr<DeviceBlock> block;
    Shape shape;
    std::optional<model::DType> dtype;
  };
  std::map<std::string, Input> inputs;

  explicit ValueSession(const model::RunPlan& plan) : memory(plan.memory, plan.seed) {}
};

/// The text says neither the tensor's shape nor how much memory it has.
bool is_unmade(const Handle& handle);

class Values : public ValueHooks {
 public:
  /// `call`: its number in the plan.
  Values(const model::RunPlan& plan, const ValueOptions& options, ValueSession& session, std::size_t call)
      : plan_(plan), options_(options), session_(session), call_(call) {}

  std::vector<ReturnedTensor> take_returned() { return std::move(returned_); }
  std::vector<LaunchBirth> take_births() { return std::move(births_); }

  void allocated(Handle& handle, model::Init init, const model::SourceLocation& where) override;
  void launched(const model::Launch& launch, const model::Variant& variant, const RunState& state,
                const Actor& actor) override;
  void written(const AccessPoint& at, const std::vector<AccessPoint>& left_out, const Actor& actor) override;
  void rebound(const model::Rebind& rebind, Handle& handle, const Actor& actor) override;
  void launch_over(const RunState& state, const Actor& actor) override;
  void copied(const AccessPoint& from, const AccessPoint& to, const model::SourceLocation& where) override;
  void returned(const AccessPoint& at, const Actor& actor) override;

 private:
  /// What the running launch computed for one of its outputs.
  struct Result {
    kernels::Tensor own;
    std::shared_ptr<DeviceBlock> block;  ///< of eager execution, and of results without known memory
    kernels::TensorView view;            ///< row-major
    bool in_place = false;               ///< lies in the output's memory already
  };
  /// What a launch is given and what it computes.
  struct Work {
    std::shared_ptr<const model::TensorFunction> body;
    std::vector<std::string> outputs;  ///< per result of the body; empty: nobody's
    std::vector<std::string> names;    ///< of the arguments; empty: a scalar
    std::vector<BodyArgument> arguments;
    std::vector<kernels::Tensor> kept;     ///< memory of arguments that are not read in place
    std::vector<const Storage*> storages;  ///< of the arguments
    bool doubtful = false;                 ///< an argument is not what the text says
  };

  // values.cpp
  std::shared_ptr<DeviceBlock> reserve(std::int64_t bytes, std::optional<model::DType> dtype);
  void fill_input(Handle& handle, const std::string& name, const model::SourceLocation& where);
  static void become(Storage& storage, const Result& made);
  void store_result(const AccessPoint& at, const kernels::ConstTensorView& values, const Actor& actor);

  // launch_values.cpp
  static bool is_eager(const RunState& state, const model::Launch& launch);
  Work kernel_work(const model::Launch& launch, const model::KernelDef& kernel, const model::Variant& variant,
                   const RunState& state, const Actor& actor);
  Work call_work(const model::Launch& launch, const model::Variant& variant, const RunState& state,
                 const Actor& actor);
  void add_argument(Work& work, const std::string& name, const model::Variant& variant, const RunState& state,
                    const Actor& actor);
  void compute(Work& work, const model::Variant& variant, const RunState& state, const Actor& actor);
  void look_for_births(const Work& work, std::span<const kernels::TensorView> results,
                       const ExecuteOptions& how, const Actor& actor);
  Result place(const Work& work, const std::string& output, const ResultShape& shape,
               const model::Variant& variant, const RunState& state, const Actor& actor);
  std::optional<kernels::TensorView> in_place(const Work& work, const std::string& output,
                                              const ResultShape& shape, const model::Variant& variant,
                                              const RunState& state, const Actor& actor) const;

  const model::RunPlan& plan_;
  const ValueOptions& options_;
  ValueSession& session_;
  const std::size_t call_;
  std::size_t launches_ = 0;               ///< so far
  bool converts_ = false;                  ///< the running launch hands its results over as `copy_` does (E3)
  std::map<std::string, Result> results_;  ///< of the launch that runs, by output
  std::vector<std::string> outputs_;       ///< of the launch that runs, where somebody wants to see them
  std::vector<ReturnedTensor> returned_;
  std::vector<LaunchBirth> births_;
};

}  // namespace bufferproof::simulator
