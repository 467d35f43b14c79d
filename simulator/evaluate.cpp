#include "simulator/evaluate.hpp"

namespace bufferproof::simulator {

using model::InputError;
using model::SourceLocation;
using model::Valuation;

namespace {

/// Bytes; far above any machine's memory, far below overflow of sums of a few.
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 48;

[[noreturn]] void too_large(const SourceLocation& where) {
  throw InputError(where, "sizes a run can hold (below 2^48)", "larger ones",
                   "give smaller values to --size");
}

}  // namespace

std::int64_t add_checked(std::int64_t a, std::int64_t b, const SourceLocation& where) {
  const auto sum = model::checked_add(a, b);
  if (!sum) too_large(where);
  return *sum;
}

std::int64_t mul_checked(std::int64_t a, std::int64_t b, const SourceLocation& where) {
  const auto product = model::checked_mul(a, b);
  if (!product) too_large(where);
  return *product;
}

std::int64_t evaluate(const model::SymExpr& e, const Valuation& values, const SourceLocation& where) {
  if (e.is_constant()) return e.constant_part();
  if (const auto value = e.evaluate(values)) return *value;
  throw InputError(where, "an expression with a value in this run", e.str(),
                   "give values to its symbols with --size; values are 64 bits, division by zero has none");
}

bool evaluate(const model::Cond& c, const Valuation& values, const SourceLocation& where) {
  if (const auto value = c.evaluate(values)) return *value;
  throw InputError(where, "a condition with a value in this run", c.str(),
                   "give values to its symbols with --size");
}

std::string resolve(const model::Name& name, const Valuation& values, const SourceLocation& where) {
  for (const model::SymExpr& hole : name.holes())
    if (const std::int64_t value = evaluate(hole, values, where); value < 0)
      throw InputError(where, "a value of 0 or more in the name " + name.str(), std::to_string(value));
  return name.resolve(values);
}

Shape evaluate_shape(const model::Layout& layout, const Valuation& values, const SourceLocation& where) {
  Shape out;
  std::int64_t elements = 1;
  for (const model::SymExpr& size : layout.sizes) {
    out.sizes.push_back(evaluate(size, values, where));
    if (out.sizes.back() < 0)
      throw InputError(where, "a size of 0 or more", size.str() + " = " + std::to_string(out.sizes.back()));
    elements = mul_checked(elements, std::max<std::int64_t>(out.sizes.back(), 1), where);
  }
  if (elements > kLargestExtent) too_large(where);
  for (const model::SymExpr& stride : layout.strides) out.strides.push_back(evaluate(stride, values, where));
  return out;
}

void reinterpret_last_axis(Shape& shape, int from_bytes, int to_bytes, const SourceLocation& where) {
  auto scaled = [&](std::int64_t n) {
    const std::int64_t bytes = mul_checked(n, from_bytes, where);
    if (bytes % to_bytes != 0)
      throw InputError(where, "a view whose bytes divide into elements of " + std::to_string(to_bytes),
                       std::to_string(bytes) + " bytes");
    return bytes / to_bytes;
  };
  if (shape.sizes.empty() || shape.strides.back() != 1)
    throw InputError(where, "a last axis of stride 1 for a view of another element size", "another one");
  shape.sizes.back() = scaled(shape.sizes.back());
  for (std::size_t axis = 0; axis + 1 < shape.strides.size(); ++axis)
    shape.strides[axis] = scaled(shape.strides[axis]);
}

std::int64_t extent(const Shape& shape, std::int64_t offset, const SourceLocation& where) {
  std::int64_t last = add_checked(offset, 1, where);
  for (std::size_t i = 0; i < shape.sizes.size(); ++i) {
    if (shape.sizes[i] == 0) return 0;
    if (shape.strides[i] > 0)
      last = add_checked(last, mul_checked(shape.sizes[i] - 1, shape.strides[i], where), where);
  }
  if (last > kLargestExtent) too_large(where);
  return std::max<std::int64_t>(last, 0);
}

}  // namespace bufferproof::simulator
