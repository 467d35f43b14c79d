// One walk over the program: names are followed, every launch of a kernel definition gets its roads.
#include "model/lower.hpp"

#include <map>

#include "model/body/summary.hpp"
#include "model/lowering/handed_on.hpp"
#include "model/lowering/mlir_roads.hpp"
#include "model/lowering/self_overlap.hpp"
#include "model/lowering/source_roads.hpp"
#include "model/risks.hpp"

namespace bufferproof::model {
namespace {

using namespace lowering;

/// MLIR kernels and their like say only how many of the last arguments are outputs; C++ and Triton have
/// parameters.
bool outputs_by_count(const KernelDef& kernel) {
  return kernel.kind == KernelKind::mlir_auto_fallback || kernel.kind == KernelKind::import_fx ||
         kernel.kind == KernelKind::akg_auto_fallback || kernel.kind == KernelKind::mlir ||
         (kernel.parameters.empty() && kernel.num_outputs);
}

class Lowering {
 public:
  Lowering(const Program& program, const RuntimeProfile& profile) : program_(program), profile_(profile) {}

  Program run() {
    walk(program_.body);
    program_.risks = find_risks(program_, profile_, sites_);
    for (Risk& risk : handed_on_unwritten(program_.body)) program_.risks.push_back(std::move(risk));
    for (const std::string& sentence : assumptions_.list()) program_.assumptions.push_back(sentence);
    return std::move(program_);
  }

 private:
  void walk(Block& block) {
    for (Step& step : block) {
      environment_.step(step);
      if (auto* launch = std::get_if<Launch>(&step.node)) {
        lower(*launch, step.where);
        lowering::store_shared_twice(environment_, *launch);
      }
      if (auto* branch = std::get_if<Branch>(&step.node)) {
        walk(branch->then_block);
        walk(branch->else_block);
      }
      if (auto* loop = std::get_if<Loop>(&step.node)) walk(loop->body);
    }
  }

  void lower(Launch& launch, const SourceLocation& where) {
    if (launch.definition < 0) return;  // extern and aten calls arrive with their one road
    const KernelDef& kernel = program_.kernels.at(static_cast<std::size_t>(launch.definition));
    const LaunchContext context{profile_,     kernel,       launch,
                                environment_, assumptions_, mlir_outputs(kernel, launch)};
    CallSite site = call_site(context, where);
    if (outputs_by_count(kernel)) {
      const auto body = facts(context, kernel.body);
      const auto fx_body = facts(context, kernel.fx_body);
      std::vector<Variant> roads = mlir_roads(context, body, fx_body);
      note_bodies(kernel, body, fx_body, site);
      launch.outputs = context.outputs;
      launch.variants = std::move(roads);
    } else {
      SourceRoad source = source_road(context);
      launch.outputs = std::move(source.outputs);
      launch.variants = {std::move(source.road)};
    }
    launch.choice = kernel.name;
    sites_.push_back(std::move(site));
  }

  std::optional<BodyFacts> facts(const LaunchContext& context,
                                 const std::shared_ptr<const TensorFunction>& body) {
    if (!body) return std::nullopt;
    auto summary = summaries_.find(body.get());
    if (summary == summaries_.end()) summary = summaries_.emplace(body.get(), summarize(*body)).first;
    const std::size_t outputs = context.outputs.size();
    return bind_body(summary->second, context.launch, context.launch.arguments.size() - outputs,
                     environment_);
  }
  static void note_bodies(const KernelDef& kernel, const std::optional<BodyFacts>& body,
                          const std::optional<BodyFacts>& fx_body, CallSite& site) {
    if (body) site.results = body->results.size();
    if (fx_body &&
        (!site.results || static_cast<std::int64_t>(fx_body->results.size()) != kernel.num_outputs))
      site.results = fx_body->results.size();
    if (body) site.differences = body->differences;
    if (fx_body && site.differences.empty()) site.differences = fx_body->differences;
    if (kernel.body && !body)
      site.differences.emplace_back("the call has not the number of inputs its text takes");
    if (kernel.fx_body && !fx_body)
      site.differences.emplace_back("the call has not the number of inputs its graph takes");
  }

  CallSite call_site(const LaunchContext& context, const SourceLocation& where) const {
    CallSite site{.definition = context.launch.definition, .where = where};
    for (const Argument& argument : context.launch.arguments) {
      site.contiguous.push_back(argument.handle.empty() || environment_.contiguous(argument.handle));
      if (argument.scalar) site.sizes.push_back(argument.scalar->str());
      if (argument.handle.empty() || !context.kernel.dynamic) continue;
      const auto& layout = environment_.of(argument.handle).layout;
      if (!layout) continue;
      for (const SymExpr& size : layout->sizes)
        if (!size.is_constant()) site.sizes.push_back(size.str());
    }
    for (const Name& output : context.outputs)
      if (environment_.of(output).graph_input) site.rebound_inputs.push_back(output.str());
    return site;
  }

  Program program_;
  const RuntimeProfile& profile_;
  Environment environment_;
  Assumptions assumptions_;
  std::vector<CallSite> sites_;
  std::map<const TensorFunction*, BodySummary> summaries_;
};

}  // namespace

Program lower(const Program& program, const RuntimeProfile& profile) {
  if (program.dialect == Dialect::bufprog) return program;
  return Lowering(program, profile).run();
}

}  // namespace bufferproof::model
