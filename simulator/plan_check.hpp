// What a RunPlan says, checked against the program it is for.
//
// Tested by tests/simulator/plan_test.cpp.
#pragma once

#include "model/program.hpp"
#include "model/run_plan.hpp"
#include "simulator/handles.hpp"

namespace bufferproof::simulator {

/// Values of all symbols for one call: the plan's, else the symbol's own. Raises InputError: no value,
/// outside the range, a name that is no symbol.
model::Valuation call_values(const model::Program& program, const model::Valuation& given);

/// Raises InputError for a choice, variant, or fault that names nothing in the program.
void check_plan(const model::Program& program, const model::RunPlan& plan);

/// The road this launch takes: the plan's for its choice, else the first.
const model::Variant& chosen_variant(const model::Launch& launch, const model::RunPlan& plan,
                                     const model::SourceLocation& where);

/// The elements a fault leaves out. Raises InputError when the region does not fit the output.
model::IndexSet fault_region(const model::Fault& fault, const Shape& output,
                             const model::SourceLocation& where);

/// "mlir_fused_0=fallback, s0=2": what is special about this run; empty when nothing is.
std::string path_text(const model::RunPlan& plan, const model::Valuation& given);

}  // namespace bufferproof::simulator
