#include "model/read/mlir/lexer.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model::mlir {
namespace {

using Kind = Token::Kind;

Lexer lex(std::string_view text) { return {text, {std::make_shared<const std::string>("k.py"), 10, 1}}; }

TEST(MlirLexer, NamesKeepTheirDotsAndMarksAreCutOff) {
  Lexer lexer = lex("%arg0 @k #map ^bb0 !torch.vtensor linalg.fill -> 0x7FC0 9.9E-7 0. \"a b\"");
  std::vector<std::pair<Kind, std::string_view>> wanted{
      {Kind::value, "arg0"}, {Kind::symbol, "k"},           {Kind::hash, "map"},
      {Kind::caret, "bb0"},  {Kind::type, "torch.vtensor"}, {Kind::word, "linalg.fill"},
      {Kind::punct, "->"},   {Kind::integer, "0x7FC0"},     {Kind::real, "9.9E-7"},
      {Kind::real, "0."},    {Kind::string, "a b"},         {Kind::end, ""}};
  for (const auto& [kind, text] : wanted) {
    EXPECT_EQ(lexer.peek().kind, kind);
    EXPECT_EQ(lexer.take().text, text);
  }
}

TEST(MlirLexer, LocationsCountFromWhereTheTextStandsInItsFile) {
  Lexer lexer = lex("a\n  b // c\n d");
  EXPECT_EQ(lexer.here().str(), "k.py:10:1");
  lexer.take();
  EXPECT_EQ(lexer.here().str(), "k.py:11:3");
  lexer.take();
  EXPECT_EQ(lexer.here().str(), "k.py:12:2");
}

TEST(MlirLexer, DimensionsStopAtTheElementType) {
  Lexer lexer = lex("4x?x0xf32");
  auto dims = lexer.read_dimensions();
  ASSERT_EQ(dims.size(), 3U);
  EXPECT_EQ(dims[0], 4);
  EXPECT_EQ(dims[1], std::nullopt);
  EXPECT_EQ(dims[2], 0);
  EXPECT_TRUE(lexer.peek().is_word("f32"));
}

TEST(MlirLexer, HostileDimensionsAreRefused) {
  EXPECT_THROW(lex("99999999999999999999xf32").read_dimensions(), InputError);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "1x";
  EXPECT_THROW(lex(many + "f32").read_dimensions(), InputError);
}

TEST(MlirLexer, ValuesAreSkippedAcrossBracketsAndArrows) {
  Lexer lexer = lex("affine_map<(d0) -> (d0)>, next");
  EXPECT_EQ(lexer.skip_value(), "affine_map<(d0) -> (d0)>");
  EXPECT_TRUE(lexer.peek().is_punct(","));
}

TEST(MlirLexer, UnclosedBracketsAndStringsAreErrors) {
  EXPECT_THROW(lex("{ a = [1").skip_balanced(), InputError);
  EXPECT_THROW(lex("\"abc\n\""), InputError);
}

TEST(MlirLexer, IntegersAtTheEdges) {
  EXPECT_EQ(to_int64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(to_int64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(to_int64("9223372036854775808"), std::nullopt);
  EXPECT_EQ(to_int64("0x10"), 16);
}

}  // namespace
}  // namespace bufferproof::model::mlir
