#include "model/lowering/self_overlap.hpp"

#include <algorithm>

#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {
namespace {

struct Axis {
  std::optional<std::int64_t> size;  ///< nullopt: symbols decide
  std::int64_t stride = 1;
};

std::optional<std::vector<Axis>> axes_of(const Layout& layout) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    const auto size = layout.sizes[i].constant(), stride = layout.strides[i].constant();
    if ((size && *size < 1) || !stride || *stride < 0) return std::nullopt;
    axes.push_back({size, *stride});
  }
  return axes;
}

constexpr std::int64_t kMostSteps = 64;  ///< along one axis that are looked at

/// Indices, along other axes of no larger stride, of the element at this address; nullopt: none is found.
std::optional<std::vector<SymExpr>> below(const std::vector<Axis>& axes, std::size_t axis,
                                          std::int64_t address) {
  std::vector<std::size_t> finer;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (i != axis && axes[i].size && axes[i].stride > 0 && axes[i].stride <= axes[axis].stride)
      finer.push_back(i);
  std::stable_sort(finer.begin(), finer.end(),
                   [&](std::size_t a, std::size_t b) { return axes[a].stride > axes[b].stride; });
  std::vector<SymExpr> index(axes.size(), 0);
  for (const std::size_t i : finer) {
    const std::int64_t steps = std::min(*axes[i].size - 1, address / axes[i].stride);
    index[i] = steps;
    address -= steps * axes[i].stride;
  }
  return address == 0 ? std::optional(index) : std::nullopt;
}

}  // namespace

std::optional<IndexSet> shared_element(const Layout& layout) {
  const auto axes = axes_of(layout);
  for (std::size_t i = 0; axes && i < axes->size(); ++i) {
    const auto& [size, stride] = (*axes)[i];
    for (std::int64_t steps = 1; steps < std::min(size.value_or(2), kMostSteps); ++steps) {
      const auto address = checked_mul(steps, stride);
      auto index = address ? below(*axes, i, *address) : std::nullopt;
      if (!index) continue;
      if (stride == 0) (*index)[i] = steps;  // else it is the one below that is told
      return IndexSet{.index = std::move(*index), .where = Cond::lt(steps, layout.sizes[i])};
    }
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
      if (auto element = shared_element(*layout)) {
        again.push_back(clause);
        again.back().set = std::move(*element);
      }
    }
    road.clauses.insert(road.clauses.end(), again.begin(), again.end());
  }
}

}  // namespace bufferproof::model::lowering
