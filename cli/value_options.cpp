#include "cli/value_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/wording.hpp"
#include "kernels_ref/io/npz.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "model/near_name.hpp"
#include "simulator/evaluate.hpp"

namespace bufferproof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 20'000;

/// The tensor files of a folder, in the order of their names; the file itself otherwise.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".npy" || ending == ".npz") out.push_back(entry.path().string());
    if (out.size() > kMostFiles)
      fail_option(path, fmt::format("holds more than {} tensor files", kMostFiles));
  }
  if (error) fail_option(path, "cannot be listed: " + error.message());
  if (out.empty()) fail_option(path, "holds no .npy and no .npz file");
  std::sort(out.begin(), out.end());
  return out;
}

void collect_inputs(const model::Block& block, std::vector<DeclaredInput>& into) {
  for (const model::Step& step : block) {
    if (const auto* alloc = std::get_if<model::Alloc>(&step.node); alloc && alloc->init == model::Init::input)
      into.push_back({alloc->name.str(), alloc->dtype, alloc->layout, step.where});
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_inputs(branch->then_block, into);
      collect_inputs(branch->else_block, into);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_inputs(loop->body, into);
  }
}

std::string type_text(model::DType dtype, const kernels::Sizes& sizes) {
  return fmt::format("{} {}", model::name(dtype), kernels::format_sizes(sizes));
}

void check_tensor(const std::string& name, const kernels::Tensor& tensor, const DeclaredInput& input,
                  const model::Valuation& call) {
  if (!input.layout || !input.dtype) return;  // the run itself says what it cannot do
  const kernels::Sizes sizes = simulator::evaluate_shape(*input.layout, call, input.where).sizes;
  if (tensor.dtype() == *input.dtype && tensor.sizes() == sizes) return;
  const bool symbolic = std::any_of(input.layout->sizes.begin(), input.layout->sizes.end(),
                                    [](const model::SymExpr& size) { return !size.constant(); });
  throw model::InputError(input.where, type_text(*input.dtype, sizes) + " for input " + name,
                          type_text(tensor.dtype(), tensor.sizes()) + " in --tensors",
                          symbolic ? "--size sets the program's symbols" : "");
}

}  // namespace

void declare_seed_option(CLI::App& command, std::uint64_t& seed) {
  const auto is_seed = [](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? "" : "expected a whole number from 0 to 2^64 - 1, found '" + text + "'";
  };
  command.add_option("--seed", seed, "What inputs that are not given are generated from")->check(is_seed, "");
}

void declare_value_options(CLI::App& command, ValueOptions& options) {
  command.add_option("--tensors", options.tensors, "Inputs by name: .npz or .npy files, or a folder of them");
  command.add_option("--out", options.out, "Write the outputs to this .npz");
  command.add_option("--numerics", options.numerics,
                     "Arithmetic: ieee-f32, ascend-a2, ascend-a2-no-hf32 or f64");
  declare_seed_option(command, options.seed);
}

const kernels::NumericsProfile& numerics_of(const ValueOptions& options) {
  std::vector<std::string> names;
  for (const kernels::NumericsProfile& profile : kernels::numerics_profiles()) {
    if (profile.name == options.numerics) return profile;
    names.emplace_back(profile.name);
  }
  fail_option("--numerics", fmt::format("no numerics profile is named '{}'; {}", options.numerics,
                                        model::name_hint(options.numerics, names)));
}

Tensors read_tensor_files(const std::vector<std::string>& paths) {
  Tensors out;
  for (const std::string& path : paths)
    for (const std::string& file : files_of(path))
      for (auto& [name, tensor] : kernels::read_tensors(file))
        if (!out.emplace(name, std::move(tensor)).second)
          fail_option(file, fmt::format("holds tensor '{}', which an earlier file holds too", name));
  return out;
}

std::vector<DeclaredInput> inputs_of(const model::Program& program) {
  std::vector<DeclaredInput> out;
  collect_inputs(program.body, out);
  return out;
}

void check_tensors(const Tensors& tensors, const std::vector<DeclaredInput>& inputs,
                   const model::RunPlan& plan) {
  std::vector<std::string> names;
  for (const DeclaredInput& input : inputs) names.push_back(input.name);
  for (const auto& [name, tensor] : tensors) {
    const auto input = std::find_if(inputs.begin(), inputs.end(),
                                    [&, name = name](const DeclaredInput& i) { return i.name == name; });
    if (input == inputs.end())
      fail_option("--tensors",
                  fmt::format("the program has no input '{}'; {}", name, model::name_hint(name, names)));
    for (const model::Valuation& call : plan.calls) check_tensor(name, tensor, *input, call);
  }
}

std::string inputs_text(const Tensors& tensors, const std::vector<DeclaredInput>& inputs,
                        std::uint64_t seed) {
  const std::size_t generated = inputs.size() - std::min(inputs.size(), tensors.size());
  std::string out = tensors.empty() ? "" : counted(tensors.size(), "input") + " given";
  if (generated > 0)
    out += fmt::format("{}{} generated from seed {}", out.empty() ? "" : ", ",
                       out.empty() ? counted(generated, "input") : std::to_string(generated), seed);
  return out.empty() ? "no inputs" : out;
}

void check_out(const std::string& path) {
  if (path.empty()) return;
  if (!path.ends_with(".npz")) fail_option("--out", fmt::format("expected a file *.npz, found '{}'", path));
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    fail_option("--out", fmt::format("there is no folder '{}'", folder.string()));
}

}  // namespace bufferproof::cli
