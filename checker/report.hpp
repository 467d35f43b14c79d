// A witness as the finding and the run plan that users see.
#pragma once

#include "checker/check.hpp"
#include "checker/minimise.hpp"

namespace bufferproof::checker {

Refutation refutation(const model::Program& program, const World& world, const Question& question,
                      const Witness& witness);

}  // namespace bufferproof::checker
