#include "kernels_ref/network/pooling_kernel.hpp"

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

template <typename T>
BUFFERPROOF_INLINE T larger(T kept, T next) {
  return kept > next || kept != kept ? kept : next;
}

/// The maximum is taken down the three rows first, where vectors run along the row, then across. A maximum
/// that lets NaN stick gives the same value in any order; which NaN's bits survive is settled by `canonical`.
template <typename T>
void max_plane(const T* in, std::int64_t height, std::int64_t width, T* out, T* row) {
  for (std::int64_t y = 0; 2 * y < height; ++y) {
    const T* middle = in + 2 * y * width;
    const T* above = y > 0 ? middle - width : middle;
    const T* below = 2 * y + 1 < height ? middle + width : middle;
    for (std::int64_t x = 0; x < width; ++x) row[x] = larger(larger(above[x], middle[x]), below[x]);
    const std::int64_t columns = (width + 1) / 2;
    *out++ = canonical(width > 1 ? larger(row[0], row[1]) : row[0]);
    std::int64_t x = 1;
    for (; 2 * x + 1 < width; ++x)
      *out++ = canonical(larger(larger(row[2 * x - 1], row[2 * x]), row[2 * x + 1]));
    for (; x < columns; ++x) *out++ = canonical(larger(row[2 * x - 1], row[2 * x]));
  }
}

}  // namespace

constinit const PoolingKernels pooling_kernels{.max_f32 = max_plane<float>, .max_f64 = max_plane<double>};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
