// Views, windows and joins.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/body/region.hpp"
#include "model/read/aten/lowering.hpp"

namespace bufferproof::model::aten {

using Kind = Value::Kind;
using Ints = std::vector<std::int64_t>;

/// reshape and view; one -1 is what is left.
Value Lowering::reshape(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* wanted = call.find(1, "size");
  if (!wanted) wanted = call.find(1, "shape");
  if (!wanted) unsupported(call, "without a shape");
  if (wanted->is(Kind::dtype))
    return Value::of_tensor(emit("bitcast", {x}, {{"dtype", wanted->dtype}}, call));
  std::vector<SymExpr> to = sizes(*wanted, call);
  SymExpr known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].constant() == -1) {
      open = i;
    } else {
      known = known * to[i];
    }
  }
  if (open) {
    SymExpr total = product(shape(x));
    auto divisor = known.constant();
    if (divisor == 0) unsupported(call, "-1 beside a size of 0");
    SymExpr rest = divisor == 1 ? total : floordiv(total, known);
    // Products of the operand's own sizes divide exactly: find them instead of a floor division.
    std::vector<SymExpr> own = shape(x);
    for (std::size_t begin = 0; begin <= own.size(); ++begin)
      for (std::size_t end = begin; end <= own.size(); ++end) {
        SymExpr part = 1;
        for (std::size_t i = begin; i < end; ++i) part = part * own[i];
        if (part * known == total) rest = part;
      }
    to[*open] = rest;
  }
  return Value::of_tensor(builder_.reshape(x, to, call.where));
}

Value Lowering::permute(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* dims = call.find(1, "dims");
  if (!dims) unsupported(call, "without dims");
  Ints permutation;
  for (std::int64_t dim : constants(*dims, call))
    permutation.push_back(static_cast<std::int64_t>(axis(dim, shape(x).size(), call)));
  return Value::of_tensor(emit("transpose", {x}, {{"permutation", permutation}}, call));
}

Value Lowering::transpose(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::size_t rank = shape(x).size();
  Ints permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  bool matrix =
      call.op.find("aten.t.") != std::string::npos || call.op == "aten.t" || call.op == "torch.aten.t";
  if (matrix) {
    std::reverse(permutation.begin(), permutation.end());
  } else if (rank > 0) {
    std::swap(permutation[axis(constant(call, 1, "dim0", 0), rank, call)],
              permutation[axis(constant(call, 2, "dim1", 0), rank, call)]);
  }
  return Value::of_tensor(emit("transpose", {x}, {{"permutation", permutation}}, call));
}

/// -1 keeps a size.
Value Lowering::expand(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* size = call.find(1, "size");
  if (!size) unsupported(call, "without a size");
  std::vector<SymExpr> to = sizes(*size, call);
  std::vector<SymExpr> from = shape(x);
  if (to.size() < from.size()) unsupported(call, "to fewer axes");
  for (std::size_t i = 0; i < from.size(); ++i) {
    SymExpr& wanted = to[to.size() - from.size() + i];
    if (wanted.constant() == -1) wanted = from[i];
  }
  return Value::of_tensor(builder_.broadcast_to(x, to, call.where));
}

/// Without dims: every axis whose size is the constant 1.
Value Lowering::squeeze(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> from = shape(x);
  const Value* dim = call.find(1, "dim");
  std::vector<bool> drop(from.size(), !dim);
  if (dim)
    for (std::int64_t one : constants(*dim, call))
      if (!from.empty()) drop[axis(one, from.size(), call)] = true;
  std::vector<SymExpr> to;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!drop[i] || from[i].constant() != 1) to.push_back(from[i]);
  return Value::of_tensor(builder_.reshape(x, to, call.where));
}

Value Lowering::unsqueeze(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> to = shape(x);
  std::size_t at = axis(constant(call, 1, "dim", 0), to.size() + 1, call);
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(at), SymExpr(1));
  return Value::of_tensor(builder_.reshape(x, to, call.where));
}

ValueId Lowering::window(ValueId x, std::size_t axis, const SymExpr& start, const SymExpr& length,
                         std::int64_t step, const Call& call) {
  std::vector<SymExpr> size = shape(x);
  std::vector<SymExpr> offsets(size.size(), SymExpr(0));
  Ints strides(size.size(), 1);
  offsets.at(axis) = start;
  size.at(axis) = length;
  strides.at(axis) = step;
  return emit("slice", {x}, {{"offsets", offsets}, {"sizes", size}, {"strides", strides}}, call);
}

