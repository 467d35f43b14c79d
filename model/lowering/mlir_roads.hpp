// The roads of an MLIR, import_fx or AKG kernel: the compiled kernel and the FX fallback (E2..E7, E11).
//
// The last num_outputs arguments are outputs; nothing else in the call says so. Where a body is readable the
// roads follow it, else the kernel is assumed well behaved and the assumption is listed. Tested by
// tests/model/lower_test.cpp and lower_body_test.cpp.
#pragma once

#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {

/// Names of the declared outputs; empty when the call has fewer arguments than outputs or a number among
/// them.
std::vector<Name> mlir_outputs(const KernelDef& kernel, const Launch& launch);

/// At least one road; `context.outputs` are set. `tuned` is what the compiled text says, `fallback` what the
/// FX graph says.
std::vector<Variant> mlir_roads(const LaunchContext& context, const std::optional<BodyFacts>& tuned,
                                const std::optional<BodyFacts>& fallback);

}  // namespace bufferproof::model::lowering
