#include "cli/crosscheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cli/command.hpp"
#include "cli/output_values.hpp"
#include "cli/run_options.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/network/random.hpp"
#include "model/lower.hpp"
#include "model/near_name.hpp"
#include "simulator/tag_run.hpp"
#include "simulator/why.hpp"

namespace bufferproof::cli {
namespace {

using Outputs = std::vector<simulator::ReturnedTensor>;

/// Where the arithmetics put one element.
struct Range {
  long double least = 0;
  long double greatest = 0;
  bool has_nan = false;
  long double width() const { return greatest - least; }
  /// Of a value from the range; 0 inside.
  long double distance(long double x) const { return std::max({least - x, x - greatest, 0.0L}); }
  bool explains(long double x) const {
    return std::isnan(x) ? has_nan : (least <= x && x <= greatest) || distance(x) <= width();
  }
};

/// One output of the device beside what the arithmetics give.
struct Judged {
  std::size_t position = 0;  ///< among the program's outputs
  std::vector<long double> device;
  std::vector<Range> ranges;
};

Range range_of(const std::vector<std::vector<long double>>& arithmetics, std::size_t element) {
  Range out{std::numeric_limits<long double>::infinity(), -std::numeric_limits<long double>::infinity(),
            false};
  for (const auto& values : arithmetics) {
    out.has_nan |= std::isnan(values[element]);
    out.least = std::min(out.least, values[element]);
    out.greatest = std::max(out.greatest, values[element]);
  }
  return out;
}

class Checker {
 public:
  Checker(const model::Program& program, const model::RunPlan& plan, const Tensors& device,
          const ValueSetting& setting, Progress& progress)
      : program_(program), plan_(plan), device_(device), setting_(setting), progress_(progress) {}

  Crosscheck run(const std::vector<model::RuntimeProfile>& runtimes) {
    arithmetics();
    Crosscheck out;
    out.equal_to = equal_arithmetic();
    for (const Judged& judged : judged_) out.outputs.push_back(summary(judged));
    judge_launches(out);
    if (explained(out)) return out;
    if (!judged_.empty()) roads(runtimes, out);
    keep_telling(out);
    out.diagnosis = !out.roads.empty() ? Diagnosis::buffer_fault
                    : out.fault        ? Diagnosis::kernel_fault
                                       : Diagnosis::unknown;
    return out;
  }

 private:
  /// A fallback that hands nothing over leaves all of a buffer: not a few wrong elements among right ones.
  /// And a road that leaves every element open explains anything; a launch that is at fault is worth more.
  static void keep_telling(Crosscheck& out) {
    std::int64_t elements = 0;
    std::int64_t wrong = 0;
    for (const CrosscheckedOutput& o : out.outputs) {
      elements += o.elements;
      wrong += o.beyond_rounding;
    }
    const simulator::JudgedBuffer* fault = out.fault ? &out.launches[*out.fault] : nullptr;
    const bool few = fault ? fault->outside < fault->elements / 4 : wrong < elements / 4;
    std::erase_if(out.roads, [&](const RoadFit& road) {
      return (fault && road.open >= elements) || (few && road.open > 0);
    });
  }

  /// Each launch by itself, on the operands the device had.
  void judge_launches(Crosscheck& out) {
    const model::Program lowered = contract_abiding(program_);
    simulator::DeviceRun run(lowered, device_, buffers_);
    run_with_values(lowered, golden_plan(plan_), setting_, progress_, "launch by launch", {false, &run});
    out.launches = std::move(run.judged);
    for (std::size_t i = 0; i < out.launches.size() && !out.fault; ++i)
      if (out.launches[i].outside > 0) out.fault = i;
  }

  /// Whether it is rounding, and by what criterion. What is given and inside, of operands that are given and
  /// inside, is right up to rounding.
  bool explained(Crosscheck& out) const {
    const bool proven = std::all_of(out.launches.begin(), out.launches.end(), [](const auto& one) {
      return one.unjudged.empty() && one.outside == 0 && one.open == 0;
    });
    const bool near = !judged_.empty() && std::all_of(out.outputs.begin(), out.outputs.end(),
                                                      [](const auto& o) { return o.beyond_rounding == 0; });
    if (out.fault) return false;
    if (!out.equal_to.empty()) {
      out.criterion = Criterion::bits;
    } else if (proven && out.launches.size() == device_.size()) {
      out.criterion = Criterion::proven;
    } else if (near) {
      out.criterion = Criterion::spread;
    }
    if (out.criterion == Criterion::none) return false;
    out.diagnosis = out.criterion == Criterion::bits ? Diagnosis::equal : Diagnosis::rounding;
    return true;
  }

  void arithmetics() {
    const model::Program lowered = contract_abiding(program_);
    for (const kernels::NumericsProfile& profile : kernels::numerics_profiles()) {
      ValueSetting setting{setting_.tensors, profile, setting_.seed};
      simulator::ValueTrace trace = run_with_values(lowered, golden_plan(plan_), setting, progress_,
                                                    fmt::format("golden run, {}", profile.name),
                                                    {false, golden_.empty() ? &buffers_ : nullptr});
      if (!trace.tags.findings.empty())
        fail_option(program_.file,
                    "has no golden output: the program itself is wrong; see 'bufferproof check'");
      golden_.emplace_back(profile.name, std::move(trace.calls.at(0)));
    }
    const std::vector<std::string> names = distinct_names(golden_[0].second);
    for (const auto& [name, tensor] : device_) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        judged_.push_back(judge(name, tensor, names));
      else if (buffers_.stored_as(lowered, name).empty())
        refuse(name, names);
    }
  }

