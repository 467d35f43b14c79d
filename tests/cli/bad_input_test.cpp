// Every way an input can be wrong: one message, exit 2, nothing printed as a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BadInput : public ::testing::Test {
 protected:
  /// `show` reads as every command does, and does nothing more.
  void expect_refused(const std::string& path, const std::string& message) {
    const CliResult result = call({"show", path});
    EXPECT_EQ(result.code, kBadInput) << path;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
    EXPECT_LT(result.err.size(), 600U) << "one message";
  }
  TemporaryFolder folder_;
};

TEST_F(BadInput, MissingFile) { expect_refused(folder_.path("nothing.py"), "no such file"); }

TEST_F(BadInput, EmptyFile) {
  expect_refused(folder_.write("e.py", "\n# only a comment\n"), "no statement in it");
}

TEST_F(BadInput, FolderWithoutPrograms) {
  folder_.write("run_1/torchinductor/readme.txt", "x");
  expect_refused(folder_.path("run_1"), "holds no output_code.py");
}

TEST_F(BadInput, DeviceInsteadOfFile) { expect_refused("/dev/zero", "expected a file"); }

TEST_F(BadInput, UnknownStatement) {
  expect_refused(folder_.write("u.bufprog", "buf x[4] input\nfrobnicate x\n"), "u.bufprog:2:1");
}

TEST_F(BadInput, TruncatedBufprog) {
  expect_refused(folder_.write("t.bufprog", "buf x[4] input\nkernel K: read x[0:"), "t.bufprog:2:");
}

TEST_F(BadInput, SizesThatOverflow) {
  expect_refused(folder_.write("o.bufprog", "buf x[99999999999999999999] input\n"), "o.bufprog:1:");
  expect_refused(folder_.write("p.bufprog", "buf x[9223372036854775807*9223372036854775807] input\n"),
                 "p.bufprog");
}

TEST_F(BadInput, RecursionBomb) {
  const std::string deep(200'000, '(');
  expect_refused(folder_.write("r.bufprog", "buf x[" + deep + "1] input\n"), "r.bufprog:1:");
}

TEST_F(BadInput, BlocksNestedTooDeep) {
  std::string text = "buf x[4] input\n";
  for (int i = 0; i < 10'000; ++i) text += std::string(i, ' ') + "loop i" + std::to_string(i) + "<2:\n";
  expect_refused(folder_.write("n.bufprog", text), "n.bufprog:");
}

TEST_F(BadInput, LineOfAHundredMegabytes) {
  expect_refused(
      folder_.write("l.bufprog", "buf x[4] input\nkernel K: read x[0:4]" + std::string(100'000'000, ' ')),
      "l.bufprog");
}

TEST_F(BadInput, WrapperWrittenInCpp) {
  const std::string text =
      "from torch._inductor.codecache import CppWrapperCodeCache\n"
      "inductor_entry = CppWrapperCodeCache.load_pybinding([], '')\n";
  expect_refused(folder_.write("w.py", text), "TORCHINDUCTOR_CPP_WRAPPER=0");
}

TEST(BadOption, ValuesThatMeanNothing) {
  const std::string file = example_case("38-reported");
  const std::vector<std::vector<std::string>> calls{{"check", file, "--timeout", "nan"},
                                                    {"check", file, "--timeout", "inf"},
                                                    {"simulate", file, "--size", "n=3", "--size", "n=4"},
                                                    {"simulate", file, "--size", "n=3,4"},
                                                    {"simulate", file, "--size", "n=3,4,5", "--calls", "2"},
                                                    {"simulate", file, "--fault", "K:0[3:3]"},
                                                    {"simulate", file, "--fault", "K:0[-1:3]"},
                                                    {"golden", file, "--seed", "-1"},
                                                    {"golden", file, "--seed", "18446744073709551616"},
                                                    {"simulate", file, "--memory", "random:-1"}};
  for (const std::vector<std::string>& arguments : calls) {
    const CliResult result = call(arguments);
    EXPECT_EQ(result.code, kBadInput) << arguments[2] << " " << arguments[3];
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(arguments[2]));
  }
}

TEST(BadOption, FaultsOnARoadThatHandsItsResultsOverWhole) {
  const TemporaryFolder folder;
  const std::string file = folder.write("chain.py", chain_wrapper());
  const std::vector<std::string> run{"simulate",         file,      "--runtime",
                                     "torch_npu-26.0.0", "--fault", "mlir_fused_add_0:0[1:2,0:1]"};
  EXPECT_EQ(call(run).code, kFindings) << "tuned, it stores";
  std::vector<std::string> moved = run;
  moved.insert(moved.end(), {"--fallback", "mlir_fused_add_0"});
  const CliResult result = call(moved);
  EXPECT_EQ(result.code, kBadInput) << result.out;
  EXPECT_THAT(result.err, HasSubstr("hands its results over whole"));
}

/// A finding whose run the program does not have is neither shown nor a fault of the engines.
TEST(BadProgram, WhatNoRunCanConfirmIsUnsupported) {
  const TemporaryFolder folder;
  const std::string divides =
      folder.write("d.bufprog", "param n = 1 in 0..4\nbuf b[4] uninit\nkernel K: write b[1//n]\n");
  const CliResult result = call({"check", divides});
  EXPECT_EQ(result.code, kUnsupported) << result.out;
  EXPECT_THAT(result.out, HasSubstr("cannot be carried out"));
  EXPECT_EQ(call({"check", divides, "--assume", "n >= 1"}).code, kClean);
}

TEST(Dialect, IsDecidedByContent) {
  EXPECT_EQ(detect_dialect("# c\n\nparam n = 5 in 1..8\n", "x.py"), model::Dialect::bufprog);
  EXPECT_EQ(detect_dialect("from ctypes import c_void_p\n", "x.bufprog"), model::Dialect::wrapper);
  EXPECT_EQ(detect_dialect("name = 3\n", "x.py"), model::Dialect::wrapper);
  EXPECT_EQ(detect_dialect("bfu x[4]\n", "x.bufprog"), model::Dialect::bufprog);
  EXPECT_EQ(detect_dialect("V0101 12:00 [__output_code] # AOT ID\n", "log.txt"), model::Dialect::wrapper);
}

TEST(Folder, EveryProgramBelowIsFoundInOrder) {
  const TemporaryFolder folder;
  folder.write("run_2/torchinductor/model__1/output_code.py", "b");
  folder.write("run_1/torchinductor/model__0/output_code.py", "a");
  folder.write("run_1/torchinductor/model__0/fx_graph_readable.py", "no");
  const auto files = find_inputs(folder.path());
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].text, "a");
  EXPECT_EQ(files[1].text, "b");
}

}  // namespace
}  // namespace bufferproof::cli
