// Every case of tests/cases reads, with what its comments state.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/read/bufprog/reader.hpp"

namespace bufferproof::model {
namespace {

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/cases"))
    if (entry.path().extension() == ".bufprog") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

BufprogFile read_case(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return read_bufprog(text.str(), path.filename().string());
}

TEST(ReadBufprogCase, AllOfThemReadAndStateAVerdict) {
  const auto files = case_files();
  ASSERT_EQ(files.size(), 128U);
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename());
    const BufprogFile file = read_case(path);
    EXPECT_NE(file.annotations.expect_safe, !file.annotations.expectations.empty());
    EXPECT_FALSE(file.annotations.title.empty());
    EXPECT_FALSE(file.annotations.kind.empty());
    EXPECT_FALSE(file.program.body.empty());
    if (path.stem().string().ends_with("-repaired")) {
      EXPECT_TRUE(file.annotations.expect_safe);
    }
  }
}

TEST(ReadBufprogCase, ExpectationsAndSafeWhen) {
  const BufprogFile file = read_case(TESTS_DIR "/cases/42-reported.bufprog");
  const std::vector<BufprogExpectation> expected{{FindingClass::oob, "o", "BLK"},
                                                 {FindingClass::unwritten, "o", "result"}};
  EXPECT_EQ(file.annotations.expectations, expected);
  ASSERT_TRUE(file.annotations.safe_when);
  EXPECT_EQ(file.annotations.safe_when->evaluate({{"bs", 1}}), true);
  EXPECT_EQ(file.annotations.safe_when->evaluate({{"bs", 2}}), false);
}

TEST(ReadBufprogCase, ConstantsArePutIn) {
  const BufprogFile reported = read_case(TESTS_DIR "/cases/18-reported.bufprog");
  EXPECT_EQ(reported.annotations.safe_when, Cond::le(SymExpr::symbol("batch"), 1));
  ASSERT_EQ(reported.program.symbols.size(), 1U);
  EXPECT_EQ(reported.program.symbols[0].lo, 1);
  EXPECT_EQ(reported.program.symbols[0].hi, std::nullopt);
  EXPECT_EQ(reported.program.symbols[0].value, 3);
  const BufprogFile repaired = read_case(TESTS_DIR "/cases/18-repaired.bufprog");
  EXPECT_EQ(repaired.annotations.constants.at("planned"), SymExpr::symbol("batch"));
  EXPECT_EQ(std::get<Alloc>(repaired.program.body[0].node).layout->sizes[0], SymExpr::symbol("batch") * 4);
}

}  // namespace
}  // namespace bufferproof::model