  [[noreturn]] void refuse(const std::string& name, std::vector<std::string> known) const {
    for (const auto& [buffer, launch] : buffers_.last) known.push_back(buffer);
    fail_option("--outputs", fmt::format("the program has no output or buffer '{}'; {}", name,
                                         model::name_hint(name, known)));
  }

  Judged judge(const std::string& name, const kernels::Tensor& tensor,
               const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    Judged out;
    out.position = static_cast<std::size_t>(found - names.begin());
    const kernels::Tensor& meant = golden_[0].second[out.position].tensor;
    if (tensor.dtype() != meant.dtype() || tensor.sizes() != meant.sizes())
      fail_option("--outputs",
                  fmt::format("expected {} {} for output {}, found {} {}", model::name(meant.dtype()),
                              kernels::format_sizes(meant.sizes()), name, model::name(tensor.dtype()),
                              kernels::format_sizes(tensor.sizes())));
    out.device = numbers_of(tensor.view());
    std::vector<std::vector<long double>> arithmetics;
    for (const auto& [profile, outputs] : golden_)
      arithmetics.push_back(numbers_of(outputs[out.position].tensor.view()));
    for (std::size_t i = 0; i < out.device.size(); ++i) out.ranges.push_back(range_of(arithmetics, i));
    names_.push_back(name);
    return out;
  }

  /// The arithmetic all of whose outputs have the device's bits.
  std::string equal_arithmetic() const {
    if (judged_.empty()) return "";
    for (const auto& [profile, outputs] : golden_) {
      const bool equal = std::equal(
          judged_.begin(), judged_.end(), names_.begin(),
          [&, &outputs = outputs](const Judged& judged, const std::string& name) {
            return compare(device_.at(name).view(), outputs[judged.position].tensor.view()).wrong == 0;
          });
      if (equal) return profile;
    }
    return "";
  }

  CrosscheckedOutput summary(const Judged& judged) const {
    CrosscheckedOutput out;
    out.name = names_[static_cast<std::size_t>(&judged - judged_.data())];
    out.elements = static_cast<std::int64_t>(judged.device.size());
    for (std::size_t i = 0; i < judged.device.size(); ++i) {
      const long double x = judged.device[i];
      const Range& range = judged.ranges[i];
      out.beyond_rounding += !range.explains(x);
      out.nans += std::isnan(x) && !range.has_nan;
      if (std::isfinite(x) && std::isfinite(range.distance(x)))
        out.largest_error = std::max(out.largest_error, static_cast<double>(range.distance(x)));
      if (std::isfinite(range.width()))
        out.largest_spread = std::max(out.largest_spread, static_cast<double>(range.width()));
    }
    return out;
  }

  void roads(const std::vector<model::RuntimeProfile>& runtimes, Crosscheck& out) {
    for (const model::RuntimeProfile& runtime : runtimes) {
      const model::Program lowered = model::lower(program_, runtime);
      std::vector<std::string> kernels = kernels_that_fall_back(lowered);
      if (kernels.size() > 1) kernels.emplace_back("all");
      if (out.fault)  // others leave it as it is
        std::erase_if(kernels, [&](const std::string& kernel) {
          return kernel != "all" && kernel != out.launches[*out.fault].kernel;
        });
      for (const std::string& kernel : kernels) {
        model::RunPlan plan = plan_of({.fallbacks = {kernel}}, lowered);
        plan.calls = plan_.calls;
        if (simulator::run_tags(lowered, plan).findings.empty()) continue;  // as good as tuned
        ++out.roads_tried;
        const RoadFit fit = fit_of(runtime.name, kernel, lowered, plan);
        if (fit.unexplained == 0) add_road(out.roads, fit);
      }
    }
    std::stable_sort(out.roads.begin(), out.roads.end(),
                     [](const RoadFit& a, const RoadFit& b) { return a.open < b.open; });
  }

  static void add_road(std::vector<RoadFit>& roads, const RoadFit& fit) {
    for (RoadFit& road : roads)
      if (road.kernel == fit.kernel && road.open == fit.open && road.exact == fit.exact)
        return road.runtimes.push_back(fit.runtimes[0]);
    roads.push_back(fit);
  }

