// Operands of one launch in the same memory: what a kernel stores in the way of what it still loads (C4, C7).
#include <gtest/gtest.h>

#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

CliResult checked(const std::string& text, const std::string& runtime = "stock") {
  const TemporaryFolder folder;
  return call({"check", "--runtime", runtime, folder.write("output_code.py", text)});
}
void expect_refuted(const std::string& finding, const std::string& text,
                    const std::string& runtime = "stock") {
  const CliResult result = checked(text, runtime);
  EXPECT_EQ(result.code, 1) << text << result.out << result.err;
  EXPECT_NE(result.out.find("] " + finding), std::string::npos) << result.out;
}
void expect_proved(const std::string& text, const std::string& runtime = "stock") {
  const CliResult result = checked(text, runtime);
  EXPECT_EQ(result.code, 0) << text << result.out << result.err;
}

/// NAME(a) of an 8 x 8 tensor; `body` computes %r of type tensor<8x8xf32> from %arg0, two results when
/// `again`.
std::string square_kernel(const std::string& name, const std::string& body, bool again = false) {
  const std::string type = again ? "(tensor<8x8xf32>, tensor<8x8xf32>)" : "tensor<8x8xf32>";
  const std::string results = again ? "%r, %r : tensor<8x8xf32>, tensor<8x8xf32>" : "%r : tensor<8x8xf32>";
  return name + " = async_compile.mlir_auto_fallback('" + name + "', '''\nmodule {\n  func.func @" + name +
         "(%arg0: tensor<8x8xf32>) -> " + type +
         " attributes {hacc.entry} {\n    %e = tensor.empty() : tensor<8x8xf32>\n    " + body +
         "\n    return " + results +
         "\n  }\n}\n''', kernel_meta={'device_str': 'npu', 'num_outputs': " + (again ? "2" : "1") +
         ", 'dynamic': False, 'mutated_indices': [], 'traced_graph_hash': 'c" + name +
         "', 'num_call_functions': 2})\n\n";
}

const std::string kNegate =
    "%r = linalg.elemwise_unary {fun = #linalg.unary_fn<negf>} ins(%arg0 : tensor<8x8xf32>) outs(%e : "
    "tensor<8x8xf32>) -> tensor<8x8xf32>";
const std::string kTranspose =
    "%r = linalg.transpose ins(%arg0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]";
/// Transposed twice: element by element after all.
const std::string kTwice =
    "%t = linalg.transpose ins(%arg0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]\n"
    "    %r = linalg.transpose ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]";

/// buf0 is 16 rows, of which rows 4 to 12 are filled from arg0_1; the kernel then loads rows `from` and
/// stores rows `to`.
std::string moving(const std::string& body, int from, int to) {
  const auto rows = [](int first) {
    return "reinterpret_tensor(buf0, (8, 8), (8, 1), " + std::to_string(8 * first) + ")";
  };
  std::string text =
      wrapper_text(square_kernel("mlir_fused_k_0", body),
                   "    buf0 = empty_strided((16, 8), (8, 1), device='npu', dtype=torch.float32)\n    " +
                       rows(4) + ".copy_(arg0_1)\n    stream0 = get_raw_stream(0)\n    mlir_fused_k_0.run(" +
                       rows(from) + ", " + rows(to) + ", stream=stream0)\n    return (" + rows(to) + ", )");
  for (std::size_t at = text.find("(4, 8)"); at != std::string::npos; at = text.find("(4, 8)"))
    text.replace(at, 6, "(8, 8)");
  return text;
}

/// arg0_1 negated into a buffer of these strides.
std::string into(const std::string& strides) {
  std::string text = moving(kNegate, 4, 4);
  const std::size_t from = text.find("    buf0 = "), to = text.find("\n\ndef benchmark");
  return text.replace(from, to - from,
                      "    buf0 = empty_strided((8, 8), " + strides +
                          ", device='npu', dtype=torch.float32)\n    stream0 = get_raw_stream(0)\n"
                          "    mlir_fused_k_0.run(arg0_1, buf0, stream=stream0)\n    return (buf0, )");
}

TEST(OverlapVerdict, C4ElementsOfOneOutputInOnePlace) {
  for (const char* runtime : {"stock", "torch_npu-26.1.0"}) {
    expect_proved(into("(8, 1)"), runtime);
    expect_proved(into("(9, 1)"), runtime);
    expect_refuted("RACE buf0", into("(4, 1)"), runtime);
  }
}

TEST(OverlapVerdict, C4ElementwiseInPlace) {
  expect_proved(moving(kNegate, 4, 4));
  expect_proved(moving(kTwice, 4, 4));
  expect_refuted("RACE", moving(kTranspose, 4, 4));
}

TEST(OverlapVerdict, C4ShiftedWindows) {
  expect_refuted("RACE", moving(kNegate, 4, 5));
  expect_refuted("RACE", moving(kNegate, 4, 3));
  expect_refuted("RACE", moving(kTranspose, 4, 7));
}

const std::string kReshaped =
    "%f = tensor.collapse_shape %arg0 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>\n"
    "    %g = tensor.empty() : tensor<64xf32>\n"
    "    %h = linalg.elemwise_unary {fun = #linalg.unary_fn<negf>} ins(%f : tensor<64xf32>) outs(%g : "
    "tensor<64xf32>) -> tensor<64xf32>\n"
    "    %r = tensor.expand_shape %h [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>";

