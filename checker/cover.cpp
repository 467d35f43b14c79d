#include "checker/cover.hpp"

#include <algorithm>

namespace bufferproof::checker {
namespace {

using model::Layout;
using model::SymExpr;
using Span = std::pair<SymExpr, SymExpr>;

/// [lo, hi) around every address of the access; nullopt when not a plain whole or a one-axis set.
std::optional<Span> hull(const Access& access) {
  if (access.whole && access.layout) return Span{access.layout->offset, access.layout->extent()};
  if (access.variables.size() != 1 || !access.place.loops.empty()) return std::nullopt;
  const model::BoundVariable& x = access.variables[0];
  const SymExpr at = SymExpr::symbol(x.name);
  const SymExpr offset = access.address - at;
  std::set<std::string> symbols;
  offset.collect_symbols(symbols);
  if (symbols.contains(x.name)) return std::nullopt;
  return Span{offset + x.lo, offset + x.hi};
}

/// [lo, hi) when the access is exactly that interval.
std::optional<Span> exact(const Access& access) {
  if (access.whole && access.layout) return dense_interval(*access.layout);
  return access.where.is_true() ? hull(access) : std::nullopt;
}

}  // namespace

std::optional<Span> dense_interval(const Layout& layout) {
  std::vector<bool> used(layout.rank(), false);
  SymExpr reach = 1;
  for (std::size_t round = 0; round < layout.rank(); ++round) {
    bool advanced = false;
    for (std::size_t i = layout.rank(); i-- > 0 && !advanced;) {
      if (used[i] || (layout.sizes[i] != SymExpr(1) && layout.strides[i] != reach)) continue;
      used[i] = true;
      reach = reach * layout.sizes[i];
      advanced = true;
    }
    if (!advanced) return std::nullopt;
  }
  return Span{layout.offset, layout.offset + reach};
}

bool surely_covers(const Access& outer, const Access& inner, const Ranges& ranges) {
  if (outer.storage != inner.storage) return false;
  if (outer.spans_storage) return true;
  if (outer.whole && inner.whole && outer.layout && inner.layout &&
      same_placement(*outer.layout, *inner.layout))
    return true;
  const auto have = exact(outer);
  const auto need = hull(inner);
  return have && need && ranges.surely_le(have->first, need->first) &&
         ranges.surely_le(need->second, have->second);
}

bool surely_disjoint(const Access& a, const Access& b, const Ranges& ranges) {
  if (a.storage != b.storage) return true;
  const auto x = hull(a);
  const auto y = hull(b);
  return x && y && (ranges.surely_le(x->second, y->first) || ranges.surely_le(y->second, x->first));
}

model::Cond same_sizes(const model::Layout& a, const model::Layout& b) {
  model::Cond out(a.rank() == b.rank());
  for (std::size_t i = 0; i < a.rank() && !out.is_false(); ++i)
    out = out && model::Cond::eq(a.sizes[i], b.sizes[i]);
  return out;
}

model::Cond same_strides(const model::Layout& a, const model::Layout& b) {
  model::Cond same = true;
  for (std::size_t i = 0; i < a.rank(); ++i)
    same = same && (model::Cond::eq(a.sizes[i], 1) || model::Cond::eq(a.strides[i], b.strides[i]));
  return same;
}

}  // namespace bufferproof::checker
