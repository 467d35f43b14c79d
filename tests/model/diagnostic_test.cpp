#include "model/diagnostic.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

SourceLocation at(int line, int column) {
  return {std::make_shared<const std::string>("a.py"), line, column};
}

TEST(Diagnostic, SaysWhereWhatAndWhatToDo) {
  InputError error(at(3, 7), "a name", "')'", "close the call");
  EXPECT_STREQ(error.what(), "a.py:3:7: expected a name, found ')'; close the call");
}

TEST(Diagnostic, HostileTextStaysOneShortLine) {
  InputError error(at(1, 1), "a name", std::string(1000, '\n'));
  EXPECT_LT(std::string(error.what()).size(), 200U);
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
}

TEST(Diagnostic, UnknownPositionIsLeftOut) { EXPECT_EQ(SourceLocation{}.str(), "<input>"); }

}  // namespace
}  // namespace bufferproof::model
