// Walking several strided tensors of one shape in blocks: broadcasting, merging of dimensions, gathering and
// scattering.
//
// The walk's order is the output's memory order, and neighbouring dimensions that all operands step through
// evenly become one; so contiguous tensors are one long row and a permuted copy writes forwards. Blocks of an
// operand are handed out in place where it is contiguous, else gathered. Elementwise results do not depend on
// the order of the walk. Tested by tests/kernels_ref/ops_elementwise_test.cpp (strides, broadcasts, odd
// sizes).
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// `view` with the sizes of `sizes`: dimensions are matched from the last; missing and 1-sized ones repeat
/// (stride 0). KernelError naming `op` and `argument` where they do not fit.
ConstTensorView broadcast_to(const ConstTensorView& view, const Sizes& sizes, std::string_view op,
                             std::string_view argument);

class BlockWalk {
 public:
  static constexpr std::size_t kMostAxes = 64;  ///< of axes that do not merge; PyTorch has the same limit

  /// All views have the first output's sizes (broadcast_to). Only pointers are kept. KernelError above
  /// kMostAxes.
  BlockWalk(std::span<const TensorView> outputs, std::span<const ConstTensorView> inputs);

  std::int64_t count() const { return count_; }
  /// All inputs and outputs are one contiguous row.
  bool all_contiguous() const;

  /// Where a block begins: found once a block, used for every operand.
  struct Position {
    std::int64_t begin = 0;
    std::array<std::int64_t, kMostAxes> index{};
  };
  Position at(std::int64_t begin) const;
  /// To where the block after n elements begins.
  void advance(Position& position, std::int64_t n) const;
  /// How many of n elements from `position` on a block should hold: those of its row, unless rows are so
  /// short that copying them together costs less than a block each.
  std::int64_t block_size(const Position& position, std::int64_t n) const;
  /// The one element that input `index` repeats over n elements; nullptr where there are several.
  const void* repeated(std::size_t index, const Position& position, std::int64_t n) const;
  /// Whether input `index` is one element along a row.
  bool repeats(std::size_t index) const;
  /// n elements of input `index` from `position` on: a pointer into it where they are contiguous, else
  /// `buffer` after gathering.
  const void* input(std::size_t index, const Position& position, std::int64_t n, void* buffer) const;
  /// Where n elements of output `index` can be written in place; nullptr when they have to be scattered.
  void* output_in_place(std::size_t index, const Position& position, std::int64_t n) const;
  /// Copies n contiguous elements to their places in output `index`.
  void write(std::size_t index, const void* elements, const Position& position, std::int64_t n) const;

 private:
  struct Track {
    std::byte* base;
    std::int64_t width;
    std::vector<std::int64_t> steps;  ///< bytes, one a merged dimension, outermost first
    bool contiguous;
  };
  void add(const ConstTensorView& view, const std::vector<std::size_t>& order);
  void merge();
  /// The address of element `position`.
  std::byte* address(const Track& track, const Position& position) const;
  /// Whether n elements from `position` lie in one row.
  bool in_one_row(const Position& position, std::int64_t n) const;
  /// The address of n contiguous elements, nullptr when they are not contiguous.
  std::byte* direct(const Track& track, const Position& position, std::int64_t n) const;
  template <typename Move>
  void for_each_row(const Track& track, const Position& position, std::int64_t n, Move move) const;

  std::int64_t count_ = 0;
  std::size_t output_count_ = 1;
  std::vector<std::int64_t> sizes_;
  std::vector<Track> tracks_;  ///< the outputs, then the inputs
};

}  // namespace bufferproof::kernels
