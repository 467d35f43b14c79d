// How far from a pointer a C++ or Triton kernel goes, from the loops and indices of its text (C5, E1).
//
// Both numbers count elements of the pointer from where it points. They are known of texts whose loops,
// guards and indices are numbers; sizes that come as arguments, helpers and indices computed from data leave
// them open. Tested by tests/model/source_touch_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/lowering/index_text.hpp"

namespace bufferproof::model::lowering {

struct Touched {
  std::int64_t reaches = 0;   ///< every run touches element reaches - 1; 0: none is certain to be touched
  bool stores_there = false;  ///< and stores it
  std::optional<Range>
      stored;  ///< no store goes elsewhere, hi < lo: none runs; nullopt: not known, or none at all
  std::optional<Range> loaded;  ///< the same of loads
};

/// Numbers that the launch gives for parameters: xnumel, ks0.
using Scalars = std::map<std::string, std::int64_t, std::less<>>;

/// `text` is C++ or Triton source without its comments (code_only).
Touched touched(std::string_view text, std::string_view parameter, const Scalars& scalars = {});

}  // namespace bufferproof::model::lowering
