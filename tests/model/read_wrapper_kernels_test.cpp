#include "model/read/wrapper/kernel_defs.hpp"

#include <gtest/gtest.h>

#include "model/read/python/parser.hpp"

namespace bufferproof::model::wrapper {
namespace {

std::string shown(const std::vector<Parameter>& parameters) {
  static const char* const kRoles[] = {"in", "out", "in_out", "scalar", "workspace"};
  std::string out;
  for (const Parameter& p : parameters) {
    out += (out.empty() ? "" : " ") + p.name + ":" + kRoles[static_cast<int>(p.role)];
    if (p.dtype) out += ":" + std::string(name(*p.dtype));
  }
  return out;
}

KernelDef define(const std::string& source) {
  const python::Module module =
      python::parse_module({std::make_shared<const std::string>("k.py"), source, {}});
  const python::Stmt& statement = *module.body.back();
  if (statement.kind == python::StmtKind::def) return kernel_of_function(statement, module).value();
  return kernel_of_call(statement.targets[0]->text, *statement.value, nullptr, module).value();
}

TEST(WrapperKernels, CppRolesFromConst) {
  EXPECT_EQ(
      shown(*cpp_parameters("extern \"C\"  void  kernel(float* in_out_ptr0,\n  const half* in_ptr0, "
                            "const std::vector<int, int> v, long* out_ptr0, const int64_t ks0)\n{ f(1); }")),
      "in_out_ptr0:in_out:f32 in_ptr0:in:f16 v:scalar:i32 out_ptr0:out:i64 ks0:scalar:i64");
  EXPECT_FALSE(cpp_parameters("void kernel(float* a)"));
  EXPECT_FALSE(cpp_parameters("extern \"C\" void kernel(float* a"));
}

TEST(WrapperKernels, CppPybindingTypeListDecides) {
  EXPECT_EQ(
      shown(
          define(
              "k = async_compile.cpp_pybinding(['const float*', 'bfloat16*', 'uint8_t*', 'const int64_t'], "
              "r'''extern \"C\" void kernel(const float* in_ptr0, bfloat16* in_out_ptr0, uint8_t* out_ptr0, "
              "const int64_t ks0) {}''')")
              .parameters),
      "in_ptr0:in:f32 in_out_ptr0:in_out:bf16 out_ptr0:out:u8 ks0:scalar:i64");
}

TEST(WrapperKernels, TritonRolesFromNamesAndSignature) {
  const std::string text =
      "@pointwise(meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*i64', 'out_ptr0': '*bf16', "
      "'ws_ptr': '*u8', "
      "'xnumel': 'i32'}, 'mutated_arg_names': ['in_out_ptr0', 'in_ptr0']})\n@triton.jit\n"
      "def triton_(in_out_ptr0, in_ptr0, out_ptr0, ws_ptr, xnumel, XBLOCK : tl.constexpr, R: tl.constexpr = "
      "4):\n    pass\n";
  EXPECT_EQ(shown(*triton_parameters(text)),
            "in_out_ptr0:in_out:f32 in_ptr0:in:i64 out_ptr0:out:bf16 ws_ptr:workspace:u8 xnumel:scalar:i32");
}

TEST(WrapperKernels, TensorsThatTritonGetsAsNumbers) {
  const std::string text =
      "@pointwise(meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': 'fp32', 'out_ptr0': '*fp32', 'xnumel': "
      "'i32'}})\n@triton.jit\ndef triton_(in_ptr0, in_ptr1, out_ptr0, xnumel):\n    pass\n";
  EXPECT_EQ(shown(*triton_parameters(text)),
            "in_ptr0:in:f32 in_ptr1:scalar:f32 out_ptr0:out:f32 xnumel:scalar:i32");
}

TEST(WrapperKernels, UserTritonRolesFromLoadsAndStores) {
  EXPECT_EQ(shown(define("@triton.jit\ndef f(a, b, c, n, B: tl.constexpr):\n    for i in range(3):\n"
                         "        x = tl.load(a + i)\n        if n:\n            tl.store(b + i, x)\n"
                         "    tl.atomic_add(c, x)\n")
                      .parameters),
            "a:in b:out c:in_out n:scalar");
}

TEST(WrapperKernels, KindsAndMetadata) {
  const KernelDef mlir = define(
      "k = async_compile.mlir_auto_fallback('k', '''\nT''', kernel_meta={'num_outputs': 3, 'dynamic': True, "
      "'mutated_indices': [0, 4], 'num_call_functions': 2, 'traced_graph_hash': 'h'})");
  EXPECT_EQ(mlir.kind, KernelKind::mlir_auto_fallback);
  EXPECT_EQ(mlir.num_outputs, 3);
  EXPECT_TRUE(mlir.dynamic);
  EXPECT_EQ(mlir.mutated_indices, (std::vector<std::int64_t>{0, 4}));
  EXPECT_EQ(mlir.num_call_functions, 2);
  EXPECT_EQ(mlir.text, "\nT");
  EXPECT_EQ(mlir.text_where.column, 46);
  EXPECT_EQ(define("k = async_compile.akg_auto_fallback('k', '''T''', kernel_meta={})").kind,
            KernelKind::akg_auto_fallback);
  EXPECT_EQ(define("k = async_compile.mlir('k','''T''', device_str='npu')").kind, KernelKind::mlir);
  EXPECT_EQ(define("k = async_compile.metal('k')").kind, KernelKind::other);
  EXPECT_EQ(
      shown(
          define(
              "k = async_compile.halide(HalideMeta(argtypes=[HalideInputSpec(dtype='float', name='in_ptr0'), "
              "HalideInputSpec(dtype='float', name='out_ptr0')]), '''x''')")
              .parameters),
      "in_ptr0:in out_ptr0:out");
  EXPECT_EQ(shown(define("k = async_compile.cuda(r'''extern \"C\" { int f(const half* X, half* Y, size_t* "
                         "workspace_size, "
                         "uint8_t* workspace, cudaStream_t stream) {} }''', 'so')")
                      .parameters),
            "X:in:f16 Y:out:f16 workspace_size:workspace workspace:workspace:u8 stream:scalar");
}

TEST(WrapperKernels, DvmOutputsAreItsStores) {
  EXPECT_EQ(define("@dvm.kernel(ktype='vector')\ndef f(k):\n    a = k.load([8], dvm.float32)\n    k.store(a, "
                   "dvm.float32)\n"
                   "    k.store(a, dvm.float16)\n")
                .num_outputs,
            2);
}

TEST(WrapperKernels, OtherCallsAndFunctionsAreNoKernels) {
  const python::Module module = python::parse_module(
      {std::make_shared<const std::string>("k.py"), "def f(a):\n    pass\nx = foo.triton('a')\n", {}});
  EXPECT_FALSE(kernel_of_function(*module.body[0], module));
  EXPECT_FALSE(kernel_of_call("x", *module.body[1]->value, nullptr, module));
}

}  // namespace
}  // namespace bufferproof::model::wrapper
