#include "model/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace bufferproof::model {

SymExpr Layout::address(const std::vector<SymExpr>& index) const {
  assert(index.size() == strides.size());
  SymExpr at = offset;
  for (std::size_t i = 0; i < index.size(); ++i) at = at + index[i] * strides[i];
  return at;
}

SymExpr Layout::extent() const {
  if (std::find(sizes.begin(), sizes.end(), SymExpr(0)) != sizes.end()) return offset;
  SymExpr last = offset + 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) last = last + (sizes[i] - 1) * strides[i];
  return last;
}

bool Layout::is_contiguous() const {
  SymExpr expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != SymExpr(1) && strides[i] != expected) return false;
    expected = expected * sizes[i];
  }
  return true;
}

std::string Layout::str() const {
  auto list = [](const std::vector<SymExpr>& values) {
    std::vector<std::string> texts;
    for (const SymExpr& value : values) texts.push_back(value.str());
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  std::string text = fmt::format("({})[{}]", list(sizes), list(strides));
  return offset == SymExpr(0) ? text : text + "+" + offset.str();
}

Layout contiguous(std::vector<SymExpr> sizes) {
  Layout out;
  out.strides.resize(sizes.size(), SymExpr(1));
  for (std::size_t i = sizes.size(); i-- > 1;) out.strides[i - 1] = out.strides[i] * sizes[i];
  out.sizes = std::move(sizes);
  return out;
}

bool same_placement(const Layout& a, const Layout& b) {
  if (a.sizes != b.sizes || a.offset != b.offset) return false;
  for (std::size_t i = 0; i < a.sizes.size(); ++i)
    if (a.sizes[i] != SymExpr(1) && a.strides[i] != b.strides[i]) return false;
  return true;
}

}  // namespace bufferproof::model
