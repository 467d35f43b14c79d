// A wrapper of three kernels, lowered: x -> b1 -> b2, then (b1, b2) -> b3 on a smaller shape; b3 and b2 are
// returned.
#pragma once

#include "model/lower.hpp"

namespace bufferproof::mutation {

inline model::Program small_wrapper(const char* profile) {
  using namespace model;
  Program program;
  program.dialect = Dialect::wrapper;
  const auto add = [&](decltype(Step::node) node) {
    program.body.emplace_back();
    program.body.back().where.line = static_cast<int>(program.body.size());
    program.body.back().node = std::move(node);
  };
  const auto kernel = [&](const char* name, std::vector<const char*> arguments) {
    const int definition = static_cast<int>(program.kernels.size());
    program.kernels.push_back(
        {.name = name, .kind = KernelKind::mlir_auto_fallback, .num_outputs = 1, .num_call_functions = 2});
    Launch launch{.kernel = name, .definition = definition, .stream = "stream0"};
    for (const char* argument : arguments) launch.arguments.push_back({.handle = argument});
    add(launch);
  };
  add(Alloc{"x", DType::f32, contiguous({8, 5}), Init::input});
  add(Alloc{"b1", DType::f32, contiguous({8, 5})});
  kernel("k1", {"x", "b1"});
  add(Alloc{"b2", DType::f32, contiguous({8, 5})});
  kernel("k2", {"b1", "b2"});
  add(Alloc{"b3", DType::f32, contiguous({4, 5})});
  kernel("k3", {"b1", "b2", "b3"});
  IndexSet all;
  all.whole = true;
  Return result{.after_everything = false, .stream = "stream0"};
  result.items = {{"b3", all, From{From::Kind::intended, {}}}, {"b2", all, From{From::Kind::intended, {}}}};
  add(result);
  program = lower(program, *find_profile(profile));
  number_steps(program);
  return program;
}

}  // namespace bufferproof::mutation
