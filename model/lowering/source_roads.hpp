// The one road of a C++ or Triton kernel: what its parameter roles and its text say it does (E2, E9).
//
// The text is only scanned: per pointer parameter, is the first use a load or a store, is there a store at
// all, and are all stores at places computed from data? That is enough for E9 (an in_out buffer that is
// stored before it is loaded is not read), for an output that no line stores, and to keep scatters from being
// taken for whole writes. Beyond that the kernel is assumed well behaved. Tested by
// tests/model/lower_source_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {

/// How a kernel text uses one pointer parameter.
struct PointerUse {
  bool seen = false;         ///< false: the text is not there, or does not name the parameter
  bool loads_first = false;  ///< the textually first use loads
  bool stores = false;       ///< some store goes to a place that does not depend on loaded values
  bool scatters = false;     ///< some store does, or adds atomically
  bool others = false;       ///< some use is neither a store nor plainly a load: handed to a helper, say
};

/// `text` is C++ or Triton source.
PointerUse pointer_use(std::string_view text, std::string_view parameter);

struct SourceRoad {
  Variant road;
  std::vector<Name> outputs;  ///< empty when a scatter makes "written whole" untrue
};
SourceRoad source_road(const LaunchContext& context);

}  // namespace bufferproof::model::lowering
