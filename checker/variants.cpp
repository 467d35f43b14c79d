#include "checker/variants.hpp"

#include <algorithm>

namespace bufferproof::checker {

using model::Clause;
using model::Variant;

Clause whole_write(const model::Name& handle) {
  Clause clause;
  clause.kind = Clause::Kind::write;
  clause.buffer = handle;
  clause.set.whole = true;
  return clause;
}

void sort_clauses(Variant& variant) {
  auto is_read = [](const Clause& c) { return c.kind == Clause::Kind::read; };
  const auto first = std::find_if_not(variant.clauses.begin(), variant.clauses.end(), is_read);
  const bool free_order = std::all_of(first, variant.clauses.end(), [&](const Clause& c) {
    return c.kind == Clause::Kind::write && c.set.whole && !c.as_layout;
  });
  if (!free_order) return;
  std::stable_sort(first, variant.clauses.end(),
                   [](const Clause& a, const Clause& b) { return a.buffer < b.buffer; });
}

std::vector<std::vector<std::size_t>> group_equal(const std::vector<Variant>& variants) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    auto same = [&](const std::vector<std::size_t>& group) {
      const Variant& other = variants[group[0]];
      return variants[i].clauses == other.clauses && variants[i].rebinds == other.rebinds &&
             variants[i].raises == other.raises;
    };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({i});
    } else {
      found->push_back(i);
    }
  }
  return groups;
}

}  // namespace bufferproof::checker
