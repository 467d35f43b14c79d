#include "simulator/why/place.hpp"

#include <algorithm>

namespace bufferproof::simulator {

using model::Box;
using model::BoxParts;

namespace {

constexpr std::int64_t kMostPieces = std::int64_t{1} << 20;
constexpr std::int64_t kMostListed = 4096;

Runs sorted(Runs runs) {
  const auto before = [](const ByteRun& a, const ByteRun& b) { return a.lo < b.lo; };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) std::sort(runs.begin(), runs.end(), before);
  Runs out;
  for (const ByteRun& run : runs) {
    if (run.lo >= run.hi) continue;
    if (!out.empty() && run.lo <= out.back().hi)
      out.back().hi = std::max(out.back().hi, run.hi);
    else
      out.push_back(run);
  }
  return out;
}

std::int64_t number(const model::SymExpr& e) { return e.constant().value_or(0); }

std::int64_t count_of(const model::Interval& range) {
  const std::int64_t extent = number(range.end) - number(range.begin);
  return extent <= 0 ? 0 : (extent + range.step - 1) / range.step;
}

Selection selection_of(const Place& place, const Box& box) {
  Selection out;
  out.span = place.element;
  out.base = place.offset;
  out.count = 1;
  for (std::size_t axis = 0; axis < box.axes.size(); ++axis) {
    const model::Interval& range = box.axes[axis];
    out.base += number(range.begin) * place.strides[axis];
    out.dims.push_back({count_of(range), place.strides[axis] * range.step});
    out.count *= out.dims.back().count;
  }
  return out;
}

std::int64_t pieces(const Selection& selection) { return selection.count == 0 ? 0 : selection.walk_length(); }

model::TensorType type_of(const Place& place) {
  model::TensorType out;
  for (const std::int64_t size : place.sizes) out.shape.emplace_back(size);
  return out;
}

bool is_dense(const Place& place) {
  const Place dense = dense_place(place.sizes, place.element);
  for (std::size_t axis = 0; axis < place.sizes.size(); ++axis)
    if (place.sizes[axis] != 1 && place.strides[axis] != dense.strides[axis]) return false;
  return true;
}

/// Elements first .. last - 1 of a row-major tensor as boxes: a head, whole slices of the first axis, a tail.
void add_flat(const std::vector<std::int64_t>& sizes, std::size_t axis, std::int64_t first, std::int64_t last,
              Box prefix, std::vector<Box>& out) {
  if (first >= last) return;
  if (axis == sizes.size()) return out.push_back(std::move(prefix));
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < sizes.size(); ++i) inner *= sizes[i];
  const std::int64_t row = first / inner;
  const std::int64_t last_row = (last - 1) / inner;
  auto push = [&](std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) {
    Box box = prefix;
    box.axes.push_back({from, to, 1});
    add_flat(sizes, axis + 1, begin, end, std::move(box), out);
  };
  const std::int64_t head = first - row * inner;
  const std::int64_t tail = last - last_row * inner;
  if (row == last_row) return push(row, row + 1, head, tail);
  const std::int64_t whole_from = head == 0 ? row : row + 1;
  const std::int64_t whole_to = tail == inner ? last_row + 1 : last_row;
  if (head != 0) push(row, row + 1, head, inner);
  if (whole_from < whole_to) push(whole_from, whole_to, 0, inner);
  if (tail != inner) push(last_row, last_row + 1, 0, tail);
}

/// Axes that have more than one element, larger strides first.
std::vector<std::size_t> real_axes(const Place& place) {
  std::vector<std::size_t> out;
  for (std::size_t axis = 0; axis < place.sizes.size(); ++axis)
    if (place.sizes[axis] != 1) out.push_back(axis);
  std::stable_sort(out.begin(), out.end(),
                   [&](std::size_t a, std::size_t b) { return place.strides[a] > place.strides[b]; });
  return out;
}

}  // namespace

std::int64_t Place::address(const Index& index) const {
  std::int64_t out = offset;
  for (std::size_t axis = 0; axis < index.size(); ++axis) out += index[axis] * strides[axis];
  return out;
}

std::optional<Index> Place::at(std::int64_t address) const {
  Index index(sizes.size(), 0);
  std::int64_t rest = address - offset;
  for (const std::size_t axis : real_axes(*this)) {
    if (sizes[axis] == 0 || rest < 0 || strides[axis] < 0) return std::nullopt;
    if (strides[axis] == 0) continue;
    index[axis] = std::min(rest / strides[axis], sizes[axis] - 1);
    rest -= index[axis] * strides[axis];
  }
  if (rest < 0 || rest >= element) return std::nullopt;
  return index;
}

