#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

using ::testing::HasSubstr;

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class VerifyCommand : public ::testing::Test {
 protected:
  /// The certificate of a program that is proved.
  std::string certificate() {
    const std::string program = folder_.write(
        "p.bufprog",
        "param n = 4 in 1..1000\nbuf b[2*n] uninit\nkernel A: write b[0:2*n]\nkernel R: read b[0:n]\n");
    const std::string path = folder_.path("c.json");
    EXPECT_EQ(call({"check", program, "--certificate", path}).code, kClean);
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(VerifyCommand, AcceptsWhatCheckProved) {
  const CliResult result = call({"verify", certificate()});
  EXPECT_EQ(result.code, kClean) << result.out;
  EXPECT_THAT(result.out, HasSubstr("0 rejected, 0 left to a solver"));
}

TEST_F(VerifyCommand, RejectsAProofThatWasTamperedWith) {
  std::string text = read_text(certificate());
  const auto at = text.find("\"step\"");
  ASSERT_NE(at, std::string::npos);
  std::string changed = text;
  for (std::size_t p = changed.find("2*n"); p != std::string::npos; p = changed.find("2*n", p + 1))
    changed.replace(p, 3, "0*n");
  for (std::size_t p = changed.find("\"everything\": true"); p != std::string::npos;
       p = changed.find("\"everything\": true", p + 1))
    changed.replace(p, 18, "\"everything\": false");
  ASSERT_NE(changed, text);
  EXPECT_EQ(call({"verify", folder_.write("bad.json", changed)}).code, kFindings);
}

TEST_F(VerifyCommand, OtherTextIsRefused) {
  EXPECT_EQ(call({"verify", folder_.write("x.json", "{")}).code, kBadInput);
  EXPECT_EQ(call({"verify", folder_.path("missing.json")}).code, kBadInput);
  EXPECT_EQ(call({"verify", folder_.write("object.json", "{}")}).code, kBadInput);
  EXPECT_EQ(call({"verify", folder_.write("empty.json", "[]")}).code, kBadInput);
  std::string text = read_text(certificate());
  for (std::size_t p = text.find("\"covered\""); p != std::string::npos; p = text.find("\"covered\"", p))
    text.replace(p, 9, "\"believed\"");
  EXPECT_EQ(call({"verify", folder_.write("method.json", text)}).code, kFindings);
}

}  // namespace
}  // namespace bufferproof::cli
