// C8, E9: each kind of gap, with symbolic sizes, beside a twin without it.
#include <gtest/gtest.h>

#include "model/body/summary.hpp"
#include "model/read/mlir/reader.hpp"

namespace bufferproof::model {
namespace {

BodySummary summary_of(const std::string& parameters, const std::string& result, const std::string& body) {
  std::string text =
      "module {\n  func.func @k(" + parameters + ") -> " + result + " {\n" + body + "\n  }\n}\n";
  std::vector<BodyText> bodies = read_mlir(text, {std::make_shared<const std::string>("k.py"), 1, 1});
  EXPECT_TRUE(bodies.at(0).function) << (bodies[0].unsupported ? bodies[0].unsupported->what : "");
  return summarize(bodies.at(0).function.value());
}

/// Is the element undefined at these sizes, by the exact parts of the summary?
bool undefined_at(const OutputSummary& output, const Valuation& sizes,
                  const std::vector<std::int64_t>& index) {
  for (const UndefinedElements& part : output.undefined) {
    bool inside = part.exact;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const Interval& axis = part.box.axes[i];
      std::int64_t begin = *axis.begin.evaluate(sizes);
      inside = inside && index[i] >= begin && index[i] < *axis.end.evaluate(sizes) &&
               (index[i] - begin) % axis.step == 0;
    }
    if (inside) return true;
  }
  return false;
}

const char kFill[] = R"(
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %cst = arith.constant 0.0 : f32
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %f = linalg.fill ins(%cst : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>)";

TEST(C8Definedness, ReadingTensorEmptyIsUndefinedEverywhereItsTwinNowhere) {
  std::string body = std::string(kFill) + R"(
    %s = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%x, %OPERAND : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %s : tensor<?x8xf32>)";
  std::string bad = body;
  bad.replace(bad.find("%OPERAND"), 8, "%e");
  std::string good = body;
  good.replace(good.find("%OPERAND"), 8, "%f");
  BodySummary refuted = summary_of("%x: tensor<?x8xf32>", "tensor<?x8xf32>", bad);
  ASSERT_EQ(refuted.outputs[0].undefined.size(), 1U);
  EXPECT_EQ(refuted.outputs[0].undefined[0].box.str(), "[0:x_d0, 0:8]");
  EXPECT_TRUE(refuted.outputs[0].undefined[0].exact);
  EXPECT_EQ(refuted.outputs[0].undefined[0].origin.line, 7);
  EXPECT_TRUE(summary_of("%x: tensor<?x8xf32>", "tensor<?x8xf32>", good).outputs[0].undefined.empty());
}

TEST(C8Definedness, ReductionWithoutInit) {
  std::string body = R"(
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %cst = arith.constant 0.0 : f32
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%cst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %r = linalg.reduce ins(%x : tensor<?x8xf32>) outs(%INIT : tensor<?xf32>) dimensions = [1]
      (%in: f32, %init: f32) {
        %1 = arith.addf %in, %init : f32
        linalg.yield %1 : f32
      }
    return %r : tensor<?xf32>)";
  std::string bad = body;
  bad.replace(bad.find("%INIT"), 5, "%e");
  std::string good = body;
  good.replace(good.find("%INIT"), 5, "%f");
  BodySummary refuted = summary_of("%x: tensor<?x8xf32>", "tensor<?xf32>", bad);
  ASSERT_EQ(refuted.outputs[0].undefined.size(), 1U);
  EXPECT_NE(refuted.outputs[0].undefined[0].reason.find("init of a reduction"), std::string::npos);
  EXPECT_TRUE(undefined_at(refuted.outputs[0], {{"x_d0", 5}}, {4}));
  EXPECT_TRUE(summary_of("%x: tensor<?x8xf32>", "tensor<?xf32>", good).outputs[0].undefined.empty());
}

TEST(C8Definedness, InsertSliceLeavesAGapOfKnownElements) {
  std::string body = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %m = arith.addi %n, %cEXTRA : index
    %e = tensor.empty(%m) : tensor<?x8xf32>
    %u = tensor.insert_slice %x into %e[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    return %u : tensor<?x8xf32>)";
  std::string bad = body;
  bad.replace(bad.find("%cEXTRA"), 7, "%c1");
  std::string good = body;
  good.replace(good.find("%cEXTRA"), 7, "%c0");
  BodySummary refuted = summary_of("%x: tensor<?x8xf32>", "tensor<?x8xf32>", bad);
  ASSERT_EQ(refuted.outputs[0].undefined.size(), 1U);
  EXPECT_EQ(refuted.outputs[0].undefined[0].box.str(), "[x_d0:x_d0 + 1, 0:8]");
  for (std::int64_t n : {1, 4, 1000000000}) {
    EXPECT_TRUE(undefined_at(refuted.outputs[0], {{"x_d0", n}}, {n, 0}));
    EXPECT_FALSE(undefined_at(refuted.outputs[0], {{"x_d0", n}}, {n - 1, 7}));
  }
  EXPECT_TRUE(summary_of("%x: tensor<?x8xf32>", "tensor<?x8xf32>", good).outputs[0].undefined.empty());
}

