#include "kernels_ref/ops/rounding.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels {
namespace {

using model::DType;

constexpr std::array<std::string_view, 7> kNames{
    "rint", "round", "floor", "ceil", "trunc", "odd", "truncwithoverflow"};

/// Bits of a floating format: significand with its leading bit, and the exponent of the smallest subnormal.
struct Format {
  int precision;
  int lowest;  ///< the smallest subnormal is 2^lowest
  int exponent_bits;
  std::uint64_t nan;
};
Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {11, -24, 5, kNanF16};
    case DType::bf16:
      return {8, -133, 8, kNanBf16};
    case DType::f32:
      return {24, -149, 8, kNanF32};
    default:
      return {53, -1074, 11, kNanF64};
  }
}

/// significand * 2^exponent with its fraction below the last kept place taken off: what is kept, and how
/// large the rest was.
struct Split {
  std::uint64_t kept;
  int rest;  ///< 0: nothing, 1: below one half, 2: one half, 3: above
};
Split split(std::uint64_t significand, int dropped) {
  if (dropped <= 0) return {significand, 0};
  if (dropped > 64) return {0, significand == 0 ? 0 : 1};
  const std::uint64_t kept = dropped == 64 ? 0 : significand >> dropped;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = significand & (half - 1 + half);
  return {kept, rest == 0 ? 0 : (rest < half ? 1 : (rest == half ? 2 : 3))};
}

/// The kept part, rounded.
std::uint64_t rounded(const Split& at, bool negative, RoundMode mode) {
  switch (mode) {
    case RoundMode::rint:
      return at.kept + (at.rest == 3 || (at.rest == 2 && (at.kept & 1) != 0) ? 1 : 0);
    case RoundMode::round:
      return at.kept + (at.rest >= 2 ? 1 : 0);
    case RoundMode::floor:
      return at.kept + (at.rest != 0 && negative ? 1 : 0);
    case RoundMode::ceil:
      return at.kept + (at.rest != 0 && !negative ? 1 : 0);
    case RoundMode::odd:
      return at.kept | (at.rest != 0 ? 1 : 0);
    case RoundMode::trunc:
    case RoundMode::truncwithoverflow:
      break;
  }
  return at.kept;
}

bool overflows_to_infinity(bool negative, RoundMode mode) {
  return mode == RoundMode::rint || mode == RoundMode::round || (mode == RoundMode::floor && negative) ||
         (mode == RoundMode::ceil && !negative);
}

/// A number of a computing type, taken apart.
struct Parts {
  bool negative = false;
  bool nan = false;
  bool infinite = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};
Parts parts_of(double x) {
  const std::uint64_t bits = bits_of(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  Parts parts{.negative = bits >> 63 != 0};
  parts.significand = bits & 0x000fffffffffffffULL;
  parts.nan = field == 0x7ff && parts.significand != 0;
  parts.infinite = field == 0x7ff && parts.significand == 0;
  if (field > 0) parts.significand |= 0x0010000000000000ULL;
  parts.exponent = (field > 0 ? field : 1) - 1075;
  return parts;
}
Parts parts_of(float x) { return parts_of(static_cast<double>(x)); }
Parts parts_of(std::int64_t x) {
  const auto raw = static_cast<std::uint64_t>(x);
  return {.negative = x < 0, .significand = x < 0 ? 0 - raw : raw};
}

std::uint64_t float_bits(const Parts& x, DType to, RoundMode mode) {
  const Format format = format_of(to);
  if (x.nan) return format.nan;
  if (!x.infinite) return round_to_bits(x.negative, x.significand, x.exponent, to, mode);
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << (format.precision - 1);
  return infinity | (x.negative ? std::uint64_t{1} << (8 * model::size_in_bytes(to) - 1) : 0);
}

/// The integer nearest by `mode` modulo 2^64, for values below 2^64 in size.
std::uint64_t integer_magnitude(const Parts& x, RoundMode mode) {
  if (x.exponent >= 0) return x.exponent < 64 ? x.significand << x.exponent : 0;
  return rounded(split(x.significand, -x.exponent), x.negative, mode);
}

struct Range {
  std::int64_t low;
  std::int64_t high;
};
Range range_of(DType dtype) {
  const int bits = 8 * model::size_in_bytes(dtype);
  if (dtype == DType::u8) return {0, 255};
  const auto high = static_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max() >> (65 - bits));
  return {-high - 1, high};
}

