// What a run's log says about the roads its kernels took.
//
// torch_npu prints "NAME: Tuning accuracy failed, no valid kernels found, using fallback" and "====Kernel
// compiled failed!====" followed by the kernel's name. Tested by tests/cli/runtime_log_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"

namespace bufferproof::cli {

/// Kernels of `program` that fell back by the log, sorted. `unknown`: names the log reports that the program
/// does not have (a log covers every graph of a process).
std::vector<std::string> kernels_fallen_back(std::string_view log, const model::Program& program,
                                             std::vector<std::string>& unknown);

/// Leaves each launch of a lowered program the road the log shows: the fallback for those named, for the
/// others what is not a fallback, where there is a choice.
void restrict_to_log(model::Program& lowered, const std::vector<std::string>& fallen_back);

}  // namespace bufferproof::cli
