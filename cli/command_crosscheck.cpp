// `bufferproof crosscheck`: which road, or plain rounding? Tested by tests/cli/crosscheck_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/app.hpp"
#include "cli/command.hpp"
#include "cli/crosscheck.hpp"
#include "cli/input.hpp"
#include "cli/json_parts.hpp"
#include "cli/output_values.hpp"
#include "cli/run_options.hpp"
#include "cli/run_text.hpp"
#include "cli/runtimes.hpp"
#include "cli/text_table.hpp"
#include "cli/wording.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::string input;
  std::vector<std::string> outputs;
  std::string runtime = "all";
  InputOptions input_options;
  RunOptions run;
  ValueOptions values;
  std::string format = "text";
};

/// Roads that leave less open say more; of many the first are enough.
constexpr std::size_t kMostRoads = 5;

std::string number(double value) { return number_text(value, model::DType::f64); }

std::string launch_name(const simulator::JudgedBuffer& one) {
  return fmt::format("{} ({})", one.kernel, one.where.str());
}

std::string diagnosis_text(const Crosscheck& result) {
  switch (result.diagnosis) {
    case Diagnosis::equal:
      return fmt::format("equal: the bits of arithmetic {}", result.equal_to);
    case Diagnosis::rounding:
      return result.criterion == Criterion::proven ? "rounding, proven: each buffer given is within the "
                                                     "error bounds of its launch, on the operands it had"
                                                   : "rounding: every element is as near as the known "
                                                     "arithmetics are to one another (measured, not proven)";
    case Diagnosis::buffer_fault:
      return "buffer fault: rounding does not explain it, these roads do";
    case Diagnosis::kernel_fault:
      return "kernel fault: " + launch_name(result.launches[*result.fault]) +
             " gave what no rounding gives of the operands it had";
    case Diagnosis::unknown:
      return fmt::format("unknown: neither rounding nor one of {} explains every element",
                         counted(result.roads_tried, "wrong road"));
  }
  return "";
}

std::string road_text(const RoadFit& road) {
  const std::string who = road.kernel == "all" ? "every kernel falls back" : road.kernel + " falls back";
  std::string out = fmt::format("    {}: {}", fmt::join(road.runtimes, ", "), who);
  if (road.exact > 0) out += fmt::format("; predicts {} of the wrong elements", road.exact);
  if (road.open > 0)
    out += fmt::format("; leaves {} to memory nobody wrote",
                       counted(static_cast<std::size_t>(road.open), "element"));
  return out + "\n";
}

/// A road that leaves every element open explains anything: such are only counted, where others are left.
std::string roads_text(const Crosscheck& result) {
  if (result.roads.empty()) return "";
  std::int64_t elements = 0;
  for (const CrosscheckedOutput& o : result.outputs) elements += o.elements;
  const auto telling = static_cast<std::size_t>(std::count_if(
      result.roads.begin(), result.roads.end(), [&](const RoadFit& r) { return r.open < elements; }));
  const std::size_t shown = std::min(kMostRoads, telling > 0 ? telling : result.roads.size());
  std::string out = "\n  roads\n";
  for (std::size_t i = 0; i < shown; ++i) out += road_text(result.roads[i]);
  const std::size_t rest = result.roads.size() - shown;
  if (rest > 0)
    out += fmt::format("    and {} more{} (--format json)\n", rest,
                       shown == telling ? ", which leave every element to memory nobody wrote" : "");
  return out;
}

/// "[0:8, 7:8]": the smallest region around what is outside.
std::string region_text(const simulator::JudgedBuffer& one) {
  std::vector<std::string> axes;
  for (std::size_t axis = 0; axis < one.least.size(); ++axis)
    axes.push_back(fmt::format("{}:{}", one.least[axis], one.greatest[axis] + 1));
  return fmt::format("[{}]", fmt::join(axes, ", "));
}

std::string outside_text(const simulator::JudgedBuffer& one) {
  return fmt::format("    {}{} of {} is {}, not from {} to {}; {} of {} elements are outside, all in {}\n",
                     one.buffer, kernels::format_sizes(one.first), launch_name(one), number(one.value),
                     number(one.lo), number(one.hi), one.outside, one.elements, region_text(one));
}

/// Launches that were judged by themselves, and the first of those that are outside or could not be.
std::string launches_text(const Crosscheck& result) {
  if (result.launches.empty()) return "";
  std::size_t inside = 0;
  std::size_t shortened = 0;
  std::vector<std::string> outside;
  std::vector<std::string> open;
  for (const simulator::JudgedBuffer& one : result.launches) {
    if (one.outside > 0) {
      outside.push_back(outside_text(one));
    } else if (!one.unjudged.empty()) {
      open.push_back(
          fmt::format("    {} of {} is not judged: {}\n", one.buffer, launch_name(one), one.unjudged));
    } else if (one.open > 0) {
      open.push_back(fmt::format("    {} of {}: the bounds say nothing about {} of {} elements\n", one.buffer,
                                 launch_name(one), one.open, one.elements));
    } else {
      ++inside;
      shortened += one.arithmetic != "f32";
    }
  }
  if (inside == 0 && outside.empty() && result.launches.size() == 1)
    return "\n  no launch is judged by itself:" + open[0].substr(open[0].rfind(": ") + 1);
  std::string out = fmt::format("\n  buffers by the launch that made them: {} inside", inside);
  if (shortened > 0) out += fmt::format(" ({} of them with HF32 products)", shortened);
  out += fmt::format(", {} outside, {} not decided\n", outside.size(), open.size());
  outside.insert(outside.end(), open.begin(), open.end());
  for (std::size_t i = 0; i < std::min(kMostRoads, outside.size()); ++i) out += outside[i];
  if (outside.size() > kMostRoads)
    out += fmt::format("    and {} more (--format json)\n", outside.size() - kMostRoads);
  return out;
}

