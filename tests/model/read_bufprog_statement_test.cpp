// Each statement of bufprog becomes the step of its name.
#include <gtest/gtest.h>

#include "model/read/bufprog/reader.hpp"

namespace bufferproof::model {
namespace {

Program read(const std::string& text) { return read_bufprog(text, "t.bufprog").program; }

template <typename Node>
const Node& node(const Program& program, std::size_t at) {
  return std::get<Node>(program.body.at(at).node);
}

TEST(ReadBufprogStatement, BuffersOfEveryKind) {
  const Program p =
      read("param n = 3 in 1..8\nbuf a[n] uninit\nbuf b[2,n] zero\nbuf c[4] input\nbuf d[0] filled\n");
  EXPECT_EQ(node<Alloc>(p, 0).init, Init::uninit);
  EXPECT_EQ(node<Alloc>(p, 1).init, Init::zero);
  EXPECT_EQ(node<Alloc>(p, 1).layout, contiguous({2, SymExpr::symbol("n")}));
  EXPECT_EQ(node<Alloc>(p, 2).init, Init::input);
  EXPECT_EQ(node<Alloc>(p, 3).init, Init::filled);
}

TEST(ReadBufprogStatement, HandlesAndViews) {
  const Program p = read(
      "view v = b + 2*3 len 4\nlayout w = b shape (2,3) stride (8,1)\nsame c = a\nname c = a\ntake c = a\n"
      "drop a\npoint a -> t\n");
  EXPECT_EQ(node<View>(p, 0).layout->offset, SymExpr(6));
  EXPECT_EQ(node<View>(p, 0).layout->sizes, std::vector<SymExpr>{4});
  EXPECT_EQ(node<View>(p, 1).layout->strides, (std::vector<SymExpr>{8, 1}));
  EXPECT_EQ(node<Bind>(p, 2).kind, Bind::Kind::new_handle);
  EXPECT_EQ(node<Bind>(p, 3).kind, Bind::Kind::alias);
  EXPECT_EQ(node<Bind>(p, 4).kind, Bind::Kind::take);
  EXPECT_EQ(node<Free>(p, 5).names, std::vector<Name>{"a"});
  EXPECT_EQ(node<Point>(p, 6).target, Name("t"));
}

TEST(ReadBufprogStatement, KernelsCopiesAndStreams) {
  const Program p = read(
      "kernel K: read a[0:4] from in; write b[0]; accum c[1]\n"
      "kernel K on s1: write b[0]\n"
      "copy a[0:4] -> b[0:4]\ncopy on h2d: a[0:4] -> b[0:4]\ncopy on[0] -> b[0]\n"
      "signal e on s1\nwait e on s2\nhostsync s1\nresult a[0:4] from =K&zero\n");
  const Launch& k = node<Launch>(p, 0);
  EXPECT_EQ(k.stream, Name("s0"));
  ASSERT_EQ(k.variants.size(), 1U);
  ASSERT_EQ(k.variants[0].clauses.size(), 3U);
  EXPECT_EQ(k.variants[0].clauses[0].from.names, std::vector<Name>{"in"});
  EXPECT_EQ(k.variants[0].clauses[2].kind, Clause::Kind::accumulate);
  EXPECT_EQ(node<Launch>(p, 1).stream, Name("s1"));
  EXPECT_EQ(node<Copy>(p, 2).stream, Name("s0"));
  EXPECT_EQ(node<Copy>(p, 3).stream, Name("h2d"));
  EXPECT_EQ(node<Copy>(p, 4).source, Name("on"));
  EXPECT_EQ(node<Signal>(p, 5).event, Name("e"));
  EXPECT_EQ(node<Wait>(p, 6).stream, Name("s2"));
  EXPECT_EQ(node<HostSync>(p, 7).stream, Name("s1"));
  EXPECT_TRUE(node<Return>(p, 8).after_everything);
  EXPECT_EQ(node<Return>(p, 8).items[0].from.kind, From::Kind::exactly);
}

TEST(ReadBufprogStatement, BlocksFollowIndentation) {
  const Program p = read(
      "param n = 2 in 0..3\nif n == 1:\n  drop a\n  if n < 2:\n      drop b\n  drop c\nelse:\n  drop d\n"
      "drop e\n");
  const Branch& outer = node<Branch>(p, 0);
  ASSERT_EQ(outer.then_block.size(), 3U);
  EXPECT_EQ(std::get<Branch>(outer.then_block[1].node).then_block.size(), 1U);
  EXPECT_TRUE(std::get<Branch>(outer.then_block[1].node).else_block.empty());
  EXPECT_EQ(outer.else_block.size(), 1U);
  EXPECT_EQ(p.body.size(), 2U);
}

TEST(ReadBufprogStatement, StepsKnowTheirPlaceAndNumber) {
  const Program p = read("# title\nloop i<2:\n  kernel K{i}: write a[i]  # comment\ndrop a\n");
  EXPECT_EQ(p.body[0].where.str(), "t.bufprog:2:1");
  EXPECT_EQ(node<Loop>(p, 0).body[0].where.str(), "t.bufprog:3:3");
  EXPECT_EQ(node<Loop>(p, 0).body[0].id, 1);
  EXPECT_EQ(p.body[1].id, 2);
}

TEST(ReadBufprogStatement, InnerLoopVariablesHideOuterOnes) {
  const Program p =
      read("loop i<4:\n  loop i<i:\n    kernel K{i}: write a[i]\n  kernel L{i}: write a{i | i<3}\n");
  const Loop& outer = node<Loop>(p, 0);
  const Loop& inner = std::get<Loop>(outer.body[0].node);
  EXPECT_NE(outer.variable, inner.variable);
  EXPECT_EQ(inner.count, SymExpr::symbol(outer.variable));
  const Launch& k = std::get<Launch>(inner.body[0].node);
  EXPECT_EQ(k.kernel.holes()[0], SymExpr::symbol(inner.variable));
  const Launch& l = std::get<Launch>(outer.body[1].node);
  EXPECT_EQ(l.kernel.holes()[0], SymExpr::symbol(outer.variable));
  EXPECT_NE(l.variants[0].clauses[0].set.variables[0].name, outer.variable);
}

TEST(ReadBufprogStatement, LoopVariableNeverSharesTheNameOfAParam) {
  const Program p = read("loop n<2:\n  kernel K: write a[n]\nparam n = 1 in 0..4\nkernel L: write a[n]\n");
  EXPECT_NE(node<Loop>(p, 0).variable, "n");
  EXPECT_EQ(node<Launch>(p, 1).variants[0].clauses[0].set.index[0], SymExpr::symbol("n"));
}

TEST(ReadBufprogStatement, ParamsUseEarlierParams) {
  const Program p = read("param n = 2 in 1..8\nparam m = 2*n\nparam k = m + 1 in 0..9\nbuf a[m + k] zero\n");
  ASSERT_EQ(p.symbols.size(), 2U);
  EXPECT_EQ(p.symbols[1].value, 5);
  EXPECT_EQ(node<Alloc>(p, 0).layout->sizes[0], SymExpr::symbol("n") * 2 + SymExpr::symbol("k"));
}

TEST(ReadBufprogStatement, WindowsLineEndsAndNoFinalNewline) {
  EXPECT_EQ(read("drop a\r\n\r\ndrop b").body.size(), 2U);
  EXPECT_EQ(read("").body.size(), 0U);
}

}  // namespace
}  // namespace bufferproof::model
