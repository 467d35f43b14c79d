#include "model/read/wrapper/view_shapes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace bufferproof::model::wrapper {
namespace {

using Sizes = std::vector<SymExpr>;
using View = std::optional<Layout>;

class Views {
 public:
  Views(std::string_view op, const std::vector<Operand>& operands, std::int64_t item)
      : op_(op), operands_(operands), item_(item) {
    const Operand* self = find("self");
    if (self && self->layout) from_ = {self->layout->sizes, self->layout->strides, 0};
  }

  View infer() const {
    if (!from_) return std::nullopt;
    if (op_ == "alias" || op_ == "detach" || op_ == "lift_fresh") return from_;
    if (op_ == "permute") return permute();
    if (op_ == "transpose") return transpose(axis("dim0"), axis("dim1"));
    if (op_ == "t" || op_ == "numpy_T")
      return rank() < 2 ? from_ : rank() == 2 ? transpose(0, 1) : std::nullopt;
    if (op_ == "select") return select();
    if (op_ == "slice") return slice(number("start", 0), number("end", INT64_MAX), number("step", 1));
    if (op_ == "narrow") return narrow();
    if (op_ == "squeeze") return squeeze();
    if (op_ == "unsqueeze") return unsqueeze();
    if (op_ == "view" || op_ == "_unsafe_view" || op_ == "reshape") return reshape();
    if (op_ == "expand") return expand();
    if (op_ == "split" || op_ == "split_with_sizes") return split();
    if (op_ == "unbind") return selected(axis("dim"), item_);
    return std::nullopt;
  }

 private:
  const Operand* find(std::string_view name) const { return find_operand(operands_, name); }
  const Sizes* numbers(std::string_view name) const {
    const Operand* operand = find(name);
    return operand && operand->integers ? &*operand->integers : nullptr;
  }
  SymExpr number(std::string_view name, std::int64_t missing) const {
    const Sizes* given = numbers(name);
    return given && given->size() == 1 ? given->front() : SymExpr(missing);
  }
  std::size_t rank() const { return from_->rank(); }

  std::optional<std::size_t> axis(std::string_view name) const { return axis_of(number(name, 0), rank()); }

  View permute() const {
    const Sizes* dims = numbers("dims");
    if (!dims || dims->size() != rank()) return std::nullopt;
    Layout out;
    for (const SymExpr& dim : *dims) {
      const auto at = axis_of(dim, rank());
      if (!at) return std::nullopt;
      out.sizes.push_back(from_->sizes[*at]);
      out.strides.push_back(from_->strides[*at]);
    }
    return out;
  }

  View transpose(std::optional<std::size_t> a, std::optional<std::size_t> b) const {
    if (!a || !b) return std::nullopt;
    Layout out = *from_;
    std::swap(out.sizes[*a], out.sizes[*b]);
    std::swap(out.strides[*a], out.strides[*b]);
    return out;
  }

  View without(const std::vector<bool>& dropped) const {
    Layout out;
    for (std::size_t i = 0; i < rank(); ++i) {
      if (dropped[i]) continue;
      out.sizes.push_back(from_->sizes[i]);
      out.strides.push_back(from_->strides[i]);
    }
    return out;
  }

  View select() const {
    const Sizes* given = numbers("index");
    if (!given || given->size() != 1) return std::nullopt;
    return selected(axis("dim"), given->front().constant());  // not constant: its sign is not known
  }
  View selected(std::optional<std::size_t> at, std::optional<std::int64_t> index) const {
    if (!at || !index) return std::nullopt;
    std::vector<bool> dropped(rank(), false);
    dropped[*at] = true;
    View out = without(dropped);
    out->offset = (*index < 0 ? from_->sizes[*at] + *index : SymExpr(*index)) * from_->strides[*at];
    return out;
  }

  /// As Python's slices: ends count from the back where negative and stay inside.
  static std::optional<SymExpr> inside(const SymExpr& end, const SymExpr& size) {
    const auto known = end.constant();
    if (!known) return std::nullopt;
    if (*known == 0 || *known == INT64_MAX) return *known == 0 ? SymExpr(0) : size;
    if (const auto all = size.constant())
      return SymExpr(std::clamp<std::int64_t>(*known < 0 ? *known + *all : *known, 0, *all));
    return *known < 0 ? max(size + *known, 0) : min(SymExpr(*known), size);
  }

  View slice(const SymExpr& start, const SymExpr& end, const SymExpr& step) const {
    const auto at = axis("dim");
    const auto by = step.constant();
    if (!at || !by || *by <= 0) return std::nullopt;
    const SymExpr& size = from_->sizes[*at];
    const auto first = inside(start, size);
    const auto last = end == size ? std::optional(size) : inside(end, size);
    if (!first || !last) return std::nullopt;
    const SymExpr length = *last - *first;
    Layout out = *from_;
    out.offset = *first * from_->strides[*at];
    out.sizes[*at] = floordiv((*first == SymExpr(0) ? length : max(length, 0)) + (*by - 1), *by);
    out.strides[*at] = from_->strides[*at] * *by;
    return out;
  }

