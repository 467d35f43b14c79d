// Parts of statements: names with holes, index sets, producers.
//
// "F{i}{j}", "b[0:4, i]", "b{2*i + 1 | i<n, j<m ; i != j}", "from A|B", "from A&B", "from =A&B".
// Tested by tests/model/read_bufprog_access_test.cpp.
#pragma once

#include "model/program.hpp"
#include "model/read/bufprog/cursor.hpp"
#include "model/read/bufprog/scope.hpp"

namespace bufferproof::model::bufprog {

/// `what` is told to the user when no name stands here.
Name parse_name(Cursor& cursor, const Scope& scope, const std::string& what);

struct Access {
  Name buffer;
  IndexSet set;
};

/// A name and the elements meant. Variables of the set are named "$0", "$i": no name of the text is spelled
/// so.
Access parse_access(Cursor& cursor, Scope& scope);

/// `from ...` if it stands here, else any producer.
From parse_from(Cursor& cursor, const Scope& scope);

}  // namespace bufferproof::model::bufprog
