// The rounding modes of casts (hfusion's RoundMode) beyond what element_convert.hpp does by default.
//
// To a floating type, one rounding of the exact value to the target's precision:
//   rint     nearest, ties to even          round  nearest, ties away from zero
//   floor    toward -infinity               ceil   toward +infinity
//   trunc    toward zero                    odd    toward zero, then the last bit set if anything was lost
// rint and round overflow to infinity, the others as directed rounding does: to infinity only in their own
// direction, else to the largest finite value. To an integer the value is first rounded to an integer by the
// same rules, then saturated (NaN gives 0). truncwithoverflow rounds toward zero and keeps the low bits
// instead of saturating (infinities and NaN give 0). Tested by tests/kernels_ref/ops_cast_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "kernels_ref/ops/block_kernels.hpp"
#include "model/dtype.hpp"

namespace bufferproof::kernels {

enum class RoundMode : std::uint8_t { rint, round, floor, ceil, trunc, odd, truncwithoverflow };
std::optional<RoundMode> parse_round_mode(std::string_view name);

/// A value sign * significand * 2^exponent rounded to the floating type `to`; its bits. `significand` 0 gives
/// a signed zero.
std::uint64_t round_to_bits(bool negative, std::uint64_t significand, int exponent, model::DType to,
                            RoundMode mode);

/// The block kernel that casts elements of the computing type `wide` (f32, f64 or i64) to `to`; any pair and
/// mode.
BlockFunction rounding_block(model::DType wide, model::DType to, RoundMode mode);

}  // namespace bufferproof::kernels
