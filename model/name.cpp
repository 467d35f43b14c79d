#include "model/name.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace bufferproof::model {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Decimal without leading zeros, as a hole prints; nullopt if text is no such number.
std::optional<std::int64_t> as_hole_value(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !is_digit(text[0])) return std::nullopt;
  return value;
}

/// Holes of `pattern` matched against plain `text`: every split is tried, the conditions are joined by "or".
Cond match(const Name& pattern, std::size_t hole, std::string_view text) {
  const std::string& literal = pattern.literals()[hole];
  if (!text.starts_with(literal)) return false;
  text.remove_prefix(literal.size());
  if (hole == pattern.holes().size()) return text.empty();
  Cond any(false);
  for (std::size_t digits = 1; digits <= text.size() && is_digit(text[digits - 1]); ++digits)
    if (auto value = as_hole_value(text.substr(0, digits)))
      any = any || (Cond::eq(pattern.holes()[hole], *value) && match(pattern, hole + 1, text.substr(digits)));
  return any;
}

/// Digits next to a hole could run together with it, so two such patterns cannot be compared hole by hole.
bool holes_stand_apart(const Name& name) {
  for (std::size_t i = 1; i < name.literals().size(); ++i) {
    const std::string& after = name.literals()[i];
    if (i + 1 < name.literals().size() && after.empty()) return false;
    if (!after.empty() && is_digit(after[0])) return false;
  }
  const std::string& first = name.literals()[0];
  return first.empty() || !is_digit(first.back());
}

}  // namespace

Name::Name(std::vector<std::string> literals, std::vector<SymExpr> holes)
    : literals_(std::move(literals)), holes_(std::move(holes)) {
  assert(literals_.size() == holes_.size() + 1);
}

std::string Name::resolve(const Valuation& values) const {
  if (literals_.empty()) return {};
  std::string text = literals_[0];
  for (std::size_t i = 0; i < holes_.size(); ++i) {
    auto value = holes_[i].evaluate(values);
    if (!value) throw OverflowError("no value for {" + holes_[i].str() + "} in the name " + str());
    text += std::to_string(*value) + literals_[i + 1];
  }
  return text;
}

Name Name::substitute(const std::map<std::string, SymExpr, std::less<>>& by) const {
  Name out = *this;
  for (SymExpr& hole : out.holes_) hole = hole.substitute(by);
  return out;
}

std::string Name::str() const {
  if (literals_.empty()) return {};
  std::string text = literals_[0];
  for (std::size_t i = 0; i < holes_.size(); ++i) text += "{" + holes_[i].str() + "}" + literals_[i + 1];
  return text;
}

std::optional<Cond> same_name(const Name& a, const Name& b,
                              const std::function<bool(const SymExpr&)>& one_digit) {
  if (a.literals().empty() || b.literals().empty()) return Cond(a.empty() && b.empty());
  if (!a.has_holes() && !b.has_holes()) return Cond(a.literals() == b.literals());
  if (!a.has_holes()) return match(b, 0, a.literals()[0]);
  if (!b.has_holes()) return match(a, 0, b.literals()[0]);
  if (a.literals() != b.literals()) {
    // Different literal text around holes: decidable only when it differs before the first hole.
    const std::string& x = a.literals()[0];
    const std::string& y = b.literals()[0];
    const std::size_t shared = std::min(x.size(), y.size());
    if (x.compare(0, shared, y, 0, shared) != 0) return Cond(false);
    const std::string& longer = x.size() > y.size() ? x : y;
    if (longer.size() > shared && !is_digit(longer[shared])) return Cond(false);
    return std::nullopt;
  }
  auto every_hole_one_digit = [&](const Name& name) {
    return one_digit && std::all_of(name.holes().begin(), name.holes().end(), one_digit);
  };
  Cond equal(true);
  for (std::size_t i = 0; i < a.holes().size(); ++i) equal = equal && Cond::eq(a.holes()[i], b.holes()[i]);
  const bool hole_by_hole = holes_stand_apart(a) || (every_hole_one_digit(a) && every_hole_one_digit(b));
  return hole_by_hole || equal.is_true() ? std::optional(equal) : std::nullopt;
}

}  // namespace bufferproof::model