Place dense_place(const std::vector<std::int64_t>& sizes, std::int64_t element, std::int64_t offset) {
  Place out{sizes, std::vector<std::int64_t>(sizes.size()), offset, element};
  std::int64_t stride = element;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    out.strides[axis] = stride;
    stride *= std::max<std::int64_t>(sizes[axis], 1);
  }
  return out;
}

Place place_of(const Handle& handle) {
  Place out{handle.shape.sizes, handle.shape.strides, handle.offset, handle.element_size};
  for (std::int64_t& stride : out.strides) stride *= handle.element_size;
  return out;
}

Runs intersection(const Runs& a, const Runs& b) {
  Runs out;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const ByteRun both{std::max(x->lo, y->lo), std::min(x->hi, y->hi)};
    if (both.lo < both.hi) out.push_back(both);
    (x->hi < y->hi ? x : y)++;
  }
  return out;
}

Runs difference(const Runs& a, const Runs& b) {
  Runs out;
  auto hole = b.begin();
  for (ByteRun run : a) {
    while (hole != b.end() && hole->hi <= run.lo) ++hole;
    for (auto next = hole; next != b.end() && next->lo < run.hi; ++next) {
      if (next->lo > run.lo) out.push_back({run.lo, next->lo});
      run.lo = std::max(run.lo, next->hi);
    }
    if (run.lo < run.hi) out.push_back(run);
  }
  return out;
}

bool includes(const Runs& outer, const Runs& inner) { return difference(inner, outer).empty(); }

Runs runs_of(const Selection& selection, int unit) {
  Runs out;
  for_each_run(selection, [&](std::int64_t lo, std::int64_t hi) { out.push_back({lo * unit, hi * unit}); });
  return sorted(std::move(out));
}

Runs runs_of(const Place& place, const Box& box, bool& exact) {
  const Selection selection = selection_of(place, box);
  if (selection.count == 0) return {};
  if (pieces(selection) <= kMostPieces) return runs_of(selection, 1);
  exact = false;
  ByteRun hull{selection.base, selection.base + place.element};
  for (const Dim& dim : selection.dims) {
    const std::int64_t far = (dim.count - 1) * dim.stride;
    (far < 0 ? hull.lo : hull.hi) += far;
  }
  return {hull};
}

BoxParts elements_in(const Place& place, const Runs& runs) {
  const model::TensorType type = type_of(place);
  BoxParts out;
  if (is_dense(place)) {
    const std::int64_t all = selection_of(place, model::full_box(type.shape)).count;
    for (const ByteRun& run : runs) {
      const std::int64_t first = std::clamp<std::int64_t>((run.lo - place.offset) / place.element, 0, all);
      const std::int64_t last =
          std::clamp<std::int64_t>((run.hi - place.offset + place.element - 1) / place.element, 0, all);
      std::vector<Box> boxes;
      add_flat(place.sizes, 0, first, last, {}, boxes);
      for (Box& box : boxes) add_elements(out, {std::move(box), true}, type);
      if (!out.empty() && !out.front().exact) break;  // too many: everything
    }
    return out;
  }
  std::int64_t listed = 0;
  for (const ByteRun& run : runs)
    for (std::int64_t address = run.lo; address < run.hi; address += place.element) {
      if (++listed > kMostListed) return {{model::full_box(type.shape), false}};
      if (const auto index = place.at(address)) add_elements(out, {element_box(*index), true}, type);
      if (!out.empty() && !out.front().exact) return out;  // too many: everything
    }
  return out;
}

std::optional<Box> translated(const Place& from, const Box& box, const Place& to) {
  const std::vector<std::size_t> a = real_axes(from);
  const std::vector<std::size_t> b = real_axes(to);
  if (a.size() != b.size() || from.element != to.element) return std::nullopt;
  Box out = model::full_box(type_of(to).shape);
  std::int64_t rest = from.offset - to.offset;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t stride = from.strides[a[i]];
    if (stride != to.strides[b[i]] || stride <= 0) return std::nullopt;
    const std::int64_t shift = rest / stride;  // towards 0: a slice may begin before or behind this place
    rest -= shift * stride;
    model::Interval range = box.axes[a[i]];
    range.begin = range.begin + model::SymExpr(shift);
    range.end = range.end + model::SymExpr(shift);
    bool exact = true;
    out.axes[b[i]] = model::clip(range, 0, to.sizes[b[i]], {}, exact);
  }
  if (rest != 0) return std::nullopt;
  return out;
}

}  // namespace bufferproof::simulator
