#include "model/lowering/index_text.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <vector>

#include "model/lowering/source_text.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model::lowering {
namespace {

using Value = std::optional<Range>;

Value hull(std::initializer_list<std::optional<std::int64_t>> ends) {
  if (std::any_of(ends.begin(), ends.end(), [](const auto& end) { return !end; })) return std::nullopt;
  const auto [lo, hi] = std::minmax_element(ends.begin(), ends.end());
  return Range{**lo, **hi};
}
Value sum(const Value& a, const Value& b) {
  return a && b ? hull({checked_add(a->lo, b->lo), checked_add(a->hi, b->hi)}) : std::nullopt;
}
Value product_of(const Value& a, const Value& b) {
  if (!a || !b) return std::nullopt;
  return hull({checked_mul(a->lo, b->lo), checked_mul(a->lo, b->hi), checked_mul(a->hi, b->lo),
               checked_mul(a->hi, b->hi)});
}
/// C++ and Python divide numbers that are not negative alike.
bool divides(const Value& a, const Value& b) { return a && b && a->lo >= 0 && b->lo > 0; }
Value quotient(const Value& a, const Value& b) {
  return divides(a, b) ? Value(Range{a->lo / b->hi, a->hi / b->lo}) : std::nullopt;
}
Value remainder(const Value& a, const Value& b) {
  if (!divides(a, b)) return std::nullopt;
  if (b->lo == b->hi && a->lo / b->lo == a->hi / b->lo) return Range{a->lo % b->lo, a->hi % b->lo};
  return Range{0, std::min(a->hi, b->hi - 1)};
}

class Reader {
 public:
  Reader(std::string_view text, const NameRange& of_name) : text_(text), of_name_(of_name) {}

  Value whole() {
    const Value value = sums();
    at_ = skip_blanks(text_, at_);
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 64;

  bool take(std::string_view token) {
    at_ = skip_blanks(text_, at_);
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  Value sums() {
    Value value = products();
    while (value) {
      if (take("+"))
        value = sum(value, products());
      else if (take("-"))
        value = sum(value, product_of(products(), Range{-1, -1}));
      else
        break;
    }
    return value;
  }
  Value products() {
    Value value = factor();
    while (value) {
      if (take("*"))
        value = product_of(value, factor());
      else if (take("//") || take("/"))
        value = quotient(value, factor());
      else if (take("%"))
        value = remainder(value, factor());
      else
        break;
    }
    return value;
  }
  Value factor() {
    if (++depth_ > kDeepest) return std::nullopt;
    const Value value = take("-") ? product_of(factor(), Range{-1, -1}) : primary();
    --depth_;
    return value;
  }
  Value primary() {
    at_ = skip_blanks(text_, at_);
    if (at_ >= text_.size()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    if (take("(")) {
      const Value value = sums();
      return take(")") ? value : std::nullopt;
    }
    return name_or_call();
  }
  Value number() {
    std::optional<std::int64_t> value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      value = value ? checked_mul(*value, 10) : value;
      value = value ? checked_add(*value, text_[at_] - '0') : value;
    }
    while (at_ < text_.size() && (text_[at_] == 'L' || text_[at_] == 'l' || text_[at_] == 'U')) ++at_;
    if (!value || (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.'))) return std::nullopt;
    return Range{*value, *value};
  }
  /// `a::b.c`, its last part.
  std::string_view name() {
    std::size_t start = at_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ':' || text_[at_] == '.')
        start = at_ + 1;
      else if (!is_word(text_[at_]))
        break;
    }
    return text_.substr(start, at_ - start);
  }
  Value name_or_call() {
    const std::string_view called = name();
    if (called.empty()) return std::nullopt;
    if (take("<")) {
      const std::size_t end = text_.find('>', at_);
      if (end == std::string_view::npos) return std::nullopt;
      at_ = end + 1;
    }
    return take("(") ? call(called) : of_name_(called);
  }
  Value call(std::string_view function) {
    if (function == "zeros")  // tl.zeros([...], type)
      return skip_to(closing(text_, at_ - 1)) ? Value(Range{0, 0}) : std::nullopt;
    const Value first = sums();
    if (function == "broadcast_to")  // its second argument is a shape
      return skip_to(closing_of_call()) ? first : std::nullopt;
    if (take(")")) return is_cast(function) ? first : std::nullopt;
    if (!take(",")) return std::nullopt;
    const Value second = sums();
    return take(")") ? of_two(function, first, second) : std::nullopt;
  }
  /// The bracket that closes the call whose arguments are being read.
  std::size_t closing_of_call() const {
    std::size_t at = at_;
    while ((at = argument_end(text_, at)) < text_.size() && text_[at] == ',') ++at;
    return at;
  }
  /// Past the bracket there; false where the text ends before it.
  bool skip_to(std::size_t bracket) {
    if (bracket >= text_.size()) return false;
    at_ = bracket + 1;
    return true;
  }
  static bool is_cast(std::string_view function) {
    return function == "static_cast" || function == "int64_t" || function == "long" || function == "int";
  }
  static Value of_two(std::string_view function, const Value& a, const Value& b) {
    if (function == "div_floor_integer") return quotient(a, b);
    if (!a || !b) return std::nullopt;
    if (function == "min") return Range{std::min(a->lo, b->lo), std::min(a->hi, b->hi)};
    if (function == "max") return Range{std::max(a->lo, b->lo), std::max(a->hi, b->hi)};
    return std::nullopt;
  }

  std::string_view text_;
  const NameRange& of_name_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<Range> index_range(std::string_view text, const NameRange& of_name) {
  return Reader(text, of_name).whole();
}

}  // namespace bufferproof::model::lowering
