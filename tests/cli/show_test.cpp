#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Show, TextReadsBack) {
  const TemporaryFolder folder;
  const CliResult first = call({"show", example_case("01-reported")});
  ASSERT_EQ(first.code, kClean) << first.err;
  EXPECT_THAT(first.out, HasSubstr("point arg -> t"));
  const CliResult second = call({"show", folder.write("again.bufprog", first.out)});
  EXPECT_EQ(second.out, first.out);
}

TEST(Show, GraphIsDot) {
  const CliResult result = call({"show", "--format", "dot", example_case("01-reported")});
  EXPECT_EQ(result.code, kClean);
  EXPECT_THAT(result.out, StartsWith("digraph bufferproof {\n"));
  EXPECT_THAT(result.out, HasSubstr("label=\"CONV2"));
}

TEST(Show, JsonParses) {
  const auto json =
      nlohmann::json::parse(call({"show", "--format", "json", example_case("01-reported")}).out);
  EXPECT_EQ(json["dialect"], "bufprog");
  EXPECT_FALSE(json["steps"].empty());
}

TEST(Runtimes, TextAndJsonNameEveryProfile) {
  const CliResult text = call({"runtimes"});
  EXPECT_EQ(text.code, kClean);
  const auto json = nlohmann::json::parse(call({"runtimes", "--format", "json"}).out);
  ASSERT_GE(json["runtimes"].size(), 5U);
  for (const auto& profile : json["runtimes"])
    EXPECT_THAT(text.out, HasSubstr(profile["name"].get<std::string>()));
  EXPECT_THAT(text.out, HasSubstr("as-reported  (hypothetical)"));
}

TEST(Usage, MistakesExitWithTwoAndAHint) {
  EXPECT_EQ(call({}).code, kBadInput);
  const CliResult unknown = call({"sho"});
  EXPECT_EQ(unknown.code, kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean show?"));
  const CliResult option = call({"show", "--no-such", "x"});
  EXPECT_EQ(option.code, kBadInput);
  EXPECT_THAT(option.err, HasSubstr("--no-such"));
  EXPECT_TRUE(option.out.empty());
}

TEST(Usage, HelpAndVersionSucceed) {
  const CliResult help = call({"--help"});
  EXPECT_EQ(help.code, kClean);
  EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 proved or clean"));
  EXPECT_THAT(call({"--version"}).out, StartsWith("bufferproof "));
}

}  // namespace
}  // namespace bufferproof::cli
