#include "model/lowering/source_touch.hpp"

#include <gtest/gtest.h>

#include "model/lowering/source_blocks.hpp"
#include "model/lowering/source_text.hpp"

namespace bufferproof::model::lowering {
namespace {

std::optional<Range> range(std::string_view text) {
  return index_range(text, [](std::string_view name) -> std::optional<Range> {
    if (name == "x") return Range{0, 9};
    if (name == "y") return Range{4, 4};
    return std::nullopt;
  });
}

TEST(IndexRange, EnclosesWhatAnIndexCanBe) {
  EXPECT_EQ(range("12L"), (Range{12, 12}));
  EXPECT_EQ(range("x + 8*y"), (Range{32, 41}));
  EXPECT_EQ(range("static_cast<int64_t>(7L - x)"), (Range{-2, 7}));
  EXPECT_EQ(range("(x // 2) % 3"), (Range{0, 2}));
  EXPECT_EQ(range("(8 + x) % 20"), (Range{8, 17}));
  EXPECT_EQ(range("c10::div_floor_integer(static_cast<int64_t>(x), static_cast<int64_t>(4L))"),
            (Range{0, 2}));
  EXPECT_EQ(range("std::min(x, 5) + std::max(y, 2)"), (Range{4, 9}));
  EXPECT_EQ(range("0 + tl.zeros([XBLOCK, 1], tl.int32)"), (Range{0, 0}));
  EXPECT_EQ(range("tl.broadcast_to(x, [XBLOCK, 1]) * 2"), (Range{0, 18}));
}

TEST(IndexRange, SaysNothingOfTheRest) {
  for (const char* text : {"",
                           "z",
                           "x +",
                           "(x",
                           "x)",
                           "1.5",
                           "1e3",
                           "x ? 1 : 2",
                           "(x - 1) / 2",
                           "x / 0",
                           "x % (y - 4)",
                           "f(x)",
                           "min(x)",
                           "x << 2",
                           "9223372036854775807 + x",
                           "99999999999999999999",
                           "x[0]",
                           "static_cast<long",
                           "tl.zeros([",
                           "(static_cast<long",
                           "(tl.zeros(x",
                           "(tl.broadcast_to(x, [",
                           "min(a<",
                           "(x[)"})
    EXPECT_EQ(range(text), std::nullopt) << text;
  EXPECT_EQ(range(std::string(100000, '(')), std::nullopt);
  EXPECT_EQ(range(std::string(100000, '-')), std::nullopt);
}

/// Loops over 5 x 12 around `body`.
std::string cpp(const std::string& body) {
  return "#include \"a.h\"\nextern \"C\"  void kernel(const float* in_ptr0, float* out_ptr0, const int64_t "
         "ks0)\n{\n"
         "  #pragma omp parallel num_threads(4)\n  {\n    int tid = omp_get_thread_num();\n"
         "    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(5L); "
         "x0+=static_cast<int64_t>(1L))\n"
         "    {\n      #pragma GCC ivdep\n"
         "      for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(12L); "
         "x1+=static_cast<int64_t>(8L))\n"
         "      {\n        {\n" +
         body + "\n        }\n      }\n    }\n  }\n}\n";
}
constexpr const char* kLoad = "auto tmp0 = in_ptr0[static_cast<int64_t>(x1 + 12L*x0)];";

TEST(Touched, TheLastIterationOfAllLoops) {  // C5
  const Touched load = touched(cpp(kLoad), "in_ptr0");
  EXPECT_EQ(load.reaches, 4 * 12 + 8 + 1);
  EXPECT_FALSE(load.stores_there);
  EXPECT_EQ(load.stored, std::nullopt);
}

TEST(Touched, VectorsAndTheirTails) {  // C1, C5
  const std::string body =
      "if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(8L))) { "
      "tmp1.store(out_ptr0 + static_cast<int64_t>(x1 + 12L*x0)); }\n"
      "if(C10_UNLIKELY(x1 >= static_cast<int64_t>(8L) && x1 < static_cast<int64_t>(12L))) {"
      "tmp1.store(out_ptr0 + static_cast<int64_t>(x1 + 12L*x0), static_cast<int64_t>(4L)); }";
  const Touched store = touched(cpp(body), "out_ptr0");
  EXPECT_EQ(store.reaches, 60);
  EXPECT_TRUE(store.stores_there);
  EXPECT_EQ(store.stored, (Range{0, 59}));
}

TEST(Touched, StoresThatBeginLater) {  // C1
  EXPECT_EQ(touched(cpp("out_ptr0[static_cast<int64_t>(24L + x0)] = tmp0;"), "out_ptr0").stored,
            (Range{24, 28}));
}

TEST(Touched, WhatMayNotRunReachesNothing) {  // E1
  for (const char* before :
       {"if (tmp0) {", "else {", "while (more()) {", "auto tmp5 = [&] {", "if (x1 < 0) {",
        "for (long i = 0; i < ks0; i++) {", "for (long i = 3; i < 3; i++) {", "switch (tid) { case 1:",
        "if (tmp0) for (long i = 0; i < 2; i++) {", "if (x1 < 8 && x0 < 2 || tmp0) {"}) {
    const std::string body = std::string(before) + " out_ptr0[x1] = 1; }";
    EXPECT_EQ(touched(cpp(body), "out_ptr0").reaches, 0) << body;
  }
  for (const char* statement :
       {"if (tmp0) out_ptr0[x1] = 1;", "out_ptr0[tmp3] = 1;", "out_ptr0[ks0] = 1;", "helper(out_ptr0 + x1);",
        "if (tmp0) f([&] { g(); }, out_ptr0[x1] = 1);", "tmp1 = tmp0 ? 0 : out_ptr0[x1];",
        "tmp1 = tmp0 && out_ptr0[x1];", "if (tmp0) continue; out_ptr0[x1] = 1;"})
    EXPECT_EQ(touched(cpp(statement), "out_ptr0").reaches, 0) << statement;
  EXPECT_EQ(touched(cpp("for (long i = 0; i < 3; i++) out_ptr0[i + 4*x0] = 1;"), "out_ptr0").reaches, 19);
}

TEST(Touched, AStoreThatIsNotFollowedMayGoAnywhere) {  // C1
  const std::string plain = "out_ptr0[x0] = 1;";
  EXPECT_EQ(touched(cpp(plain), "out_ptr0").stored, (Range{0, 4}));
  EXPECT_EQ(touched(cpp(plain + " if (tmp0) { out_ptr0[x0 + 20] = 1; }"), "out_ptr0").stored, (Range{0, 24}));
  for (const char* other :
       {" out_ptr0[tmp0] = 1;", " out_ptr0[ks0] = 1;", " helper(out_ptr0);", " out_ptr0[9] += 1;",
        " atomic_add(&out_ptr0[9], 1);", " for (long i = 0; i < ks0; i++) out_ptr0[i] = 1;"})
    EXPECT_EQ(touched(cpp(plain + other), "out_ptr0").stored, std::nullopt) << other;
}

std::string triton(const std::string& body, const std::string& counts = "    xnumel = 20\n    rnumel = 6\n") {
  return "@triton.jit\ndef triton_red_fused_0(in_ptr0, out_ptr0, ks0, xnumel, rnumel, XBLOCK : "
         "tl.constexpr):\n" +
         counts +
         "    xoffset = tl.program_id(0) * XBLOCK\n"
         "    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]\n    xmask = xindex < xnumel\n"
         "    x0 = xindex % 5\n    x1 = (xindex // 5)\n    rbase = tl.arange(0, RBLOCK)[None, :]\n"
         "    for roffset in range(0, rnumel, RBLOCK):\n        rindex = roffset + rbase\n"
         "        rmask = rindex < rnumel\n        r2 = rindex\n        " +
         body + "\n";
}

TEST(Touched, TritonIndices) {  // C1, C5
  EXPECT_EQ(touched(triton("tmp0 = tl.load(in_ptr0 + (r2 + (6*x0) + (30*x1)), rmask & xmask, other=0.0)"),
                    "in_ptr0")
                .reaches,
            120);
  const Touched store = touched(triton("tl.store(out_ptr0 + (x0 + 5*x1), tmp2, xmask)"), "out_ptr0");
  EXPECT_EQ(store.reaches, 20);
  EXPECT_TRUE(store.stores_there);
  EXPECT_EQ(store.stored, (Range{0, 19}));
}

TEST(Touched, TritonMasksAndSizesThatAreNotKnown) {  // E1
  EXPECT_EQ(touched(triton("tmp0 = tl.load(in_ptr0 + (x0), tmp5 & xmask, other=0.0)"), "in_ptr0").reaches, 0);
  EXPECT_EQ(touched(triton("tmp0 = tl.load(in_ptr0 + (x0 + ks0), xmask)"), "in_ptr0").reaches, 0);
  const Touched store = touched(triton("tl.store(out_ptr0 + (x0), tmp2, xmask & tmp3)"), "out_ptr0");
  EXPECT_EQ(store.reaches, 0);
  EXPECT_EQ(store.stored, (Range{0, 4}));
  const std::string load = "tmp0 = tl.load(in_ptr0 + (xindex), xmask)";
  EXPECT_EQ(touched(triton(load, ""), "in_ptr0").reaches, 0);
  EXPECT_EQ(touched(triton(load, "    xnumel = 0\n"), "in_ptr0").reaches, 0);
  EXPECT_EQ(touched(triton(load, "    xnumel = 20\n    xnumel = 21\n"), "in_ptr0").reaches, 0);
  EXPECT_EQ(touched(triton(load, "    xnumel = xnumel\n"), "in_ptr0").reaches, 0);
}

TEST(Touched, LoadsAlike) {  // E1
  EXPECT_EQ(touched(cpp(kLoad), "in_ptr0").loaded, (Range{0, 56}));
  EXPECT_EQ(touched(cpp(kLoad), "out_ptr0").loaded, std::nullopt);
  EXPECT_EQ(touched(cpp(std::string(kLoad) + " helper(in_ptr0);"), "in_ptr0").loaded, std::nullopt);
  EXPECT_EQ(touched(triton("tmp0 = tl.load(in_ptr0 + (7 + x0), tmp5, other=0.0)"), "in_ptr0").loaded,
            (Range{7, 11}));
}

TEST(Touched, BothEndsOfALoop) {  // C5
  EXPECT_EQ(touched(cpp("out_ptr0[20L - x0] = 1;"), "out_ptr0").reaches, 21);
  EXPECT_EQ(touched(triton("tl.store(out_ptr0 + (20 - xindex), tmp2, xmask)"), "out_ptr0").reaches, 21);
}

TEST(Touched, NumbersAtTheEndsOf64Bits) {
  const std::string most = "9223372036854775807";
  EXPECT_EQ(touched(cpp("out_ptr0[" + most + "] = 1;"), "out_ptr0").stored->hi, INT64_MAX);
  EXPECT_EQ(touched(cpp("v.store(out_ptr0 + " + most + ", 8);"), "out_ptr0").stored, std::nullopt);
  for (const std::string& step : {most, std::string("1")})
    EXPECT_EQ(touched(cpp("for (long i = 0; i < " + most + "; i += " + step + ") { if (i >= " + most +
                          ") { out_ptr0[i] = 1; } }"),
                      "out_ptr0")
                  .reaches,
              0);
}

TEST(Touched, LoopsWithoutIterationStoreNothing) {  // C1
  const auto stored = touched(cpp("for (long i = 3; i < 3; i++) { out_ptr0[i] = 1; }"), "out_ptr0").stored;
  ASSERT_TRUE(stored.has_value());
  EXPECT_LT(stored->hi, stored->lo);
  EXPECT_EQ(
      touched(cpp("for (long i = 0; i < ks0; i++) { out_ptr0[i] = 1; }"), "out_ptr0", {{"ks0", 0}}).stored,
      stored);
}

TEST(Touched, NamesOfUsersAreNoIndices) {  // E1
  const auto reaches = [](const std::string& lines) {
    return touched("@triton.jit\ndef k(p, numel, N, XBLOCK: tl.constexpr):\n" + lines, "p",
                   {{"numel", 40}, {"N", 9}})
        .reaches;
  };
  EXPECT_EQ(
      reaches(
          "    index = tl.program_id(0) * 8 + tl.arange(0, 8)\n    a = tl.load(p + index, index < numel)\n"),
      0);
  const std::string real =
      "    xnumel = 40\n    xoffset = tl.program_id(0) * XBLOCK\n    xindex = xoffset + tl.arange(0, "
      "XBLOCK)[:]\n";
  EXPECT_EQ(reaches(real + "    xmask = xindex < xnumel\n    a = tl.load(p + xindex, xmask)\n"), 40);
  EXPECT_EQ(
      reaches(real + "    xmask = tl.full([XBLOCK], True, tl.int1)\n    a = tl.load(p + xindex, xmask)\n"),
      40);
  EXPECT_EQ(reaches(real + "    xmask = xindex < N\n    a = tl.load(p + xindex, xmask)\n"), 0);
  EXPECT_EQ(reaches(real + "    if N > 3:\n        a = tl.load(p + xindex, None)\n"), 0);
}

TEST(CodeOnly, CommentsAndQuotesAreBlank) {
  EXPECT_EQ(code_only("extern \"C\" a; // p[9]\nb /* p[8]\n */ \"p[7] \\\" p[6]\" c"),
            "extern \"C\" a;        \nb        \n" + std::string(19, ' ') + "c");
  EXPECT_EQ(code_only("a # p[9]\nb(c='p[8]', d=\"#\") e"), "a       \nb(c=      , d=   ) e");
  EXPECT_EQ(code_only("'open"), "     ");
}

TEST(Touched, SizesThatTheLaunchGives) {  // C5
  const std::string load = triton("tmp0 = tl.load(in_ptr0 + (xindex), xmask)", "    # xnumel = 20\n");
  EXPECT_EQ(touched(load, "in_ptr0", {{"xnumel", 20}}).reaches, 20);
  EXPECT_EQ(touched(cpp("out_ptr0[ks0 + x0] = 1;"), "out_ptr0", {{"ks0", 7}}).stored, (Range{7, 11}));
  const std::string npu =
      "@triton.jit\ndef triton_unk_fused_0(in_ptr0, out_ptr0, x0_numel, r1_numel, X0BLOCK : tl.constexpr):\n"
      "    x0_offset = tl.program_id(0) * X0BLOCK\n    base_x0= tl.arange(0, X0BLOCK_SUB)\n"
      "    for loop_x0 in range(loops_x0):\n        x0 = x0_offset + (loop_x0 * X0BLOCK_SUB) + "
      "base_x0[:,None]\n"
      "        x0_mask = x0 < min(X0BLOCK+x0_offset, x0_numel)\n        r1 = base_r1[None,:]\n"
      "        r1_mask = r1 < r1_numel\n"
      "        tmp0 = tl.load(in_ptr0 + (r1 + 6*x0), r1_mask & x0_mask, other=0.0)\n"
      "        tl.store(out_ptr0 + (x0), tmp1, x0_mask)\n";
  EXPECT_EQ(touched(npu, "in_ptr0", {{"x0_numel", 5}, {"r1_numel", 6}}).reaches, 30);
  EXPECT_EQ(touched(npu, "out_ptr0", {{"x0_numel", 5}}).stored, (Range{0, 4}));
  EXPECT_EQ(touched(npu, "in_ptr0", {{"x0_numel", 5}}).reaches, 0);
}

TEST(SourceBlocks, HostileTextIsBounded) {
  EXPECT_TRUE(source_blocks("extern \"C\" void k(float* p) {" + std::string(100000, '}')).empty());
  for (const char* piece : {"if (a) ", "for(", "{ [&] {", "if (a) [&] {"}) {
    std::string text = "extern \"C\" void k(float* p) { ";
    for (int i = 0; i < 20000; ++i) text += piece;
    EXPECT_EQ(touched(text + " p[0] = 1;", "p").reaches, 0) << piece;
  }
}

}  // namespace
}  // namespace bufferproof::model::lowering
