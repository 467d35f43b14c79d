// Library calls of wrappers: operands as the text has them, and the body they stand for (E8).
#include "model/library_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/program.hpp"
#include "model/read/wrapper/wrapper.hpp"

namespace bufferproof::model {
namespace {

using testing::HasSubstr;

/// The launches of a wrapper whose call does `lines` to three 4x4 inputs.
Program program(const std::string& lines) {
  return wrapper::read_wrappers(
             "def call(args):\n    a, b, c = args\n    args.clear()\n"
             "    assert_size_stride(a, (4, 4), (4, 1))\n"
             "    assert_size_stride(b, (4, 4), (4, 1))\n"
             "    assert_size_stride(c, (4, 4), (4, 1))\n" +
                 lines + "    return (a, )\n",
             "w.py")
      .at(0);
}

std::vector<const Launch*> launches(const Program& program) {
  std::vector<const Launch*> out;
  for (const Step& step : program.body)
    if (const auto* launch = std::get_if<Launch>(&step.node)) out.push_back(launch);
  return out;
}

std::vector<TensorType> types(std::size_t count) { return {count, TensorType{DType::f32, {4, 4}}}; }

std::string body_text(const std::string& line, std::size_t tensors) {
  const Program made = program("    " + line + "\n");
  const auto calls = launches(made);
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(tensors_of(*calls[0]->call).size(), tensors);
  return print(body_of(*calls[0]->call, types(tensors), {}, {}));
}

TEST(LibraryCall, E8_OperandsAreKept) {
  const Program made = program(
      "    extern_kernels.addmm(a, b, c, alpha=2, beta=0.5, out=a)\n"
      "    d = torch.ops.aten.max_pool2d_with_indices.default(b, [3, 3], [2, 2], [1, 1])\n"
      "    e = d[0]\n");
  const auto calls = launches(made);
  ASSERT_EQ(calls.size(), 2U);
  const LibraryCall& sum = *calls[0]->call;
  EXPECT_EQ(sum.op, "aten.addmm");
  ASSERT_EQ(sum.arguments.size(), 3U);
  EXPECT_EQ(sum.arguments[1].tensor.str(), "b");
  EXPECT_EQ(sum.keywords.at("alpha").integer, SymExpr(2));
  EXPECT_EQ(sum.keywords.at("beta").real, 0.5);
  EXPECT_EQ(sum.results, std::vector<Name>{Name("a")});
  const LibraryCall& pool = *calls[1]->call;
  ASSERT_EQ(pool.arguments.size(), 4U);
  EXPECT_EQ(pool.arguments[1].items.size(), 2U);
  EXPECT_EQ(pool.results.size(), 2U);
}

TEST(LibraryCall, BodiesComeFromTheTableOfAtenFunctions) {
  EXPECT_THAT(body_text("extern_kernels.mm(a, b, out=c)", 2), HasSubstr("matmul %t0, %t1"));
  EXPECT_THAT(body_text("extern_kernels.addmm(a, b, c, alpha=1, beta=0, out=c)", 3), Not(HasSubstr("add ")));
  EXPECT_THAT(body_text("d = torch.ops.aten.cat.default([a, b], -1)", 2), HasSubstr("concat"));
  EXPECT_THAT(body_text("d = torch.ops.aten._softmax.default(a, -1, False)", 1), HasSubstr("exp"));
  EXPECT_THAT(body_text("torch.ops.aten.add_.Tensor(a, b, alpha=-1.5)", 2), HasSubstr("add "));
  EXPECT_THAT(body_text("d = torch.ops.aten.clamp.default(a, float('-inf'), 0.5)", 1), HasSubstr("m"));
  EXPECT_THAT(body_text("torch.ops.aten.copy_.default(a, b)", 2), HasSubstr("overwrite %t0"));
}

TEST(LibraryCall, WhatIsOutsideOfTheTableIsNamed) {
  const Program made = program("    d = torch.ops.aten.linalg_qr.default(a)\n");
  const auto calls = launches(made);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_FALSE(has_body(*calls[0]->call));
  try {
    body_of(*calls[0]->call, types(1), {}, {std::make_shared<const std::string>("w.py"), 7, 1});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("w.py:7:1"));
    EXPECT_THAT(error.what(), HasSubstr("aten.linalg_qr"));
  }
}

TEST(LibraryCall, CallsOfUnknownEffectsHaveNone) {
  const Program made = program("    torch.ops.mine.secret.default(a)\n");
  const auto calls = launches(made);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0]->call, nullptr);
}

}  // namespace
}  // namespace bufferproof::model
