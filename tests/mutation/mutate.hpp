// Faults planted into lowered wrapper programs: each mutant differs from the program in one place, where a
// compiler or runtime fault of the bug collections would sit.
//
// A mutant breaks the contract of a launch (`Launch::outputs` still says what should happen) or the order and
// memory around it. Not every mutant is wrong: an output nobody reads may be dropped. Which ones are
// equivalent, exhaustive runs of the simulator show. Tested by tests/model/mutate_test.cpp and
// tests/simulator/mutant_run_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/program.hpp"

namespace bufferproof::mutation {

enum class Kind {
  drop_output,          ///< no road delivers one output (E6)
  slice_output,         ///< the first road leaves the last row unwritten (C1)
  floor_for_ceil,       ///< the first road covers whole tiles only: floor(size / tile) of them
  wrong_stride,         ///< the first road stores with another stride (E2)
  rebind_through_view,  ///< every road moves a view of the output instead of writing (E4)
  reuse_too_early,      ///< the output takes over memory that is read later (C3, C6)
  missing_event,        ///< a wait is removed; or, without events, a launch moves to another stream (C4)
  swap_input_output,    ///< the kernel gets an input and an output in each other's place
  swap_outputs,         ///< a launch delivers into an earlier output, of another shape
  change_dtype,         ///< every road delivers another element type (C7)
};
std::string name(Kind kind);
const std::vector<Kind>& all_kinds();

struct Mutant {
  Kind kind = Kind::drop_output;
  std::string description;  ///< "drop_output: mlir_fused_relu_1 (line 40): buf5"
  model::Program program;
};

/// At most `most_per_kind` mutants of each kind, sites chosen by `seed`; in order of kind, then site.
/// `lowered` has variants at every launch; sites are launches of its outermost block with declared outputs.
/// Kernel texts are left out of the copies.
std::vector<Mutant> mutants(const model::Program& lowered, std::uint64_t seed, std::size_t most_per_kind = 8);

}  // namespace bufferproof::mutation
