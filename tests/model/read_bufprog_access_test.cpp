// Names with holes, index sets and producers of bufprog.
#include <gtest/gtest.h>

#include "model/read/bufprog/access.hpp"

namespace bufferproof::model::bufprog {
namespace {

Scope loop_scope() {
  Scope scope;
  scope.push("i", SymExpr::symbol("i"));
  scope.push("j", SymExpr::symbol("j"));
  scope.push("n", SymExpr::symbol("n"));
  scope.push("two", SymExpr(2));
  return scope;
}

Access access(const std::string& text) {
  Scope scope = loop_scope();
  Cursor cursor(text, {});
  Access out = parse_access(cursor, scope);
  cursor.expect_end();
  return out;
}

From from(const std::string& text) {
  Scope scope = loop_scope();
  Cursor cursor(text, {});
  From out = parse_from(cursor, scope);
  cursor.expect_end();
  return out;
}

TEST(ReadBufprogAccess, SlicesBecomeVariables) {
  const Access a = access("b[i, 2:n]");
  EXPECT_EQ(a.buffer, Name("b"));
  ASSERT_EQ(a.set.index.size(), 2U);
  EXPECT_EQ(a.set.index[0], SymExpr::symbol("i"));
  ASSERT_EQ(a.set.variables.size(), 1U);
  EXPECT_EQ(a.set.variables[0].lo, SymExpr(2));
  EXPECT_EQ(a.set.variables[0].hi, SymExpr::symbol("n"));
  EXPECT_EQ(a.set.index[1], SymExpr::symbol(a.set.variables[0].name));
  EXPECT_TRUE(a.set.where.is_true());
}

TEST(ReadBufprogAccess, ComprehensionHidesTheLoopVariable) {
  const Access a = access("b{4*i + j | i<n, k<2 ; i != k}");
  ASSERT_EQ(a.set.variables.size(), 2U);
  EXPECT_EQ(a.set.variables[0].name, "$i");
  EXPECT_EQ(a.set.index[0], SymExpr::symbol("$i") * 4 + SymExpr::symbol("j"));
  EXPECT_EQ(a.set.where.evaluate({{"$i", 1}, {"$k", 1}}), false);
  EXPECT_EQ(a.set.where.evaluate({{"$i", 1}, {"$k", 0}}), true);
}

TEST(ReadBufprogAccess, HolesAndSetsBothUseBraces) {
  const Access a = access("b{i}_{j + 1}{2*k, k | k<3}");
  EXPECT_EQ(a.buffer.resolve({{"i", 3}, {"j", 4}}), "b3_5");
  EXPECT_EQ(a.set.index.size(), 2U);
  EXPECT_EQ(access("b{two}[0]").buffer, Name("b2"));  // a known hole is part of the name
}

TEST(ReadBufprogAccess, ProducersOfEveryForm) {
  EXPECT_EQ(from("").kind, From::Kind::any);
  EXPECT_EQ(from("from A").kind, From::Kind::one_of);
  EXPECT_EQ(from("from A|B{i}|C").names.size(), 3U);
  EXPECT_EQ(from("from A&B").kind, From::Kind::all_of);
  EXPECT_EQ(from("from =A").kind, From::Kind::exactly);
  EXPECT_EQ(from("from =A&B&C").names.size(), 3U);
}

TEST(ReadBufprogAccess, WhatIsNoSetIsRefused) {
  for (const char* text : {"b", "b[]", "b[0:]", "b[0:4", "b{i | }", "b{i | k}", "b{ | k<3}", "b{k | k<3 ;}",
                           "b{k | k<3, k<4}", "b{k}", "b[0] c", "b{-1}[0]", "b[k]", "3[0]"})
    EXPECT_THROW(access(text), InputError) << text;
  for (const char* text : {"from", "from A|B&C", "from A&B|C", "from =A|B", "from =", "from A|"})
    EXPECT_THROW(from(text), InputError) << text;
}

}  // namespace
}  // namespace bufferproof::model::bufprog
