// How an index set becomes a Selection: affine sets as a box, others by enumeration (C5 on the way).
//
// Tested by tests/simulator/selection_test.cpp.
#pragma once

#include <map>

#include "simulator/selection.hpp"

namespace bufferproof::simulator {

class SelectionBuilder {
 public:
  SelectionBuilder(const Handle& handle, const model::Valuation& values, const model::SourceLocation& where);
  Selection build(const model::IndexSet& set);

 private:
  using Substitution = std::map<std::string, model::SymExpr, std::less<>>;

  void whole_storage();
  void whole_handle();
  bool affine(const model::IndexSet& set);
  std::optional<Affine> compile(const model::SymExpr& e, const model::IndexSet& set) const;
  model::SymExpr known(const model::SymExpr& e) const;
  model::Cond known(const model::Cond& c) const;
  Affine address_of_axes() const;
  void check_box();
  bool element_is_outside(std::int64_t ordinal) const;
  bool in_index_order() const;
  void find_outside();
  std::optional<std::vector<std::int64_t>> least_of_searched() const;
  void clip_to_storage();
  void enumerate(const model::IndexSet& set, std::size_t variable);
  void add_element(const model::IndexSet& set);
  void append(Run run);

  const Handle& handle_;
  const model::Valuation& values_;
  const model::SourceLocation& where_;
  Substitution substitution_;
  Selection out_;
  Affine address_;              ///< of a box, over its variables
  model::Valuation variables_;  ///< while enumerating
  std::int64_t enumerated_ = 0;
};

}  // namespace bufferproof::simulator
