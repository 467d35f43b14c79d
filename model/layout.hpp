// A strided window into a storage, and what is known of its shape.
//
// Sizes, strides and offsets count elements of the window's dtype. Tested by tests/model/layout_test.cpp.
#pragma once

#include <vector>

#include "model/sym_expr.hpp"

namespace bufferproof::model {

struct Layout {
  std::vector<SymExpr> sizes;
  std::vector<SymExpr> strides;  ///< as many as sizes
  SymExpr offset = 0;

  std::size_t rank() const { return sizes.size(); }
  SymExpr elements() const { return product(sizes); }
  /// Storage element of the logical element with these indices.
  SymExpr address(const std::vector<SymExpr>& index) const;
  /// One past the last storage element the window can touch, from offset 0; right when no size that is not a
  /// constant is zero and no stride is negative.
  SymExpr extent() const;
  /// Row-major without gaps, judged as PyTorch does: the stride of a size-1 axis does not matter.
  bool is_contiguous() const;
  friend bool operator==(const Layout& a, const Layout& b) {
    return a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset;
  }
  /// "(8, 64)[64, 1]+0"
  std::string str() const;
};

/// Row-major without gaps, offset 0.
Layout contiguous(std::vector<SymExpr> sizes);

/// Same elements in the same places: equal sizes, and equal strides wherever the size is not 1.
bool same_placement(const Layout& a, const Layout& b);

}  // namespace bufferproof::model
