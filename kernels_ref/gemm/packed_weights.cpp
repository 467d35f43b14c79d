#include "kernels_ref/gemm/packed_weights.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

/// Taps per pass: the panel (taps x 3 vectors) and one tile of weights stay in the caches nearest the core.
constexpr std::int64_t kTapsPerPass = 256;

/// As many taps as fit the caches, in whole blocks: a block's chain lives in registers only.
std::int64_t pass_length(std::int64_t taps, int k_block) {
  const std::int64_t block = std::max(k_block, 1);
  return std::max<std::int64_t>(1,
                                std::min(taps, std::max<std::int64_t>(block, kTapsPerPass / block * block)));
}

template <typename T>
const GemmTileShape& tile_shape(const GemmKernels& kernels) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.shape_f32;
  else
    return kernels.shape_f64;
}

template <typename T>
void pack_whole_rows(const GemmKernels& kernels, const T* from, std::int64_t row_stride, std::int64_t taps,
                     T* to) {
  if constexpr (std::is_same_v<T, float>)
    kernels.pack_f32(from, row_stride, taps, to);
  else
    kernels.pack_f64(from, row_stride, taps, to);
}

/// Whether a row's taps are neighbours in memory.
bool neighbours(std::span<const std::int64_t> offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] == kZeroTap || offsets[i] - offsets[0] != static_cast<std::int64_t>(i)) return false;
  return true;
}

}  // namespace

template <typename T>
const GemmTileShape& PackedWeights<T>::shape() const {
  return tile_shape<T>(*kernels_);
}

template <typename T>
std::int64_t PackedWeights<T>::row_tiles() const {
  return (rows_ + shape().rows - 1) / shape().rows;
}

template <typename T>
std::int64_t PackedWeights<T>::packed_size(std::int64_t rows, std::int64_t taps) {
  const int tile = tile_shape<T>(gemm_kernels()).rows;
  return kernels::element_count(Sizes{(rows + tile - 1) / tile * tile, taps});
}

template <typename T>
PackedWeights<T>::PackedWeights(const WeightsSource& source, InputRounding rounding, int k_block, T* memory)
    : kernels_(&gemm_kernels()),
      rows_(source.rows),
      taps_(static_cast<std::int64_t>(source.tap_offsets.size())),
      taps_per_pass_(pass_length(taps_, k_block)),
      own_(memory == nullptr ? allocate_huge<T>(packed_size(rows_, taps_)) : HugeArray<T>()),
      values_(memory == nullptr ? own_.get() : memory) {
  visit_floating(source.dtype, [&]<typename Element>(TypeTag<Element>) { pack<Element>(source, rounding); });
}

/// A cache line of each row before the next line: what is stored to stays in the nearest cache.
constexpr std::int64_t kTapsAtOnce = 16;

template <typename T>
template <typename Element>
void PackedWeights<T>::pack_row(const WeightsSource& source, const Element* base, InputRounding rounding,
                                std::int64_t row, std::int64_t first, std::int64_t count, T* to) const {
  const std::int64_t* offsets = source.tap_offsets.data() + first;
  const int tile_rows = shape().rows;
  for (std::int64_t tap = 0; tap < count; ++tap, to += tile_rows) {
    const bool zero = row >= rows_ || offsets[tap] == kZeroTap;
    if (zero) {
      *to = T{0};
      continue;
    }
    const Element& element = base[row * source.row_stride + offsets[tap]];
    if constexpr (std::is_same_v<T, Element>) {
      *to = rounding == InputRounding::none ? element : as_operand<T>(element, rounding);
    } else {
      *to = as_operand<T>(element, rounding);
    }
  }
}

template <typename T>
template <typename Element>
void PackedWeights<T>::pack_tile(const WeightsSource& source, const Element* base, InputRounding rounding,
                                 std::int64_t tile, std::int64_t first, std::int64_t taps, T* to) const {
  const int tile_rows = shape().rows;
  for (std::int64_t some = 0; some < taps; some += kTapsAtOnce)
    for (int i = 0; i < tile_rows; ++i)
      pack_row(source, base, rounding, tile * tile_rows + i, first + some, std::min(kTapsAtOnce, taps - some),
               to + some * tile_rows + i);
}

template <typename T>
template <typename Element>
void PackedWeights<T>::pack(const WeightsSource& source, InputRounding rounding) {
  const auto* base = reinterpret_cast<const Element*>(source.base);
  const int tile_rows = shape().rows;
  const std::int64_t tiles = row_tiles();
  const bool as_stored =
      std::is_same_v<T, Element> && rounding == InputRounding::none && neighbours(source.tap_offsets);
  const auto pack_one = [&](std::int64_t tile, std::int64_t first, std::int64_t taps, T* to) {
    if constexpr (std::is_same_v<T, Element>)
      if (as_stored && (tile + 1) * tile_rows <= rows_)
        return pack_whole_rows(*kernels_,
                               base + tile * tile_rows * source.row_stride + source.tap_offsets[0] + first,
                               source.row_stride, taps, to);
    pack_tile(source, base, rounding, tile, first, taps, to);
  };
  parallel_ranges(
      tiles, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(taps_, 1)), [&](auto begin, auto end) {
        for (std::int64_t pass = 0; pass < taps_; pass += taps_per_pass_) {
          const std::int64_t taps = std::min(taps_per_pass_, taps_ - pass);
          for (std::int64_t tile = begin; tile < end; ++tile)
            pack_one(tile, pass, taps, values_ + pass * tiles * tile_rows + tile * tile_rows * taps);
        }
      });
}

template class PackedWeights<float>;
template class PackedWeights<double>;

}  // namespace bufferproof::kernels
