#include "cli/input.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "cli/command.hpp"
#include "model/read/bufprog/reader.hpp"
#include "model/read/kernel_bodies.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20;
constexpr int kDeepestFolder = 16;
constexpr std::size_t kMostFiles = 20'000;

/// Statements of bufprog that no line of Python begins like: a word, then a name.
constexpr std::array<std::string_view, 15> kBufprogWords{"param", "buf",    "view", "layout",   "same",
                                                         "name",  "take",   "drop", "point",    "kernel",
                                                         "copy",  "signal", "wait", "hostsync", "result"};

[[noreturn]] void fail(const std::string& path, const std::string& message) { fail_option(path, message); }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// The first line that is neither blank nor a comment.
std::string_view first_statement(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line[0] != '#') return line;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return {};
}

bool begins_like_bufprog(std::string_view line) {
  const std::size_t word = std::min(line.find_first_of(" \t"), line.size());
  if (std::find(kBufprogWords.begin(), kBufprogWords.end(), line.substr(0, word)) == kBufprogWords.end())
    return false;
  const std::string_view rest = trimmed(line.substr(word));
  return !rest.empty() && (std::isalpha(static_cast<unsigned char>(rest[0])) || rest[0] == '_');
}

/// Words that begin a line of Python and no statement of bufprog.
bool begins_like_python(std::string_view line) {
  for (const std::string_view word : {"import ", "from ", "def ", "class ", "async_compile", "\"\"\"", "@"})
    if (line.starts_with(word)) return true;
  return false;
}

/// Files below a folder whose name `wanted` accepts.
void collect(const fs::path& folder, int depth, const std::function<bool(const fs::path&)>& wanted,
             std::vector<std::string>& into) {
  if (depth > kDeepestFolder) return;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored))
      collect(entry.path(), depth + 1, wanted, into);
    if (entry.is_regular_file(ignored) && wanted(entry.path().filename()))
      into.push_back(entry.path().string());
    if (into.size() > kMostFiles)
      fail(folder.string(), fmt::format("holds more than {} files to read; name a part of it", kMostFiles));
  }
  if (error) fail(folder.string(), "cannot be listed: " + error.message());
}

std::vector<std::string> files_of_folder(const std::string& path) {
  std::vector<std::string> files;
  collect(
      path, 0, [](const fs::path& name) { return name == "output_code.py"; }, files);
  std::sort(files.begin(), files.end());
  if (files.empty())
    fail(path,
         "holds no output_code.py; compile with TORCH_COMPILE_DEBUG=1 and give the torch_compile_debug "
         "folder");
  return files;
}

/// The traced graphs a folder holds of these programs' kernels: files named after their hash.
model::TracedGraphs traced_graphs(const std::string& folder, const std::vector<model::Program>& programs) {
  std::set<std::string> names;
  for (const model::Program& program : programs)
    for (const model::KernelDef& kernel : program.kernels)
      if (!kernel.traced_graph_hash.empty()) names.insert(kernel.traced_graph_hash + ".py");
  std::vector<std::string> files;
  if (!names.empty())
    collect(
        folder, 0, [&](const fs::path& name) { return names.contains(name.string()); }, files);
  model::TracedGraphs out;
  for (const std::string& file : files) out[fs::path(file).stem().string()] = {read_file(file), file};
  return out;
}

std::vector<model::Program> read_text(const InputFile& file, const model::wrapper::SchemaTable& schemas) {
  if (first_statement(file.text).empty())
    fail(file.path, "expected an output_code.py or a bufprog program, found no statement in it");
  try {
    if (detect_dialect(file.text, file.path) == model::Dialect::bufprog)
      return {model::read_bufprog(file.text, file.path).program};
    std::vector<model::Program> programs = model::wrapper::read_wrappers(file.text, file.path, schemas);
    for (model::Program& program : programs) model::read_kernel_bodies(program);
    return programs;
  } catch (const model::OverflowError& error) {
    fail(file.path, std::string("a size or index leaves 64 bits: ") + error.what());
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail(path, "no such file");
  if (!fs::is_regular_file(status)) fail(path, "expected a file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) fail(path, "cannot be read: " + error.message());
  if (size > kLargestFile) fail(path, fmt::format("is larger than {} MiB", kLargestFile >> 20));
  std::string text(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream) fail(path, "cannot be read");
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) fail(path, "cannot be written");
}

std::vector<InputFile> find_inputs(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {{path, read_file(path)}};
  std::vector<InputFile> out;
  for (const std::string& file : files_of_folder(path)) out.push_back({file, read_file(file)});
  return out;
}

model::Dialect detect_dialect(std::string_view text, std::string_view path) {
  const std::string_view line = first_statement(text);
  if (begins_like_bufprog(line)) return model::Dialect::bufprog;
  if (begins_like_python(line)) return model::Dialect::wrapper;
  return path.ends_with(".bufprog") ? model::Dialect::bufprog : model::Dialect::wrapper;
}

void declare_input_options(CLI::App& command, InputOptions& options) {
  command.add_option("--schema", options.schema, "Schemas of custom operators");
  command.add_option(
      "--graphs", options.graphs,
      "Folder with the traced graphs of fallbacks (traced_graph_cache); default: INPUT, if a folder");
}

std::vector<model::Program> read_programs(const std::string& path, const InputOptions& options) {
  model::wrapper::SchemaTable schemas = model::wrapper::SchemaTable::shipped();
  if (!options.schema.empty()) schemas.add(read_file(options.schema), options.schema);
  std::vector<model::Program> out;
  for (const InputFile& file : find_inputs(path))
    for (model::Program& program : read_text(file, schemas)) out.push_back(std::move(program));
  std::error_code ignored;
  const std::string graphs_folder =
      options.graphs.empty() && fs::is_directory(path, ignored) ? path : options.graphs;
  const model::TracedGraphs graphs =
      graphs_folder.empty() ? model::TracedGraphs{} : traced_graphs(graphs_folder, out);
  for (model::Program& program : out) {
    if (program.dialect == model::Dialect::wrapper) model::read_kernel_bodies(program, graphs);
    model::number_steps(program);
  }
  return out;
}

model::Program read_one_program(const std::string& path, const InputOptions& options) {
  std::vector<model::Program> programs = read_programs(path, options);
  if (programs.size() != 1)
    fail(path, fmt::format("holds {} programs; a run is of one of them: give its file", programs.size()));
  return std::move(programs[0]);
}

}  // namespace bufferproof::cli
