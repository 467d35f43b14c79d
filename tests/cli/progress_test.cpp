// The progress line: only on a terminal, only after a while, and gone at the end.
#include "cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace bufferproof::cli {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(Progress, NothingElsewhereThanOnATerminal) {
  std::ostringstream out;
  EXPECT_FALSE(is_terminal(out));
  {
    Progress progress(out, is_terminal(out), milliseconds(1));
    progress.phase("golden run");
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, NothingForShortWork) {
  std::ostringstream out;
  { Progress progress(out, true, std::chrono::minutes(1)); }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, SaysWhatIsRunningAndIsWiped) {
  std::ostringstream out;
  {
    Progress progress(out, true, milliseconds(1));
    progress.phase("golden run", 7);
    progress.step("mlir_fused_add_0");
    std::this_thread::sleep_for(milliseconds(300));
  }
  EXPECT_THAT(out.str(), HasSubstr("0 s  golden run, call 1 of 7: mlir_fused_add_0"));
  EXPECT_TRUE(out.str().ends_with(" \r")) << "the line is empty again";
}

TEST(Progress, LongNamesKeepTheirEnd) {
  std::ostringstream out;
  {
    Progress progress(out, true, milliseconds(1));
    progress.phase("golden run", 7);
    progress.step(std::string(100, 'x') + "_relu_10");
    std::this_thread::sleep_for(milliseconds(300));
  }
  EXPECT_THAT(out.str(), HasSubstr("x_relu_10"));
  EXPECT_THAT(out.str(), HasSubstr(": ...x"));
}

}  // namespace
}  // namespace bufferproof::cli
