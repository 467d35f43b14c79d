// From a path on the command line to programs; which reader is decided by content, not by name.
//
// A folder stands for every output_code.py below it. Bounded: file size, folder depth, number of files.
// Tested by tests/cli/input_test.cpp and bad_input_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.hpp"

namespace CLI {
class App;
}

namespace bufferproof::cli {

/// One file's text.
struct InputFile {
  std::string path;
  std::string text;
};

/// The file itself, or all output_code.py of a folder in the order of their paths. Raises InputError.
std::vector<InputFile> find_inputs(const std::string& path);

/// Reads a whole text file. Raises InputError when it is missing, no file, or larger than 256 MiB.
std::string read_file(const std::string& path);

/// Raises InputError when it cannot be written.
void write_file(const std::string& path, const std::string& text);

/// What the text is: a bufprog program says so by its first statement, a file named *.bufprog by its name
/// when its text does not say; everything else is Python.
model::Dialect detect_dialect(std::string_view text, std::string_view path);

/// What helps to read programs.
struct InputOptions {
  std::string schema;  ///< file with schemas of custom operators; empty: none
  std::string
      graphs;  ///< folder with the traced graphs of fallbacks; empty: the input itself, if it is a folder
};

/// --schema and --graphs.
void declare_input_options(CLI::App& command, InputOptions& options);

/// The programs of an INPUT argument: several for a folder or a log; kernel texts are read. Raises
/// InputError; none is returned empty.
std::vector<model::Program> read_programs(const std::string& path, const InputOptions& options = {});
/// The same for a command that runs one program. Raises InputError when there are several.
model::Program read_one_program(const std::string& path, const InputOptions& options);

}  // namespace bufferproof::cli
