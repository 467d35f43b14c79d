// The least point of a box at which one of some affine forms leaves its bounds, without looking at each point
// (C5).
//
// Tested by tests/simulator/first_outside_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "simulator/selection.hpp"

namespace bufferproof::simulator {

/// lo <= form <= hi inside. Its values over the box fit 64 bits.
struct Bounded {
  Affine form;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
};

/// Variables run from 0 to counts - 1 (all > 0), the first one is the most significant. nullopt: all inside.
std::optional<std::vector<std::int64_t>> first_outside(std::vector<Bounded> forms,
                                                       const std::vector<std::int64_t>& counts);

}  // namespace bufferproof::simulator
