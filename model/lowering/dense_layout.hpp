// Windows whose elements lie in memory without gaps, in whatever order of axes: which element has which
// address. Addresses count elements from the first one. Tested by tests/model/dense_layout_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/program.hpp"

namespace bufferproof::model::lowering {

class DenseLayout {
 public:
  /// nullopt: sizes or strides that are not numbers, gaps, elements that share memory, none at all, or no
  /// axes.
  static std::optional<DenseLayout> of(const Layout& layout);

  /// Indices of the element at an address. Beyond the last element, those of one axis lie outside.
  std::vector<SymExpr> element(std::int64_t address) const;
  /// The elements from one address up to another, that one not included.
  IndexSet between(std::int64_t lo, std::int64_t hi) const;

 private:
  struct Axis {
    std::size_t axis = 0;
    std::int64_t stride = 1;
  };
  std::vector<SymExpr> sizes_;
  std::vector<Axis> axes_;  ///< largest stride first; never empty
};

/// An access outside a handle (C5) whose pointer is followed to this address, counted from the handle's first
/// element: by the indices of that element, or, where strides leave gaps or meet, by ones outside that come
/// near. nullopt: the handle has no axes, or strides that are not numbers.
std::optional<Clause> outside_at(Clause::Kind kind, const Name& handle, const Layout& layout,
                                 std::int64_t address);

}  // namespace bufferproof::model::lowering
