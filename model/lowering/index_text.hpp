// The value of an index expression as it stands in a kernel's text, C++ or Triton: `static_cast<int64_t>(x1 +
// 8L*x0)`, `(x0 % 8) + 8*(x1 // 4)`.
//
// Only what compilers write for indices is understood: integers, + - * / // %, brackets, casts, division and
// extremes as functions. A value is a range of integers; nothing is said (nullopt) of anything else, of
// divisions of negative numbers and of values beyond 64 bits. Tested by tests/model/source_touch_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace bufferproof::model::lowering {

/// Integers from lo to hi, both included.
struct Range {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  bool operator==(const Range&) const = default;
};

/// What is known of a name in an index; nullopt: nothing.
using NameRange = std::function<std::optional<Range>(std::string_view name)>;

/// Encloses every value `text` can have while its names are in their ranges; exact where each of them is one
/// value. nullopt: not understood.
std::optional<Range> index_range(std::string_view text, const NameRange& of_name);

}  // namespace bufferproof::model::lowering
