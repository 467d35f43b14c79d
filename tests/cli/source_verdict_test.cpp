// Texts of kernels that do not fit the buffers they get (C1, C5).
#include <gtest/gtest.h>

#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

constexpr const char* kCpp =
    "cpp_fused_sin_0 = async_compile.cpp_pybinding(['const float*', 'float*'], '''\n"
    "extern \"C\"  void kernel(const float* in_ptr0, float* out_ptr0)\n{\n"
    "    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); "
    "x0+=static_cast<int64_t>(8L))\n"
    "    {\n        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0));\n"
    "        tmp0.sin().store(out_ptr0 + static_cast<int64_t>(x0));\n    }\n}\n''')\n";
constexpr const char* kTriton =
    "cpp_fused_sin_0 = async_compile.triton('cpp_fused_sin_0', '''\nimport triton\n"
    "@triton_heuristics.pointwise(triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', "
    "'xnumel': "
    "'i32'}})\n@triton.jit\n"
    "def triton_(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):\n    xnumel = 32\n"
    "    xoffset = tl.program_id(0) * XBLOCK\n    xindex = xoffset + tl.arange(0, XBLOCK)[:]\n"
    "    xmask = xindex < xnumel\n"
    "    x0 = xindex\n    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n"
    "    tl.store(out_ptr0 + (x0), tl_math.sin(tmp0), xmask)\n''', device_str='cuda')\n";

/// sin of 32 numbers from `from` rows of 8 to a buffer of `to` rows; `then` follows.
std::string wrapper(const std::string& kernel, const std::string& from, const std::string& to,
                    const std::string& result = "buf0") {
  const bool triton = kernel == kTriton;
  return "import torch\nfrom torch import empty_strided\n"
         "assert_size_stride = torch._C._dynamo.guards.assert_size_stride\n"
         "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
         "async_compile = AsyncCompile()\n\n" +
         kernel +
         "async_compile.wait(globals())\ndel async_compile\n\ndef call(args):\n    arg0_1, = args\n" +
         "    args.clear()\n    assert_size_stride(arg0_1, (" + from + ", 8), (8, 1))\n" +
         "    buf0 = empty_strided((" + to + ", 8), (8, 1), device='cpu', dtype=torch.float32)\n" +
         (triton
              ? "    stream0 = get_raw_stream(0)\n    cpp_fused_sin_0.run(arg0_1, buf0, 32, stream=stream0)\n"
              : "    cpp_fused_sin_0(arg0_1, buf0)\n") +
         "    return (" + result + ", )\n\n" +
         "def benchmark_compiled_module(times=10, repeat=10):\n    arg0_1 = rand_strided((" + from +
         ", 8), (8, 1), device='cpu', dtype=torch.float32)\n";
}

CliResult checked(const std::string& text, const std::string& runtime) {
  const TemporaryFolder folder;
  return call({"check", "--runtime", runtime, folder.write("output_code.py", text)});
}
void expect(int code, const std::string& finding, const std::string& text,
            const std::string& runtime = "stock") {
  const CliResult result = checked(text, runtime);
  EXPECT_EQ(result.code, code) << text << result.out << result.err;
  EXPECT_NE(result.out.find(finding), std::string::npos) << result.out;
}

TEST(SourceVerdict, C5BuffersSmallerThanTheLoops) {
  for (const char* kernel : {kCpp, kTriton}) {
    expect(0, "proved", wrapper(kernel, "4", "4"));
    expect(1, "] OOB buf0", wrapper(kernel, "4", "3"));
    expect(1, "] OOB arg0_1", wrapper(kernel, "3", "4"));
  }
}

TEST(SourceVerdict, C1BuffersLargerThanTheLoops) {
  for (const char* kernel : {kCpp, kTriton}) {
    expect(1, "] UNWRITTEN buf0", wrapper(kernel, "4", "5"));
    expect(0, "proved", wrapper(kernel, "5", "4"));
    expect(0, "proved", wrapper(kernel, "4", "5", "reinterpret_tensor(buf0, (4, 8), (8, 1), 0)"));
    expect(1, "] UNWRITTEN buf0", wrapper(kernel, "4", "5", "reinterpret_tensor(buf0, (4, 8), (8, 1), 8)"));
  }
}

