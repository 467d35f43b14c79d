#include "simulator/values/value_run.hpp"

#include <set>

#include "kernels_ref/gemm/scratch.hpp"
#include "simulator/executor.hpp"
#include "simulator/tag_run_with.hpp"
#include "simulator/values/values.hpp"

namespace bufferproof::simulator {
namespace {

using model::InputError;

void collect_inputs(const model::Block& block, std::set<std::string>& names) {
  for (const model::Step& step : block) {
    if (const auto* alloc = std::get_if<model::Alloc>(&step.node); alloc && alloc->init == model::Init::input)
      names.insert(alloc->name.str());
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_inputs(branch->then_block, names);
      collect_inputs(branch->else_block, names);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_inputs(loop->body, names);
  }
}

void check_tensors(const model::Program& program, const ValueOptions& options) {
  if (!options.tensors) return;
  std::set<std::string> names;
  collect_inputs(program.body, names);
  for (const auto& [name, tensor] : *options.tensors)
    if (!names.count(name))
      throw InputError({std::make_shared<const std::string>(program.file), 0, 0},
                       "tensors of the program's inputs", "'" + name + "'", "bufferproof show lists them");
}

}  // namespace

ValueTrace run_values(const model::Program& program, const model::RunPlan& plan,
                      const ValueOptions& options) {
  if (program.dialect != model::Dialect::wrapper)
    throw InputError({std::make_shared<const std::string>(program.file), 0, 0}, "a wrapper",
                     "a bufprog program", "bufprog has no values");
  check_tensors(program, options);
  ValueTrace out;
  ValueSession session(plan);
  out.tags = run_tags_with(program, plan, [&](RunState& state) {
    Values values(plan, options, session, out.calls.size());
    state.hooks = &values;
    Executor(state).run();
    for (LaunchBirth& birth : values.take_births()) {
      birth.call = out.calls.size();
      out.births.push_back(std::move(birth));
    }
    out.calls.push_back(values.take_returned());
    kernels::release_scratch();  // the next call's largest tensors need the memory before its kernels do
  });
  out.peak_bytes = session.memory.peak_bytes();
  return out;
}

}  // namespace bufferproof::simulator
