#include "model/read/python/tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bufferproof::model::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SourceText source(std::string text) {
  return {std::make_shared<const std::string>("t.py"), std::move(text), {}};
}

/// All tokens as text; NEWLINE, INDENT and DEDENT by those names.
std::vector<std::string> tokens(const std::string& text) {
  const SourceText from = source(text);
  Tokenizer tokenizer(from);
  std::vector<std::string> out;
  for (Token token = tokenizer.next(); token.kind != TokenKind::end; token = tokenizer.next()) {
    switch (token.kind) {
      case TokenKind::newline:
        out.push_back("NEWLINE");
        break;
      case TokenKind::indent:
        out.push_back("INDENT");
        break;
      case TokenKind::dedent:
        out.push_back("DEDENT");
        break;
      default:
        out.push_back(std::string(token.text));
    }
  }
  return out;
}

std::string error(const std::string& text) {
  try {
    tokens(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(PythonTokenizer, NamesNumbersOperators) {
  EXPECT_THAT(tokens("buf0 = 4*s0 // 2**1e-5 != 0x_fF"),
              ElementsAre("buf0", "=", "4", "*", "s0", "//", "2", "**", "1e-5", "!=", "0x_fF", "NEWLINE"));
}

TEST(PythonTokenizer, StringsOfEveryKind) {
  EXPECT_THAT(tokens(R"(a = 'x"' "y'" r'\' b' rb"\"" f"{z}")"),
              ElementsAre("a", "=", R"('x"')", R"("y'")", R"(r'\' b')", R"(rb"\"")", R"(f"{z}")", "NEWLINE"));
}

TEST(PythonTokenizer, TripleQuotesHoldQuotesHashesAndLines) {
  EXPECT_THAT(
      tokens("k = f('''\n # \"\"\" ' '' \\''' \n''')\nx"),
      ElementsAre("k", "=", "f", "(", "'''\n # \"\"\" ' '' \\''' \n'''", ")", "NEWLINE", "x", "NEWLINE"));
}

TEST(PythonTokenizer, IndentationAndBlankLines) {
  EXPECT_THAT(tokens("if a:\n\n  # note\n  b\n  if c:\n\td\ne\n"),
              ElementsAre("if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "if", "c", ":", "NEWLINE",
                          "INDENT", "d", "NEWLINE", "DEDENT", "DEDENT", "e", "NEWLINE"));
}

TEST(PythonTokenizer, LinesAreJoinedInBracketsAndByBackslash) {
  EXPECT_THAT(tokens("a = (b, # c\n     d)\ne = f \\\n  + g; h\n"),
              ElementsAre("a", "=", "(", "b", ",", "d", ")", "NEWLINE", "e", "=", "f", "+", "g", ";", "h",
                          "NEWLINE"));
}

TEST(PythonTokenizer, EndOfFileClosesLineAndBlocks) {
  EXPECT_THAT(tokens("if a:\n    b"),
              ElementsAre("if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "DEDENT"));
}

TEST(PythonTokenizer, WindowsLinesAndByteOrderMark) {
  EXPECT_THAT(tokens("\xEF\xBB\xBF"
                     "a\r\nif b:\r\n  c\r\n"),
              ElementsAre("a", "NEWLINE", "if", "b", ":", "NEWLINE", "INDENT", "c", "NEWLINE", "DEDENT"));
}

TEST(PythonTokenizer, PositionsAreBytesFromOne) {
  const SourceText from = source("a\n  \n'''x\ny''' b");
  Tokenizer tokenizer(from);
  std::vector<std::pair<unsigned, unsigned>> at;
  for (Token token = tokenizer.next(); token.kind != TokenKind::end; token = tokenizer.next())
    if (token.kind != TokenKind::newline) at.emplace_back(token.at.line, token.at.column);
  EXPECT_THAT(at, ElementsAre(std::pair(1U, 1U), std::pair(3U, 1U), std::pair(4U, 6U)));
}

TEST(PythonTokenizer, CommentsAreKeptAside) {
  const SourceText from = source("buf3 = buf1; del buf1  # reuse\n");
  Tokenizer tokenizer(from);
  while (tokenizer.next().kind != TokenKind::end) {
  }
  ASSERT_EQ(tokenizer.comments().size(), 1U);
  EXPECT_EQ(tokenizer.comments()[0].text, "# reuse");
  EXPECT_EQ(tokenizer.comments()[0].at.column, 24U);
}

TEST(PythonTokenizer, TruncatedFilesSayWhereTheyBegan) {
  EXPECT_THAT(error("a = f('''\nx\n"),
              HasSubstr("t.py:1:7: expected three quotes that end this string, found the end"));
  EXPECT_THAT(error("a\nb = f(1,\n"),
              HasSubstr("t.py:2:6: expected a bracket that closes this '(', found the end of"));
  EXPECT_THAT(error("a = 'x\nb"), HasSubstr("t.py:1:5: expected a quote that ends this string on its line"));
}

TEST(PythonTokenizer, BadBracketsIndentationAndBytes) {
  EXPECT_THAT(error("a = (1]"),
              HasSubstr("t.py:1:7: expected a bracket that closes the '(' before it, found ']'"));
  EXPECT_THAT(error("a)"), HasSubstr("t.py:1:2: expected a bracket that this one closes, found ')'"));
  EXPECT_THAT(error("if a:\n    b\n  c\n"),
              HasSubstr("t.py:3:3: expected an indentation that an enclosing block has"));
  EXPECT_THAT(error("a = $"), HasSubstr("t.py:1:5: expected Python source, found '$'"));
  EXPECT_THAT(error(std::string("a\0b", 3)), HasSubstr("t.py:1:2: expected Python source, found byte 0"));
}

TEST(PythonTokenizer, NestingIsBounded) {
  EXPECT_THAT(error(std::string(1'000'000, '(')),
              HasSubstr("t.py:1:201: expected at most 200 nested brackets"));
  std::string deep;
  for (int i = 0; i < 150; ++i) deep += std::string(i, ' ') + "if a:\n";
  EXPECT_THAT(error(deep), HasSubstr("at most 100 nested blocks"));
}

TEST(PythonTokenizer, AHundredMegabyteLineIsRefusedFast) {
  std::string line = "a = ";
  while (line.size() < 100'000'000) line += "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + ";
  EXPECT_THAT(error(line), HasSubstr("expected a line of code of at most 4 MiB"));
}

}  // namespace
}  // namespace bufferproof::model::python