namespace {

/// Backed sizes (`s0`) are at least 2 where the text was specialised; unbacked ones (`u0`) may be 0.
SizeBounds bounds_of(const SymExpr& a, const SymExpr& b) {
  std::set<std::string> symbols;
  a.collect_symbols(symbols);
  b.collect_symbols(symbols);
  bool backed =
      std::all_of(symbols.begin(), symbols.end(), [](const std::string& name) { return name[0] == 's'; });
  return SizeBounds{backed ? 2 : 0};
}

/// Python's slice bounds: negative counts from the end, both are clipped to [0, size].
SymExpr bound(const SymExpr& value, const SymExpr& size) {
  constexpr std::int64_t kEnd = std::int64_t{1}
                                << 62;  // sys.maxsize and torch-mlir's INT64_MAX mean "to the end"
  auto number = value.constant();
  if (number && *number >= kEnd) return size;
  SymExpr from_start = number && *number < 0 ? size + value : value;
  SizeBounds bounds = bounds_of(value, size);
  return larger(SymExpr(0), smaller(from_start, size, bounds), bounds);
}

}  // namespace

Value Lowering::slice(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> from = shape(x);
  std::size_t dim = axis(constant(call, 1, "dim", 0), from.size(), call);
  if (from.empty()) unsupported(call, "of a tensor without axes");
  const Value* start_value = call.find(2, "start");
  const Value* end_value = call.find(3, "end");
  std::int64_t step = constant(call, 4, "step", 1);
  if (step < 1) unsupported(call, "a step below 1");
  SymExpr start = start_value ? bound(size(*start_value, call), from[dim]) : SymExpr(0);
  SymExpr end = end_value ? bound(size(*end_value, call), from[dim]) : from[dim];
  SymExpr span = larger(SymExpr(0), end - start, bounds_of(start, end));
  SymExpr length = step == 1 ? span : floordiv(span + SymExpr(step - 1), step);
  if (start == SymExpr(0) && length == from[dim]) return Value::of_tensor(x);
  return Value::of_tensor(window(x, dim, start, length, step, call));
}

Value Lowering::select(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> from = shape(x);
  if (from.empty()) unsupported(call, "of a tensor without axes");
  std::size_t dim = axis(constant(call, 1, "dim", 0), from.size(), call);
  const Value* index_value = call.find(2, "index");
  if (!index_value) unsupported(call, "without an index");
  SymExpr index = size(*index_value, call);
  if (index.constant().value_or(0) < 0) index = from[dim] + index;
  ValueId row = window(x, dim, index, 1, 1, call);
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(dim));
  return Value::of_tensor(builder_.reshape(row, from, call.where));
}

Value Lowering::unbind(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> from = shape(x);
  if (from.empty()) unsupported(call, "of a tensor without axes");
  std::size_t dim = axis(constant(call, 1, "dim", 0), from.size(), call);
  auto count = from[dim].constant();
  if (!count || *count > 1024) unsupported(call, "along a size that is not a small constant");
  std::vector<Value> rows;
  std::vector<SymExpr> to = from;
  to.erase(to.begin() + static_cast<std::ptrdiff_t>(dim));
  for (std::int64_t i = 0; i < *count; ++i)
    rows.push_back(Value::of_tensor(builder_.reshape(window(x, dim, i, 1, 1, call), to, call.where)));
  return Value::of_list(rows);
}

Value Lowering::split(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> from = shape(x);
  if (from.empty()) unsupported(call, "of a tensor without axes");
  std::size_t dim = axis(constant(call, 2, "dim", 0), from.size(), call);
  const Value* wanted = call.find(1, "split_size");
  if (!wanted) wanted = call.find(1, "split_sizes");
  if (!wanted) unsupported(call, "without sizes");
  std::vector<SymExpr> lengths;
  if (wanted->is(Kind::list)) {
    lengths = sizes(*wanted, call);
  } else {
    auto chunk = size(*wanted, call).constant();
    auto total = from[dim].constant();
    if (!chunk || !total || *chunk < 1 || *total / *chunk > 1024)
      unsupported(call, "into parts of unknown number");
    for (std::int64_t at = 0; at < *total; at += *chunk) lengths.push_back(std::min(*chunk, *total - at));
  }
  std::vector<Value> parts;
  SymExpr start = 0;
  for (const SymExpr& length : lengths) {
    parts.push_back(Value::of_tensor(window(x, dim, start, length, 1, call)));
    start = start + length;
  }
  return Value::of_list(parts);
}

namespace {

/// torch.empty(0) may stand among tensors of any rank, and adds nothing.
bool is_legacy_empty(const std::vector<SymExpr>& shape) {
  return shape.size() == 1 && shape[0] == SymExpr(0);
}

}  // namespace

