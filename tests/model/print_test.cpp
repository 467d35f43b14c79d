#include "model/print.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "model/read/bufprog/reader.hpp"

namespace bufferproof::model {
namespace {

using ::testing::HasSubstr;

SymExpr sym(const char* name) { return SymExpr::symbol(name); }
Step step(decltype(Step::node) node) { return Step{-1, {nullptr, 7, 1}, std::move(node)}; }

TEST(Print, SetsAreBoxesWhereverTheyCanBe) {
  EXPECT_EQ(print_set("b", {.whole = true}), "b");
  EXPECT_EQ(print_set("b", {.index = {3}}), "b[3]");
  EXPECT_EQ(print_set("b", {.variables = {{"x", 2, 8}}, .index = {sym("x")}}), "b[2:8]");
  EXPECT_EQ(print_set("b", {.variables = {{"x", 0, sym("n")}}, .index = {sym("i"), sym("x") + 4}}),
            "b[i,4:n + 4]");
}

TEST(Print, OtherSetsKeepTheirVariablesAndCondition) {
  const IndexSet set{.variables = {{"i", 0, 4}}, .index = {sym("i") * 2}, .where = Cond::ne(sym("i"), 2)};
  EXPECT_THAT(print_set("b", set), ::testing::StartsWith("b{2*i | i<4 ; "));
  const IndexSet diagonal{.variables = {{"i", 0, 4}}, .index = {sym("i"), sym("i")}};
  EXPECT_EQ(print_set("b", diagonal), "b{i, i | i<4}");
}

TEST(Print, BufprogReadsAsItIsWritten) {
  Program program;
  program.symbols = {Symbol{"n", 1, 8, 5, {}}};
  Variant variant;
  variant.clauses.push_back({.kind = Clause::Kind::read,
                             .buffer = "x",
                             .set = {.variables = {{"v", 0, sym("n")}}, .index = {sym("v")}},
                             .from = {From::Kind::exactly, {"A", "B"}}});
  variant.clauses.push_back({.kind = Clause::Kind::accumulate, .buffer = "o", .set = {.index = {0}}});
  program.body = {
      step(Alloc{.name = "x", .layout = contiguous({sym("n")}), .init = Init::input}),
      step(View{.name = "v", .base = "x", .layout = Layout{{4}, {1}, 2}}),
      step(View{.name = "w", .base = "x", .layout = Layout{{2, 2}, {2, 1}, 0}}),
      step(Loop{"i", 3, {step(Launch{.kernel = "K", .stream = "s1", .variants = {variant}})}}),
      step(Branch{Cond::le(sym("n"), 2), {step(Free{{"v"}})}, {step(HostSync{"s1"})}}),
  };
  EXPECT_EQ(print_text(program),
            "param n = 5 in 1..8\n"
            "buf x[n] input\n"
            "view v = x + 2 len 4\n"
            "layout w = x shape (2,2) stride (2,1)\n"
            "loop i<3:\n"
            "  kernel K on s1: read x[0:n] from =A&B; accum o[0]\n"
            "if n <= 2:\n"
            "  drop v\n"
            "else:\n"
            "  hostsync s1\n");
}

Program small_wrapper() {
  Program program;
  program.dialect = Dialect::wrapper;
  program.file = "w.py";
  program.body = {step(Alloc{.name = "buf0", .dtype = DType::f32, .layout = contiguous({8, 4})}),
                  step(Launch{.kernel = "k0",
                              .stream = "stream0",
                              .arguments = {{"arg0_1", {}}, {"", sym("s0")}, {"buf0", {}}},
                              .outputs = {"buf0"}})};
  return program;
}

TEST(Print, ConditionsStandOnBothSides) {
  EXPECT_EQ(print_condition(Cond::le(sym("n"), 2)), "n <= 2");
  EXPECT_EQ(print_condition(Cond::lt(0, sym("c"))), "1 <= c");
  EXPECT_EQ(print_condition(Cond::eq(sym("a") * 2 + 1, sym("b"))), "2*a + 1 == b");
  EXPECT_EQ(print_condition(Cond::le(sym("n"), 2) && Cond::ne(sym("n"), 1)), "n <= 2 and (n <= 0 or 2 <= n)");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Print, EveryCaseReadsBack) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/cases")) {
    if (entry.path().extension() != ".bufprog") continue;
    ++cases;
    const Program program = read_bufprog(read_file(entry.path()), "case").program;
    const std::string text = print_text(program);
    const Program again = read_bufprog(text, "case").program;
    EXPECT_EQ(print_text(again), text) << entry.path();
    // The printed form has no lines of its own to differ in, so all else must be equal.
    auto steps = [](const Program& p) {
      auto json = nlohmann::json::parse(print_json(p));
      return std::regex_replace(json["steps"].dump(), std::regex("\"line\":[0-9]+"), "");
    };
    EXPECT_EQ(steps(again), steps(program)) << entry.path();
  }
  EXPECT_EQ(cases, 128);
}

TEST(Print, WrapperLinesNameTypesArgumentsAndTheirLine) {
  const std::string text = print_text(small_wrapper());
  EXPECT_THAT(text, HasSubstr("buf buf0 f32 (8, 4)[4, 1] uninit"));
  EXPECT_THAT(text, HasSubstr("kernel k0(arg0_1, s0, buf0) on stream0 -> buf0"));
  EXPECT_THAT(text, HasSubstr("# line 7\n"));
}

TEST(Print, JsonHoldsEveryStep) {
  const auto json = nlohmann::json::parse(print_json(small_wrapper()));
  EXPECT_EQ(json["dialect"], "wrapper");
  ASSERT_EQ(json["steps"].size(), 2U);
  EXPECT_EQ(json["steps"][0]["layout"]["strides"][0], "4");
  EXPECT_EQ(json["steps"][1]["arguments"][1], "s0");
  EXPECT_EQ(json["steps"][1]["line"], 7);
}

}  // namespace
}  // namespace bufferproof::model
