// `bufferproof runtimes`: what each profile does, in one table. Tested by tests/cli/command_test.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/command.hpp"
#include "cli/json_parts.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::string format = "text";
};

struct KindName {
  model::KernelKind kind;
  const char* name;
};
constexpr KindName kKinds[] = {{model::KernelKind::mlir_auto_fallback, "mlir_auto_fallback"},
                               {model::KernelKind::akg_auto_fallback, "akg_auto_fallback"},
                               {model::KernelKind::import_fx, "import_fx"},
                               {model::KernelKind::mlir, "mlir"}};

std::string roads(const model::KernelRules& rules) {
  std::string out = rules.has_tuned ? "tuned" : "";
  if (!rules.has_fallback) return out;
  out += fmt::format("{}fallback by {}", out.empty() ? "" : ", ", name(rules.fallback));
  if (rules.fallback_on_dtype_mismatch)
    out += fmt::format(" ({} when dtypes differ)", name(*rules.fallback_on_dtype_mismatch));
  return out;
}

struct Behaviour {
  bool model::RuntimeProfile::*flag;
  const char* text;
};
constexpr Behaviour kBehaviours[] = {
    {&model::RuntimeProfile::fallback_keeps_result_strides, "fallback results keep their own strides"},
    {&model::RuntimeProfile::noncontiguous_outputs_by_temporary,
     "non-contiguous outputs go through a contiguous temporary"},
    {&model::RuntimeProfile::temporary_needs_call_functions,
     "  ... except for kernels without call functions"},
    {&model::RuntimeProfile::noncontiguous_inputs_by_copy, "non-contiguous inputs are copied first"},
    {&model::RuntimeProfile::dynamic_copy_back_raises, "copy-back of a dynamic tuned kernel raises"},
    {&model::RuntimeProfile::contiguity_fixed_at_first_call, "contiguity is decided by the first call (B3)"},
    {&model::RuntimeProfile::dynamic_tiling_race, "dynamic kernels share one tiling buffer (B8)"},
    {&model::RuntimeProfile::stale_stream_variable, "the stream variable can be stale (B9)"},
    {&model::RuntimeProfile::tuning_on_real_outputs, "tuning runs candidates on the real outputs (E10)"}};

std::string describe(const model::RuntimeProfile& profile) {
  std::string out = fmt::format("{}{}\n  {}\n", profile.name, profile.hypothetical ? "  (hypothetical)" : "",
                                profile.description);
  for (const KindName& kind : kKinds)
    if (const model::KernelRules* rules = profile.rules(kind.kind))
      out += fmt::format("  {:<20} {}\n", kind.name, roads(*rules));
  for (const Behaviour& behaviour : kBehaviours)
    if (profile.*behaviour.flag) out += fmt::format("  - {}\n", behaviour.text);
  return out;
}

Json to_json(const model::RuntimeProfile& profile) {
  Json out{{"name", profile.name},
           {"aliases", profile.aliases},
           {"description", profile.description},
           {"hypothetical", profile.hypothetical},
           {"kernels", Json::object()},
           {"behaviour", Json::array()},
           {"sources", Json::object()}};
  for (const KindName& kind : kKinds)
    if (const model::KernelRules* rules = profile.rules(kind.kind)) out["kernels"][kind.name] = roads(*rules);
  for (const Behaviour& behaviour : kBehaviours)
    if (profile.*behaviour.flag) out["behaviour"].push_back(behaviour.text);
  for (const auto& [fact, source] : profile.sources) out["sources"][fact] = source;
  return out;
}

int list_runtimes(const Options& options, Streams streams) {
  Json profiles = Json::array();
  std::string text;
  for (const model::RuntimeProfile& profile : model::shipped_profiles()) {
    text += (text.empty() ? "" : "\n") + describe(profile);
    profiles.push_back(to_json(profile));
  }
  streams.out << (options.format == "json" ? dump({{"tool", tool_json()}, {"runtimes", profiles}}) : text);
  return 0;
}

}  // namespace

Action add_runtimes(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("runtimes", "List the runtime profiles and what each does");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return [options](Streams streams) { return list_runtimes(*options, streams); };
}

}  // namespace bufferproof::cli
