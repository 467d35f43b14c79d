#include "cli/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <set>

#include "cli/command.hpp"
#include "model/lower.hpp"
#include "model/near_name.hpp"

namespace bufferproof::cli {
namespace {

constexpr int kMostCalls = 1000;

std::int64_t integer(const std::string& text, const std::string& option, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    fail_option(option,
                fmt::format("expected a whole number within 64 bits, found '{}' in '{}'", text, whole));
  return value;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == at) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// KERNEL and DELIVERY of KERNEL[=DELIVERY]; the delivery is empty when not given.
std::pair<std::string, std::string> parse_fallback(const std::string& text) {
  const auto at = text.find('=');
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

template <typename Visit>
void each_launch(model::Block& block, const Visit& visit) {
  for (model::Step& step : block) {
    if (auto* branch = std::get_if<model::Branch>(&step.node)) {
      each_launch(branch->then_block, visit);
      each_launch(branch->else_block, visit);
    } else if (auto* loop = std::get_if<model::Loop>(&step.node)) {
      each_launch(loop->body, visit);
    } else if (auto* launch = std::get_if<model::Launch>(&step.node)) {
      visit(*launch);
    }
  }
}

std::vector<model::Launch> launches(const model::Program& program) {
  std::vector<model::Launch> out;
  model::Program copy = program;
  each_launch(copy.body, [&](model::Launch& launch) { out.push_back(launch); });
  return out;
}

std::vector<std::string> kernel_names(const std::vector<model::Launch>& launches) {
  std::set<std::string> names;
  for (const model::Launch& launch : launches) names.insert(launch.kernel.str());
  return {names.begin(), names.end()};
}

/// Names with holes ("F{i}") stand for many kernels; a fault names one of them.
bool names_a_kernel(const std::vector<model::Launch>& launches, const std::string& name) {
  return std::any_of(launches.begin(), launches.end(), [&](const model::Launch& launch) {
    const auto same = same_name(launch.kernel, model::Name(name));
    return !same || !same->is_false();
  });
}

void require_kernel(const std::vector<model::Launch>& launches, const std::string& name,
                    const std::string& option) {
  if (!names_a_kernel(launches, name))
    fail_option(option, fmt::format("no kernel is named '{}'; {}", name,
                                    model::name_hint(name, kernel_names(launches))));
}

model::RuntimeProfile delivering(model::RuntimeProfile profile, const std::string& delivery) {
  const auto parsed = model::parse_delivery(delivery);
  if (!parsed) {
    const std::vector<std::string> known{"copy", "rebind_data", "rebind_set", "drop", "kernel_write"};
    fail_option("--fallback",
                fmt::format("unknown delivery '{}'; {}", delivery, model::name_hint(delivery, known)));
  }
  for (model::KernelRules& rules : profile.kernels) {
    rules.fallback = *parsed;
    rules.fallback_on_dtype_mismatch.reset();
  }
  return profile;
}

model::MemoryFill parse_memory(const std::string& text, std::uint64_t& seed) {
  if (text == "nan") return model::MemoryFill::nan;
  if (text == "zero") return model::MemoryFill::zero;
  if (text == "pool") return model::MemoryFill::pool;
  if (text.starts_with("random:")) {
    const std::int64_t given = integer(text.substr(7), "--memory", text);
    if (given < 0) fail_option("--memory", fmt::format("expected a seed of 0 or more, found '{}'", text));
    seed = static_cast<std::uint64_t>(given);
    return model::MemoryFill::random;
  }
  fail_option("--memory", fmt::format("expected nan, zero, pool or random:SEED, found '{}'", text));
}

/// `--fallback all` means every kernel that has one.
bool is_meant(const model::Launch& launch, const std::string& kernel) {
  return kernel == "all" || launch.kernel.str() == kernel;
}

void choose_fallbacks(const RunOptions& options, const std::vector<model::Launch>& launches,
                      model::RunPlan& plan) {
  for (const std::string& text : options.fallbacks) {
    const std::string kernel = parse_fallback(text).first;
    if (kernel != "all") require_kernel(launches, kernel, "--fallback");
    bool found = false;
    for (const model::Launch& launch : launches)
      for (const model::Variant& variant : launch.variants)
        if (is_meant(launch, kernel) && variant.fallback && !launch.choice.empty()) {
          plan.variants[launch.choice] = variant.name;
          found = true;
        }
    if (!found)
      fail_option("--fallback", kernel == "all"
                                    ? std::string("no kernel has a fallback under this runtime")
                                    : fmt::format("kernel {} has no fallback under this runtime", kernel));
  }
}

/// Values per call of one symbol: "s0=8" or "s0=8,16".
void choose_sizes(const RunOptions& options, const model::Program& program, model::RunPlan& plan) {
  std::set<std::string> given;
  for (const std::string& text : options.sizes) {
    const auto at = text.find('=');
    if (at == std::string::npos)
      fail_option("--size", fmt::format("expected SYMBOL=VALUE, found '{}'", text));
    const std::string symbol = text.substr(0, at);
    if (!given.insert(symbol).second)
      fail_option("--size", fmt::format("{} is given twice; several calls are {}=V1,V2", symbol, symbol));
    std::vector<std::string> known;
    for (const model::Symbol& s : program.symbols) known.push_back(s.name);
    if (!program.find_symbol(symbol))
      fail_option("--size", known.empty() ? fmt::format("{} has no symbols", program.file)
                                          : fmt::format("no symbol is named '{}'; {}", symbol,
                                                        model::name_hint(symbol, known)));
    const std::vector<std::string> values = split(text.substr(at + 1), ',');
    if (values.size() > plan.calls.size())
      fail_option("--size",
                  fmt::format("'{}' has sizes of {} calls and there {} {}; --calls says how many", text,
                              values.size(), plan.calls.size() == 1 ? "is" : "are", plan.calls.size()));
    for (std::size_t call = 0; call < plan.calls.size(); ++call)
      plan.calls[call][symbol] = integer(values[std::min(call, values.size() - 1)], "--size", text);
  }
}

}  // namespace

void declare_size_option(CLI::App& command, RunOptions& options) {
  command.add_option("--size", options.sizes, "SYMBOL=VALUE, or SYMBOL=V1,V2,... call by call")
      ->take_all()
      ->delimiter('\0');
}

void declare_run_options(CLI::App& command, RunOptions& options) {
  command
      .add_option("--fallback", options.fallbacks,
                  "KERNEL[=DELIVERY]: this kernel, or 'all', falls back; DELIVERY is copy, rebind_data, "
                  "rebind_set or drop")
      ->take_all();
  command
      .add_option("--fault", options.faults, "KERNEL:OUT[REGION]: this part of output OUT stays unwritten")
      ->take_all();
  declare_size_option(command, options);
  command.add_option("--calls", options.calls, "How often the program is called")
      ->check(CLI::Range(1, kMostCalls));
  command.add_flag("--tuning", options.tuning,
                   "Kernels that tune run candidates on the real outputs at their first launch");
  command.add_option("--memory", options.memory, "What unwritten memory holds: nan, zero, pool, random:SEED");
}

std::vector<std::string> kernels_that_fall_back(const model::Program& lowered) {
  std::set<std::string> out;
  for (const model::Launch& launch : launches(lowered))
    for (const model::Variant& variant : launch.variants)
      if (variant.fallback && !launch.choice.empty()) out.insert(launch.kernel.str());
  return {out.begin(), out.end()};
}

model::Fault parse_fault(const std::string& text) {
  const auto colon = text.rfind(':', text.find('['));
  const auto bracket = text.find('[');
  if (colon == std::string::npos || colon == 0 || (bracket != std::string::npos && text.back() != ']'))
    fail_option("--fault", fmt::format("expected KERNEL:OUT or KERNEL:OUT[LO:HI,...], found '{}'", text));
  model::Fault fault;
  fault.kernel = text.substr(0, colon);
  const std::int64_t output = integer(text.substr(colon + 1, bracket - colon - 1), "--fault", text);
  if (output < 0 || output > 1'000'000)
    fail_option("--fault", fmt::format("no output {} in '{}'", output, text));
  fault.output = static_cast<int>(output);
  if (bracket == std::string::npos) return fault;
  for (const std::string& axis : split(text.substr(bracket + 1, text.size() - bracket - 2), ',')) {
    const std::vector<std::string> ends = split(axis, ':');
    if (ends.size() > 2) fail_option("--fault", fmt::format("expected LO:HI, found '{}'", axis));
    const std::int64_t lo = integer(ends[0], "--fault", text);
    fault.region.emplace_back(lo, ends.size() == 2 ? integer(ends[1], "--fault", text) : lo + 1);
    if (lo < 0 || fault.region.back().second <= lo)
      fail_option("--fault", fmt::format("expected LO:HI with 0 <= LO < HI, found '{}' in '{}'", axis, text));
  }
  return fault;
}

model::Program lower_with_deliveries(const model::Program& program, const model::RuntimeProfile& profile,
                                     const RunOptions& options) {
  model::Program lowered = model::lower(program, profile);
  for (const std::string& text : options.fallbacks) {
    const auto [kernel, delivery] = parse_fallback(text);
    if (delivery.empty()) continue;
    const std::vector<model::Launch> others = launches(model::lower(program, delivering(profile, delivery)));
    std::size_t next = 0;
    each_launch(lowered.body, [&, kernel = kernel](model::Launch& launch) {
      const model::Launch& other = others.at(next++);
      if (!is_meant(launch, kernel)) return;
      const bool falls_back = std::any_of(launch.variants.begin(), launch.variants.end(),
                                          [](const model::Variant& v) { return v.fallback; });
      if (kernel != "all" || falls_back) launch.variants = other.variants;
    });
  }
  return lowered;
}

model::RunPlan plan_of(const RunOptions& options, const model::Program& lowered) {
  model::RunPlan plan;
  plan.memory = parse_memory(options.memory, plan.seed);
  plan.tuning = options.tuning;
  model::Valuation values;
  for (const model::Symbol& symbol : lowered.symbols) values[symbol.name] = symbol.value.value_or(symbol.lo);
  plan.calls.assign(static_cast<std::size_t>(options.calls), values);
  const std::vector<model::Launch> all = launches(lowered);
  choose_sizes(options, lowered, plan);
  choose_fallbacks(options, all, plan);
  for (const std::string& text : options.faults) {
    plan.faults.push_back(parse_fault(text));
    require_kernel(all, plan.faults.back().kernel, "--fault");
  }
  return plan;
}

}  // namespace bufferproof::cli
