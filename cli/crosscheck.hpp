// A device's buffers held against everything that could have made them: arithmetics, kernels and roads.
//
// Where the device's values of a launch's operands are known (inputs, or buffers given beside the outputs),
// the launch is judged by itself, and proven: simulator/values/device_run.hpp. Else the spread of the known
// arithmetics (golden runs under every numerics profile) says how far rounding takes an element of an output;
// that is measured, not proven. It explains an element that lies within the range of the arithmetics widened
// by that range's width on both sides. A road (one kernel, or all of them, falling back under one runtime)
// explains it when the road's own value is that near, or when the road leaves the element to memory nobody
// wrote, which may hold anything. Tested by tests/cli/crosscheck_test.cpp and
// tests/cli/crosscheck_launches_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/value_run.hpp"
#include "model/runtime_profile.hpp"
#include "simulator/values/device_run.hpp"

namespace bufferproof::cli {

enum class Diagnosis : std::uint8_t {
  equal,         ///< the bits of one of the arithmetics
  rounding,      ///< every element is explained by rounding
  buffer_fault,  ///< some road explains every element, rounding does not
  kernel_fault,  ///< a launch gave what no rounding gives of the operands it had, and no road explains it
  unknown,       ///< neither does
};
std::string_view name(Diagnosis diagnosis);

/// What "rounding" rests on.
enum class Criterion : std::uint8_t {
  none,    ///< it is not said to be rounding
  bits,    ///< the bits of one of the arithmetics
  proven,  ///< every given buffer is inside of the enclosure of the launch that made it
  spread   ///< the outputs are as near as the known arithmetics are to one another
};
std::string_view name(Criterion criterion);

/// One output: how many of its elements rounding does not explain.
struct CrosscheckedOutput {
  std::string name;
  std::int64_t elements = 0;
  std::int64_t beyond_rounding = 0;
  std::int64_t nans = 0;     ///< NaN on the device where no arithmetic has one
  double largest_error = 0;  ///< to the nearest arithmetic, over elements that are finite on both sides
  double largest_spread = 0;
};

/// A road whose tags show a finding, and how it fits.
struct RoadFit {
  std::vector<std::string> runtimes;  ///< under which it is the same
  std::string kernel;                 ///< "all": every kernel falls back
  std::int64_t unexplained = 0;       ///< elements
  std::int64_t open = 0;              ///< elements left to memory nobody wrote
  std::int64_t exact = 0;  ///< elements the road predicts and rounding does not, that are as predicted
};

struct Crosscheck {
  Diagnosis diagnosis = Diagnosis::unknown;
  std::vector<CrosscheckedOutput> outputs;
  Criterion criterion = Criterion::none;
  std::string equal_to;  ///< the arithmetic with the device's very bits
  std::vector<simulator::JudgedBuffer>
      launches;                      ///< given buffers by the launch that made them, in its order
  std::optional<std::size_t> fault;  ///< of `launches`: the first that is outside
  std::vector<RoadFit> roads;        ///< that explain every element; the most telling first
  std::size_t roads_tried = 0;
};

/// `device`: outputs by name (output_values.hpp, distinct_names), and other buffers by the names launches
/// store them under, as they were after the last such launch; at least one. Raises InputError: a name that is
/// neither, another shape or element type; what the runs raise.
Crosscheck crosscheck(const model::Program& program, const model::RunPlan& plan, const Tensors& device,
                      const ValueSetting& setting, const std::vector<model::RuntimeProfile>& runtimes,
                      Progress& progress);

}  // namespace bufferproof::cli
