// Where an element of an output comes from; and the tags of whole outputs.
//
// An explanation is a chain from the output's element back to the memory at fault. A launch's result element
// rests on the operand elements its body computes it from (simulator/body/dependence.hpp); where the body
// cannot be read, on everything the launch reads. Without values the chain is a shortest one. With values
// (simulator/why/values.hpp) it follows the elements that are wrong, and ends where a wrong value comes into
// being. Tested by tests/simulator/why_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/tag_run.hpp"
#include "simulator/why/values.hpp"

namespace bufferproof::simulator {

/// How it is known that what a step wrote rests on what it read.
enum class WhyBasis : std::uint8_t {
  reads,      ///< its body cannot be read: it may rest on anything the step reads
  positions,  ///< the body computes the one from the other, whatever the values
  values      ///< ... and the values show it
};

/// One link: `step` wrote the element before, and read `buffer`.
struct WhyLink {
  std::string step;                   ///< "result" for the first link
  model::SourceLocation where;        ///< of the step
  std::string buffer;                 ///< what it read
  std::vector<std::int64_t> element;  ///< which element; empty: not known, or a buffer without axes
  std::string writer;                 ///< who wrote what was read; empty: nobody
  std::string due;                    ///< who should have written it, when it is not what the text means
  model::SourceLocation due_where;
  model::SourceLocation alloc_where;  ///< of the memory at fault
  WhyBasis basis = WhyBasis::positions;
  bool exact = true;            ///< false: the element is one of those the step may depend on
  std::optional<double> value;  ///< of the element, with values
};

struct Explanation {
  /// From the output backwards; the last link is the fault, if there is one.
  std::vector<WhyLink> links;
  bool at_fault = false;  ///< the chain ends at an unwritten or stale element
  bool unknown = false;   ///< ... or at a call whose effects are not known (E8)
  /// Of the launches on the way: reads through a handle that is not as declared (C7) or outside of it (C5).
  /// Tags say nothing of what such a read gives.
  std::vector<model::Finding> misread;
  /// With values: the wrong value came into being here; the last link's writer computed it of right operands.
  std::optional<ValueBirth> birth;
};

/// Why output[index] is what it is after the plan's last call. `values`: of this run and of the golden one,
/// or null. Raises InputError when the program returns no such name or the index is outside of it, and what
/// run_tags raises.
Explanation explain(const model::Program& program, const model::RunPlan& plan, const std::string& output,
                    const std::vector<std::int64_t>& index, const WhyValues* values = nullptr);

/// What is to be said of a way without a fault.
std::string innocent_text(const Explanation& explanation);
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
