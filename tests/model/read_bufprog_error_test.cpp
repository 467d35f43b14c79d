// Bad bufprog: one message with file:line:column, what was expected, what stands there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/read/bufprog/reader.hpp"

namespace bufferproof::model {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error(const std::string& text) {
  try {
    read_bufprog(text, "t.bufprog");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ReadBufprogError, UnknownStatement) {
  EXPECT_THAT(error("buf a[1] zero\n  # note\nfill a[0]\n"),
              StartsWith("t.bufprog:3:1: expected a statement, found 'fill'; a statement is param, buf"));
  EXPECT_THAT(error("else:\n  drop a\n"), HasSubstr("block of its `if`"));
  EXPECT_THAT(error("42\n"), HasSubstr("expected a statement"));
}

TEST(ReadBufprogError, Params) {
  EXPECT_THAT(error("param n = 5 in 6..8\n"), StartsWith("t.bufprog:1:7: expected a value inside the range"));
  EXPECT_THAT(error("param n = 5 in 8..6\n"), HasSubstr("not empty"));
  EXPECT_THAT(error("param n in 1..8\n"), HasSubstr("param n = 5 in 1..8"));
  EXPECT_THAT(error("param n = 5 in 1.8\n"), HasSubstr("0x2e"));
  EXPECT_THAT(error("param n = 1\nparam n = 2\n"), HasSubstr("exists already"));
  EXPECT_THAT(error("param n = m\n"), HasSubstr("declare it before"));
  EXPECT_THAT(error("param n = 1 in 0..1\nparam m = 1 in 0..n\n"), HasSubstr("upper end"));
  EXPECT_THAT(error("loop i<2:\n  param n = 1\n"), HasSubstr("outside of blocks"));
  EXPECT_THAT(error("param not = 1\n"), HasSubstr("'not'"));
}

TEST(ReadBufprogError, SizesAreChecked) {
  EXPECT_THAT(error("buf a[-1] zero\n"), HasSubstr("size from 0"));
  EXPECT_THAT(error("buf a[4000000000,4000000000] zero\n"), HasSubstr("64 bits"));
  EXPECT_THAT(error("param n = 4000000000 in 1..inf\nbuf a[n*n] zero\n"), HasSubstr("64 bits"));
  EXPECT_THAT(error("param n = 1 in 0..3\nbuf a[n-2] zero\n"), HasSubstr("n - 2 = -1"));
  EXPECT_THAT(error("layout v = b shape (2,3) stride (1)\n"), HasSubstr("as many strides as sizes (2)"));
}

TEST(ReadBufprogError, TruncatedStatements) {
  for (const char* text : {"buf",
                           "buf a",
                           "buf a[4]",
                           "view v",
                           "view v = b",
                           "view v = b + 1",
                           "layout v = b shape (1)",
                           "same a",
                           "take a =",
                           "point a ->",
                           "drop",
                           "kernel",
                           "kernel K",
                           "kernel K:",
                           "kernel K: read",
                           "kernel K: write a[0];",
                           "kernel K on: write a[0]",
                           "copy a[0]",
                           "copy a[0] ->",
                           "signal e",
                           "wait e on",
                           "hostsync",
                           "loop i",
                           "loop i<2",
                           "loop i<2:",
                           "if 1 == 1",
                           "if 1 == 1:",
                           "result",
                           "result a",
                           "buf a[4] zero zero",
                           "kernel K: write a[0] from P"})
    EXPECT_THAT(error(text), StartsWith("t.bufprog:1:")) << text;
}

TEST(ReadBufprogError, Indentation) {
  EXPECT_THAT(error("drop a\n  drop b\n"), StartsWith("t.bufprog:2:3: expected the indentation"));
  EXPECT_THAT(error("loop i<2:\n    drop a\n  drop b\n"),
              StartsWith("t.bufprog:3:3: expected the indentation"));
  EXPECT_THAT(error("loop i<2:\ndrop a\n"), HasSubstr("an indented block"));
  EXPECT_THAT(error("loop i<2:\n\tdrop a\n"), HasSubstr("a tab"));
}

TEST(ReadBufprogError, Annotations) {
  EXPECT_THAT(error("#expect WRONG a at K\n"), StartsWith("t.bufprog:1:9: expected SAFE or a class"));
  EXPECT_THAT(error("#expect STALE a K\n"), HasSubstr("'at'"));
  EXPECT_THAT(error("#safe-when n ==\n"), StartsWith("t.bufprog:1:16:"));
}

TEST(ReadBufprogError, HostileTextIsBounded) {
  std::string nested;
  for (int i = 0; i < 200; ++i) nested += std::string(static_cast<std::size_t>(i), ' ') + "loop i<2:\n";
  EXPECT_THAT(error(nested), HasSubstr("50 nested blocks"));
  EXPECT_THAT(error("kernel K: write a[" + std::string(1U << 20, '1') + "]\n"), HasSubstr("16384 bytes"));
  EXPECT_THAT(error(std::string(100U << 20, 'x')), HasSubstr("16 MiB"));
  std::string axes = "buf a[1";
  for (int i = 0; i < 15; ++i) axes += ",p+q+r+s+t";
  EXPECT_THAT(error("param p = 1 in 0..1\nparam q = 1 in 0..1\nparam r = 1 in 0..1\nparam s = 1 in 0..1\n"
                    "param t = 1 in 0..1\n" +
                    axes + "] zero\n"),
              HasSubstr("500 parts"));
  std::string many;
  for (int i = 0; i < 300'000; ++i) many += "drop a\n";
  EXPECT_THAT(error(many), HasSubstr("200000 statements"));
  EXPECT_THAT(error(std::string("buf a\0[4] zero\n", 15)), HasSubstr("0x00"));
  std::string squares = "param a = 2 in 1..3\n";
  for (int i = 0; i < 60; ++i)
    squares += "param " + std::string(static_cast<std::size_t>(i) + 2, 'a') + " = " +
               std::string(static_cast<std::size_t>(i) + 1, 'a') + "*" +
               std::string(static_cast<std::size_t>(i) + 1, 'a') + " + a\n";
  EXPECT_THAT(error(squares), HasSubstr("500 parts"));
}

}  // namespace
}  // namespace bufferproof::model
