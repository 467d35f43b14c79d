// What a user asks of a run with values: tensors, arithmetic, seed, where outputs go.
//
// Given tensors are held against the program's inputs before anything runs. Tested by
// tests/cli/value_options_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"
#include "model/program.hpp"
#include "model/run_plan.hpp"

namespace CLI {
class App;
}

namespace bufferproof::cli {

struct ValueOptions {
  std::vector<std::string> tensors;  ///< .npz or .npy files, or folders of them
  std::string out;                   ///< .npz
  std::string numerics = "ieee-f32";
  std::uint64_t seed = 0;
};

/// --seed: 0 to 2^64 - 1.
void declare_seed_option(CLI::App& command, std::uint64_t& seed);
/// --tensors, --out, --numerics, --seed.
void declare_value_options(CLI::App& command, ValueOptions& options);

/// Raises InputError naming the nearest profile.
const kernels::NumericsProfile& numerics_of(const ValueOptions& options);

using Tensors = std::map<std::string, kernels::Tensor>;

/// Every tensor of the files and folders, by name. Raises InputError: unreadable, a name twice, a folder
/// without tensors.
Tensors read_tensor_files(const std::vector<std::string>& paths);

/// One input of a program, as it is declared.
struct DeclaredInput {
  std::string name;
  std::optional<model::DType> dtype;
  std::optional<model::Layout> layout;
  model::SourceLocation where;
};
std::vector<DeclaredInput> inputs_of(const model::Program& program);

/// Raises InputError when a tensor is no input of the program (naming the nearest), or has another shape or
/// element type than one call of the plan needs.
void check_tensors(const Tensors& tensors, const std::vector<DeclaredInput>& inputs,
                   const model::RunPlan& plan);

/// "2 inputs given, 60 generated from seed 0"
std::string inputs_text(const Tensors& tensors, const std::vector<DeclaredInput>& inputs, std::uint64_t seed);

/// Raises InputError unless the name ends in .npz and its folder exists.
void check_out(const std::string& path);

}  // namespace bufferproof::cli
