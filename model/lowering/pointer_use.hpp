// How a C++ or Triton kernel uses one pointer parameter, from a scan of its text (E9): is the first use a
// load or a store, is there a store at all, and are all stores at places computed from data? Tested by
// tests/model/lower_source_test.cpp.
#pragma once

#include <string_view>

#include "model/lowering/source_text.hpp"

namespace bufferproof::model::lowering {

struct PointerUse {
  bool seen = false;         ///< false: the text is not there, or does not name the parameter
  bool loads_first = false;  ///< the textually first use loads
  bool stores = false;       ///< some store goes to a place that does not depend on loaded values
  bool scatters = false;     ///< some store does, or adds atomically
  bool others = false;       ///< some use is neither a store nor plainly a load: handed to a helper, say
};

/// `text` is C++ or Triton source.
PointerUse pointer_use(std::string_view text, std::string_view parameter);

/// The use is a store: `pointer[...] = ...`, or the first argument of a function `store`.
bool is_store(std::string_view text, const PointerSite& site);

/// Inductor names every loaded value tmpN; an index that mentions one depends on data.
bool depends_on_data(std::string_view index);

}  // namespace bufferproof::model::lowering