std::uint64_t integer_bits(const Parts& x, DType to, RoundMode mode) {
  const bool wraps = mode == RoundMode::truncwithoverflow;
  if (x.nan || (x.infinite && wraps)) return 0;
  const std::uint64_t size = integer_magnitude(x, mode);
  if (wraps) return x.negative ? 0 - size : size;
  const Range range = range_of(to);
  // At or above 2^63 in size: 53-bit significands with exponents from 11 on, and infinities.
  const int width = x.significand == 0 ? 0 : 64 - __builtin_clzll(x.significand);
  const bool huge = x.infinite || x.exponent + width > 63;
  if (huge) return static_cast<std::uint64_t>(x.negative ? range.low : range.high);
  const auto value = static_cast<std::int64_t>(x.negative ? 0 - size : size);
  return static_cast<std::uint64_t>(std::clamp(value, range.low, range.high));
}

template <typename Wide, DType kTo, RoundMode kMode>
void round_block(const void* const* inputs, void* out, std::int64_t count) {
  const Wide* const x = static_cast<const Wide*>(inputs[0]);
  auto* const to = static_cast<unsigned char*>(out);
  const auto width = static_cast<std::size_t>(model::size_in_bytes(kTo));
  // An integer source keeps its low bits whatever the mode, as element_convert.hpp says.
  const RoundMode mode =
      std::is_integral_v<Wide> && !model::is_floating(kTo) ? RoundMode::truncwithoverflow : kMode;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (kTo == DType::i1) {
      bits = x[i] != 0 ? 1 : 0;
    } else {
      bits = model::is_floating(kTo) ? float_bits(parts_of(x[i]), kTo, mode)
                                     : integer_bits(parts_of(x[i]), kTo, mode);
    }
    std::memcpy(to + static_cast<std::size_t>(i) * width, &bits, width);  // little endian
  }
}

template <typename Wide, DType kTo>
constexpr std::array<BlockFunction, 7> modes() {
  return {round_block<Wide, kTo, RoundMode::rint>,
          round_block<Wide, kTo, RoundMode::round>,
          round_block<Wide, kTo, RoundMode::floor>,
          round_block<Wide, kTo, RoundMode::ceil>,
          round_block<Wide, kTo, RoundMode::trunc>,
          round_block<Wide, kTo, RoundMode::odd>,
          round_block<Wide, kTo, RoundMode::truncwithoverflow>};
}
template <typename Wide>
constexpr std::array<std::array<BlockFunction, 7>, 10> targets() {
  return {modes<Wide, DType::f16>(), modes<Wide, DType::bf16>(), modes<Wide, DType::f32>(),
          modes<Wide, DType::f64>(), modes<Wide, DType::i1>(),   modes<Wide, DType::i8>(),
          modes<Wide, DType::u8>(),  modes<Wide, DType::i16>(),  modes<Wide, DType::i32>(),
          modes<Wide, DType::i64>()};
}
constexpr auto kFromF32 = targets<float>();
constexpr auto kFromF64 = targets<double>();
constexpr auto kFromI64 = targets<std::int64_t>();

}  // namespace

std::optional<RoundMode> parse_round_mode(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<RoundMode>(found - kNames.begin());
}

std::uint64_t round_to_bits(bool negative, std::uint64_t significand, int exponent, DType to,
                            RoundMode mode) {
  const Format format = format_of(to);
  const std::uint64_t sign = negative ? std::uint64_t{1} << (8 * model::size_in_bytes(to) - 1) : 0;
  if (significand == 0) return sign;
  const int width = 64 - __builtin_clzll(significand);
  // The last kept place: `precision` bits below the leading one, or the subnormal grid.
  const int last = std::max(exponent + width - format.precision, format.lowest);
  const int dropped = last - exponent;
  std::uint64_t kept =
      dropped >= 0 ? rounded(split(significand, dropped), negative, mode) : significand << -dropped;
  // kept * 2^last with kept <= 2^precision. Its bits: exponent field counted from the subnormal grid, plus
  // the significand; a kept of 2^precision carries into the exponent by itself, a subnormal has field 0.
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << (format.precision - 1);
  const auto field = static_cast<std::uint64_t>(last - format.lowest);
  const std::uint64_t bits = field >= (std::uint64_t{1} << format.exponent_bits)
                                 ? infinity
                                 : (field << (format.precision - 1)) + kept;
  if (bits < infinity) return sign | bits;
  return sign | (overflows_to_infinity(negative, mode) ? infinity : infinity - 1);
}

BlockFunction rounding_block(DType wide, DType to, RoundMode mode) {
  const auto& table = wide == DType::f32 ? kFromF32 : (wide == DType::f64 ? kFromF64 : kFromI64);
  return table[static_cast<std::size_t>(to)][static_cast<std::size_t>(mode)];
}

}  // namespace bufferproof::kernels
