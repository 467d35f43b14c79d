// Memory that goes to a new name after its contents were read, and is read again before any step writes it
// (C3).
//
// `buf9 = buf3; del buf3` renames a call's result, works in place or hands on memory that is done with, and
// by C3 the contents go along: reading them is no violation. What was read under the old name and is read
// again under the new one, with no write between, looks like a launch that is missing, though. Reported as a
// risk. Tested by tests/model/lower_risks_test.cpp.
#pragma once

#include <vector>

#include "model/program.hpp"

namespace bufferproof::model::lowering {

/// Of a lowered wrapper's top level. What a branch or a loop does in between is not looked into: then nothing
/// is said.
std::vector<Risk> handed_on_unwritten(const Block& body);

}  // namespace bufferproof::model::lowering
