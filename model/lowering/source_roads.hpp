// The one road of a C++ or Triton kernel: what its parameter roles and its text say it does (E2, E9).
//
// The text is only scanned (pointer_use.hpp, source_touch.hpp). That is enough for E9 (an in_out buffer that
// is stored before it is loaded is not read), for an output that no line stores, to keep scatters from being
// taken for whole writes, and, where loops and indices are numbers, for buffers that are smaller than what
// the kernel was compiled for or larger than what it stores. Beyond that the kernel is assumed well behaved.
// Tested by tests/model/lower_source_test.cpp.
#pragma once

#include <vector>

#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {

struct SourceRoad {
  Variant road;
  std::vector<Name> outputs;  ///< empty when a scatter makes "written whole" untrue
};
SourceRoad source_road(const LaunchContext& context);

}  // namespace bufferproof::model::lowering
