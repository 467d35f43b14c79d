// The elements one access means, as addresses: a box with strides where the set is affine, else a list.
//
// Units of a storage throughout. Elements have an ordinal, their place in the order of the set; copies pair
// elements by it, reports turn it back into a logical index. Tested by tests/simulator/selection_test.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "model/program.hpp"
#include "simulator/handles.hpp"

namespace bufferproof::simulator {

/// constant + sum of coefficient * variable.
struct Affine {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;
  std::int64_t at(const std::vector<std::int64_t>& variables) const;
};

struct Dim {
  std::int64_t count = 0;
  std::int64_t stride = 0;
};

/// `count` elements from `address` on, each right behind the one before.
struct Run {
  std::int64_t ordinal = 0;
  std::int64_t address = 0;
  std::int64_t count = 0;
};

struct Selection {
  std::int64_t span = 1;   ///< units per element
  std::int64_t count = 0;  ///< elements, those left out included
  bool is_box = true;
  std::int64_t base = 0;
  std::vector<Dim> dims;  ///< of a box, in the order of the set
  std::vector<Run> runs;  ///< of a list, by ordinal; elements outside of the storage are left out
  std::vector<std::int64_t> first_outside;  ///< C5: logical index of an element out of bounds
  bool any_outside = false;

  // How an ordinal becomes a logical index.
  std::vector<std::int64_t> counts;  ///< of the variables
  std::vector<Affine> axes;
  std::vector<std::int64_t> listed;  ///< logical indices one after another, when the set was enumerated

  std::vector<std::int64_t> index_of(std::int64_t ordinal) const;
  /// The ordinal of an element that covers `address`, for reports.
  std::int64_t ordinal_of(std::int64_t address) const;
  /// Pieces of memory an unordered walk takes.
  std::int64_t walk_length() const;
};

/// Evaluates `set` on `handle`. Raises InputError at `where`: no value, wrong number of indices, more
/// elements than can be enumerated.
Selection select(const Handle& handle, const model::IndexSet& set, const model::Valuation& values,
                 const model::SourceLocation& where);

/// f(lo, hi): memory of the selection in any order, each element at least once.
template <typename F>
void for_each_run(const Selection& selection, F&& f);

/// f(address_a, address_b, n): pairs of elements with one ordinal; n elements each right behind the other.
/// Both have the same count; raises InputError at `where` when they must be listed and the runs are too many.
template <typename F>
void for_each_pair(const Selection& a, const Selection& b, const model::SourceLocation& where, F&& f);

// ---- walking
// ----------------------------------------------------------------------------------------------------

/// Dims of one or two boxes with equal counts, merged where both allow.
struct PairedDim {
  std::int64_t count = 0;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
};
struct PairedBox {
  std::int64_t base_a = 0;
  std::int64_t base_b = 0;
  std::vector<PairedDim> dims;  ///< outermost first; the last one may be a run
  std::int64_t run = 1;         ///< elements per step of the innermost dim left
};
/// nullopt when the counts differ, or one is a list.
std::optional<PairedBox> pair_boxes(const Selection& a, const Selection& b);
/// Elements by ordinal, as long as they lie one behind the other. Raises InputError at `where` when the runs
/// are too many.
std::vector<Run> runs_of(const Selection& selection, const model::SourceLocation& where);
/// Each element as a run of one.
std::vector<std::int64_t> addresses(const Selection& selection, const model::SourceLocation& where);

template <typename F>
void walk(const PairedBox& box, std::size_t dim, std::int64_t at_a, std::int64_t at_b, F& f) {
  if (dim == box.dims.size()) return f(at_a, at_b, box.run);
  const PairedDim& d = box.dims[dim];
  for (std::int64_t i = 0; i < d.count; ++i)
    walk(box, dim + 1, at_a + i * d.stride_a, at_b + i * d.stride_b, f);
}

template <typename F>
void for_each_pair(const Selection& a, const Selection& b, const model::SourceLocation& where, F&& f) {
  if (a.count == 0) return;
  if (const auto box = pair_boxes(a, b)) return walk(*box, 0, box->base_a, box->base_b, f);
  const std::vector<Run> runs_a = runs_of(a, where);
  const std::vector<Run> runs_b = runs_of(b, where);
  for (std::size_t i = 0, j = 0; i < runs_a.size() && j < runs_b.size();) {
    const Run& x = runs_a[i];
    const Run& y = runs_b[j];
    const std::int64_t from = std::max(x.ordinal, y.ordinal);
    const std::int64_t to = std::min(x.ordinal + x.count, y.ordinal + y.count);
    if (from < to)
      f(x.address + (from - x.ordinal) * a.span, y.address + (from - y.ordinal) * b.span, to - from);
    (x.ordinal + x.count <= y.ordinal + y.count ? i : j) += 1;
  }
}

template <typename F>
void for_each_run(const Selection& selection, F&& f) {
  if (selection.count == 0) return;
  if (!selection.is_box) {
    for (const Run& run : selection.runs) f(run.address, run.address + run.count * selection.span);
    return;
  }
  const auto box = pair_boxes(selection, selection);
  auto visit = [&](std::int64_t at, std::int64_t, std::int64_t n) { f(at, at + n * selection.span); };
  walk(*box, 0, box->base_a, box->base_b, visit);
}

}  // namespace bufferproof::simulator
