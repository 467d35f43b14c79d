// Bit patterns of literals in each element type, by integer arithmetic on the double's own bits.
//
// Tested by tests/model/body_function_test.cpp.
#include <bit>
#include <cmath>

#include "model/body/builder.hpp"

namespace bufferproof::model {
namespace {

struct Format {
  int exponent_bits;
  int fraction_bits;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {5, 10};
    case DType::bf16:
      return {8, 7};
    case DType::f32:
      return {8, 23};
    default:
      return {11, 52};
  }
}

/// Round to nearest even by dropping `drop` low bits.
std::uint64_t drop_bits(std::uint64_t value, int drop) {
  if (drop <= 0) return value;
  if (drop > 63) return 0;
  std::uint64_t kept = value >> drop;
  std::uint64_t rest = value & ((std::uint64_t{1} << drop) - 1);
  std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1))) ++kept;
  return kept;
}

std::int64_t narrow(Format format, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t sign = (bits >> 63) << (format.exponent_bits + format.fraction_bits);
  std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t all_ones = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  int drop = 52 - format.fraction_bits;
  if (exponent == 0x7ff) {
    std::uint64_t quiet =
        fraction ? (std::uint64_t{1} << (format.fraction_bits - 1)) | (fraction >> drop) : 0;
    return static_cast<std::int64_t>(sign | all_ones | quiet);
  }
  if (exponent == 0 && fraction == 0) return static_cast<std::int64_t>(sign);
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  int target = exponent - 1023 + bias;
  std::uint64_t significand = fraction | (exponent ? std::uint64_t{1} << 52 : 0);
  if (target >= (1 << format.exponent_bits) - 1) return static_cast<std::int64_t>(sign | all_ones);
  // A subnormal result loses further bits; a carry out of rounding moves into the exponent by itself.
  std::uint64_t magnitude =
      target <= 0
          ? drop_bits(significand, drop + 1 - target)
          : drop_bits(significand, drop) + (static_cast<std::uint64_t>(target - 1) << format.fraction_bits);
  return static_cast<std::int64_t>(sign | magnitude);
}

}  // namespace

std::int64_t bits_of(DType dtype, double value) {
  if (dtype == DType::f64) return std::bit_cast<std::int64_t>(value);
  if (is_floating(dtype)) return narrow(format_of(dtype), value);
  if (dtype == DType::i1) return value != 0;
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) return 0;
  return static_cast<std::int64_t>(value);
}

double value_of_bits(DType dtype, std::int64_t bits) {
  if (!is_floating(dtype)) return static_cast<double>(bits);
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  Format format = format_of(dtype);
  auto raw = static_cast<std::uint64_t>(bits);
  std::uint64_t fraction = raw & ((std::uint64_t{1} << format.fraction_bits) - 1);
  int exponent =
      static_cast<int>((raw >> format.fraction_bits) & ((std::uint64_t{1} << format.exponent_bits) - 1));
  bool negative = (raw >> (format.exponent_bits + format.fraction_bits)) & 1;
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  double magnitude = 0;
  if (exponent == (1 << format.exponent_bits) - 1) {
    magnitude = fraction ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - format.fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(fraction | (std::uint64_t{1} << format.fraction_bits)),
                           exponent - bias - format.fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace bufferproof::model
