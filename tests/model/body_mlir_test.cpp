// Every operation and quirk of named-op MLIR text (model/read/mlir).
#include "model/read/mlir/reader.hpp"

#include <gtest/gtest.h>

#include "model/tensor_function.hpp"

namespace bufferproof::model {
namespace {

SourceLocation origin() { return {std::make_shared<const std::string>("k.py"), 1, 1}; }

std::string wrap(std::string_view parameters, std::string_view result, std::string_view body) {
  return "module {\n  func.func @k(" + std::string(parameters) + ") -> " + std::string(result) +
         " attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {\n" +
         std::string(body) + "\n  }\n}\n";
}

BodyText read_one(const std::string& text) {
  std::vector<BodyText> bodies = read_mlir(text, origin());
  EXPECT_EQ(bodies.size(), 1U);
  return bodies.at(0);
}

/// Reads, verifies, prints, reads back; returns the printed text.
std::string round_trip(const std::string& text) {
  BodyText body = read_one(text);
  if (!body.function) return "unsupported " + body.unsupported->what;
  verify(*body.function);
  std::string printed = print(*body.function);
  EXPECT_TRUE(same_body(*body.function, parse_tensor_function(printed))) << printed;
  return printed;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(MlirBody, FusedScaleReadsWithItsBlanksAndHexAndUpperCaseE) {
  std::string text = wrap("%arg0: tensor<4x8xf16>", "tensor<8x4xf32>", R"(
    %cst = arith.constant 9.9999999999999995E-7 : f64
    %cst_0 = arith.constant 0xFF800000 : f32
    %c1_i64 = arith.constant 1 : i64
    %0 = tensor.empty() : tensor<4x8xf32>
    %1 = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%arg0 : tensor<4x8xf16>) outs(%0 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = tensor.empty() : tensor<8x4xf32>
    %transposed = linalg.transpose ins(%1 : tensor<4x8xf32>) outs(%2 : tensor<8x4xf32>) permutation = [1, 0] 
    %3 = arith.truncf %cst : f64 to f32
    %4 = linalg.fill ins(%3 : f32) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%transposed, %4 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %6 = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%5, %cst_0 : tensor<8x4xf32>, f32) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %7 = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%cst_0, %6 : f32, tensor<8x4xf32>) outs(%2 : tensor<8x4xf32>) -> tensor<8x4xf32>
    return %7 : tensor<8x4xf32>)");
  std::string printed = round_trip(text);
  EXPECT_TRUE(has(printed, "bits = 0xff800000")) << printed;
  EXPECT_TRUE(has(printed, "transpose %1 {permutation = [1, 0]} : f32[8, 4]")) << printed;
  EXPECT_TRUE(has(printed, "%6 = add %5,")) << printed;
}

TEST(MlirBody, ReduceRegionsReuseNamesAndOneValueIsReturnedTwice) {
  std::string reduce = R"(
    %r#N = linalg.reduce ins(%arg0 : tensor<4x8xf32>) outs(%1 : tensor<4xf32>) dimensions = [1] 
      (%in: f32, %init: f32) {
        %20 = arith.addf %in, %init : f32
        linalg.yield %20 : f32
      })";
  std::string first = reduce;
  first.replace(first.find("#N"), 2, "0");
  std::string second = reduce;
  second.replace(second.find("#N"), 2, "1");
  std::string printed = round_trip(
      wrap("%arg0: tensor<4x8xf32>", "(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)",
           R"(
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>)" +
               first + second + "\n    return %r0, %r0, %r1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>"));
  EXPECT_TRUE(has(printed, R"(reduce %arg0, %1 {dims = [1], fn = "sum"} : f32[4])")) << printed;
  EXPECT_TRUE(has(printed, "return %r0, %r0, %r1")) << printed;
}

TEST(MlirBody, ZeroRankAndCollapseToNothing) {
  std::string printed = round_trip(wrap("%arg0: tensor<1xf32>", "tensor<4xf32>", R"(
    %cst = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<f32>
    %1 = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%cst : tensor<i64>) outs(%0 : tensor<f32>) -> tensor<f32>
    %collapsed = tensor.collapse_shape %arg0 [] : tensor<1xf32> into tensor<f32>
    %2 = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%1, %collapsed : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) -> tensor<f32>
    %3 = tensor.empty() : tensor<4xf32>
    %b = linalg.broadcast ins(%2 : tensor<f32>) outs(%3 : tensor<4xf32>) dimensions = [0] 
    return %b : tensor<4xf32>)"));
  EXPECT_TRUE(has(printed, "reshape %arg0 {shape = sizes[]} : f32[]")) << printed;
}

