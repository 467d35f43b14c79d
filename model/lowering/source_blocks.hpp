// The loops and conditions around a place in C++ text: which blocks enclose it, and what their heads say.
//
// Tested by tests/model/source_touch_test.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace bufferproof::model::lowering {

struct SourceBlock {
  enum class Kind : unsigned char {
    loop,   ///< `head` is what stands in the brackets of `for (...)`
    guard,  ///< that of `if (...)`
    other,  ///< else, while, a lambda, ...: whether and how often it runs is not known
  };
  Kind kind = Kind::other;
  std::string_view head;
  std::size_t open = 0;
  std::size_t close = 0;  ///< [open, close) of the text
};

/// Every loop, condition and unknown block of a kernel's body; plain `{ }` are left out. Those without an end
/// reach to the text's.
std::vector<SourceBlock> source_blocks(std::string_view text);

/// Those around a position, outermost first.
std::vector<SourceBlock> around(const std::vector<SourceBlock>& blocks, std::size_t at);

}  // namespace bufferproof::model::lowering
