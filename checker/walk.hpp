// The symbolic walk: one pass over the steps, from names and handles to accesses on storages.
//
// Tested by tests/checker (every case goes through it).
#pragma once

#include "checker/world.hpp"

namespace bufferproof::checker {

/// `body` is unrolled and numbered (checker/unroll.hpp). `ranges` holds the program's symbols.
World walk(const model::Program& program, const model::Block& body, const Ranges& ranges);

/// Work is issued to more than one stream, or to streams whose names depend on symbols.
bool several_streams(const model::Block& body);

}  // namespace bufferproof::checker
