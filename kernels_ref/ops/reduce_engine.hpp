// The two ways to fold many results: fast (blocks and threads) and by definition. Both give each total to a
// callback. Tested by tests/kernels_ref/ops_reduce_test.cpp.
#pragma once

#include "kernels_ref/ops/reduce.hpp"

namespace bufferproof::kernels {

/// Where a result's fold starts: nullptr for the identity, else accumulator-typed start values, one a result.
struct FoldStarts {
  const std::byte* values = nullptr;
  const void* at(const Fold& fold, std::int64_t result) const {
    return values == nullptr ? fold.identity : values + static_cast<std::size_t>(result) * fold.width;
  }
};

/// Writes accumulator-typed totals, one a result, to `totals`. `cast` leads from the view's type to the
/// accumulator.
void fold_fast(const ReducedView& view, const Fold& fold, const BlockOp& cast, FoldStarts starts,
               std::byte* totals);
void fold_by_definition(const ReducedView& view, const Fold& fold, const BlockOp& cast, FoldStarts starts,
                        std::byte* totals);

}  // namespace bufferproof::kernels
