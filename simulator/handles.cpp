#include "simulator/handles.hpp"

#include <numeric>

namespace bufferproof::simulator {

Storage::Storage(std::int64_t units, int unit_bytes)
    : size(units), unit(unit_bytes), tags(units), accesses(units) {}

void Storage::refine(int bytes) {
  const int finer = std::gcd(unit, bytes);
  if (finer == unit) return;
  const int factor = unit / finer;
  unit = finer;
  if (!size_is_unknown()) size *= factor;
  tags.scale(factor, size);
  accesses.scale(factor, size);
}

std::int64_t Shape::elements() const {
  std::int64_t count = 1;
  for (std::int64_t size : sizes) count *= size;
  return count;
}

Mismatch compare_shapes(const Shape& declared, const Shape& now, bool same_dtype) {
  if (!same_dtype || declared.sizes != now.sizes) return Mismatch::shape;
  if (declared.elements() == 0) return Mismatch::none;
  for (std::size_t i = 0; i < now.sizes.size(); ++i)
    if (now.sizes[i] != 1 && now.strides[i] != declared.strides[i]) return Mismatch::strides;
  return Mismatch::none;
}

}  // namespace bufferproof::simulator
