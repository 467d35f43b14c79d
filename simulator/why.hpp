// Where an element of an output comes from, by tags alone; and the tags of whole outputs.
//
// Without values a launch counts as depending on every element it reads, so an explanation says what the
// element can rest on; the chain given is a shortest one to memory that is not what the text means. Tested by
// tests/simulator/why_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "simulator/tag_run.hpp"

namespace bufferproof::simulator {

/// One link: `step` wrote the element before, and read `buffer`.
struct WhyLink {
  std::string step;                   ///< "result" for the first link
  model::SourceLocation where;        ///< of the step
  std::string buffer;                 ///< what it read
  std::vector<std::int64_t> element;  ///< which element, when one is at fault
  std::string writer;                 ///< who wrote what was read; empty: nobody
  std::string due;                    ///< who should have written it, when it is not what the text means
  model::SourceLocation due_where;
  model::SourceLocation alloc_where;  ///< of the memory at fault
};

struct Explanation {
  /// From the output backwards; the last link is the fault, if there is one.
  std::vector<WhyLink> links;
  bool at_fault = false;  ///< the chain ends at an unwritten or stale element
  bool unknown = false;   ///< ... or at a call whose effects are not known (E8)
};

/// Why output[index] is what it is. Raises InputError when the program returns no such name or the index is
/// outside of it, and what run_tags raises.
Explanation explain(const model::Program& program, const model::RunPlan& plan, const std::string& output,
                    const std::vector<std::int64_t>& index);

/// Several lines for people.
std::string text(const Explanation& explanation);

/// Elements [first, last) of an output in row-major order, and what is known of them.
struct TagSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::string tag;  ///< "unwritten", "unknown", or the contributors' names
  friend bool operator==(const TagSpan&, const TagSpan&) = default;
};

struct OutputTags {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::vector<TagSpan> spans;
};

/// The tags of everything the program returned, in order. Raises what run_tags raises, and InputError for an
/// output of more than 2^24 elements whose tags are not uniform.
std::vector<OutputTags> output_tags(const model::Program& program, const model::RunPlan& plan);

}  // namespace bufferproof::simulator
