// Short ways to run bufprog text and to say what was found.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "model/read/bufprog/reader.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::simulator {

/// "CLASS buffer at reader"
inline std::string spell(const model::Finding& f) {
  return std::string(model::name(f.kind)) + " " + f.buffer + " at " + f.reader;
}

inline std::set<std::string> findings(const TagTrace& trace) {
  std::set<std::string> out;
  for (const model::Finding& f : trace.findings) out.insert(spell(f));
  return out;
}

inline TagTrace run_text(const std::string& text, const model::Valuation& values = {}) {
  model::RunPlan plan;
  plan.calls = {values};
  return run_tags(model::read_bufprog(text, "test.bufprog").program, plan);
}

/// What running the text finds, as a set of "CLASS buffer at reader".
inline std::set<std::string> found(const std::string& text, const model::Valuation& values = {}) {
  return findings(run_text(text, values));
}

using Found = std::set<std::string>;

inline std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/cases"))
    if (entry.path().extension() == ".bufprog") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline model::BufprogFile read_case(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return model::read_bufprog(text.str(), path.filename().string());
}

}  // namespace bufferproof::simulator
