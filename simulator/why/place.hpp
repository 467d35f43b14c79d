// Where the elements of a tensor lie in its storage, and which elements lie where.
//
// Addresses are bytes (elements in bufprog). Lists of runs are sorted and do not touch. Tested by
// tests/simulator/why_place_test.cpp.
#pragma once

#include <optional>

#include "simulator/body/dependence.hpp"
#include "simulator/provenance.hpp"

namespace bufferproof::simulator {

using Runs = std::vector<ByteRun>;

struct Place {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< in bytes
  std::int64_t offset = 0;
  std::int64_t element = 1;  ///< bytes

  friend bool operator==(const Place&, const Place&) = default;
  std::int64_t address(const Index& index) const;
  /// The element that covers an address; nullopt: none, or the elements overlap.
  std::optional<Index> at(std::int64_t address) const;
};

/// Row-major.
Place dense_place(const std::vector<std::int64_t>& sizes, std::int64_t element, std::int64_t offset = 0);
/// Of a handle whose layout is known.
Place place_of(const Handle& handle);

Runs intersection(const Runs& a, const Runs& b);
Runs difference(const Runs& a, const Runs& b);
bool includes(const Runs& outer, const Runs& inner);

Runs runs_of(const Selection& selection, int unit);
/// `exact` is cleared where the box has too many pieces; the runs then cover more.
Runs runs_of(const Place& place, const model::Box& box, bool& exact);

/// The elements of `place` that meet the runs; inexact where they are too many to be told apart.
model::BoxParts elements_in(const Place& place, const Runs& runs);
/// `box` of `from` as a box of `to`, its part that lies there; nullopt where their strides differ. Callers
/// check the runs: two slices may be shifted against one another in more than one way.
std::optional<model::Box> translated(const Place& from, const model::Box& box, const Place& to);

}  // namespace bufferproof::simulator