TEST(SourceVerdict, C5LoadsBehindAnArgumentWithGaps) {
  const std::string gaps = wrapper(kCpp, "4", "4");
  const auto strided = [&](const std::string& stride) {
    std::string text = gaps;
    return text.replace(text.find("8), (8, 1))"), 11, "8), (" + stride + ", 1))");
  };
  expect(0, "proved", strided("9"));
  expect(1, "] OOB arg0_1", strided("7"));
}

TEST(SourceVerdict, E1WhatIsNotLoadedNeedNotBeWritten) {
  const std::string two = "buf1 = empty_strided((4, 8), (8, 1), device='cpu', dtype=torch.float32)\n    ";
  std::string text = wrapper(kCpp, "4", "5", "buf1");
  const std::string launch = "cpp_fused_sin_0(arg0_1, buf0)\n    ";
  text.replace(text.find(launch), launch.size(), launch + two + "cpp_fused_sin_0(buf0, buf1)\n    ");
  expect(0, "proved", text);
  std::string shifted = text;
  shifted.replace(shifted.find("sin_0(buf0, buf1)"), 17,
                  "sin_0(reinterpret_tensor(buf0, (4, 8), (8, 1), 8), buf1)");
  expect(1, "] UNWRITTEN buf0", shifted);
}

TEST(SourceVerdict, S1SlicesOfAPoolOfBytes) {
  const auto pooled = [](const std::string& rows) {
    std::string text = wrapper(kCpp, "4", "4");
    const std::size_t from = text.find("    buf0 = "), to = text.find('\n', from);
    return text.replace(from, to - from,
                        "    pool0 = empty_strided((160, ), (1, ), device='cpu', dtype=torch.uint8)\n"
                        "    buf0 = alloc_from_pool(pool0, 0, torch.float32, (" +
                            rows + ", 8), (8, 1))");
  };
  expect(0, "proved", pooled("4"));
  expect(1, "] UNWRITTEN buf0[4, 0]", pooled("5"));
  expect(1, "] OOB buf0", pooled("3"));
}

TEST(SourceVerdict, C3AnInputIsUpdatedInPart) {
  const std::string kernel = std::string(kCpp).replace(std::string(kCpp).find("x0<static_cast<int64_t>(32L)"),
                                                       28, "x0<static_cast<int64_t>(16L)");
  std::string text = wrapper(kernel, "4", "4", "arg0_1");
  text.replace(text.find("sin_0(arg0_1, buf0)"), 19, "sin_0(arg0_1, arg0_1)");
  expect(0, "proved", text);
}

/// buf1, of `rows` rows, gets `rows` of arg0_1's; a kernel for 4 x 8 adds it to arg1_1. It gets buf1 as
/// `shape`.
std::string mlir(const std::string& rows, const std::string& shape) {
  return wrapper_text(
      mlir_kernel("mlir_fused_add_0", "add"),
      "    buf1 = empty_strided((" + rows + ", 8), (8, 1), device='npu', dtype=torch.float32)\n" +
          "    buf1.copy_(reinterpret_tensor(arg0_1, (1, 8), (8, 1), 0))\n" + allocation("buf0") +
          "    stream0 = get_raw_stream(0)\n    mlir_fused_add_0.run(reinterpret_tensor(buf1, " + shape +
          ", 0), arg1_1, buf0, stream=stream0)\n    return (buf0, )");
}

TEST(SourceVerdict, C5ArgumentsSmallerThanTheCompiledOnes) {
  for (const char* runtime : {"stock", "torch_npu-26.0.0"}) {
    expect(0, "proved", mlir("4", "(4, 8), (8, 1)"), runtime);
    expect(1, "] OOB buf1", mlir("3", "(3, 8), (8, 1)"), runtime);
  }
  expect(0, "proved", mlir("5", "(5, 8), (8, 1)"));
  expect(0, "B10", mlir("4", "(32, ), (1, )"));
}

TEST(SourceVerdict, E8WhatEagerExecutionDoesToOthersIsUndecided) {
  expect(3, "unsupported", mlir("5", "(5, 8), (8, 1)"), "torch_npu-26.0.0");
}

}  // namespace
}  // namespace bufferproof::cli
