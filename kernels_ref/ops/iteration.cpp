#include "kernels_ref/ops/iteration.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/fill.hpp"

namespace bufferproof::kernels {
namespace {

/// Moves n elements of `width` bytes between strided places.
template <std::size_t kWidth>
void move_row(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
              std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, kWidth);
}
void move_elements(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                   std::int64_t n, std::int64_t width) {
  if (to_step == width && from_step == width) {
    std::memcpy(to, from, static_cast<std::size_t>(n * width));
    return;
  }
  if (to_step == width && from_step == 0) return fill_elements(to, from, width, n);
  switch (width) {
    case 1:
      return move_row<1>(to, to_step, from, from_step, n);
    case 2:
      return move_row<2>(to, to_step, from, from_step, n);
    case 4:
      return move_row<4>(to, to_step, from, from_step, n);
    default:
      return move_row<8>(to, to_step, from, from_step, n);
  }
}

/// Asks for what follows a block while the block is computed: the hardware sees pauses and page ends and
/// stops.
void prefetch_next(const std::byte* block, std::int64_t bytes) {
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kMost = 4096;  // more is no block, and nothing follows it
  if (bytes > kMost) return;
  const auto next = reinterpret_cast<std::uintptr_t>(block) + static_cast<std::uintptr_t>(bytes);
  for (std::int64_t at = 0; at < bytes; at += kLine)
    __builtin_prefetch(reinterpret_cast<const void*>(next + static_cast<std::uintptr_t>(at)));
}

}  // namespace

ConstTensorView broadcast_to(const ConstTensorView& view, const Sizes& sizes, std::string_view op,
                             std::string_view argument) {
  const std::size_t rank = sizes.size();
  const std::size_t own = view.sizes().size();
  Sizes strides(rank, 0);
  bool fits = own <= rank;
  for (std::size_t i = 0; fits && i < own; ++i) {
    const std::size_t at = rank - own + i;
    const std::int64_t size = view.sizes()[i];
    fits = size == sizes[at] || size == 1;
    strides[at] = size == 1 ? 0 : view.strides()[i];
  }
  if (!fits)
    throw KernelError(op, argument, "a shape that broadcasts to " + format_sizes(sizes),
                      "shape " + format_sizes(view.sizes()));
  return {view.bytes(), view.dtype(), sizes, strides};
}

BlockWalk::BlockWalk(std::span<const TensorView> outputs, std::span<const ConstTensorView> inputs)
    : count_(outputs[0].element_count()), output_count_(outputs.size()) {
  const TensorView& first = outputs[0];
  std::vector<std::size_t> order;
  for (std::size_t dim = 0; dim < first.sizes().size(); ++dim)
    if (first.sizes()[dim] != 1) order.push_back(dim);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(first.strides()[a]) > std::abs(first.strides()[b]);
  });
  for (std::size_t dim : order) sizes_.push_back(first.sizes()[dim]);
  for (const TensorView& output : outputs) add(output, order);
  for (const ConstTensorView& input : inputs) add(input, order);
  merge();
}

void BlockWalk::add(const ConstTensorView& view, const std::vector<std::size_t>& order) {
  const std::int64_t width = model::size_in_bytes(view.dtype());
  Track track{const_cast<std::byte*>(view.bytes()), width, {}, false};
  for (std::size_t dim : order) track.steps.push_back(view.strides()[dim] * width);
  tracks_.push_back(std::move(track));
}

void BlockWalk::merge() {
  std::size_t kept = 0;
  for (std::size_t dim = 1; dim < sizes_.size(); ++dim) {
    const bool even = std::all_of(tracks_.begin(), tracks_.end(), [&](const Track& track) {
      return track.steps[kept] == track.steps[dim] * sizes_[dim];
    });
    if (!even) ++kept;
    sizes_[kept] = even ? sizes_[kept] * sizes_[dim] : sizes_[dim];
    for (Track& track : tracks_) track.steps[kept] = track.steps[dim];
  }
  const std::size_t rank = sizes_.empty() ? 0 : kept + 1;
  if (rank > kMostAxes)
    throw KernelError("tensor", "sizes", "at most 64 axes that are not contiguous", std::to_string(rank));
  sizes_.resize(rank);
  for (Track& track : tracks_) {
    track.steps.resize(rank);
    track.contiguous = rank == 0 || (rank == 1 && track.steps[0] == track.width);
  }
}

bool BlockWalk::all_contiguous() const {
  return std::all_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.contiguous; });
}

