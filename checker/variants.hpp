// Comparing the roads of a launch: those that do the same are one road to the checker.
//
// Tested by tests/checker/variants_test.cpp.
#pragma once

#include "model/program.hpp"

namespace bufferproof::checker {

/// must-write of every element of a handle.
model::Clause whole_write(const model::Name& handle);

/// Writes of whole, distinct outputs in the order of their names where they follow every read: their order is
/// free.
void sort_clauses(model::Variant& variant);

/// Indices of variants with equal clauses, rebinds and raising, grouped; groups and members ascending.
std::vector<std::vector<std::size_t>> group_equal(const std::vector<model::Variant>& variants);

}  // namespace bufferproof::checker