std::string print_text(const model::Program& program, const Crosscheck& result, const std::string& inputs) {
  std::string out = fmt::format("{}  {}\n  {}\n\n", program.file, inputs, diagnosis_text(result));
  std::vector<std::vector<std::string>> rows{
      {"output", "beyond rounding", "NaN", "largest error", "largest spread"}};
  for (const CrosscheckedOutput& o : result.outputs)
    rows.push_back({o.name, fmt::format("{} of {}", o.beyond_rounding, o.elements), std::to_string(o.nans),
                    number(o.largest_error), number(o.largest_spread)});
  if (rows.size() > 1) out += text_table(rows);
  return out + launches_text(result) + roads_text(result);
}

int code_of(Diagnosis diagnosis) {
  if (diagnosis == Diagnosis::unknown) return kUnsupported;
  return diagnosis == Diagnosis::equal || diagnosis == Diagnosis::rounding ? kClean : kFindings;
}

Json launch_json(const simulator::JudgedBuffer& one) {
  Json out{{"buffer", one.buffer},     {"kernel", one.kernel},   {"location", location_json(one.where)},
           {"elements", one.elements}, {"outside", one.outside}, {"open", one.open}};
  if (!one.unjudged.empty()) out["unjudged"] = one.unjudged;
  if (!one.arithmetic.empty()) out["arithmetic"] = one.arithmetic;
  if (one.outside > 0)
    out["first"] = {{"element", one.first},
                    {"value", number_json(one.value, model::DType::f64)},
                    {"lo", number_json(one.lo, model::DType::f64)},
                    {"hi", number_json(one.hi, model::DType::f64)},
                    {"least", one.least},
                    {"greatest", one.greatest}};
  return out;
}

Json to_json(const model::Program& program, const Crosscheck& result) {
  Json out{{"tool", tool_json()},
           {"command", "crosscheck"},
           {"input", program.file},
           {"verdict", name(result.diagnosis)},
           {"exit_code", code_of(result.diagnosis)},
           {"findings", Json::array()},
           {"assumptions", program.assumptions},
           {"criterion", name(result.criterion)},
           {"crosschecked", Json::array()},
           {"launches", Json::array()},
           {"roads", Json::array()}};
  for (const simulator::JudgedBuffer& one : result.launches) out["launches"].push_back(launch_json(one));
  if (result.fault) out["fault"] = launch_json(result.launches[*result.fault]);
  if (!result.equal_to.empty()) out["numerics"] = result.equal_to;
  for (const CrosscheckedOutput& o : result.outputs)
    out["crosschecked"].push_back({{"name", o.name},
                                   {"elements", o.elements},
                                   {"beyond_rounding", o.beyond_rounding},
                                   {"nan", o.nans},
                                   {"max_abs_error", o.largest_error},
                                   {"max_spread", o.largest_spread}});
  for (const RoadFit& road : result.roads)
    out["roads"].push_back({{"runtimes", road.runtimes},
                            {"kernel", road.kernel},
                            {"predicted", road.exact},
                            {"open", road.open}});
  return out;
}

int run(const Options& options, Streams streams) {
  const ValueSetting setting = read_setting(options.values);
  const Tensors device = read_tensor_files(options.outputs);
  if (device.empty()) fail_option("--outputs", "the files hold no tensor");
  const model::Program program = read_one_program(options.input, options.input_options);
  const model::RunPlan plan = plan_of(options.run, contract_abiding(program));
  const std::vector<DeclaredInput> inputs = inputs_of(program);
  check_tensors(setting.tensors, inputs, plan);
  Crosscheck result;
  {
    Progress progress(streams.err, is_terminal(streams.err));
    result = crosscheck(program, plan, device, setting, choose_profiles(options.runtime), progress);
  }
  streams.out << (options.format == "json"
                      ? dump(to_json(program, result))
                      : print_text(program, result, inputs_text(setting.tensors, inputs, setting.seed)));
  return code_of(result.diagnosis);
}

}  // namespace

Action add_crosscheck(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("crosscheck", "A device's outputs: plain rounding, or which kernel's fallback?");
  command->add_option("INPUT", options->input, "The wrapper")->required();
  command
      ->add_option("--outputs", options->outputs,
                   "The device's outputs, and other buffers, by name: .npz or .npy files")
      ->required();
  command->add_option("--runtime", options->runtime, "Try this profile's roads; default: every one's");
  declare_input_options(*command, options->input_options);
  command->add_option("--tensors", options->values.tensors,
                      "The inputs it ran on: .npz or .npy files, or a folder of them");
  declare_seed_option(*command, options->values.seed);
  declare_size_option(*command, options->run);
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return [options](Streams streams) { return run(*options, streams); };
}

}  // namespace bufferproof::cli
