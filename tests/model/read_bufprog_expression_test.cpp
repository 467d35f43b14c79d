// Expressions and conditions of bufprog.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/read/bufprog/expression.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::model::bufprog {
namespace {

using testing::HasSubstr;

std::int64_t value(const std::string& text, const Valuation& values = {}) {
  Cursor cursor(text, {});
  const SymExpr e = parse_expression(cursor, Scope(true));
  cursor.expect_end();
  return e.evaluate(values).value();
}

bool truth(const std::string& text, const Valuation& values = {}) {
  return model::parse_condition(text).evaluate(values).value();
}

std::string error(const std::string& text) {
  try {
    model::parse_condition(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ReadBufprogExpression, PrecedenceIsPythons) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("7*3//2"), 10);
  EXPECT_EQ(value("7*(3//2)"), 7);
  EXPECT_EQ(value("-7//2"), -4);
  EXPECT_EQ(value("-7%3"), 2);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("min(n, 4) + max(1, n, 3)", {{"n", 9}}), 13);
}

TEST(ReadBufprogExpression, ConditionsNestAndNegate) {
  EXPECT_TRUE(truth("n + 1 <= 4 and not m > 2", {{"n", 3}, {"m", 2}}));
  EXPECT_FALSE(truth("(n < 3 or m != 2) and True", {{"n", 3}, {"m", 2}}));
  EXPECT_TRUE(truth("(n + 1) * 2 == 8", {{"n", 3}}));
  EXPECT_TRUE(truth("((n) >= 3)", {{"n", 3}}));
  EXPECT_TRUE(truth("not (n == 1 or n == 2)", {{"n", 3}}));
  EXPECT_TRUE(truth("n == 1 or n == 2 and False", {{"n", 1}}));  // `and` binds tighter
}

TEST(ReadBufprogExpression, ConstantsReplaceNames) {
  EXPECT_EQ(model::parse_condition("L == 2*B", {{"B", SymExpr(4)}}), Cond::eq(SymExpr::symbol("L"), 8));
}

TEST(ReadBufprogExpression, ErrorsSayWhatToDo) {
  EXPECT_THAT(error("n / 2 == 1"), HasSubstr("write // for floor division"));
  EXPECT_THAT(error("n = 2"), HasSubstr("write == to compare"));
  EXPECT_THAT(error("0 <= n < 4"), HasSubstr("join two comparisons with `and`"));
  EXPECT_THAT(error("n"), HasSubstr("<condition>:1:2: expected a comparison"));
  EXPECT_THAT(error("abs(n) == 1"), HasSubstr("min(..) or max(..)"));
  EXPECT_THAT(error("n == 99999999999999999999"), HasSubstr("2^63"));
  EXPECT_THAT(error("n == 4000000000 * 4000000000"), HasSubstr("64 bits"));
  EXPECT_THAT(error("n == 4 // 0"), HasSubstr("division by zero"));
  EXPECT_THAT(error("(n == 4"), HasSubstr("closing bracket"));
  EXPECT_THAT(error("n == 4)"), HasSubstr("opening bracket"));
  EXPECT_THAT(error("n $ 4"), HasSubstr("character 0x24"));
}

TEST(ReadBufprogExpression, HostileOnesAreRefusedQuickly) {
  EXPECT_THAT(error(std::string(8000, '(') + "n" + std::string(8000, ')') + " == 1"), HasSubstr("nested"));
  EXPECT_THAT(error(std::string(8000, '-') + "n == 1"), HasSubstr("nested"));
  std::string nots;
  for (int i = 0; i < 3000; ++i) nots += "not ";
  EXPECT_THAT(error(nots + "n == 1"), HasSubstr("nested"));
  std::string product = "1";
  for (int i = 0; i < 1000; ++i) product += "*(a + b + c + d)";
  EXPECT_THAT(error(product + " == 1"), HasSubstr("500 parts"));
  std::string many = "n == 0";
  for (int i = 0; i < 1000; ++i) many += " or n == 1";
  EXPECT_THAT(error(many), HasSubstr("200 comparisons"));
  EXPECT_THAT(error(std::string(100'000, ' ')), HasSubstr("16384 bytes"));
}

}  // namespace
}  // namespace bufferproof::model::bufprog