TEST(MlirBody, DynamicSizesBecomeExpressionsOfParameters) {
  std::string printed =
      round_trip(wrap("%arg0: tensor<?x?xf16>, %arg1: i64, %arg2: tensor<?x5x?xf16>", "tensor<?x5x?xf32>", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.index_cast %arg1 : i64 to index
    %dim = tensor.dim %arg0, %c1 : tensor<?x?xf16>
    %1 = arith.muli %0, %dim : index
    %2 = tensor.empty(%0, %dim) : tensor<?x5x?xf32>
    %3 = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%arg2 : tensor<?x5x?xf16>) outs(%2 : tensor<?x5x?xf32>) -> tensor<?x5x?xf32>
    %collapsed = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<?x5x?xf32> into tensor<?x?xf32>
    %expanded = tensor.expand_shape %collapsed [[0, 1], [2]] output_shape [%0, 5, %dim] : tensor<?x?xf32> into tensor<?x5x?xf32>
    return %expanded : tensor<?x5x?xf32>)"));
  EXPECT_TRUE(has(printed, "%arg2: f16[arg1, 5, arg0_d1]")) << printed;
  EXPECT_TRUE(has(printed, "f32[5*arg1, arg0_d1]")) << printed;
}

TEST(MlirBody, EveryFunctionEnumerationReads) {
  for (std::string fn : {"exp", "log", "abs", "ceil", "floor", "negf"}) {
    std::string printed = round_trip(
        wrap("%a: tensor<4xf32>", "tensor<4xf32>",
             "%0 = tensor.empty() : tensor<4xf32>\n%1 = linalg.elemwise_unary {fun = #linalg.unary_fn<" + fn +
                 ">} ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>\nreturn %1 : "
                 "tensor<4xf32>"));
    EXPECT_FALSE(has(printed, "unsupported")) << fn;
  }
}

TEST(MlirBody, EveryHfusionFunctionReads) {
  for (std::string fn : {"relu",  "sqrt",  "rsqrt", "rec",   "tanh",   "sin",   "cos",      "atan", "tan",
                         "erf",   "log2",  "log10", "log1p", "exp2",   "expm1", "ilogb",    "asin", "acos",
                         "asinh", "acosh", "atanh", "sinh",  "lgamma", "cosh",  "nearbyint"}) {
    std::string printed = round_trip(wrap(
        "%a: tensor<4xf32>", "tensor<4xf32>",
        "%0 = tensor.empty() : tensor<4xf32>\n%1 = hfusion.elemwise_unary {fun = #hfusion.unary_fn<" + fn +
            ">} ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>\nreturn %1 : "
            "tensor<4xf32>"));
    EXPECT_FALSE(has(printed, "unsupported")) << fn;
  }
  for (std::string fn :
       {"vor", "vand", "vxor", "mod", "modui", "shli", "shrsi", "shrui", "ceildivsi", "floordivsi", "powi"}) {
    std::string printed = round_trip(wrap(
        "%a: tensor<4xi32>", "tensor<4xi32>",
        "%0 = tensor.empty() : tensor<4xi32>\n%1 = hfusion.elemwise_binary {fun = #hfusion.binary_fn<" + fn +
            ">} ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%0 : tensor<4xi32>) -> tensor<4xi32>\nreturn "
            "%1 : tensor<4xi32>"));
    EXPECT_FALSE(has(printed, "unsupported")) << fn;
  }
}

