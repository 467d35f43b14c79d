#include "cli/value_run.hpp"

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

}  // namespace

ValueSetting read_setting(const ValueOptions& options) {
  check_out(options.out);
  return {read_tensor_files(options.tensors), numerics_of(options), options.seed};
}

simulator::ValueTrace run_with_values(const model::Program& lowered, const model::RunPlan& plan,
                                      const ValueSetting& setting, Progress& progress,
                                      const std::string& phase) {
  simulator::ValueOptions how;
  how.tensors = &setting.tensors;
  how.input_seed = setting.seed;
  how.numerics = setting.numerics;
  how.on_launch = [&](const std::string& kernel) { progress.step(kernel); };
  progress.phase(phase, count_launches(lowered.body) * plan.calls.size());
  try {
    return simulator::run_values(lowered, plan, how);
  } catch (const kernels::KernelError& error) {
    throw model::InputError({std::make_shared<const std::string>(lowered.file), 0, 0}, error.what());
  }
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