TEST(C8Definedness, TwoInsertedHalvesCoverAndAStridedOneLeavesEverySecondRow) {
  std::string head = R"(
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %m = arith.muli %n, %c2 : index
    %e = tensor.empty(%m) : tensor<?x8xf32>)";
  BodySummary proved = summary_of("%x: tensor<?x8xf32>", "tensor<?x8xf32>", head + R"(
    %u = tensor.insert_slice %x into %e[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    %v = tensor.insert_slice %x into %u[%n, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    return %v : tensor<?x8xf32>)");
  EXPECT_TRUE(proved.outputs[0].undefined.empty());
  BodySummary refuted = summary_of("%x: tensor<?x8xf32>", "tensor<?x8xf32>", head + R"(
    %u = tensor.insert_slice %x into %e[0, 0] [%n, 8] [2, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    return %u : tensor<?x8xf32>)");
  for (std::int64_t row = 0; row < 6; ++row)
    EXPECT_EQ(undefined_at(refuted.outputs[0], {{"x_d0", 3}}, {row, 3}), row % 2 == 1) << row;
}

TEST(C8Definedness, PadWithoutAValueLeavesTheMarginUndefined) {
  std::string body = R"(
    %cst = arith.constant 0.0 : f32
    %p = tensor.pad %x low[1, 0] high[0, 2] {
    ^bb0(%i: index, %j: index):
      YIELD
    } : tensor<?x8xf32> to tensor<?x10xf32>
    return %p : tensor<?x10xf32>)";
  std::string good = body;
  good.replace(good.find("YIELD"), 5, "tensor.yield %cst : f32");
  std::string bad = body;
  bad.replace(
      bad.find("YIELD"), 5,
      "%e = tensor.empty() : tensor<f32>\n %v = tensor.extract %e[] : tensor<f32>\n tensor.yield %v : f32");
  BodySummary refuted = summary_of("%x: tensor<?x8xf32>", "tensor<?x10xf32>", bad);
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 10; ++j)
      EXPECT_EQ(undefined_at(refuted.outputs[0], {{"x_d0", 3}}, {i, j}), i == 0 || j >= 8) << i << "," << j;
  EXPECT_TRUE(summary_of("%x: tensor<?x8xf32>", "tensor<?x10xf32>", good).outputs[0].undefined.empty());
}

TEST(C8Definedness, MatmulOntoAFreshTensorReadsItsAccumulator) {
  std::string body = R"(
    %cst = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x4xf32>
    %f = linalg.fill ins(%cst : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %m = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%INIT : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %m : tensor<4x4xf32>)";
  std::string bad = body;
  bad.replace(bad.find("%INIT"), 5, "%e");
  std::string good = body;
  good.replace(good.find("%INIT"), 5, "%f");
  EXPECT_EQ(summary_of("%x: tensor<4x4xf32>", "tensor<4x4xf32>", bad).outputs[0].undefined.size(), 1U);
  EXPECT_TRUE(summary_of("%x: tensor<4x4xf32>", "tensor<4x4xf32>", good).outputs[0].undefined.empty());
}

