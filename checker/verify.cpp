#include "checker/verify.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "model/diagnostic.hpp"
#include "model/read/bufprog/reader.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::checker {
namespace {

using Json = nlohmann::json;
using model::InputError;
using model::SymExpr;

struct Range {
  std::int64_t lo = 0;
  std::optional<std::int64_t> hi;
};

struct Span {
  SymExpr lo;
  SymExpr hi;  ///< exclusive
};

SymExpr parse(const std::string& text) {
  // "text <= 0" as a condition gives the expression back; a constant folds and is parsed as such.
  if (!text.empty() && text.find_first_not_of("-0123456789") == std::string::npos) return {std::stoll(text)};
  return model::parse_condition(text + " <= 0").expr();
}

class Rechecker {
 public:
  explicit Rechecker(const Json& certificate) {
    for (const Json& symbol : certificate.at("symbols")) {
      Range range{symbol.at("lo").get<std::int64_t>(), std::nullopt};
      const std::string hi = symbol.at("hi").get<std::string>();
      if (!hi.empty()) range.hi = std::stoll(hi);
      ranges_[symbol.at("name").get<std::string>()] = range;
    }
  }

  /// Empty: accepted. Else the reason.
  std::string check(const Json& proof) const {
    const int reader = proof.at("step").get<int>();
    const Json& need = proof.at("need");
    const Json& cover = proof.at("cover");
    if (cover.at("step").get<int>() >= reader) return "the covering store does not come before the reader";
    if (!covers(cover.at("window"), need))
      return "the covering store does not hold every element that is read";
    for (const Json& later : proof.at("later"))
      if (!disjoint(later.at("window"), need))
        return fmt::format("{} may overwrite an element in between", later.at("writer").get<std::string>());
    if (proof.contains("meant") && proof.at("meant") != cover.at("writer"))
      return "the covering store is not the producer the file means";
    return {};
  }

 private:
  /// Least value of a polynomial with non-negative symbols; nullopt when unbounded below or unknown.
  std::optional<std::int64_t> least(const SymExpr& expr) const {
    std::int64_t sum = expr.constant_part();
    for (const model::Term& term : expr.terms()) {
      std::optional<std::int64_t> factor = 1;
      for (const model::AtomRef& atom : term.atoms) {
        auto end = extreme(*atom, term.coefficient > 0);
        factor = end && factor ? model::checked_mul(*factor, *end) : std::nullopt;
      }
      if (!factor) return std::nullopt;
      const auto product = model::checked_mul(*factor, term.coefficient);
      const auto next = product ? model::checked_add(sum, *product) : std::nullopt;
      if (!next) return std::nullopt;
      sum = *next;
    }
    return sum;
  }

  std::optional<std::int64_t> extreme(const model::Atom& atom, bool low) const {
    if (atom.kind != model::Atom::Kind::symbol) return std::nullopt;
    auto range = ranges_.find(atom.name);
    if (range == ranges_.end() || range->second.lo < 0) return std::nullopt;
    return low ? std::optional(range->second.lo) : range->second.hi;
  }

  bool le(const SymExpr& a, const SymExpr& b) const {
    const auto gap = least(b - a);
    return gap && *gap >= 0;
  }

  static std::vector<SymExpr> expressions(const Json& texts) {
    std::vector<SymExpr> out;
    for (const Json& text : texts) out.push_back(parse(text.get<std::string>()));
    return out;
  }

  static std::optional<Span> hull(const Json& window) {
    if (!window.contains("sizes")) return std::nullopt;
    const auto sizes = expressions(window.at("sizes"));
    const auto strides = expressions(window.at("strides"));
    if (sizes.size() != strides.size()) return std::nullopt;
    Span out{parse(window.at("offset").get<std::string>()), 0};
    out.hi = out.lo + 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) out.hi = out.hi + (sizes[i] - 1) * strides[i];
    return out;
  }

  /// The window is an interval: its axes, in some order, each start where the smaller ones end.
  static bool dense(const Json& window) {
    auto sizes = expressions(window.at("sizes"));
    auto strides = expressions(window.at("strides"));
    SymExpr reach = 1;
    while (!sizes.empty()) {
      std::size_t i = 0;
      while (i < sizes.size() && sizes[i] != SymExpr(1) && strides[i] != reach) ++i;
      if (i == sizes.size()) return false;
      reach = reach * sizes[i];
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(i));
      strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return true;
  }

  bool covers(const Json& have, const Json& need) const {
    if (have.value("everything", false) || have == need) return true;
    const auto outer = hull(have);
    const auto inner = hull(need);
    return outer && inner && dense(have) && le(outer->lo, inner->lo) && le(inner->hi, outer->hi);
  }

  bool disjoint(const Json& a, const Json& b) const {
    const auto x = hull(a);
    const auto y = hull(b);
    return x && y && (le(x->hi, y->lo) || le(y->hi, x->lo));
  }

  std::map<std::string, Range> ranges_;
};

void verify_one(const Json& certificate, Verification& out) {
  const Rechecker rechecker(certificate);
  for (const Json& assumption : certificate.at("assumptions"))
    out.assumptions.push_back(assumption.get<std::string>());
  for (const Json& proof : certificate.at("proofs")) {
    if (proof.at("method") == "solver") {
      out.residues.push_back(proof.at("smtlib").get<std::string>());
      continue;
    }
    const bool known = proof.at("method") == "covered";
    const std::string reason = known ? rechecker.check(proof) : "an unknown method of proof";
    if (reason.empty()) {
      ++out.accepted;
    } else {
      out.rejected.push_back(proof.at("obligation").get<std::string>() + ": " + reason);
    }
  }
}

}  // namespace

Verification verify(const std::string& json, const std::string& file) {
  Verification out;
  try {
    const Json certificates = Json::parse(json);
    if (!certificates.is_array() || certificates.empty())
      throw InputError({std::make_shared<const std::string>(file), 0, 0}, "a list of certificates",
                       certificates.is_array() ? "an empty one" : "something else",
                       "write one with check --certificate");
    for (const Json& certificate : certificates) verify_one(certificate, out);
  } catch (const Json::exception& error) {
    throw InputError({std::make_shared<const std::string>(file), 0, 0}, "a certificate of bufferproof",
                     error.what(), "write one with check --certificate");
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError({std::make_shared<const std::string>(file), 0, 0},
                     "expressions over the certificate's symbols", error.what());
  }
  return out;
}

}  // namespace bufferproof::checker
