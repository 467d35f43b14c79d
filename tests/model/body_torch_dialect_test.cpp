// Torch-dialect text (model/read/torch_dialect).
#include <gtest/gtest.h>

#include "model/body/summary.hpp"
#include "model/read/torch_dialect/reader.hpp"

namespace bufferproof::model {
namespace {

SourceLocation origin() { return {std::make_shared<const std::string>("k.py"), 1, 1}; }

std::string wrap(std::string_view parameters, std::string_view result, std::string_view body) {
  return "module {\n  func.func @k(" + std::string(parameters) + ") -> " + std::string(result) +
         " attributes {torch.assume_strict_symbolic_shapes} {\n" + std::string(body) + "\n  }\n}\n";
}

std::string round_trip(const std::string& text) {
  std::vector<BodyText> bodies = read_kernel_text(text, origin());
  EXPECT_EQ(bodies.size(), 1U);
  if (!bodies.at(0).function) return "unsupported " + bodies[0].unsupported->what;
  verify(*bodies[0].function);
  std::string printed = print(*bodies[0].function);
  EXPECT_TRUE(same_body(*bodies[0].function, parse_tensor_function(printed))) << printed;
  return printed;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(TorchDialect, BatchNormReluReads) {
  std::string printed =
      round_trip(wrap("%arg0: !torch.vtensor<[8,64,56,56],f32>, %arg1: !torch.vtensor<[64],f32>",
                      "!torch.vtensor<[8,64,56,56],f32>", R"(
    %int1 = torch.constant.int 1
    %int-1 = torch.constant.int -1
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %0 = torch.aten.unsqueeze %arg1, %int-1 : !torch.vtensor<[64],f32>, !torch.int -> !torch.vtensor<[64,1],f32>
    %1 = torch.aten.unsqueeze %0, %int-1 : !torch.vtensor<[64,1],f32>, !torch.int -> !torch.vtensor<[64,1,1],f32>
    %2 = torch.aten.add.Scalar %1, %float1.000000e-05, %int1 : !torch.vtensor<[64,1,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[64,1,1],f32>
    %3 = torch.aten.sqrt %2 : !torch.vtensor<[64,1,1],f32> -> !torch.vtensor<[64,1,1],f32>
    %4 = torch.aten.reciprocal %3 : !torch.vtensor<[64,1,1],f32> -> !torch.vtensor<[64,1,1],f32>
    %5 = torch.aten.mul.Tensor %arg0, %4 : !torch.vtensor<[8,64,56,56],f32>, !torch.vtensor<[64,1,1],f32> -> !torch.vtensor<[8,64,56,56],f32>
    %6 = torch.aten.relu %5 : !torch.vtensor<[8,64,56,56],f32> -> !torch.vtensor<[8,64,56,56],f32>
    return %6 : !torch.vtensor<[8,64,56,56],f32>)"));
  EXPECT_TRUE(has(printed, "relu %5 : f32[8, 64, 56, 56]")) << printed;
  EXPECT_TRUE(has(printed, "{dims = [1, 2, 3], shape = sizes[8, 64, 56, 56]}")) << printed;
}

TEST(TorchDialect, ListsConversionsAndReductions) {
  std::string printed = round_trip(wrap("%arg0: !torch.vtensor<[4,8],f16>", "!torch.vtensor<[4],f16>", R"(
    %int6 = torch.constant.int 6
    %int1 = torch.constant.int 1
    %false = torch.constant.bool false
    %none = torch.constant.none
    %0 = torch.prims.convert_element_type %arg0, %int6 : !torch.vtensor<[4,8],f16>, !torch.int -> !torch.vtensor<[4,8],f32>
    %1 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %2 = torch.aten.sum.dim_IntList %0, %1, %false, %none : !torch.vtensor<[4,8],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[4],f32>
    %int5 = torch.constant.int 5
    %3 = torch.operator "torch.npu._npu_dtype_cast"(%2, %int5) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f16>
    return %3 : !torch.vtensor<[4],f16>)"));
  EXPECT_TRUE(has(printed, R"({dims = [1], fn = "sum"} : f32[4])")) << printed;
}

TEST(TorchDialect, SeveralResultsAndGroups) {
  std::string printed =
      round_trip(wrap("%arg0: !torch.vtensor<[4,8],f32>",
                      "(!torch.vtensor<[4,1],f32>, !torch.vtensor<[4,1],f32>, !torch.vtensor<[4],si64>)", R"(
    %int1 = torch.constant.int 1
    %true = torch.constant.bool true
    %false = torch.constant.bool false
    %0 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %result0, %result1 = torch.aten.var_mean.correction %arg0, %0, %int1, %true : !torch.vtensor<[4,8],f32>, !torch.list<int>, !torch.int, !torch.bool -> !torch.vtensor<[4,1],f32>, !torch.vtensor<[4,1],f32>
    %m:2 = torch.aten.max.dim %arg0, %int1, %false : !torch.vtensor<[4,8],f32>, !torch.int, !torch.bool -> !torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>
    return %result0, %result1, %m#1 : !torch.vtensor<[4,1],f32>, !torch.vtensor<[4,1],f32>, !torch.vtensor<[4],si64>)"));
  EXPECT_TRUE(has(printed, "return %result0, %result1,")) << printed;
}

TEST(TorchDialect, SymbolicSizes) {
  std::string printed =
      round_trip(wrap("%arg0: !torch.vtensor<[?,8],f32>, %arg1: !torch.int", "!torch.vtensor<[?,8],f32>", R"(
    %0 = torch.symbolic_int "s0" {min_val = 2, max_val = 1024} : !torch.int
    torch.bind_symbolic_shape %arg0, [%0], affine_map<()[s0] -> (s0, 8)> : !torch.vtensor<[?,8],f32>
    %int0 = torch.constant.int 0
    %int8 = torch.constant.int 8
    %1 = torch.aten.size.int %arg0, %int0 : !torch.vtensor<[?,8],f32>, !torch.int -> !torch.int
    %2 = torch.prim.ListConstruct %1, %int8 : (!torch.int, !torch.int) -> !torch.list<int>
    %false = torch.constant.bool false
    %3 = torch.aten.expand %arg0, %2, %false : !torch.vtensor<[?,8],f32>, !torch.list<int>, !torch.bool -> !torch.vtensor<[?,8],f32>
    return %3 : !torch.vtensor<[?,8],f32>)"));
  EXPECT_TRUE(has(printed, "f32[s0, 8]")) << printed;
}

TEST(TorchDialect, UnknownOperationsAreValuesMalformedTextIsAnError) {
  std::string text = wrap("%arg0: !torch.vtensor<[4],f32>", "!torch.vtensor<[4],f32>", R"(
    %0 = torch.aten.frobnicate %arg0 : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
    return %0 : !torch.vtensor<[4],f32>)");
  std::vector<BodyText> bodies = read_kernel_text(text, origin());
  ASSERT_TRUE(bodies.at(0).unsupported);
  EXPECT_EQ(bodies[0].unsupported->what, "'aten.frobnicate'");
  EXPECT_EQ(bodies[0].unsupported->where.line, 4);
  std::string whole = wrap("%arg0: !torch.vtensor<[4],f32>", "!torch.vtensor<[4],f32>",
                           "%0 = torch.aten.exp %arg0 : !torch.vtensor<[4],f32> -> "
                           "!torch.vtensor<[4],f32>\nreturn %0 : !torch.vtensor<[4],f32>");
  for (std::size_t cut = 30; cut + 3 < whole.size(); cut += 3) {
    try {
      for (const BodyText& body : read_torch_dialect(whole.substr(0, cut), origin()))
        EXPECT_FALSE(body.function) << cut;
    } catch (const InputError& error) {
      EXPECT_GT(error.where().line, 0);
    }
  }
  std::string wrong = whole;
  wrong.replace(wrong.rfind("[4]"), 3, "[5]");
  EXPECT_THROW(read_torch_dialect(wrong, origin()), InputError);
}

TEST(TorchDialect, LiteralOfOneValue) {
  std::string printed = round_trip(wrap("%arg0: !torch.vtensor<[4],f32>", "!torch.vtensor<[4],f32>", R"(
    %int1 = torch.constant.int 1
    %0 = torch.vtensor.literal(dense<2.500000e-01> : tensor<f32>) : !torch.vtensor<[],f32>
    %1 = torch.aten.add.Tensor %arg0, %0, %int1 : !torch.vtensor<[4],f32>, !torch.vtensor<[],f32>, !torch.int -> !torch.vtensor<[4],f32>
    return %1 : !torch.vtensor<[4],f32>)"));
  EXPECT_TRUE(has(printed, "; 0.25")) << printed;
}

}  // namespace
}  // namespace bufferproof::model
