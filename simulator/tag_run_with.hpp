// run_tags with a say in how each call is run: explanations look at the state it leaves.
#pragma once

#include <functional>

#include "simulator/run_state.hpp"

namespace bufferproof::simulator {

/// `run_call` gets the prepared state of one call and runs it.
TagTrace run_tags_with(const model::Program& program, const model::RunPlan& plan,
                       const std::function<void(RunState&)>& run_call);

}  // namespace bufferproof::simulator
