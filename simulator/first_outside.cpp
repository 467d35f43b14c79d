#include "simulator/first_outside.hpp"

#include <algorithm>

#include "simulator/evaluate.hpp"

namespace bufferproof::simulator {
namespace {

/// The least x in 0 .. count - 1 with step * x > room; nullopt: none.
std::optional<std::int64_t> least_beyond(std::int64_t step, std::int64_t room, std::int64_t count) {
  if (room < 0) return 0;
  if (step <= 0) return std::nullopt;
  const std::int64_t inside = room / step;  // the last one
  return inside < count - 1 ? std::optional(inside + 1) : std::nullopt;
}

std::optional<std::int64_t> lesser(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// Of variable v, the least value from which the form can still leave its bounds by the choice of the later
/// ones. The earlier ones are in the form's constant.
std::optional<std::int64_t> least_value(const Bounded& b, std::size_t v,
                                        const std::vector<std::int64_t>& counts) {
  std::int64_t lo = b.form.constant;
  std::int64_t hi = b.form.constant;
  for (std::size_t later = v + 1; later < counts.size(); ++later) {
    const std::int64_t far = b.form.coefficients[later] * (counts[later] - 1);
    lo += std::min<std::int64_t>(far, 0);
    hi += std::max<std::int64_t>(far, 0);
  }
  const std::int64_t step = b.form.coefficients[v];
  return lesser(least_beyond(step, difference_within(b.hi, hi), counts[v]),
                least_beyond(difference_within(0, step), difference_within(lo, b.lo), counts[v]));
}

}  // namespace

std::optional<std::vector<std::int64_t>> first_outside(std::vector<Bounded> forms,
                                                       const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> point;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    std::optional<std::int64_t> least;
    for (const Bounded& b : forms) least = lesser(least, least_value(b, v, counts));
    if (!least) return std::nullopt;
    point.push_back(*least);
    for (Bounded& b : forms) b.form.constant += b.form.coefficients[v] * *least;
  }
  const bool outside = std::any_of(forms.begin(), forms.end(), [](const Bounded& b) {
    return b.form.constant < b.lo || b.form.constant > b.hi;
  });
  return outside ? std::optional(point) : std::nullopt;
}

}  // namespace bufferproof::simulator
