// `bufferproof verify`: certificates re-checked without the solver that found them. Tested by
// tests/cli/verify_test.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>

#include "checker/verify.hpp"
#include "cli/app.hpp"
#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/wording.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::vector<std::string> certificates;
  std::string residues;
};

void write_residues(const std::string& folder, const std::vector<std::string>& texts, std::size_t& next) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const std::string& text : texts) write_file(fmt::format("{}/residue-{}.smt2", folder, next++), text);
}

std::string describe(const std::string& file, const checker::Verification& result) {
  std::string out = fmt::format("{}: {} accepted, {} rejected, {} left to a solver\n", file,
                                counted(static_cast<std::size_t>(result.accepted), "proof"),
                                result.rejected.size(), result.residues.size());
  for (const std::string& text : result.rejected) out += fmt::format("  rejected: {}\n", text);
  for (const std::string& text : result.assumptions) out += fmt::format("  assumes: {}\n", text);
  return out;
}

/// 0: every proof is accepted; 1: one is rejected; 3: some are for another solver to confirm.
int verify(const Options& options, Streams streams) {
  bool rejected = false;
  bool open = false;
  std::size_t next = 0;
  for (const std::string& file : options.certificates) {
    const checker::Verification result = checker::verify(read_file(file), file);
    streams.out << describe(file, result);
    if (!options.residues.empty()) write_residues(options.residues, result.residues, next);
    rejected = rejected || !result.rejected.empty();
    open = open || !result.residues.empty();
  }
  if (rejected) return kFindings;
  return open ? kUnsupported : kClean;
}

}  // namespace

Action add_verify(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("verify", "Re-check certificates without Z3");
  command->add_option("CERTIFICATE", options->certificates, "Files that 'check --certificate' wrote")
      ->required();
  command->add_option("--residues", options->residues,
                      "Folder for what is left to a solver, as SMT-LIB files: each must be unsat");
  return [options](Streams streams) { return verify(*options, streams); };
}

}  // namespace bufferproof::cli
