// Which symbols steps mention: sizes, conditions, counts, holes of names. Bound variables are left out.
//
// Tested by tests/checker/repeat_test.cpp.
#pragma once

#include <set>
#include <span>
#include <string>

#include "model/program.hpp"

namespace bufferproof::checker {

std::set<std::string> symbols_of(std::span<const model::Step> steps);

}  // namespace bufferproof::checker