BlockWalk::Position BlockWalk::at(std::int64_t begin) const {
  Position position;
  position.begin = begin;
  for (std::size_t dim = sizes_.size(); dim-- > 0; begin /= sizes_[dim])
    position.index[dim] = begin % sizes_[dim];
  return position;
}

void BlockWalk::advance(Position& position, std::int64_t n) const {
  position.begin += n;
  if (sizes_.empty()) return;
  std::size_t dim = sizes_.size() - 1;
  position.index[dim] += n;
  for (; dim > 0 && position.index[dim] >= sizes_[dim]; --dim) {
    const std::int64_t rows = position.index[dim] / sizes_[dim];
    position.index[dim] -= rows * sizes_[dim];
    position.index[dim - 1] += rows;
  }
}

std::byte* BlockWalk::address(const Track& track, const Position& position) const {
  std::int64_t offset = 0;
  for (std::size_t dim = 0; dim < sizes_.size(); ++dim) offset += position.index[dim] * track.steps[dim];
  return track.base + offset;
}

bool BlockWalk::in_one_row(const Position& position, std::int64_t n) const {
  return sizes_.empty() || position.index[sizes_.size() - 1] + n <= sizes_.back();
}

std::int64_t BlockWalk::block_size(const Position& position, std::int64_t n) const {
  constexpr std::int64_t kShortRow = 256;
  if (sizes_.empty() || sizes_.back() < kShortRow) return n;
  return std::min(n, sizes_.back() - position.index[sizes_.size() - 1]);
}

bool BlockWalk::repeats(std::size_t index) const {
  const Track& track = tracks_[output_count_ + index];
  return !track.contiguous && track.steps.back() == 0;
}

const void* BlockWalk::repeated(std::size_t index, const Position& position, std::int64_t n) const {
  return repeats(index) && in_one_row(position, n) ? address(tracks_[output_count_ + index], position)
                                                   : nullptr;
}

std::byte* BlockWalk::direct(const Track& track, const Position& position, std::int64_t n) const {
  if (track.contiguous) return track.base + position.begin * track.width;
  const bool packed = track.steps.back() == track.width && in_one_row(position, n);
  return packed ? address(track, position) : nullptr;
}

/// Calls move(address, step, elements done, elements) for the pieces of rows that n elements from `position`
/// cover.
template <typename Move>
void BlockWalk::for_each_row(const Track& track, const Position& begin, std::int64_t n, Move move) const {
  const std::size_t last = sizes_.size() - 1;
  std::byte* from = address(track, begin);
  if (in_one_row(begin, n)) return move(from, track.steps[last], std::int64_t{0}, n);
  Position position = begin;
  for (std::int64_t done = 0; done < n;) {
    const std::int64_t piece = std::min(n - done, sizes_[last] - position.index[last]);
    move(from, track.steps[last], done, piece);
    done += piece;
    position.index[last] += piece;
    from += piece * track.steps[last];
    for (std::size_t dim = last; dim > 0 && position.index[dim] == sizes_[dim]; --dim) {
      from += track.steps[dim - 1] - sizes_[dim] * track.steps[dim];
      position.index[dim] = 0;
      ++position.index[dim - 1];
    }
  }
}

const void* BlockWalk::input(std::size_t index, const Position& position, std::int64_t n,
                             void* buffer) const {
  const Track& track = tracks_[output_count_ + index];
  if (const std::byte* const in_place = direct(track, position, n)) {
    prefetch_next(in_place, n * track.width);
    return in_place;
  }
  auto* const to = static_cast<std::byte*>(buffer);
  for_each_row(track, position, n,
               [&](std::byte* from, std::int64_t step, std::int64_t done, std::int64_t piece) {
                 move_elements(to + done * track.width, track.width, from, step, piece, track.width);
               });
  return buffer;
}

void* BlockWalk::output_in_place(std::size_t index, const Position& position, std::int64_t n) const {
  return direct(tracks_[index], position, n);
}

void BlockWalk::write(std::size_t index, const void* elements, const Position& position,
                      std::int64_t n) const {
  const Track& track = tracks_[index];
  const auto* const from = static_cast<const std::byte*>(elements);
  if (std::byte* const to = direct(track, position, n)) {
    std::memcpy(to, from, static_cast<std::size_t>(n * track.width));
    return;
  }
  for_each_row(track, position, n,
               [&](std::byte* to, std::int64_t step, std::int64_t done, std::int64_t piece) {
                 move_elements(to, step, from + done * track.width, track.width, piece, track.width);
               });
}

}  // namespace bufferproof::kernels
