// Small bufprog programs (tests/programs) whose verdicts were derived by hand from the contract: every rule,
// several faults at once, thresholds in symbolic sizes.
//
// "#expect" is what one run at the given values finds, exactly; "#safe-when" for which sizes there is nothing
// to find. A disagreement of the engines would be exit code 70.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "model/read/bufprog/reader.hpp"
#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;
using Found = std::set<std::string>;

std::vector<std::string> programs() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/programs"))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

model::BufprogAnnotations notes_of(const std::string& path) {
  std::ifstream file(path);
  return model::read_bufprog(std::string(std::istreambuf_iterator<char>(file), {}), path).annotations;
}

/// The text of the condition, as its author wrote it.
std::string condition_of(const std::string& path) {
  std::ifstream file(path);
  const std::string key = "#safe-when ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return "";
}

Found found(const json& report) {
  Found out;
  for (const json& f : report["findings"])
    out.insert(f["class"].get<std::string>() + " " + f["buffer"].get<std::string>() + " at " +
               f["reader"].get<std::string>());
  return out;
}

class Programs : public testing::TestWithParam<std::string> {
 protected:
  const std::string path_ = TESTS_DIR "/programs/" + GetParam();
  const model::BufprogAnnotations notes_ = notes_of(path_);
};

TEST_P(Programs, OneRunFindsWhatIsExpected) {
  Found expected;
  for (const auto& e : notes_.expectations)
    expected.insert(std::string(model::name(e.kind)) + " " + e.buffer + " at " + e.reader);
  const CliResult result = call({"simulate", path_, "--format", "json"});
  EXPECT_EQ(found(json::parse(result.out)), expected);
  EXPECT_EQ(result.code, expected.empty() ? 0 : 1);
}

TEST_P(Programs, TheVerdictIsTheOneDerivedByHand) {
  const bool safe = notes_.safe_when ? notes_.safe_when->is_true() : notes_.expect_safe;
  const CliResult result = call({"check", path_, "--format", "json"});
  ASSERT_EQ(result.code, safe ? 0 : 1) << result.out << result.err;
  const Found all = found(json::parse(result.out));
  for (const auto& e : notes_.expectations)
    EXPECT_TRUE(all.contains(std::string(model::name(e.kind)) + " " + e.buffer + " at " + e.reader));
}

TEST_P(Programs, UnderTheConditionDerivedByHandItIsProved) {
  if (!notes_.safe_when || notes_.safe_when->is_true() || notes_.safe_when->is_false()) return;
  const CliResult result = call({"check", path_, "--assume", condition_of(path_)});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
}

INSTANTIATE_TEST_SUITE_P(ByHand, Programs, testing::ValuesIn(programs()), [](const auto& one) {
  std::string name = one.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace bufferproof::cli
