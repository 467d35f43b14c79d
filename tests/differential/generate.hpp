// Programs for testing checker and simulator against each other.
//
// The small world is every program of one shape, addressed by index: up to three kernels, two storages,
// extents up to 4, views and strides, reuse, rebind, two streams, three roads per launch; first the bufprog
// part, then the wrapper part. Random programs are larger and depend on their seed alone. Every generated
// program is well-formed: simulating it raises nothing. Tested by tests/differential/generate_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/run_plan.hpp"

namespace bufferproof::differential {

std::uint64_t small_world_size();
/// index < small_world_size(). Neighbours differ in their last statement; to sample, stride by a large
/// number.
model::Program small_world(std::uint64_t index);

model::Program random_program(std::uint64_t seed);

/// One plan per combination of symbol values (ranges without an end are cut 8 above their start) and roads.
std::vector<model::RunPlan> all_runs(const model::Program& program);

// The parts, for those who want one dialect.
std::uint64_t small_bufprog_size();
std::string small_bufprog_text(std::uint64_t index);
std::string random_bufprog_text(std::uint64_t seed);
std::uint64_t small_wrapper_size();
model::Program small_wrapper(std::uint64_t index);
model::Program random_wrapper(std::uint64_t seed);

}  // namespace bufferproof::differential
