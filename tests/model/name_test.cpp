#include "model/name.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

const SymExpr i = SymExpr::symbol("i");
const SymExpr j = SymExpr::symbol("j");

Name pattern(const std::string& head, SymExpr hole) { return Name({head, ""}, {std::move(hole)}); }

TEST(Name, HolesAreFilled) {
  EXPECT_EQ(pattern("MAIN", i).resolve({{"i", 12}}), "MAIN12");
  EXPECT_EQ(pattern("MAIN", i).str(), "MAIN{i}");
  EXPECT_THROW(pattern("MAIN", i).resolve({}), OverflowError);
}

TEST(Name, PatternAgainstText) {
  EXPECT_EQ(same_name(pattern("MAIN", i), "MAIN0"), Cond::eq(i, 0));
  EXPECT_TRUE(same_name(pattern("MAIN", i), "TAIL0")->is_false());
  EXPECT_TRUE(same_name(pattern("MAIN", i), "MAIN01")->is_false());
}

TEST(Name, AdjacentHolesAgainstTextTryEverySplit) {
  const Name f({"F", "", ""}, {i, j});
  const Cond c = *same_name(f, "F111");
  EXPECT_EQ(c.evaluate({{"i", 1}, {"j", 11}}), true);
  EXPECT_EQ(c.evaluate({{"i", 11}, {"j", 1}}), true);
  EXPECT_EQ(c.evaluate({{"i", 1}, {"j", 1}}), false);
}

TEST(Name, PatternAgainstPattern) {
  EXPECT_EQ(same_name(pattern("S", i), pattern("S", j)), Cond::eq(i, j));
  EXPECT_TRUE(same_name(pattern("S", i), pattern("G", j))->is_false());
  EXPECT_EQ(same_name(Name({"F", "", ""}, {i, j}), Name({"F", "", ""}, {j, i})), std::nullopt);
  EXPECT_EQ(same_name(Name({"F", "", ""}, {i, j}), Name({"F", "", ""}, {j, i}),
                      [](const SymExpr&) { return true; }),
            Cond::eq(i, j));
}

}  // namespace
}  // namespace bufferproof::model
