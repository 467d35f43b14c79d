#include "kernels_ref/ops/reduce_engine.hpp"

#include <algorithm>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/ops/fill.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kColumns =
    64;  ///< results folded side by side; 32 lanes of them fit the first-level cache

/// Block totals of every result, [results][blocks], then taken in turn.
class FastFold {
 public:
  FastFold(const ReducedView& view, const Fold& fold, const BlockOp& cast)
      : view_(view),
        fold_(fold),
        cast_(cast),
        count_(view.count()),
        blocks_((count_ + Fold::kBlock - 1) / Fold::kBlock),
        partial_(fold.accumulator, {view.results(), blocks_}) {}

  void run(FoldStarts starts, std::byte* totals) {
    if (side_by_side()) {
      fold_columns();
    } else {
      fold_rows();
    }
    for (std::int64_t result = 0; result < view_.results(); ++result) {
      std::byte* const total = totals + static_cast<std::size_t>(result) * fold_.width;
      std::memcpy(total, starts.at(fold_, result), fold_.width);
      for (std::int64_t block = 0; block < blocks_; ++block) fold_.take(total, partial(result, block));
    }
  }

 private:
  /// Neighbouring results are neighbours in memory and the reduced elements are not.
  bool side_by_side() const {
    if (view_.kept_sizes.empty() || view_.kept_strides.back() != 1 || view_.kept_sizes.back() < 8)
      return false;
    for (std::size_t i = 0; i < view_.reduced_sizes.size(); ++i)
      if (view_.reduced_sizes[i] > 1 && view_.reduced_strides[i] == 1) return false;
    return true;
  }
  std::byte* partial(std::int64_t result, std::int64_t block) {
    return partial_.view().bytes() + static_cast<std::size_t>(result * blocks_ + block) * fold_.width;
  }
  std::int64_t block_size(std::int64_t block) const {
    return std::min(Fold::kBlock, count_ - block * Fold::kBlock);
  }

  void fold_rows() {
    const ReducedRow rows(view_, cast_);
    const std::int64_t grain =
        std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, std::min(count_, Fold::kBlock)));
    parallel_ranges(view_.results() * blocks_, grain, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) std::byte elements[Fold::kBlock * 8];
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t block = unit % blocks_;
        rows.read(unit / blocks_, block * Fold::kBlock, block_size(block), elements);
        fold_.block_total(elements, block_size(block), partial(unit / blocks_, block));
      }
    });
  }

  void fold_columns() {
    const std::int64_t last = view_.kept_sizes.back();
    const std::int64_t groups = (last + kColumns - 1) / kColumns;
    const std::int64_t outer = view_.results() / std::max<std::int64_t>(last, 1);
    parallel_ranges(outer * groups * blocks_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t first = unit / blocks_ % groups * kColumns;
        const std::int64_t result = unit / blocks_ / groups * last + first;
        column_block(result, std::min(kColumns, last - first), unit % blocks_);
      }
    });
  }

  void column_block(std::int64_t result, std::int64_t columns, std::int64_t block) {
    alignas(64) std::byte lanes[Fold::kLanes * kColumns * 8];
    alignas(64) std::byte row[kColumns * 8];
    const auto row_bytes = static_cast<std::size_t>(columns) * fold_.width;
    fill_elements(lanes, fold_.identity, static_cast<std::int64_t>(fold_.width), Fold::kLanes * columns);
    const std::byte* const base = view_.view.bytes() + kept_offset(result);
    for (std::int64_t i = 0; i < block_size(block); ++i) {
      const void* const from = base + reduced_offset(block * Fold::kBlock + i);
      cast_.run(&from, row, columns);
      std::byte* const lane = lanes + static_cast<std::size_t>(i % Fold::kLanes) * row_bytes;
      const void* const pair[] = {lane, row};
      fold_.combine.run(pair, lane, columns);
    }
    for (std::int64_t half = Fold::kLanes / 2; half >= 1; half /= 2) {
      const void* const pair[] = {lanes, lanes + static_cast<std::size_t>(half) * row_bytes};
      fold_.combine.run(pair, lanes, half * columns);
    }
    for (std::int64_t c = 0; c < columns; ++c)
      std::memcpy(partial(result + c, block), lanes + static_cast<std::size_t>(c) * fold_.width, fold_.width);
  }

  static std::int64_t offset_of(std::int64_t flat, const Sizes& sizes, const Sizes& strides) {
    std::int64_t offset = 0;
    for (std::size_t dim = sizes.size(); dim-- > 0; flat /= sizes[dim])
      offset += flat % sizes[dim] * strides[dim];
    return offset;
  }
  std::int64_t kept_offset(std::int64_t result) const {
    return offset_of(result, view_.kept_sizes, view_.kept_strides) * model::size_in_bytes(view_.view.dtype());
  }
  std::int64_t reduced_offset(std::int64_t i) const {
    return offset_of(i, view_.reduced_sizes, view_.reduced_strides) *
           model::size_in_bytes(view_.view.dtype());
  }

  const ReducedView& view_;
  const Fold& fold_;
  const BlockOp& cast_;
  std::int64_t count_;
  std::int64_t blocks_;
  Tensor partial_;
};

}  // namespace

void fold_fast(const ReducedView& view, const Fold& fold, const BlockOp& cast, FoldStarts starts,
               std::byte* totals) {
  const FpStateGuard state;  // for the totals; workers hold their own
  FastFold(view, fold, cast).run(starts, totals);
}

void fold_by_definition(const ReducedView& view, const Fold& fold, const BlockOp& cast, FoldStarts starts,
                        std::byte* totals) {
  const FpStateGuard state;
  const ReducedRow rows(view, cast);
  for (std::int64_t result = 0; result < view.results(); ++result) {
    alignas(8) std::byte element[8];
    define_fold(fold, view.count(), starts.at(fold, result),
                totals + static_cast<std::size_t>(result) * fold.width, [&](std::int64_t i) {
                  rows.read(result, i, 1, element);
                  return element;
                });
  }
}

}  // namespace bufferproof::kernels
