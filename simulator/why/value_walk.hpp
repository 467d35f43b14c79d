// The chain of one wrong value: launch by launch the operand element it came from, by the values.
//
// Ends at a read that is at fault, at the operation that made the value, at an input, or where the values do
// not say; there the search goes on by positions. Tested by tests/simulator/why_values_test.cpp.
#pragma once

#include "simulator/why/search.hpp"

namespace bufferproof::simulator {

class ValueWalk {
 public:
  ValueWalk(const RunState& state, const Provenance& known, LaunchMaps& maps, const WhyValues& values)
      : state_(state), known_(known), maps_(maps), values_(values) {}

  Explanation from(std::size_t read, const Index& element);

 private:
  struct Spot {
    std::size_t read = 0;
    Index element;
    WhyBasis basis = WhyBasis::positions;
  };
  enum class Outcome : std::uint8_t { goes_on, ended, not_said };

  Outcome step(Spot& spot, Explanation& out);
  Outcome through_launch(Spot& spot, const Provenance::Access& store, std::int64_t address, Explanation& out);
  Outcome through_copy(Spot& spot, const Provenance::Access& store, std::int64_t address) const;
  std::optional<double> value_at(const Spot& spot) const;

  const RunState& state_;
  const Provenance& known_;
  LaunchMaps& maps_;
  const WhyValues& values_;
};

}  // namespace bufferproof::simulator
