// What the comments of a case state: "#expect", "#safe-when", "# kind:".
//
// Tested by tests/model/read_bufprog_case_test.cpp.
#pragma once

#include "model/read/bufprog/lines.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::model::bufprog {

/// Fills everything but `constants`, which "#safe-when" is read with.
void read_annotations(const std::vector<Line>& comments, const std::shared_ptr<const std::string>& file,
                      BufprogAnnotations& annotations);

}  // namespace bufferproof::model::bufprog