Value Lowering::cat(const Call& call) {
  const Value* tensors = call.find(0, "tensors");
  if (!tensors || !tensors->is(Kind::list) || tensors->items.empty())
    unsupported(call, "without a list of tensors");
  std::vector<ValueId> ids;
  DType common = promote(tensors->items);
  for (const Value& item : tensors->items) {
    if (!item.is(Kind::tensor)) unsupported(call, "of other than tensors");
    if (is_legacy_empty(shape(item.tensor)) && tensors->items.size() > 1) continue;
    ids.push_back(cast(item.tensor, common, call));
  }
  if (ids.empty()) ids.push_back(cast(tensors->items[0].tensor, common, call));
  std::size_t dim = axis(constant(call, 1, "dim", 0), shape(ids[0]).size(), call);
  return Value::of_tensor(emit("concat", ids, {{"dim", static_cast<std::int64_t>(dim)}}, call));
}

/// repeat(sizes): new leading axes, then whole copies side by side: broadcast and reshape.
Value Lowering::repeat(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* wanted = call.find(1, "repeats");
  if (!wanted) unsupported(call, "without repeats");
  std::vector<SymExpr> counts = sizes(*wanted, call);
  std::vector<SymExpr> from = shape(x);
  if (counts.size() < from.size()) unsupported(call, "fewer repeats than axes");
  from.insert(from.begin(), counts.size() - from.size(), SymExpr(1));
  std::vector<SymExpr> wide;
  std::vector<SymExpr> split;
  std::vector<SymExpr> to;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    split.insert(split.end(), {SymExpr(1), from[i]});
    wide.insert(wide.end(), {counts[i], from[i]});
    to.push_back(counts[i] * from[i]);
  }
  ValueId apart = builder_.reshape(x, split, call.where);
  ValueId repeated = builder_.broadcast_to(apart, wide, call.where);
  return Value::of_tensor(emit("copy_contiguous", {builder_.reshape(repeated, to, call.where)}, {}, call));
}

/// Pairs from the last axis backwards; negative padding cuts off.
Value Lowering::pad(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* list = call.find(1, "pad");
  if (!list) unsupported(call, "without padding");
  std::vector<SymExpr> pairs = sizes(*list, call);
  std::vector<SymExpr> from = shape(x);
  if (pairs.size() % 2 != 0 || pairs.size() / 2 > from.size())
    unsupported(call, "padding that does not fit the rank");
  std::vector<SymExpr> low(from.size(), SymExpr(0));
  std::vector<SymExpr> high(from.size(), SymExpr(0));
  for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
    low[from.size() - 1 - i] = pairs[2 * i];
    high[from.size() - 1 - i] = pairs[2 * i + 1];
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    SymExpr cut_low = provably_lt(low[i], 0) ? -low[i] : SymExpr(0);
    SymExpr cut_high = provably_lt(high[i], 0) ? -high[i] : SymExpr(0);
    if (cut_low == SymExpr(0) && cut_high == SymExpr(0)) continue;
    x = window(x, i, cut_low, from[i] - cut_low - cut_high, 1, call);
    if (!(cut_low == SymExpr(0))) low[i] = 0;
    if (!(cut_high == SymExpr(0))) high[i] = 0;
  }
  const Value* value = call.find(2, "value");
  ValueId fill = as(value ? *value : Value::of_integer(0), type(x), {}, call);
  return Value::of_tensor(emit("pad", {x, fill}, {{"high", high}, {"low", low}}, call));
}

Value Lowering::slice_scatter(const Call& call) {
  ValueId base = tensor(call, 0, "self");
  ValueId source = tensor(call, 1, "src");
  std::vector<SymExpr> from = shape(base);
  if (from.empty()) unsupported(call, "of a tensor without axes");
  std::size_t dim = axis(constant(call, 2, "dim", 0), from.size(), call);
  const Value* start_value = call.find(3, "start");
  SymExpr start = start_value ? bound(size(*start_value, call), from[dim]) : SymExpr(0);
  std::int64_t step = constant(call, 5, "step", 1);
  if (step < 1) unsupported(call, "a step below 1");
  std::vector<SymExpr> offsets(from.size(), SymExpr(0));
  Ints strides(from.size(), 1);
  offsets[dim] = start;
  strides[dim] = step;
  return Value::of_tensor(emit("insert_slice", {cast(source, type(base), call), base},
                               {{"offsets", offsets}, {"sizes", shape(source)}, {"strides", strides}}, call));
}

Value Lowering::getitem(const Call& call) {
  std::int64_t index = constant(call, 1, "index", 0);
  const Value& list = call.arguments.at(0);
  if (!list.is(Kind::list)) unsupported(call, "of other than a tuple");
  auto count = static_cast<std::int64_t>(list.items.size());
  if (index < 0) index += count;
  if (index < 0 || index >= count)
    throw InputError(call.where, fmt::format("an index below {}", count), fmt::format("{}", index));
  return list.items[static_cast<std::size_t>(index)];
}

}  // namespace bufferproof::model::aten
