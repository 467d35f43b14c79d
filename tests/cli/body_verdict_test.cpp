// Kernel bodies through the whole program: each kind of gap (C8) beside its twin, with a symbolic size, and
// the attention-shaped wrapper whose fallback returns a permuted layout (B1s).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

/// One dynamic kernel on an input [s0, 8]; `rows` and `columns` are the output's, as Python ("" for rank 1).
std::string wrapper(const std::string& result_type, const std::string& sizes, const std::string& strides,
                    const std::string& body) {
  return R"(import torch
import torch_npu
from torch import device, empty_strided
from torch_npu._inductor.ascend_npu_ir.ascend_npu_ir.codecache import CustomAsyncCompile
from torch_npu._C import _npu_getCurrentRawStream as get_raw_stream
async_compile = CustomAsyncCompile()

mlir_fused_k_0 = async_compile.mlir_auto_fallback('mlir_fused_k_0', '''
module {
  func.func @mlir_fused_k_0(%arg0: tensor<?x8xf32>, %arg1: i64) -> )" +
         result_type + R"( attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<HOST>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.000000e+00 : f32
    %n = arith.index_cast %arg1 : i64 to index
)" + body +
         R"(
  }
}
''', kernel_meta={'device_str': 'npu', 'device_index': 0, 'num_outputs': 1, 'non_contiguous_indices': {'inputs': [], 'outputs': []}, 'dynamic': True, 'mutated_indices': [], 'traced_graph_cache': 'traced_graph_cache', 'traced_graph_hash': 'cc', 'num_call_functions': 2, 'signature': {0: '*f32', 1: '*!torch.int', 2: '*f32'}, 'ranks': [2, 1, 2], 'kernel_hash': '02'})
torch_npu.npu.set_device(0)

async_compile.wait(globals())
del async_compile

def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    s0 = arg0_1
    buf0 = empty_strided()" +
         sizes + ", " + strides + R"(, device='npu', dtype=torch.float32)
    stream0 = get_raw_stream(0)
    mlir_fused_k_0.run(arg1_1, s0, buf0, stream=stream0)
    del arg1_1
    return (buf0, )

def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    arg0_1 = 5
    arg1_1 = rand_strided((5, 8), (8, 1), device='npu:0', dtype=torch.float32)
    fn = lambda: call([arg0_1, arg1_1])
)";
}

std::string with(std::string body, const std::string& what, const std::string& by) {
  for (std::size_t at = body.find(what); at != std::string::npos; at = body.find(what, at + by.size()))
    body.replace(at, what.size(), by);
  return body;
}

