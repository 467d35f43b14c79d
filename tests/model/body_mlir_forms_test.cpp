// Less common forms of named-op MLIR text: aliases of attributes, reshapes, bit casts, cropping pads.
#include <gtest/gtest.h>

#include "model/body/summary.hpp"
#include "model/read/mlir/reader.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {
namespace {

BodyText read_one(std::string_view parameters, std::string_view result, std::string_view body,
                  std::string_view before = "") {
  std::string text = std::string(before) + "func.func @k(" + std::string(parameters) + ") -> " +
                     std::string(result) + " {\n" + std::string(body) + "\n}\n";
  return read_mlir(text, {std::make_shared<const std::string>("k.mlir"), 1, 1}).at(0);
}

std::string printed(const BodyText& body) {
  if (!body.function) return "unsupported " + body.unsupported->what;
  verify(*body.function);
  std::string text = print(*body.function);
  EXPECT_TRUE(same_body(*body.function, parse_tensor_function(text))) << text;
  return text;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(MlirForms, ReshapeTakesItsSizesFromItsTypeAndOneOpenSizeFromTheElements) {
  std::string open = printed(read_one("%a: tensor<?x4xf32>, %s: tensor<1xi64>", "tensor<?xf32>", R"(
    %r = tensor.reshape %a(%s) : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?xf32>
    return %r : tensor<?xf32>)"));
  EXPECT_TRUE(has(open, "reshape %a {shape = sizes[4*a_d0]} : f32[4*a_d0]")) << open;
  EXPECT_THROW(read_one("%a: tensor<2x4xf32>, %s: tensor<1xi64>", "tensor<9xf32>", R"(
    %r = tensor.reshape %a(%s) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<9xf32>
    return %r : tensor<9xf32>)"),
               InputError);
  EXPECT_EQ(printed(read_one("%a: tensor<?x?xf32>, %s: tensor<2xi64>", "tensor<?x?xf32>", R"(
    %r = tensor.reshape %a(%s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>)")),
            "unsupported 'tensor.reshape': two open sizes");
}

TEST(MlirForms, BitCastsKeepTheWidth) {
  std::string text = printed(read_one("%a: tensor<4xf32>", "tensor<4xi32>", R"(
    %r = hivm.hir.bitcast %a : tensor<4xf32> -> tensor<4xi32>
    return %r : tensor<4xi32>)"));
  EXPECT_TRUE(has(text, "bitcast %a {dtype = i32} : i32[4]")) << text;
  EXPECT_THROW(read_one("%a: tensor<4xf32>", "tensor<4xi16>", R"(
    %r = tensor.bitcast %a : tensor<4xf32> to tensor<4xi16>
    return %r : tensor<4xi16>)"),
               InputError);
}

TEST(MlirForms, AttributeAliasesHoldListsDictionariesAndPlaces) {
  std::string_view aliases = R"(#loc = loc("k.py":1:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#access = [#map, #map]
#trait = {indexing_maps = #access, iterator_types = ["parallel", "parallel"]}
)";
  std::string text = printed(read_one("%a: tensor<2x3xf32>", "tensor<2x3xf32>", R"(
    %0 = tensor.empty() : tensor<2x3xf32>
    %1 = linalg.generic #trait ins(%a : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.exp %in : f32
      linalg.yield %2 : f32
    } -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>)",
                                      aliases));
  EXPECT_TRUE(has(text, "exp %a")) << text;
  EXPECT_THROW(read_one("%a: tensor<2xf32>", "tensor<2xf32>", R"(
    %1 = linalg.generic #nothing ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) {})"),
               InputError);
}

TEST(MlirForms, ElementsAreInsertedAndSplatsHaveOpenSizes) {
  BodySummary summary = summarize(*read_one("%v: f32, %n: index", "tensor<?xf32>", R"(
    %c2 = arith.constant 2 : index
    %s = tensor.splat %v[%n] : tensor<?xf32>
    %r = tensor.insert %v into %s[%c2] : tensor<?xf32>
    return %r : tensor<?xf32>)")
                                       .function);
  EXPECT_EQ(summary.outputs[0].type.str(), "f32[n]");
  EXPECT_TRUE(summary.outputs[0].undefined.empty());
}

TEST(MlirForms, NegativePaddingCutsOff) {
  std::string body = R"(
    %cst = arith.constant 0.0 : f32
    %r = tensor.pad %a low[1, 0] high[0, -2] {
    ^bb0(%i: index, %j: index):
      YIELD
      tensor.yield %cst : f32
    } : tensor<4x6xf32> to tensor<5x4xf32>
    return %r : tensor<5x4xf32>)";
  std::string good = body;
  good.replace(good.find("YIELD"), 5, "");
  BodyText text = read_one("%a: tensor<4x6xf32>", "tensor<5x4xf32>", good);
  EXPECT_EQ(summarize(*text.function).inputs[0].reads.at(0).box.str(), "[0:4, 0:4]");
  body.replace(body.find("YIELD"), 5, "%k = arith.index_cast %i : index to i64");
  EXPECT_EQ(printed(read_one("%a: tensor<4x6xf32>", "tensor<5x4xf32>", body)),
            "unsupported a padding value that depends on its position");
}

TEST(MlirForms, ResultsNeedNoNamesAndTestsOfNumbersNoDestination) {
  std::string text = printed(read_one("%a: tensor<4xf32>", "tensor<4xi1>", R"(
    linalg.copy ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %r = hfusion.isinf %a : tensor<4xf32> -> tensor<4xi1>
    return %r : tensor<4xi1>)"));
  EXPECT_TRUE(has(text, "isinf %a")) << text;
}

}  // namespace
}  // namespace bufferproof::model