TEST(MlirBody, EveryComparisonAndRoundModeReads) {
  for (std::string fn : {"minf", "maxf", "powf", "ldexp", "minnumf", "maxnumf", "atan2", "copysign"}) {
    std::string printed = round_trip(wrap(
        "%a: tensor<4xf32>", "tensor<4xf32>",
        "%0 = tensor.empty() : tensor<4xf32>\n%1 = hfusion.elemwise_binary {fun = #hfusion.binary_fn<" + fn +
            ">} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>\nreturn "
            "%1 : tensor<4xf32>"));
    EXPECT_FALSE(has(printed, "unsupported")) << fn;
  }
  for (std::string fn : {"veq", "vne", "vle", "vlt", "vge", "vgt"}) {
    std::string printed = round_trip(wrap(
        "%a: tensor<4xf32>", "tensor<4xi1>",
        "%0 = tensor.empty() : tensor<4xi1>\n%1 = hfusion.compare {compare_fn = #hfusion.compare_fn<" + fn +
            ">} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xi1>) -> tensor<4xi1>\nreturn "
            "%1 : tensor<4xi1>"));
    EXPECT_FALSE(has(printed, "unsupported")) << fn;
  }
  for (std::string mode : {"rint", "round", "floor", "ceil", "trunc", "odd", "truncwithoverflow"}) {
    std::string printed = round_trip(wrap(
        "%a: tensor<4xf32>", "tensor<4xf16>",
        "%0 = tensor.empty() : tensor<4xf16>\n%1 = hfusion.cast {round_mode = #hfusion.round_mode<" + mode +
            ">} ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf16>) -> tensor<4xf16>\nreturn %1 : "
            "tensor<4xf16>"));
    EXPECT_TRUE(has(printed, "round = \"" + mode + "\"")) << printed;
  }
}