/// The text with `gap` for HOLE is refuted, with `filled` it is proved.
void expect_twins(const std::string& text, const std::string& gap, const std::string& filled,
                  const std::string& element) {
  TemporaryFolder folder;
  CliResult bad = call({"check", folder.write("gap.py", with(text, "HOLE", gap)), "--runtime", "stock"});
  EXPECT_EQ(bad.code, 1) << bad.out << bad.err;
  EXPECT_NE(bad.out.find("UNWRITTEN buf0" + element), std::string::npos) << bad.out;
  CliResult good =
      call({"check", folder.write("filled.py", with(text, "HOLE", filled)), "--runtime", "stock"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
}

TEST(C8Verdict, ReadingAFreshTensor) {
  expect_twins(wrapper("tensor<?x8xf32>", "(s0, 8)", "(8, 1)", R"(
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    %s = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%arg0, HOLE : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %s : tensor<?x8xf32>)"),
               "%e", "%f", "[0, 0]");
}

TEST(C8Verdict, AReductionWithoutInit) {
  expect_twins(wrapper("tensor<?xf32>", "(s0, )", "(1, )", R"(
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %reduced = linalg.reduce ins(%arg0 : tensor<?x8xf32>) outs(HOLE : tensor<?xf32>) dimensions = [1] 
      (%in: f32, %init: f32) {
        %9 = arith.addf %in, %init : f32
        linalg.yield %9 : f32
      }
    return %reduced : tensor<?xf32>)"),
               "%e", "%f", "[0]");
}

TEST(C8Verdict, AnInsertedSliceThatLeavesAGap) {
  expect_twins(wrapper("tensor<?x8xf32>", "(2*s0, 8)", "(8, 1)", R"(
    %m = arith.muli %n, %c2 : index
    %e = tensor.empty(%m) : tensor<?x8xf32>
    %i = tensor.insert_slice %arg0 into %e[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    %j = tensor.insert_slice %arg0 into HOLE[%n, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    return %j : tensor<?x8xf32>)"),
               "%e", "%i", "[0, 0]");
}

TEST(C8Verdict, APadWithoutAValue) {
  expect_twins(wrapper("tensor<?x8xf32>", "(s0 + 1, 8)", "(8, 1)", R"(
    %p = tensor.pad %arg0 low[0, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      %e = tensor.empty() : tensor<f32>
      %v = tensor.extract %e[] : tensor<f32>
      tensor.yield HOLE : f32
    } : tensor<?x8xf32> to tensor<?x8xf32>
    return %p : tensor<?x8xf32>)"),
               "%v", "%zero", "[2, 0]");
}

/// One tensor returned twice, then a kernel whose output is REUSED and a caller who reads both.
std::string returned_twice(const std::string& output) {
  return with(R"(import torch
import torch_npu
from torch import device, empty_strided
from torch_npu._inductor.ascend_npu_ir.ascend_npu_ir.codecache import CustomAsyncCompile
from torch_npu._C import _npu_getCurrentRawStream as get_raw_stream
async_compile = CustomAsyncCompile()

mlir_fused_k_0 = async_compile.mlir_auto_fallback('mlir_fused_k_0', '''
module {
  func.func @mlir_fused_k_0(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%arg0, %arg0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %s, %s : tensor<8xf32>, tensor<8xf32>
  }
}
''', kernel_meta={'num_outputs': 2, 'dynamic': False, 'mutated_indices': [], 'num_call_functions': 2})

mlir_fused_k_1 = async_compile.mlir_auto_fallback('mlir_fused_k_1', '''
module {
  func.func @mlir_fused_k_1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%arg0, %arg0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %s : tensor<8xf32>
  }
}
''', kernel_meta={'num_outputs': 1, 'dynamic': False, 'mutated_indices': [], 'num_call_functions': 2})

async_compile.wait(globals())
del async_compile

def call(args):
    arg0_1, = args
    args.clear()
    buf0 = empty_strided((8, ), (1, ), device='npu', dtype=torch.float32)
    buf1 = empty_strided((8, ), (1, ), device='npu', dtype=torch.float32)
    stream0 = get_raw_stream(0)
    mlir_fused_k_0.run(arg0_1, buf0, buf1, stream=stream0)
    buf2 = OUTPUT
    mlir_fused_k_1.run(buf1, buf2, stream=stream0)
    return (buf1, buf2, )

def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((8, ), (1, ), device='npu:0', dtype=torch.float32)
    fn = lambda: call([arg0_1])
)",
              "OUTPUT", output);
}

// E4: a fallback that returns one tensor twice makes two buffers share memory.
TEST(E4Verdict, ATensorReturnedTwiceIsOneStorageAfterwards) {
  TemporaryFolder folder;
  const std::string reused = folder.write("reused.py", returned_twice("buf0; del buf0  # reuse"));
  CliResult bad = call({"check", reused, "--runtime", "torch_npu-26.0.0"});
  EXPECT_EQ(bad.code, 1) << bad.out << bad.err;
  EXPECT_NE(bad.out.find("STALE buf1"), std::string::npos) << bad.out;
  EXPECT_EQ(call({"check", reused, "--runtime", "torch_npu-26.1.0"}).code, 0);
  const std::string fresh = folder.write(
      "fresh.py", returned_twice("empty_strided((8, ), (1, ), device='npu', dtype=torch.float32)"));
  EXPECT_EQ(call({"check", fresh, "--runtime", "torch_npu-26.0.0"}).code, 0);
}

TEST(B1sVerdict, AttentionIsRefutedWhereTheFallbackRebindsAndProvedWhereItCopies) {
  const std::string file = std::string(TESTS_DIR) + "/fixtures/wrappers/attention.py";
  CliResult rebinds = call({"check", file, "--runtime", "torch_npu-26.0.0"});
  EXPECT_EQ(rebinds.code, 1) << rebinds.out;
  EXPECT_NE(rebinds.out.find("MISMATCH"), std::string::npos) << rebinds.out;
  EXPECT_NE(rebinds.out.find("mlir_fused_mul_1 falls back"), std::string::npos) << rebinds.out;
  CliResult copies = call({"check", file, "--runtime", "torch_npu-26.1.0"});
  EXPECT_EQ(copies.code, 0) << copies.out;
}

/// The kernel reads a buffer nothing has written, where a mask chooses it.
CliResult read_through_a_mask(const std::string& mask) {
  std::string text = wrapper("tensor<?x8xf32>", "(s0, 8)", "(8, 1)", R"(
    %c8 = arith.constant 8 : index
    %c3_i64 = arith.constant 3 : i64
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    %q = tensor.empty(%n) : tensor<?x8xi64>
    %i = hfusion.arange strides[%c8, %c1] outs(%q : tensor<?x8xi64>) -> tensor<?x8xi64>
    %three = linalg.fill ins(%c3_i64 : i64) outs(%q : tensor<?x8xi64>) -> tensor<?x8xi64>
    %b = tensor.empty(%n) : tensor<?x8xi1>
    %m = hfusion.compare {compare_fn = #hfusion.compare_fn<vlt>} MASK outs(%b : tensor<?x8xi1>) -> tensor<?x8xi1>
    %s = hfusion.select ins(%m, %arg0, %f : tensor<?x8xi1>, tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %s : tensor<?x8xf32>)");
  text = with(with(text, "MASK", mask), "mlir_fused_k_0.run(arg1_1, s0",
              "buf9 = empty_strided((s0, 8), (8, 1), device='npu', dtype=torch.float32)\n"
              "    mlir_fused_k_0.run(buf9, s0");
  TemporaryFolder folder;
  return call({"check", folder.write("mask.py", text), "--runtime", "stock"});
}

TEST(E1Verdict, AReadThatPositionsDecideIsUndecidedOneThatContentsDecideIsAFinding) {  // C2
  CliResult position = read_through_a_mask("ins(%i, %three : tensor<?x8xi64>, tensor<?x8xi64>)");
  EXPECT_EQ(position.code, 3) << position.out << position.err;
  EXPECT_NE(position.out.find("may read elements of buf9"), std::string::npos) << position.out;
  CliResult contents = read_through_a_mask("ins(%arg0, %f : tensor<?x8xf32>, tensor<?x8xf32>)");
  EXPECT_EQ(contents.code, 1) << contents.out << contents.err;
}

TEST(E4Verdict, AGraphThatUpdatesItsInputInPlaceReachesEveryViewOneThatReturnsANewTensorDoesNot) {
  std::ifstream file(std::string(TESTS_DIR) + "/fixtures/wrappers/in_place_graph.py");
  std::stringstream stream;
  stream << file.rdbuf();
  TemporaryFolder folder;
  CliResult in_place =
      call({"check", folder.write("in_place.py", stream.str()), "--runtime", "torch_npu-26.0.0"});
  EXPECT_EQ(in_place.code, 0) << in_place.out << in_place.err;
  EXPECT_EQ(in_place.out.find("B1:"), std::string::npos) << in_place.out;
  CliResult silent =
      call({"check", folder.write("silent.py", with(stream.str(), "return (copy_,)", "return (add,)")),
            "--runtime", "as-reported"});
  EXPECT_EQ(silent.code, 0) << "the store is not handed over by anybody: " << silent.out;
  const std::string pure =
      with(with(stream.str(), "return (copy_,)", "return (add,)"),
           "torch.ops.aten.copy_.default(arg0_1, add)", "torch.ops.aten.neg.default(add)");
  CliResult rebound = call({"check", folder.write("pure.py", pure), "--runtime", "torch_npu-26.0.0"});
  EXPECT_EQ(rebound.code, 1) << rebound.out;
  EXPECT_NE(rebound.out.find("STALE buf0[0] at result"), std::string::npos) << rebound.out;
}

TEST(E4Verdict, WhatAGraphStoresIntoAnInputHasItsValuesThoughNobodyHandsItOver) {
  std::ifstream file(std::string(TESTS_DIR) + "/fixtures/wrappers/in_place_graph.py");
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string other_output = with(
      with(stream.str(), "return (copy_,)", "return (add,)"), "mlir_fused_add_0.run(arg0_1, arg1_1, arg0_1",
      "buf1 = torch.empty_strided((4, 8), (8, 1), device='npu', dtype=torch.float32)\n"
      "    mlir_fused_add_0.run(arg0_1, arg1_1, buf1");
  TemporaryFolder folder;
  CliResult run = call({"simulate", folder.write("other.py", other_output), "--runtime", "torch_npu-26.1.0",
                        "--fallback", "all", "--values", "--format", "json"});
  EXPECT_EQ(run.code, 1) << "the kernel does not declare the update: " << run.out << run.err;
  EXPECT_NE(run.out.find("\"nan\": 0"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\"nan\": 32"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace bufferproof::cli
