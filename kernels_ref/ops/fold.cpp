#include "kernels_ref/ops/fold.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/fill.hpp"

namespace bufferproof::kernels {
namespace {

enum class Start : std::uint8_t { zero, one, lowest, highest, nan, all_ones };

struct Function {
  std::string_view name;
  std::string_view op;
  Start identity;
};
/// The first four are those of FoldKernels, in its order.
constexpr std::array kFunctions{
    Function{"sum", "add", Start::zero},      Function{"prod", "mul", Start::one},
    Function{"max", "max", Start::lowest},    Function{"min", "min", Start::highest},
    Function{"maxnum", "maxnum", Start::nan}, Function{"minnum", "minnum", Start::nan},
    Function{"maxu", "maxu", Start::zero},    Function{"minu", "minu", Start::all_ones},
    Function{"and", "and", Start::all_ones},  Function{"or", "or", Start::zero},
    Function{"xor", "xor", Start::zero}};

/// Extreme of the type as the scalar that rounds to it.
Scalar extreme(DType dtype, bool high) {
  using Real = std::numeric_limits<double>;
  if (model::is_floating(dtype)) return high ? Real::infinity() : -Real::infinity();
  if (dtype == DType::i1) return std::int64_t{high ? 1 : 0};
  if (dtype == DType::u8) return std::int64_t{high ? 255 : 0};
  const int bits = 8 * model::size_in_bytes(dtype);
  const auto largest = static_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max() >> (65 - bits));
  return high ? largest : -largest - 1;
}

Scalar identity_of(Start start, DType dtype) {
  switch (start) {
    case Start::zero:
      return std::int64_t{0};
    case Start::one:
      return std::int64_t{1};
    case Start::lowest:
      return extreme(dtype, false);
    case Start::highest:
      return extreme(dtype, true);
    case Start::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Start::all_ones:
      break;
  }
  return std::int64_t{-1};
}

DType accumulator_of(DType operand, DType result, const NumericsProfile& numerics) {
  if (!model::is_floating(operand)) return result;
  const bool half = model::size_in_bytes(operand) == 2;
  if (numerics.f64_golden || operand == DType::f64 || result == DType::f64) return DType::f64;
  return half && operand == result && !numerics.half_reductions_in_f32 ? operand : DType::f32;
}

}  // namespace

Fold Fold::make(std::string_view op, std::string_view function, DType operand, DType result,
                const NumericsProfile& numerics, const BlockKernels& kernels) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const Function& row) { return row.name == function; });
  if (found == kFunctions.end()) throw KernelError(op, "fn", "a known fold", function);
  const DType accumulator = accumulator_of(operand, result, numerics);
  const ElementwiseSpec& spec = *find_elementwise(found->op);
  const bool defined = model::is_floating(accumulator) ? spec.floating.has_value() : spec.integer.has_value();
  if (!defined)
    throw KernelError(op, "fn", "a fold of " + std::string(model::name(accumulator)) + " elements", function);
  Fold fold{accumulator,
            BlockOp::elementwise(found->op, accumulator, numerics, kernels),
            {},
            static_cast<std::size_t>(model::size_in_bytes(accumulator))};
  const auto index = static_cast<std::size_t>(found - kFunctions.begin());
  if (kernels.fold != nullptr && index < 4 && accumulator == DType::f32) fold.rows = kernels.fold->f32[index];
  if (kernels.fold != nullptr && index < 4 && accumulator == DType::f64) fold.rows = kernels.fold->f64[index];
  const Tensor identity = scalar_tensor(identity_of(found->identity, accumulator), accumulator);
  std::memcpy(fold.identity, identity.view().bytes(), fold.width);
  return fold;
}

void Fold::take(void* total, const void* next) const {
  const void* const pair[] = {total, next};
  combine.run(pair, total, 1);
}

void Fold::block_total(const void* elements, std::int64_t n, void* total) const {
  alignas(64) std::byte lanes[kLanes * 8];
  fill_elements(lanes, identity, static_cast<std::int64_t>(width), kLanes);
  const auto* const from = static_cast<const std::byte*>(elements);
  const std::int64_t whole = rows == nullptr ? 0 : n / kLanes;
  if (whole > 0) rows(elements, whole, lanes);
  for (std::int64_t i = whole * kLanes; i < n; i += kLanes) {
    const void* const pair[] = {lanes, from + static_cast<std::size_t>(i) * width};
    combine.run(pair, lanes, std::min(kLanes, n - i));
  }
  for (std::int64_t half = kLanes / 2; half >= 1; half /= 2) {
    const void* const pair[] = {lanes, lanes + static_cast<std::size_t>(half) * width};
    combine.run(pair, lanes, half);
  }
  std::memcpy(total, lanes, width);
}

void Fold::row(const void* elements, std::int64_t n, const void* start, void* total) const {
  alignas(8) std::byte next[8];
  std::memcpy(total, start, width);
  for (std::int64_t i = 0; i < n; i += kBlock) {
    block_total(static_cast<const std::byte*>(elements) + static_cast<std::size_t>(i) * width,
                std::min(kBlock, n - i), next);
    take(total, next);
  }
}

}  // namespace bufferproof::kernels