TEST(MlirBody, CompareAndSelect) {
  std::string printed = round_trip(wrap("%a: tensor<4xf32>, %b: tensor<4xf32>", "tensor<4xf32>", R"(
    %0 = tensor.empty() : tensor<4xi1>
    %1 = tensor.empty() : tensor<4xf32>
    %2 = hfusion.compare {compare_fn = #hfusion.compare_fn<veq>} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xi1>) -> tensor<4xi1>
    %3 = hfusion.select ins(%2, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>)"));
  EXPECT_TRUE(has(printed, "select %2, %a, %b : f32[4]")) << printed;
}

TEST(MlirBody, SlicesConcatAndPad) {
  std::string printed = round_trip(wrap("%a: tensor<4x8xf32>, %b: tensor<2x8xf32>", "tensor<7x10xf32>", R"(
    %cst = arith.constant 1.5 : f32
    %s = tensor.extract_slice %a[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
    %u = tensor.insert_slice %s into %a[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
    %c = tensor.concat dim(0) %u, %b : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
    %p = tensor.pad %c low[0, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %cst : f32
    } : tensor<6x8xf32> to tensor<7x10xf32>
    return %p : tensor<7x10xf32>)"));
  EXPECT_TRUE(has(printed, "pad %c, %cst")) << printed;
  EXPECT_TRUE(has(printed, "insert_slice %s, %a")) << printed;
}

TEST(MlirBody, RankReducingSlices) {
  std::string printed = round_trip(wrap("%a: tensor<4x1x8xf32>", "tensor<1x8xf32>", R"(
    %s = tensor.extract_slice %a[2, 0, 0] [1, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> to tensor<1x8xf32>
    return %s : tensor<1x8xf32>)"));
  EXPECT_TRUE(has(printed, "reshape")) << printed;
}

TEST(MlirBody, GenericWithMapsBecomesBroadcastTransposeAndElementwise) {
  std::string text =
      "#map = affine_map<(d0, d1) -> (d0, d1)>\n#map1 = affine_map<(d0, d1) -> (d1)>\n" +
      wrap("%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<8x4xf32>", "tensor<4x8xf32>", R"(
    %cst = arith.constant 2.0 : f32
    %0 = tensor.empty() : tensor<4x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, affine_map<(d0, d1) -> (d1, d0)>, #map], iterator_types = ["parallel", "parallel"]} ins(%a, %b, %c : tensor<4x8xf32>, tensor<8xf32>, tensor<8x4xf32>) outs(%0 : tensor<4x8xf32>) { ^bb0(%in: f32, %in_0: f32, %in_1: f32, %out: f32):
      %2 = arith.mulf %in, %in_0 : f32
      %3 = arith.addf %2, %in_1 : f32
      %4 = math.exp %3 : f32
      %5 = arith.mulf %4, %cst : f32
      linalg.yield %5 : f32
    } -> tensor<4x8xf32>
    return %1 : tensor<4x8xf32>)");
  std::string printed = round_trip(text);
  EXPECT_TRUE(has(printed, "broadcast %b {dims = [1], shape = sizes[4, 8]}")) << printed;
  EXPECT_TRUE(has(printed, "transpose %c {permutation = [1, 0]}")) << printed;
}

TEST(MlirBody, GenericReductionBecomesAReduce) {
  std::string printed = round_trip(wrap("%a: tensor<4x8xf32>, %z: tensor<4xf32>", "tensor<4xf32>", R"(
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%z : tensor<4xf32>) { ^bb0(%in: f32, %out: f32):
      %2 = arith.mulf %in, %in : f32
      %3 = arith.addf %out, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    return %1 : tensor<4xf32>)"));
  EXPECT_TRUE(has(printed, R"({dims = [1], fn = "sum"} : f32[4])")) << printed;
}

TEST(MlirBody, TruncationToTheSameTypeIsReadAndReported) {
  BodyText body = read_one(wrap("%a: tensor<2xf32>", "tensor<2xf32>", R"(
    %cst = arith.constant 1.000000e-01 : f32
    %0 = arith.truncf %cst : f32 to f32
    %1 = tensor.empty() : tensor<2xf32>
    %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>)"));
  ASSERT_TRUE(body.function);
  ASSERT_EQ(body.notes.size(), 1U);
  EXPECT_EQ(body.notes[0].kind, BodyNote::Kind::truncation_to_same_type);
  EXPECT_EQ(body.notes[0].where.line, 5);
}

TEST(MlirBody, AnOperationOutsideTheSetIsAValueWithItsPlaceAndTheNextFunctionStillReads) {
  std::string text = wrap("%a: tensor<2xf32>", "tensor<2xf32>", R"(
    %0 = hfusion.sort ins(%a : tensor<2xf32>) descending = true sort_axis = 0 -> tensor<2xf32>
    return %0 : tensor<2xf32>)") +
                     wrap("%a: tensor<2xf32>", "tensor<2xf32>", "return %a : tensor<2xf32>");
  std::vector<BodyText> bodies = read_mlir(text, origin());
  ASSERT_EQ(bodies.size(), 2U);
  ASSERT_TRUE(bodies[0].unsupported);
  EXPECT_EQ(bodies[0].unsupported->what, "'hfusion.sort'");
  EXPECT_EQ(bodies[0].unsupported->where.str(), "k.py:4:5");
  EXPECT_TRUE(bodies[1].function);
}

TEST(MlirBody, TypesOfTheTextAreChecked) {
  EXPECT_THROW(read_one(wrap("%a: tensor<2xf32>", "tensor<2xf32>",
                             "%0 = tensor.empty() : tensor<3xf32>\n"
                             "%1 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%a : "
                             "tensor<2xf32>) outs(%0 : tensor<3xf32>) -> tensor<3xf32>\n"
                             "return %a : tensor<2xf32>")),
               InputError);
  EXPECT_THROW(read_one(wrap("%a: tensor<2xf32>", "tensor<3xf32>", "return %a : tensor<2xf32>")), InputError);
  EXPECT_THROW(read_one(wrap("%a: tensor<2xf32>", "tensor<2xf16>", "return %a : tensor<2xf16>")), InputError);
}

TEST(MlirBody, MalformedTextIsAnErrorWithAPlace) {
  std::string whole = wrap("%arg0: tensor<4x8xf32>", "tensor<4xf32>", R"(
    %cst = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %r = linalg.reduce ins(%arg0 : tensor<4x8xf32>) outs(%1 : tensor<4xf32>) dimensions = [1] 
      (%in: f32, %init: f32) {
        %20 = arith.addf %in, %init : f32
        linalg.yield %20 : f32
      }
    return %r : tensor<4xf32>)");
  for (std::size_t cut = 1; cut + 3 < whole.size(); cut += 3) {
    try {
      for (const BodyText& body : read_mlir(whole.substr(0, cut), origin()))
        EXPECT_FALSE(body.function) << cut;
    } catch (const InputError& error) {
      EXPECT_GT(error.where().line, 0) << cut;
    }
  }
  EXPECT_THROW(read_one(wrap("%a: tensor<2xf32>", "tensor<2xf32>", "return %b : tensor<2xf32>")), InputError);
}

TEST(MlirBody, NestedRegionsAreBounded) {
  std::string body = "%cst = arith.constant 0.0 : f32\n";
  for (int i = 0; i < 1000; ++i)
    body += "%r" + std::to_string(i) +
            " = linalg.reduce ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) dimensions = [] (%x: f32, %y: "
            "f32) {\n";
  EXPECT_THROW(read_mlir(wrap("%a: tensor<2xf32>", "tensor<2xf32>", body), origin()), InputError);
}

}  // namespace
}  // namespace bufferproof::model
