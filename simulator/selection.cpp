#include "simulator/selection.hpp"

#include <algorithm>

#include "simulator/evaluate.hpp"
#include "simulator/selection_builder.hpp"

namespace bufferproof::simulator {

using model::InputError;
using model::SourceLocation;

namespace {

constexpr std::int64_t kMostListed = std::int64_t{1} << 24;  ///< addresses
constexpr std::int64_t kMostRuns = std::int64_t{1} << 23;

void at_most(std::int64_t most, std::int64_t count, const SourceLocation& where) {
  if (count > most)
    throw InputError(where, "at most " + std::to_string(most) + " elements that are looked at one by one",
                     std::to_string(count), "give smaller values to --size");
}

std::vector<PairedDim> pair_dims(const Selection& a, const Selection& b) {
  std::vector<PairedDim> out;
  std::size_t j = 0;
  for (const Dim& d : a.dims) {
    if (d.count == 1) continue;
    while (j < b.dims.size() && b.dims[j].count == 1) ++j;
    if (j == b.dims.size() || b.dims[j].count != d.count) return {};
    out.push_back({d.count, d.stride, b.dims[j++].stride});
  }
  while (j < b.dims.size() && b.dims[j].count == 1) ++j;
  return j == b.dims.size() ? out : std::vector<PairedDim>{};
}

/// Walks towards larger addresses of `a`; elements that coincide in both are walked once.
void normalise(PairedBox& box) {
  std::vector<PairedDim> kept;
  for (PairedDim d : box.dims) {
    if (d.stride_a == 0 && d.stride_b == 0) continue;
    if (d.stride_a < 0) {
      box.base_a += (d.count - 1) * d.stride_a;
      box.base_b += (d.count - 1) * d.stride_b;
      d.stride_a = -d.stride_a;
      d.stride_b = -d.stride_b;
    }
    kept.push_back(d);
  }
  std::stable_sort(kept.begin(), kept.end(), [](const PairedDim& x, const PairedDim& y) {
    return x.stride_a != y.stride_a ? x.stride_a > y.stride_a : x.stride_b > y.stride_b;
  });
  box.dims = std::move(kept);
}

/// Outer dims that go on where the inner one ends become one with it.
void merge(PairedBox& box) {
  std::vector<PairedDim> merged;
  for (const PairedDim& inner : box.dims) {
    if (!merged.empty() && merged.back().stride_a == inner.stride_a * inner.count &&
        merged.back().stride_b == inner.stride_b * inner.count) {
      merged.back() = {merged.back().count * inner.count, inner.stride_a, inner.stride_b};
    } else {
      merged.push_back(inner);
    }
  }
  box.dims = std::move(merged);
}

}  // namespace

std::int64_t Affine::at(const std::vector<std::int64_t>& variables) const {
  std::int64_t value = constant;
  for (std::size_t v = 0; v < variables.size(); ++v) value += coefficients[v] * variables[v];
  return value;
}

std::optional<PairedBox> pair_boxes(const Selection& a, const Selection& b) {
  if (!a.is_box || !b.is_box) return std::nullopt;
  PairedBox box{a.base, b.base, pair_dims(a, b), 1};
  if (box.dims.empty() && (a.count != 1 || b.count != 1)) return std::nullopt;
  normalise(box);
  merge(box);
  if (!box.dims.empty() && box.dims.back().stride_a == a.span && box.dims.back().stride_b == b.span) {
    box.run = box.dims.back().count;
    box.dims.pop_back();
  }
  return box;
}

std::vector<Run> runs_of(const Selection& s, const SourceLocation& where) {
  if (!s.is_box) return s.runs;
  std::int64_t dense = 1;
  std::size_t outer = s.dims.size();
  while (outer > 0 && (s.dims[outer - 1].count == 1 || s.dims[outer - 1].stride == dense * s.span))
    dense *= s.dims[--outer].count;
  at_most(kMostRuns, s.count / dense, where);
  std::vector<Run> out;
  std::vector<std::int64_t> place(outer, 0);
  std::int64_t at = s.base;
  for (std::int64_t ordinal = 0; ordinal < s.count; ordinal += dense) {
    out.push_back({ordinal, at, dense});
    for (std::size_t d = outer; d-- > 0;) {
      at += s.dims[d].stride;
      if (++place[d] < s.dims[d].count) break;
      at -= s.dims[d].stride * s.dims[d].count;
      place[d] = 0;
    }
  }
  return out;
}

std::vector<std::int64_t> addresses(const Selection& s, const SourceLocation& where) {
  at_most(kMostListed, s.count, where);
  std::vector<std::int64_t> out(static_cast<std::size_t>(s.count), -1);
  if (!s.is_box) {
    for (const Run& run : s.runs)
      for (std::int64_t i = 0; i < run.count; ++i)
        out[static_cast<std::size_t>(run.ordinal + i)] = run.address + i * s.span;
    return out;
  }
  for (std::int64_t ordinal = 0; ordinal < s.count; ++ordinal) {
    std::int64_t at = s.base;
    std::int64_t rest = ordinal;
    for (std::size_t d = s.dims.size(); d-- > 0;) {
      at += rest % s.dims[d].count * s.dims[d].stride;
      rest /= s.dims[d].count;
    }
    out[static_cast<std::size_t>(ordinal)] = at;
  }
  return out;
}

std::vector<std::int64_t> Selection::index_of(std::int64_t ordinal) const {
  const std::size_t rank = axes.size();
  std::vector<std::int64_t> index(rank);
  if (!listed.empty()) {
    std::copy_n(listed.begin() + ordinal * static_cast<std::int64_t>(rank), rank, index.begin());
    return index;
  }
  std::vector<std::int64_t> variables(counts.size());
  for (std::size_t v = counts.size(); v-- > 0;) {
    variables[v] = ordinal % counts[v];
    ordinal /= counts[v];
  }
  for (std::size_t axis = 0; axis < rank; ++axis) index[axis] = axes[axis].at(variables);
  return index;
}

std::int64_t Selection::ordinal_of(std::int64_t address) const {
  if (!is_box) {
    for (const Run& run : runs)
      if (address >= run.address && address < run.address + run.count * span)
        return run.ordinal + (address - run.address) / span;
    return 0;
  }
  // Greedy by size of stride: exact unless elements overlap, and then still an element near the address.
  std::vector<std::size_t> order(dims.size());
  std::int64_t rest = address - base;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    order[d] = d;
    if (dims[d].stride < 0) rest -= dims[d].stride * (dims[d].count - 1);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return std::abs(dims[x].stride) > std::abs(dims[y].stride);
  });
  std::vector<std::int64_t> place(dims.size(), 0);
  for (std::size_t d : order) {
    const std::int64_t stride = std::abs(dims[d].stride);
    if (stride == 0) continue;
    const std::int64_t steps = std::clamp<std::int64_t>(rest / stride, 0, dims[d].count - 1);
    rest -= steps * stride;
    place[d] = dims[d].stride < 0 ? dims[d].count - 1 - steps : steps;
  }
  std::int64_t ordinal = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) ordinal = ordinal * dims[d].count + place[d];
  return ordinal;
}

std::int64_t Selection::walk_length() const {
  if (count == 0) return 0;
  if (!is_box) return static_cast<std::int64_t>(runs.size());
  const auto box = pair_boxes(*this, *this);
  std::int64_t length = 1;
  for (const PairedDim& d : box->dims) length *= d.count;
  return length;
}

Selection select(const Handle& handle, const model::IndexSet& set, const model::Valuation& values,
                 const SourceLocation& where) {
  return SelectionBuilder(handle, values, where).build(set);
}

}  // namespace bufferproof::simulator
