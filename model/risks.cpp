#include "model/risks.hpp"

#include <fmt/format.h>

#include <map>

#include "model/body/summary.hpp"

namespace bufferproof::model {
namespace {

using Sites = std::vector<const CallSite*>;

bool is_mlir(KernelKind kind) {
  return kind == KernelKind::mlir_auto_fallback || kind == KernelKind::import_fx ||
         kind == KernelKind::mlir || kind == KernelKind::akg_auto_fallback;
}

bool rebinds(const RuntimeProfile& profile, KernelKind kind) {
  const KernelRules* rules = profile.rules(kind);
  return rules && rules->has_fallback &&
         (rules->fallback == Delivery::rebind_data || rules->fallback == Delivery::rebind_set);
}

class Finder {
 public:
  Finder(const Program& program, const RuntimeProfile& profile) : program_(program), profile_(profile) {}

  std::vector<Risk> find(const std::vector<CallSite>& sites) {
    for (const Risk& risk : program_.risks)
      if (risk.label != "B9" || profile_.stale_stream_variable) risks_.push_back(risk);
    std::map<int, Sites> by_kernel;
    for (const CallSite& site : sites) by_kernel[site.definition].push_back(&site);
    for (const auto& [definition, calls] : by_kernel) {
      const KernelDef& kernel = program_.kernels.at(static_cast<std::size_t>(definition));
      if (!is_mlir(kernel.kind)) continue;
      rebound_inputs(kernel, calls);
      mixed_contiguity(kernel, calls);
      result_count(kernel, calls);
      tiling_race(kernel, calls);
      stale_shapes(kernel, calls);
      different_bodies(kernel);
    }
    for (std::size_t i = 0; i < program_.kernels.size(); ++i)
      if (!by_kernel.contains(static_cast<int>(i))) never_launched(program_.kernels[i]);
    return std::move(risks_);
  }

 private:
  void add(const char* label, const std::string& message, const SourceLocation& where) {
    risks_.push_back({label, message, where});
  }

  /// What an updating kernel leaves undone, no dataflow shows.
  void never_launched(const KernelDef& kernel) {
    add("C3", kernel.name + " is defined and never launched; is a launch missing?", kernel.where);
  }

  void rebound_inputs(const KernelDef& kernel, const Sites& calls) {
    if (!rebinds(profile_, kernel.kind) || stores_in_place(kernel)) return;
    for (const CallSite* call : calls)
      for (const std::string& input : call->rebound_inputs)
        add("B1",
            fmt::format(
                "if {} falls back, the update of graph input {} reaches only the caller's tensor object, not "
                "its memory: other views the caller holds keep the old values",
                kernel.name, input),
            call->where);
  }

  void mixed_contiguity(const KernelDef& kernel, const Sites& calls) {
    if (!profile_.contiguity_fixed_at_first_call) return;
    for (const CallSite* call : calls) {
      const auto differs = first_difference(calls.front()->contiguous, call->contiguous);
      if (!differs) continue;
      add("B3",
          fmt::format("{} decides at its first call (line {}) which arguments are not contiguous; argument "
                      "{} of this "
                      "call is {}",
                      kernel.name, calls.front()->where.line, *differs,
                      call->contiguous[*differs] ? "contiguous, that one was not" : "not, that one was"),
          call->where);
    }
  }

  void result_count(const KernelDef& kernel, const Sites& calls) {
    for (const CallSite* call : calls)
      if (call->results && kernel.num_outputs &&
          static_cast<std::int64_t>(*call->results) != *kernel.num_outputs)
        return add(
            "B7",
            fmt::format("{} computes {} results for {} declared outputs: outputs may be shifted or left out",
                        kernel.name, *call->results, *kernel.num_outputs),
            kernel.where);
  }

  void tiling_race(const KernelDef& kernel, const Sites& calls) {
    if (!profile_.dynamic_tiling_race || !kernel.dynamic) return;
    for (const CallSite* call : calls)
      if (call->sizes != calls.front()->sizes)
        return add("B8",
                   fmt::format(
                       "dynamic kernel {} is called with sizes ({}) and ({}): one tiling buffer serves both, "
                       "and a queued call may see the other's",
                       kernel.name, fmt::join(calls.front()->sizes, ", "), fmt::join(call->sizes, ", ")),
                   call->where);
  }

  void stale_shapes(const KernelDef& kernel, const Sites& calls) {
    for (const CallSite* call : calls)
      for (const std::string& difference : call->differences)
        add("B10", kernel.name + ": " + difference, call->where);
  }

  void different_bodies(const KernelDef& kernel) {
    if (!kernel.body || !kernel.fx_body) return;
    for (const BodyDifference& difference : compare_bodies(*kernel.body, *kernel.fx_body))
      add("C7", kernel.name + ": compiled text and FX graph differ: " + difference.message, kernel.where);
  }

  /// A traced graph that updates its inputs in place reaches their memory by itself (E4).
  static bool stores_in_place(const KernelDef& kernel) {
    return kernel.fx_body && std::any_of(kernel.fx_body->ops.begin(), kernel.fx_body->ops.end(),
                                         [](const TensorOp& op) { return op.name == "overwrite"; });
  }

  static std::optional<std::size_t> first_difference(const std::vector<bool>& a, const std::vector<bool>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (a[i] != b[i]) return i;
    return std::nullopt;
  }

  const Program& program_;
  const RuntimeProfile& profile_;
  std::vector<Risk> risks_;
};

}  // namespace

std::vector<Risk> find_risks(const Program& program, const RuntimeProfile& profile,
                             const std::vector<CallSite>& sites) {
  return Finder(program, profile).find(sites);
}

}  // namespace bufferproof::model
