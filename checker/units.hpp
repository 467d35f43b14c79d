// One unit of address per storage where elements of different sizes meet (S1: memory pools, view.dtype).
//
// Names that may share a storage, by views, renames and rebinding, form a family; its unit is the greatest
// common divisor of their element sizes, and an element of a handle is `scale` consecutive units. Tested by
// tests/checker/units_test.cpp.
#pragma once

#include <map>
#include <string>

#include "model/program.hpp"

namespace bufferproof::checker {

class Units {
 public:
  explicit Units(const model::Block& block);
  /// Units per element of a handle of that name and type; 1 where only one element size occurs.
  std::int64_t scale(const std::string& name, std::optional<model::DType> dtype) const;

 private:
  void visit(const model::Block& block);
  void size(const std::string& name, std::optional<model::DType> dtype);
  void join(const std::string& a, const std::string& b);
  std::string root(std::string name) const;

  std::map<std::string, std::string> parent_;
  std::map<std::string, std::int64_t> unit_;  ///< by root: gcd so far
  std::map<std::string, bool> mixed_;         ///< by root: more than one size
};

/// The layout in units: each element an innermost axis of `scale` units.
model::Layout in_units(const model::Layout& layout, std::int64_t scale);

}  // namespace bufferproof::checker
