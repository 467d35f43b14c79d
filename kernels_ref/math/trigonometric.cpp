#include "kernels_ref/math/trigonometric.hpp"

// Reduction of large arguments modulo pi/2 (Payne and Hanek): only the bits of 2/pi that can reach the result
// are used.

namespace bufferproof::kernels::math {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// The first 1280 bits of 2/pi behind the binary point.
constexpr std::uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529ULL, 0xfc2757d1f534ddc0ULL, 0xdb6295993c439041ULL, 0xfe5163abdebbc561ULL,
    0xb7246e3a424dd2e0ULL, 0x06492eea09d1921cULL, 0xfe1deb1cb129a73eULL, 0xe88235f52ebb4484ULL,
    0xe99c7026b45f7e41ULL, 0x3991d639835339f4ULL, 0x9c845f8bbdf9283bULL, 0x1ff897ffde05980fULL,
    0xef2f118b5a0a6d1fULL, 0x6d367ecf27cb09b7ULL, 0x4f463f669e5fea2dULL, 0x7527bac7ebe5f17bULL,
    0x3d0739f78a5292eaULL, 0x6bfb5fb11f8d5d08ULL, 0x56033046fc7b6babULL, 0xf0cfbc209af4361dULL};

/// 64 bits of 2/pi from bit `start` on; bits before the first are zero.
std::uint64_t two_over_pi_bits(int start) {
  if (start <= -64) return 0;
  if (start < 0) return kTwoOverPi[0] >> -start;
  const int word = start / 64;
  const int shift = start % 64;
  return shift == 0 ? kTwoOverPi[word] : (kTwoOverPi[word] << shift) | (kTwoOverPi[word + 1] >> (64 - shift));
}

/// A 192-bit fraction, most significant word first.
struct Fraction {
  std::uint64_t word[3];
};

/// integer * 2/pi * 2^exponent modulo 4, in units of 2^-190.
Fraction turns(std::uint64_t integer, int exponent) {
  const int start = exponent - 2;  // bits before it contribute multiples of 4
  const Wide low = Wide{integer} * two_over_pi_bits(start + 128);
  const Wide middle = Wide{integer} * two_over_pi_bits(start + 64) + (low >> 64);
  const std::uint64_t high = integer * two_over_pi_bits(start) + static_cast<std::uint64_t>(middle >> 64);
  return {{high, static_cast<std::uint64_t>(middle), static_cast<std::uint64_t>(low)}};
}

Fraction shifted_left(const Fraction& x, int bits) {
  if (bits == 0) return x;
  if (bits >= 64) return shifted_left({{x.word[1], x.word[2], 0}}, bits - 64);
  return {{(x.word[0] << bits) | (x.word[1] >> (64 - bits)), (x.word[1] << bits) | (x.word[2] >> (64 - bits)),
           x.word[2] << bits}};
}

Fraction negated(const Fraction& x) {
  const std::uint64_t low = ~x.word[2] + 1;
  const std::uint64_t middle = ~x.word[1] + (low == 0 ? 1 : 0);
  return {{~x.word[0] + (low == 0 && middle == 0 ? 1 : 0), middle, low}};
}

int leading_zeros(const Fraction& x) {
  if (x.word[0] != 0) return __builtin_clzll(x.word[0]);
  return x.word[1] != 0 ? 64 + __builtin_clzll(x.word[1]) : 128;
}

/// The fraction in [0, 1/2] as a pair of doubles: 53 bits, then the next 53.
Pair to_pair(const Fraction& x) {
  const int zeros = leading_zeros(x);
  const Fraction top = shifted_left(x, zeros);
  const double unit = power_of_two(0 - static_cast<std::uint64_t>(zeros + 53));
  const double hi = static_cast<double>(top.word[0] >> 11);
  const double lo = static_cast<double>((top.word[0] << 53 | top.word[1] >> 11) >> 11);
  return {hi * unit, lo * unit * 0x1p-53};
}

}  // namespace

ReducedByHalfPi reduce_large(double x) {
  const std::uint64_t bits = bits_of(magnitude(x));
  const int exponent = static_cast<int>(bits >> 52);
  if (exponent == 0x7ff || exponent < 1023) return {x - x, 0.0, 0};  // small x is not this function's
  const std::uint64_t integer = (bits & 0x000fffffffffffffULL) | 0x0010000000000000ULL;
  const Fraction product = turns(integer, exponent - 1075);
  const Fraction fraction = shifted_left(product, 2);
  const bool upper = fraction.word[0] >> 63 != 0;  // above one half: the next quadrant, from above
  const std::uint64_t quadrant = (product.word[0] >> 62) + (upper ? 1 : 0);
  const Pair part = to_pair(upper ? negated(fraction) : fraction);
  const Pair head = two_product(part.hi, kHalfPi.hi);
  const Pair r = fast_two_sum(head.hi, head.lo + (part.hi * kHalfPi.lo + part.lo * kHalfPi.hi));
  const double sign = upper != (x < 0) ? -1.0 : 1.0;
  return {sign * r.hi, sign * r.lo, x < 0 ? 0 - quadrant : quadrant};
}

}  // namespace bufferproof::kernels::math
