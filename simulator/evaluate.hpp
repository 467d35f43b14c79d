// Expressions of a program under the values of one run; every failure is an InputError with its place.
//
// Tested by tests/simulator/selection_test.cpp.
#pragma once

#include "model/layout.hpp"
#include "model/program.hpp"
#include "simulator/handles.hpp"

namespace bufferproof::simulator {

std::int64_t evaluate(const model::SymExpr& e, const model::Valuation& values,
                      const model::SourceLocation& where);
bool evaluate(const model::Cond& c, const model::Valuation& values, const model::SourceLocation& where);
std::string resolve(const model::Name& name, const model::Valuation& values,
                    const model::SourceLocation& where);
/// Sizes and strides; sizes are checked to be >= 0 and their product to fit.
Shape evaluate_shape(const model::Layout& layout, const model::Valuation& values,
                     const model::SourceLocation& where);
/// One past the last element the window touches from `offset` on; 0 when it is empty.
std::int64_t extent(const Shape& shape, std::int64_t offset, const model::SourceLocation& where);

/// The same bytes seen as elements of another size: the last axis shrinks or grows, other strides follow.
/// Raises InputError when the bytes do not divide.
void reinterpret_last_axis(Shape& shape, int from_bytes, int to_bytes, const model::SourceLocation& where);

/// a - b, or the end of the range it leaves.
inline std::int64_t difference_within(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_sub_overflow(a, b, &out)) return b < 0 ? INT64_MAX : INT64_MIN;
  return out;
}
std::int64_t add_checked(std::int64_t a, std::int64_t b, const model::SourceLocation& where);
std::int64_t mul_checked(std::int64_t a, std::int64_t b, const model::SourceLocation& where);

}  // namespace bufferproof::simulator
