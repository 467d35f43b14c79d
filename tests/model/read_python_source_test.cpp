#include "model/read/python/source.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model::python {
namespace {

TEST(PythonSource, PlainFileIsOneProgramAtItsOwnPlace) {
  const auto sources = split_sources("a = 1\nb = 2\n", "w.py");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].text, "a = 1\nb = 2\n");
  EXPECT_EQ(sources[0].position(1, 4).line, 2U);
  EXPECT_EQ(sources[0].position(1, 4).column, 5U);
  EXPECT_EQ(sources[0].locate({2, 5}).str(), "w.py:2:5");
}

TEST(PythonSource, GlogPrefixIsCutAndPlacesStay) {
  const std::string prefix =
      "V0801 12:00:00.123000 1234 torch/_inductor/graph.py:2104] [0/0] [__output_code] ";
  const auto sources =
      split_sources("I0801 12:00:00.1 1234 x.py:1] [0/0] other\n" + prefix + "Output code: \n" + prefix +
                        "def call(args):\n" + prefix + "    return ()\n" + "a line of the program itself\n" +
                        prefix + "Output code written to: /x.py\n",
                    "log");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].text, "def call(args):\n    return ()\n");
  const Position at = sources[0].position(1, 4);
  EXPECT_EQ(at.line, 4U);
  EXPECT_EQ(at.column, prefix.size() + 5);
}

TEST(PythonSource, EachOutputCodeIsOneProgram) {
  const std::string prefix = "V0801 12:00:00.123000 99 torch/_inductor/graph.py:2104] [1/0] [__output_code] ";
  const auto sources = split_sources(
      prefix + "Output code: \n" + prefix + "a = 1\n" + prefix + "Output code: \n" + prefix + "b = 2\n",
      "log");
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].text, "a = 1\n");
  EXPECT_EQ(sources[1].text, "b = 2\n");
}

TEST(PythonSource, ProcessesThatPrintAtOnceAreKeptApart) {
  const auto line = [](const char* pid, const std::string& text) {
    return "V0801 12:00:00.123000 " + std::string(pid) +
           " torch/_inductor/graph.py:9] [0/0] [__output_code] " + text + "\n";
  };
  const auto sources = split_sources(line("11", "Output code: ") + line("22", "Output code: ") +
                                         line("11", "a = 1") + line("22", "b = 1") + line("11", "a = 2"),
                                     "log");
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].text, "a = 1\na = 2\n");
  EXPECT_EQ(sources[1].text, "b = 1\n");
}

TEST(PythonSource, RankPrefix) {
  const std::string prefix =
      "[rank1]:V0801 12:00:00.123000 99 torch/_inductor/graph.py:9] [0/0] [__output_code] ";
  const auto sources = split_sources(prefix + "Output code: \n" + prefix + "a = 1\n", "log");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].text, "a = 1\n");
}

TEST(PythonSource, BracketDatePrefixOfTorch21) {
  const std::string prefix = "[2023-11-01 12:00:00,123] [0/0] torch._inductor.graph.__output_code: [DEBUG] ";
  const auto sources =
      split_sources(prefix + "Output code: \n" + prefix + "\n" + prefix + "if x:\n" + prefix +
                        "    y = 1\n[2023-11-01 12:00:00,123] torch._dynamo: [DEBUG] hello\n",
                    "log");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].text, "\nif x:\n    y = 1\n");
}

TEST(PythonSource, OnlyTheFirstLineHasAPrefixInTorch20) {
  const auto sources = split_sources(
      "[2023-04-01 12:00:00,123] torch._inductor.graph: [DEBUG] Output code: \na = 1\nb = 2\n"
      "[2023-04-01 12:00:01,000] torch._inductor.compile_fx: [INFO] done\nc = 3\n",
      "log");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].text, "a = 1\nb = 2\n");
  EXPECT_EQ(sources[0].position(1, 0).line, 3U);
}

TEST(PythonSource, AFileThatOnlySpeaksOfTheArtifactIsNoLog) {
  const std::string text = "# run with TORCH_LOGS=output_code, see [__output_code]\na = 'Output code:'\n";
  const auto sources = split_sources(text, "w.py");
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].text, text);
}

}  // namespace
}  // namespace bufferproof::model::python
