#include "model/lowering/self_overlap.hpp"

#include <numeric>

#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {
namespace {

struct Axis {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

std::optional<std::vector<Axis>> axes_of(const Layout& layout) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    const auto size = layout.sizes[i].constant(), stride = layout.strides[i].constant();
    if (!size || !stride || *size < 1 || *stride < 0) return std::nullopt;
    axes.push_back({*size, *stride});
  }
  return axes;
}

/// How far along `b` an element lies that has the address of one along `a`, or of the first; 0: there is
/// none.
std::int64_t meets(const Axis& a, const Axis& b) {
  if (b.size > 1 && b.stride == 0) return 1;
  if (a.stride == 0 || b.stride == 0) return 0;
  const std::int64_t common = std::gcd(a.stride, b.stride);
  return b.stride / common < a.size && a.stride / common < b.size ? a.stride / common : 0;
}

}  // namespace

std::optional<std::vector<SymExpr>> shared_element(const Layout& layout) {
  const auto axes = axes_of(layout);
  for (std::size_t b = 0; axes && b < axes->size(); ++b)
    for (std::size_t a = 0; a <= b; ++a) {
      const std::int64_t steps = meets(a == b ? Axis{} : (*axes)[a], (*axes)[b]);
      if (steps == 0) continue;
      std::vector<SymExpr> index(axes->size(), 0);
      index[b] = steps;
      return index;
    }
  return std::nullopt;
}

void store_shared_twice(const Environment& environment, Launch& launch) {
  for (Variant& road : launch.variants) {
    std::vector<Clause> again;
    for (const Clause& clause : road.clauses) {
      const bool whole = clause.kind == Clause::Kind::write && clause.set.whole && !clause.as_layout;
      const auto& layout = environment.of(clause.buffer).layout;
      if (!whole || clause.within != Within::unordered || !layout) continue;
      if (auto index = shared_element(*layout)) {
        again.push_back(clause);
        again.back().set = {.index = std::move(*index)};
      }
    }
    road.clauses.insert(road.clauses.end(), again.begin(), again.end());
  }
}

}  // namespace bufferproof::model::lowering