  /// What the road makes of memory nobody wrote: NaN shows where it gets. Comparisons and integers hide it:
  /// then other contents show what varies with them, and of a few elements that are left it is asked whether
  /// they rest on it.
  RoadFit fit_of(const std::string& runtime, const std::string& kernel, const model::Program& lowered,
                 model::RunPlan plan) {
    const std::string title = fmt::format("{}, {}", runtime, kernel);
    std::vector<simulator::ValueTrace> traces{run_with_values(lowered, plan, setting_, progress_, title)};
    std::vector<Left> left;
    RoadFit fit = fit_of(traces, left);
    const bool hidden = fit.open == 0;
    const model::RunPlan with_nan = plan;
    plan.memory = model::MemoryFill::random;
    for (plan.seed = 1; plan.seed <= kOtherContents && hidden && fit.unexplained > 0; ++plan.seed) {
      try {
        traces.push_back(run_with_values(lowered, plan, setting_, progress_, title));
      } catch (const model::InputError&) {
        break;  // contents that stop a kernel: an index out of range
      }
      fit = fit_of(traces, left);
    }
    const bool few = fit.unexplained == std::ssize(left) && left.size() <= kMostQuestions;
    if (hidden && few && std::all_of(left.begin(), left.end(), [&](const Left& one) {
          return rests_on_nothing(lowered, with_nan, one);
        })) {
      fit.open += fit.unexplained;
      fit.unexplained = 0;
    }
    fit.runtimes = {runtime};
    fit.kernel = kernel;
    return fit;
  }

  /// An element that none of the runs explains.
  struct Left {
    const Judged* output;
    std::size_t element;
  };
  static constexpr std::uint64_t kOtherContents = 4;
  static constexpr std::size_t kMostQuestions = 256;

  /// The element is computed from memory nobody wrote, whatever the values.
  bool rests_on_nothing(const model::Program& lowered, const model::RunPlan& plan, const Left& one) const {
    const simulator::ReturnedTensor& output = golden_[0].second[one.output->position];
    const auto index = index_of(static_cast<std::int64_t>(one.element), output.tensor.sizes());
    const simulator::Explanation why = simulator::explain(lowered, plan, output.name, index);
    return why.at_fault && !why.links.empty() && why.links.back().writer.empty();
  }

  /// `traces`: of the same road, with other contents of memory nobody wrote.
  RoadFit fit_of(const std::vector<simulator::ValueTrace>& traces, std::vector<Left>& left) const {
    RoadFit fit;
    left.clear();
    for (const Judged& judged : judged_) {
      std::vector<std::vector<long double>> roads;
      for (const simulator::ValueTrace& trace : traces)
        if (auto numbers = numbers_in(trace, judged)) roads.push_back(std::move(*numbers));
      if (roads.size() == traces.size())
        add_fit(judged, roads, fit, left);
      else
        fit.unexplained += static_cast<std::int64_t>(judged.device.size());
    }
    return fit;
  }

  /// nullopt: the run has no such output, or another shape of it.
  std::optional<std::vector<long double>> numbers_in(const simulator::ValueTrace& trace,
                                                     const Judged& judged) const {
    const Outputs* outputs = trace.calls.empty() ? nullptr : &trace.calls[0];
    if (outputs == nullptr || judged.position >= outputs->size() ||
        (*outputs)[judged.position].tensor.sizes() != golden_[0].second[judged.position].tensor.sizes())
      return std::nullopt;
    return numbers_of((*outputs)[judged.position].tensor.view());
  }

  /// The road's rounding is taken to be as large as that of the arithmetics on the golden run.
  static void add_fit(const Judged& judged, const std::vector<std::vector<long double>>& roads, RoadFit& fit,
                      std::vector<Left>& left) {
    for (std::size_t i = 0; i < roads[0].size(); ++i) {
      const Range& range = judged.ranges[i];
      const long double x = judged.device[i];
      const long double road = roads[0][i];
      const bool varies = std::any_of(roads.begin(), roads.end(), [&](const auto& other) {
        return other[i] != road && !std::isnan(road);
      });
      if (varies || (std::isnan(road) && !range.has_nan)) {
        ++fit.open;
      } else if (std::abs(x - road) <= 2 * range.width() || x == road) {
        fit.exact += !range.explains(x);
      } else {
        ++fit.unexplained;
        if (left.size() <= kMostQuestions) left.push_back({&judged, i});
      }
    }
  }

  const model::Program& program_;
  const model::RunPlan& plan_;
  const Tensors& device_;
  const ValueSetting& setting_;
  Progress& progress_;
  std::vector<std::pair<std::string, Outputs>> golden_;  ///< per arithmetic
  simulator::BufferNames buffers_;
  std::vector<Judged> judged_;
  std::vector<std::string> names_;  ///< of judged_
};

}  // namespace

std::string_view name(Diagnosis diagnosis) {
  static constexpr std::array<std::string_view, 5> kNames{"equal", "rounding", "buffer-fault", "kernel-fault",
                                                          "unknown"};
  return kNames.at(static_cast<std::size_t>(diagnosis));
}

std::string_view name(Criterion criterion) {
  static constexpr std::array<std::string_view, 4> kNames{"none", "bits", "proven", "spread"};
  return kNames.at(static_cast<std::size_t>(criterion));
}

Crosscheck crosscheck(const model::Program& program, const model::RunPlan& plan, const Tensors& device,
                      const ValueSetting& setting, const std::vector<model::RuntimeProfile>& runtimes,
                      Progress& progress) {
  return Checker(program, plan, device, setting, progress).run(runtimes);
}

}  // namespace bufferproof::cli
