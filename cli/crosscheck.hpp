// A device's outputs held against everything that could have made them: arithmetics and roads.
//
// The spread of the known arithmetics (golden runs under every numerics profile) says how far rounding takes
// an element; it is measured, not proven. A device element is explained by rounding when it lies within the
// range of the arithmetics widened by that range's width on both sides. A road (one kernel, or all of them,
// falling back under one runtime) explains it when the road's own value is that near, or when the road leaves
// the element to memory nobody wrote, which may hold anything. Tested by tests/cli/crosscheck_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/value_run.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::cli {

enum class Diagnosis : std::uint8_t {
  equal,         ///< the bits of one of the arithmetics
  rounding,      ///< every element is explained by rounding
  buffer_fault,  ///< some road explains every element, rounding does not
  unknown,       ///< neither does
};
std::string_view name(Diagnosis diagnosis);

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
  std::string equal_to;        ///< the arithmetic with the device's very bits
  std::vector<RoadFit> roads;  ///< that explain every element; the most telling first
  std::size_t roads_tried = 0;
};

/// `device`: outputs by name (output_values.hpp, distinct_names); at least one. Raises InputError: a name the
/// program does not return, another shape or element type; what the runs raise.
Crosscheck crosscheck(const model::Program& program, const model::RunPlan& plan, const Tensors& device,
                      const ValueSetting& setting, const std::vector<model::RuntimeProfile>& runtimes,
                      Progress& progress);

}  // namespace bufferproof::cli