TEST(OverlapVerdict, E1ElementsThatAreNotFollowed) {
  EXPECT_EQ(checked(moving(kReshaped, 4, 4)).code, 3);
  std::string back =
      moving(kTranspose, 4, 4);  // transposed by the body and by the view: each element where it was
  const std::string view = "run(reinterpret_tensor(buf0, (8, 8), (8, 1), 32)";
  ASSERT_NE(back.find(view), std::string::npos);
  back.replace(back.find(view), view.size(), "run(reinterpret_tensor(buf0, (8, 8), (1, 8), 32)");
  EXPECT_EQ(checked(back).code, 3);
}

TEST(OverlapVerdict, C7KernelsCompiledForAnotherElementType) {
  const auto program = [](const std::string& dtype) {
    std::string text = moving(kNegate, 4, 4);
    const std::string given = "    mlir_fused_k_0.run(reinterpret_tensor(buf0, (8, 8), (8, 1), 32), ";
    const std::string input = "    buf1 = empty_strided((8, 8), (8, 1), device='npu', dtype=torch." + dtype +
                              ")\n    buf1.copy_(arg0_1)\n    mlir_fused_k_0.run(buf1, ";
    EXPECT_NE(text.find(given), std::string::npos);
    return text.replace(text.find(given), given.size(), input);
  };
  expect_proved(program("float32"));
  expect_refuted("MISMATCH buf1", program("int32"));
  expect_refuted("MISMATCH buf1", program("float16"));
}

std::string two_outputs(const std::string& second) {
  std::string text =
      wrapper_text(square_kernel("mlir_fused_k_0", kNegate, true),
                   "    buf0 = empty_strided((16, 8), (8, 1), device='npu', dtype=torch.float32)\n"
                   "    stream0 = get_raw_stream(0)\n"
                   "    mlir_fused_k_0.run(arg0_1, reinterpret_tensor(buf0, (8, 8), (8, 1), 0), " +
                       second + ", stream=stream0)\n    return (buf0, )");
  for (std::size_t at = text.find("(4, 8)"); at != std::string::npos; at = text.find("(4, 8)"))
    text.replace(at, 6, "(8, 8)");
  return text;
}

TEST(OverlapVerdict, C4TwoOutputsInOneMemory) {
  expect_proved(two_outputs("reinterpret_tensor(buf0, (8, 8), (8, 1), 64)"));
  expect_refuted("RACE", two_outputs("reinterpret_tensor(buf0, (8, 8), (8, 1), 56)"));
}

/// A C++ kernel that loads `pointer` from a buffer of `dtype`.
std::string cpp_wrapper(const std::string& pointer, const std::string& dtype,
                        const std::string& input = "buf0") {
  return "import torch\nfrom torch._inductor.async_compile import AsyncCompile\n"
         "async_compile = AsyncCompile()\nempty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n"
         "cpp_fused_0 = async_compile.cpp_pybinding(['const " +
         pointer + "*', 'float*'], '''\nextern \"C\" void kernel(const " + pointer +
         "* in_ptr0, float* out_ptr0)\n{\n    for(int64_t x0=0; x0<8; x0+=1) { auto tmp0 = in_ptr0[x0]; "
         "out_ptr0[x0] = tmp0; }\n}\n''')\nasync_compile.wait(globals())\ndel async_compile\n"
         "def call(args):\n    arg0_1, = args\n    args.clear()\n    assert_size_stride(arg0_1, (8, ), (1, "
         "))\n"
         "    buf0 = empty_strided_cpu((8, ), (1, ), torch." +
         dtype +
         ")\n    buf0.copy_(arg0_1)\n    buf1 = empty_strided_cpu((8, ), (1, ), torch.float32)\n    "
         "cpp_fused_0(" +
         input + ", buf1)\n    return (buf1, )\n";
}

TEST(OverlapVerdict, C7PointersOfAnotherElementType) {
  expect_proved(cpp_wrapper("float", "float32"));
  expect_proved(cpp_wrapper("uint8_t", "bool"));
  expect_refuted("MISMATCH buf0", cpp_wrapper("double", "float32"));
  expect_refuted("MISMATCH buf0", cpp_wrapper("float", "float16"));
  const std::string pairs = "holds complex numbers";
  EXPECT_NE(checked(cpp_wrapper("float", "complex64")).out.find(pairs), std::string::npos);
  EXPECT_EQ(checked(cpp_wrapper("int64_t", "int64")).out.find(pairs), std::string::npos);
}

/// What a store of another type leaves behind, seen through the buffer's own handle, is not known.
TEST(OverlapVerdict, C7StoresOfAnotherElementTypeThroughAView) {
  const auto program = [](const std::string& dtype) {
    std::string text = cpp_wrapper("float", "float32", "buf0");
    const std::string made =
        "buf1 = empty_strided_cpu((8, ), (1, ), torch.float32)\n    cpp_fused_0(buf0, buf1)";
    EXPECT_NE(text.find(made), std::string::npos);
    return text.replace(
        text.find(made), made.size(),
        "buf1 = empty_strided_cpu((8, ), (1, ), torch." + dtype +
            ")\n    cpp_fused_0(buf0, torch._C._dynamo.guards._reinterpret_tensor(buf1, (8, ), (1, ), 0))");
  };
  expect_proved(program("float32"));
  EXPECT_EQ(checked(program("int32")).code, 3);
}

TEST(OverlapVerdict, E8ANumberWhereAPointerStands) {
  const CliResult result = checked(cpp_wrapper("float", "float32", "8"));
  EXPECT_EQ(result.code, 3) << result.out << result.err;
}

}  // namespace
}  // namespace bufferproof::cli