TEST(C8Definedness, UndefinedElementsThatASliceCutsOffDoNotMatter) {
  BodySummary summary = summary_of("%x: tensor<4x8xf32>", "tensor<4x8xf32>", R"(
    %e = tensor.empty() : tensor<6x8xf32>
    %u = tensor.insert_slice %x into %e[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<6x8xf32>
    %s = tensor.extract_slice %u[0, 0] [4, 8] [1, 1] : tensor<6x8xf32> to tensor<4x8xf32>
    return %s : tensor<4x8xf32>)");
  EXPECT_TRUE(summary.outputs[0].undefined.empty());
}

TEST(C8Definedness, ASelectedUndefinedElementIsNotExact) {
  BodySummary summary = summary_of("%x: tensor<4xf32>, %m: tensor<4xi1>", "tensor<4xf32>", R"(
    %e = tensor.empty() : tensor<4xf32>
    %s = hfusion.select ins(%m, %x, %e : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>)");
  ASSERT_EQ(summary.outputs[0].undefined.size(), 1U);
  EXPECT_FALSE(summary.outputs[0].undefined[0].exact);
}

TEST(C2Reads, OnlyWhatResultsDependOnIsRead) {
  BodySummary summary =
      summary_of("%x: tensor<?x8xf32>, %dead: tensor<4xf32>, %row: tensor<8xf32>", "tensor<?x4xf32>", R"(
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %b = linalg.broadcast ins(%row : tensor<8xf32>) outs(%e : tensor<?x8xf32>) dimensions = [0]
    %d = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%dead : tensor<4xf32>) outs(%dead : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%x, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    %t = tensor.extract_slice %s[0, 2] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
    return %t : tensor<?x4xf32>)");
  ASSERT_EQ(summary.inputs[0].reads.size(), 1U);
  EXPECT_EQ(summary.inputs[0].reads[0].box.str(), "[0:x_d0, 2:6]");
  EXPECT_TRUE(summary.inputs[0].reads[0].exact);
  EXPECT_TRUE(summary.inputs[1].reads.empty());
  ASSERT_EQ(summary.inputs[2].reads.size(), 1U);
  EXPECT_EQ(summary.inputs[2].reads[0].box.str(), "[2:6]");
}

TEST(E4Aliasing, ViewsOfInputsAndOneTensorTwice) {
  BodySummary summary = summary_of("%x: tensor<4x8xf32>",
                                   "(tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>)", R"(
    %v = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %f = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    %s = tensor.extract_slice %f[2, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    return %v, %f, %f, %s : tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>)");
  EXPECT_EQ(summary.outputs[0].view_of, 0);
  EXPECT_EQ(summary.outputs[1].view_of, -1);
  EXPECT_EQ(summary.outputs[1].same_as, -1);
  EXPECT_EQ(summary.outputs[2].same_as, 1);
  EXPECT_TRUE(summary.outputs[2].identical);
  EXPECT_EQ(summary.outputs[3].same_as, 1);
  EXPECT_FALSE(summary.outputs[3].identical);
  EXPECT_EQ(summary.outputs[3].offset, SymExpr(16));
}

TEST(B1sStrides, CastPermuteMulKeepsThePermutedLayout) {
  std::string text = R"(
    %cst = arith.constant 0.35355339059327379 : f64
    %0 = tensor.empty() : tensor<4x8x128x64xf32>
    %1 = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%x : tensor<4x8x128x64xf16>) outs(%0 : tensor<4x8x128x64xf32>) -> tensor<4x8x128x64xf32>
    %2 = tensor.empty() : tensor<4x8x64x128xf32>
    %t = linalg.transpose ins(%1 : tensor<4x8x128x64xf32>) outs(%2 : tensor<4x8x64x128xf32>) permutation = [0, 1, 3, 2]
    %3 = arith.truncf %cst : f64 to f32
    %4 = linalg.fill ins(%3 : f32) outs(%2 : tensor<4x8x64x128xf32>) -> tensor<4x8x64x128xf32>
    %5 = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%t, %4 : tensor<4x8x64x128xf32>, tensor<4x8x64x128xf32>) outs(%2 : tensor<4x8x64x128xf32>) -> tensor<4x8x64x128xf32>
    return %5, %1 : tensor<4x8x64x128xf32>, tensor<4x8x128x64xf32>)";
  BodySummary summary =
      summary_of("%x: tensor<4x8x128x64xf16>", "(tensor<4x8x64x128xf32>, tensor<4x8x128x64xf32>)", text);
  EXPECT_EQ(summary.outputs[0].layout, EagerLayout::strided);
  EXPECT_EQ(summary.outputs[0].strides, (std::vector<SymExpr>{65536, 8192, 1, 64}));
  EXPECT_EQ(summary.outputs[1].layout, EagerLayout::contiguous);
}

TEST(C7Agreement, KernelAndFallbackAreComparedByCountShapeAndType) {
  auto body = [](const std::string& text) { return parse_tensor_function(text); };
  TensorFunction kernel = body("func @k(%x: f32[4]) { %y = exp %x : f32[4] return %y, %y }");
  TensorFunction fewer = body("func @f(%x: f32[4]) { %y = exp %x : f32[4] return %y }");
  TensorFunction other = body(
      R"(func @f(%x: f32[4]) { %y = cast %x {dtype = f16, round = "rint"} : f16[4] %z = reshape %x {shape = sizes[2, 2]} : f32[2, 2] return %y, %z })");
  EXPECT_TRUE(compare_bodies(kernel, kernel).empty());
  ASSERT_EQ(compare_bodies(kernel, fewer).size(), 1U);
  EXPECT_EQ(compare_bodies(kernel, fewer)[0].kind, BodyDifference::Kind::result_count);
  auto differences = compare_bodies(kernel, other);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].kind, BodyDifference::Kind::dtype);
  EXPECT_EQ(differences[1].kind, BodyDifference::Kind::shape);
}

}  // namespace
}  // namespace bufferproof::model
