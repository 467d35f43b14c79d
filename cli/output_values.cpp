#include "cli/output_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>

#include "kernels_ref/convert16.hpp"
#include "kernels_ref/element.hpp"
#include "kernels_ref/network/random.hpp"

namespace bufferproof::cli {

using kernels::ConstTensorView;
using kernels::Tensor;

namespace {

template <typename T>
double number(T x) {
  if constexpr (std::is_same_v<T, Eigen::half>) {
    return kernels::f16_to_f32(__builtin_bit_cast(std::uint16_t, x));
  } else if constexpr (std::is_same_v<T, Eigen::bfloat16>) {
    return kernels::bf16_to_f32(__builtin_bit_cast(std::uint16_t, x));
  } else if constexpr (std::is_same_v<T, kernels::Bool8>) {
    return x.byte != 0 ? 1 : 0;
  } else {
    return static_cast<double>(x);
  }
}

/// Without rounding: 64-bit integers too.
template <typename T>
long double exact(T x) {
  if constexpr (std::is_same_v<T, std::int64_t>) return x;
  return number(x);
}

template <typename T>
void count(const Tensor& tensor, OutputSummary& out) {
  for (const T element : tensor.elements<T>()) {
    const double x = number(element);
    if (std::isnan(x)) {
      ++out.nans;
      continue;
    }
    out.infinities += std::isinf(x);
    out.least = std::min(out.least.value_or(x), x);
    out.greatest = std::max(out.greatest.value_or(x), x);
  }
}

template <typename T>
bool same(const T& a, const T& b) {
  // Bits, not values: -0 is not +0.
  const bool bits = std::ranges::equal(std::as_bytes(std::span(&a, 1)), std::as_bytes(std::span(&b, 1)));
  return bits || (std::isnan(number(a)) && std::isnan(number(b)));
}

/// How bad it is that x stands where y should.
template <typename T>
double error_of(T x, T y) {
  const long double difference = exact(x) - exact(y);
  return std::isfinite(difference) ? static_cast<double>(std::abs(difference))
                                   : std::numeric_limits<double>::infinity();
}

template <typename T>
OutputDifference compare_elements(const Tensor& value, const Tensor& golden) {
  OutputDifference out;
  const auto a = value.elements<T>();
  const auto b = golden.elements<T>();
  double worst = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same(a[i], b[i])) continue;
    const double x = number(a[i]);
    const double y = number(b[i]);
    const double error = error_of(a[i], b[i]);
    const auto ordinal = static_cast<std::int64_t>(i);
    if (out.wrong++ == 0) out.first = index_of(ordinal, value.sizes());
    if (error > worst) {
      worst = error;
      out.worst = index_of(ordinal, value.sizes());
      out.worst_value = x;
      out.worst_golden = y;
    }
    out.nans += std::isnan(x);
    if (std::isinf(error)) continue;
    ++out.finite;
    out.largest_error = std::max(out.largest_error, error);
  }
  return out;
}

}  // namespace

std::vector<std::int64_t> index_of(std::int64_t ordinal, const kernels::Sizes& sizes) {
  std::vector<std::int64_t> out(sizes.size());
  for (std::size_t axis = sizes.size(); axis-- > 0; ordinal /= sizes[axis]) out[axis] = ordinal % sizes[axis];
  return out;
}

double OutputSummary::largest_magnitude() const {
  return std::max(std::abs(least.value_or(0)), std::abs(greatest.value_or(0)));
}

OutputSummary summarize(const std::string& name, const ConstTensorView& tensor) {
  OutputSummary out;
  out.name = name;
  out.dtype = tensor.dtype();
  out.sizes = tensor.sizes();
  out.hash = kernels::content_hash(tensor);
  out.elements = tensor.element_count();
  const Tensor dense = kernels::contiguous_copy(tensor);
  kernels::visit_dtype(out.dtype, [&](auto tag) { count<typename decltype(tag)::type>(dense, out); });
  return out;
}

std::optional<double> element_of(const ConstTensorView& tensor, const std::vector<std::int64_t>& index) {
  if (index.size() != tensor.sizes().size()) return std::nullopt;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    if (index[axis] < 0 || index[axis] >= tensor.sizes()[axis]) return std::nullopt;
  return kernels::visit_dtype(tensor.dtype(), [&](auto tag) {
    return number(tensor.template at<typename decltype(tag)::type>(std::span<const std::int64_t>(index)));
  });
}

std::vector<long double> numbers_of(const ConstTensorView& tensor) {
  const Tensor dense = kernels::contiguous_copy(tensor);
  std::vector<long double> out;
  kernels::visit_dtype(tensor.dtype(), [&](auto tag) {
    for (const auto x : dense.template elements<typename decltype(tag)::type>()) out.push_back(exact(x));
  });
  return out;
}

OutputDifference compare(const ConstTensorView& value, const ConstTensorView& golden) {
  if (value.dtype() != golden.dtype() || value.sizes() != golden.sizes())
    throw std::invalid_argument("outputs of different shape or element type are compared");
  const Tensor a = kernels::contiguous_copy(value);
  const Tensor b = kernels::contiguous_copy(golden);
  return kernels::visit_dtype(value.dtype(),
                              [&](auto tag) { return compare_elements<typename decltype(tag)::type>(a, b); });
}

std::vector<std::string> distinct_names(const std::vector<simulator::ReturnedTensor>& outputs) {
  std::map<std::string, int> seen;
  std::vector<std::string> out;
  for (const auto& output : outputs) {
    const int again = ++seen[output.name];
    out.push_back(again == 1 ? output.name : fmt::format("{}_{}", output.name, again));
  }
  return out;
}

std::string number_text(double value, model::DType dtype) {
  if (!model::is_floating(dtype)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

}  // namespace bufferproof::cli
