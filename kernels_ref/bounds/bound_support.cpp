#include "kernels_ref/bounds/bound_support.hpp"

#include "kernels_ref/math/bounds.hpp"
#include "kernels_ref/ops/elementwise.hpp"

namespace bufferproof::kernels {
namespace {

using Step = Ball (*)(const Ball&, const Ball&, const Rounding&);

Ball folded(const std::vector<Ball>& elements, const Ball& start, const Ball& identity, const Rounding& to,
            Step step) {
  Ball total = start;
  const auto n = static_cast<std::int64_t>(elements.size());
  for (std::int64_t block = 0; block < n; block += Fold::kBlock) {
    std::vector<Ball> lanes(Fold::kLanes, identity);
    for (std::int64_t i = block; i < n && i < block + Fold::kBlock; ++i) {
      Ball& lane = lanes[static_cast<std::size_t>((i - block) % Fold::kLanes)];
      lane = step(lane, elements[static_cast<std::size_t>(i)], to);
    }
    for (std::size_t half = Fold::kLanes / 2; half >= 1; half /= 2)
      for (std::size_t j = 0; j < half; ++j) lanes[j] = step(lanes[j], lanes[j + half], to);
    total = step(total, lanes[0], to);
  }
  return total;
}

}  // namespace

std::vector<double> values_of(const ConstTensorView& view) {
  Tensor wide(DType::f64, view.sizes());
  define_blocks(BlockOp::cast(view.dtype(), DType::f64, {}, definition_kernels()), std::span(&view, 1),
                wide.view());
  return {wide.elements<double>().begin(), wide.elements<double>().end()};
}

DType computing_dtype(DType dtype, const NumericsProfile& numerics) {
  return dtype == DType::f64 || numerics.f64_golden ? DType::f64 : DType::f32;
}

Rounding accumulator_rounding(DType accumulator) {
  Rounding rounding = Rounding::of(accumulator);
  if (model::size_in_bytes(accumulator) != 2) return rounding;
  rounding.relative += 0x1p-23;
  rounding.absolute += 0x1p-149;
  return rounding;
}

Ball folded_sum(const std::vector<Ball>& elements, const Ball& start, const Rounding& accumulator) {
  return folded(elements, start, {0.0}, accumulator, ball::add);
}
Ball folded_product(const std::vector<Ball>& elements, const Ball& start, const Rounding& accumulator) {
  return folded(elements, start, {1.0}, accumulator, ball::mul);
}

Ball ball_rsqrt(const Ball& x, const NumericsProfile& numerics, DType computing) {
  const math::UlpBound& bound = *math::find_ulp_bound("rsqrt");
  const double own = computing == DType::f64 ? bound.f64 : bound.f32;
  const double ulps = numerics.rsqrt_is_sqrt_then_rec ? 2.0 : own;
  return ball::monotone(
      x, [](double v) { return 1.0 / std::sqrt(v); }, Rounding::of(computing), ulps);
}

Ball stored(const Ball& x, DType computing, DType result) {
  return computing == result ? x : ball::rounded(x, Rounding::of(result));
}

}  // namespace bufferproof::kernels
