#include "cli/value_run.hpp"

#include "cli/output_values.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "model/diagnostic.hpp"
#include "model/lower.hpp"

namespace bufferproof::cli {
namespace {

std::size_t count_launches(const model::Block& block) {
  std::size_t out = 0;
  for (const model::Step& step : block) {
    out += std::holds_alternative<model::Launch>(step.node);
    if (const auto* branch = std::get_if<model::Branch>(&step.node))
      out += std::max(count_launches(branch->then_block), count_launches(branch->else_block));
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) out += count_launches(loop->body);
  }
  return out;
}

bool has_nan_or_infinity(const simulator::ValueTrace& trace) {
  for (const auto& call : trace.calls)
    for (const simulator::ReturnedTensor& output : call) {
      const OutputSummary summary = summarize(output.name, output.tensor.view());
      if (summary.nans + summary.infinities > 0) return true;
    }
  return false;
}

}  // namespace

ValueSetting read_setting(const ValueOptions& options) {
  check_out(options.out);
  return {read_tensor_files(options.tensors), numerics_of(options), options.seed};
}

simulator::ValueTrace run_with_values(const model::Program& lowered, const model::RunPlan& plan,
                                      const ValueSetting& setting, Progress& progress,
                                      const std::string& phase, const RunExtras& extras) {
  simulator::ValueOptions how;
  how.tensors = &setting.tensors;
  how.input_seed = setting.seed;
  how.numerics = setting.numerics;
  how.births = extras.births;
  how.observer = extras.observer;
  how.on_launch = [&](const std::string& kernel) { progress.step(kernel); };
  progress.phase(phase, count_launches(lowered.body) * plan.calls.size());
  try {
    return simulator::run_values(lowered, plan, how);
  } catch (const kernels::KernelError& error) {
    throw model::InputError({std::make_shared<const std::string>(lowered.file), 0, 0}, error.what());
  }
}

simulator::ValueTrace golden_run(const model::Program& contract_abiding, const model::RunPlan& plan,
                                 const ValueSetting& setting, Progress& progress,
                                 simulator::LaunchObserver* observer) {
  simulator::ValueTrace trace =
      run_with_values(contract_abiding, plan, setting, progress, "golden run", {false, observer});
  if (!trace.tags.findings.empty() || !has_nan_or_infinity(trace)) return trace;
  return run_with_values(contract_abiding, plan, setting, progress, "looking where NaN is born",
                         {true, nullptr});
}

model::Program contract_abiding(const model::Program& program) {
  return model::lower(program, model::require_profile("stock"));
}

model::RunPlan golden_plan(const model::RunPlan& plan) {
  model::RunPlan out;
  out.calls = plan.calls;
  return out;
}

}  // namespace bufferproof::cli