  View narrow() const {
    const auto at = axis("dim");
    const Sizes* start = numbers("start");
    const Sizes* length = numbers("length");
    if (!at || !start || !length || start->size() != 1 || length->size() != 1) return std::nullopt;
    const auto first = start->front().constant();
    if (!first || *first < 0) return std::nullopt;
    return part(*at, *first, length->front());
  }
  View part(std::size_t at, const SymExpr& first, const SymExpr& length) const {
    Layout out = *from_;
    out.offset = first * from_->strides[at];
    out.sizes[at] = length;
    return out;
  }

  /// The item of a list: pieces of one size, of which the last may be smaller, or of sizes that are given.
  View split() const {
    const auto at = axis("dim");
    const Sizes* given = numbers("split_size") ? numbers("split_size") : numbers("split_sizes");
    if (!at || !given || given->empty()) return std::nullopt;
    if (find("split_size")) {
      const SymExpr first = given->front() * item_;
      return part(*at, first, min(given->front(), from_->sizes[*at] - first));
    }
    if (item_ >= std::ssize(*given)) return std::nullopt;
    const auto here = given->begin() + item_;
    return part(*at, std::accumulate(given->begin(), here, SymExpr(0)), *here);
  }

  View squeeze() const {
    const Sizes* dims = numbers("dim");
    std::vector<bool> asked(rank(), dims == nullptr);
    for (std::size_t i = 0; dims && i < dims->size(); ++i) {
      const auto at = axis_of((*dims)[i], rank());
      if (!at) return std::nullopt;
      asked[*at] = true;
    }
    for (std::size_t i = 0; i < rank(); ++i) {
      if (asked[i] && !from_->sizes[i].is_constant()) return std::nullopt;  // it may be 1
      asked[i] = asked[i] && from_->sizes[i] == SymExpr(1);
    }
    return without(asked);
  }

  View unsqueeze() const {
    const auto at = axis_of(number("dim", 0), rank() + 1);
    if (!at) return std::nullopt;
    Layout out = *from_;
    const SymExpr stride = *at < rank() ? from_->sizes[*at] * from_->strides[*at] : SymExpr(1);
    out.sizes.insert(out.sizes.begin() + static_cast<std::ptrdiff_t>(*at), SymExpr(1));
    out.strides.insert(out.strides.begin() + static_cast<std::ptrdiff_t>(*at), stride);
    return out;
  }

  /// Of what is row-major; other layouts may be views too, by rules that are not followed here.
  View reshape() const {
    const Sizes* given = numbers(op_ == "reshape" ? "shape" : "size");
    if (!given || !from_->is_contiguous()) return std::nullopt;
    Sizes sizes = *given;
    SymExpr known = 1;
    std::size_t open = sizes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == SymExpr(-1))
        open = i;
      else
        known = known * sizes[i];
    }
    if (open < sizes.size()) {
      if (known == SymExpr(0)) return std::nullopt;
      sizes[open] = floordiv(from_->elements(), known);
    }
    return contiguous(std::move(sizes));
  }

  View expand() const {
    const Sizes* given = numbers("size");
    if (!given || given->size() < rank()) return std::nullopt;
    const std::size_t more = given->size() - rank();
    Layout out;
    for (std::size_t i = 0; i < given->size(); ++i) {
      const SymExpr& wanted = (*given)[i];
      const bool kept = i >= more && (wanted == SymExpr(-1) || wanted == from_->sizes[i - more]);
      if (i >= more && !kept && from_->sizes[i - more] != SymExpr(1)) return std::nullopt;
      out.sizes.push_back(kept ? from_->sizes[i - more] : wanted);
      out.strides.push_back(kept ? from_->strides[i - more] : SymExpr(0));
    }
    return out;
  }

  std::string_view op_;
  const std::vector<Operand>& operands_;
  std::int64_t item_;
  View from_;
};

}  // namespace

std::optional<Layout> view_layout(std::string_view op, const std::vector<Operand>& operands,
                                  std::int64_t item) {
  return Views(op, operands, item).infer();
}

bool begins_with_operand(std::string_view op) {
  static const std::unordered_set<std::string_view> kOps = {
      "alias",        "detach",  "lift_fresh", "permute", "transpose", "t",          "numpy_T", "view",
      "_unsafe_view", "reshape", "expand",     "squeeze", "unsqueeze", "contiguous", "view_as", "expand_as"};
  return kOps.contains(op);
}

}  // namespace bufferproof::model::wrapper
