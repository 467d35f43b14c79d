// Small wrappers as torch_npu's MLIR mode writes them, whose kernels all can be executed.
#pragma once

#include <string>

namespace bufferproof::cli {

/// An elementwise kernel of two inputs: NAME(a, b) = a OP b on 4 x 8.
inline std::string mlir_kernel(const std::string& name, const std::string& op) {
  return name + " = async_compile.mlir_auto_fallback('" + name + "', '''\nmodule {\n  func.func @" + name +
         "(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {hacc.entry} {\n"
         "    %0 = tensor.empty() : tensor<4x8xf32>\n    %1 = linalg.elemwise_binary {fun = "
         "#linalg.binary_fn<" +
         op +
         ">} ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%0 : tensor<4x8xf32>) -> "
         "tensor<4x8xf32>\n    return %1 : tensor<4x8xf32>\n  }\n}\n''', kernel_meta={'device_str': 'npu', "
         "'num_outputs': 1, 'dynamic': False, 'mutated_indices': [], 'traced_graph_hash': 'c" +
         name + "', 'num_call_functions': 2})\n\n";
}

inline std::string wrapper_text(const std::string& kernels, const std::string& body) {
  return "import torch\nimport torch_npu\nfrom torch import device, empty_strided\n"
         "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
         "async_compile = CustomAsyncCompile()\n\n" +
         kernels +
         "async_compile.wait(globals())\ndel async_compile\n\n"
         "def call(args):\n    arg0_1, arg1_1 = args\n    args.clear()\n" +
         body +
         "\n\ndef benchmark_compiled_module(times=10, repeat=10):\n"
         "    from torch._dynamo.testing import rand_strided\n"
         "    arg0_1 = rand_strided((4, 8), (8, 1), device='npu:0', dtype=torch.float32)\n"
         "    arg1_1 = rand_strided((4, 8), (8, 1), device='npu:0', dtype=torch.float32)\n"
         "    fn = lambda: call([arg0_1, arg1_1])\n";
}

/// One line of a body: an uninitialised 4 x 8 buffer.
inline std::string allocation(const std::string& name) {
  return "    " + name + " = empty_strided((4, 8), (8, 1), device='npu', dtype=torch.float32)\n";
}

/// buf0 = a + b; buf1 = buf0 * b; returns buf1 and buf0. Under a runtime that moves handles all is well.
inline std::string chain_wrapper() {
  return wrapper_text(mlir_kernel("mlir_fused_add_0", "add") + mlir_kernel("mlir_fused_mul_1", "mul"),
                      allocation("buf0") +
                          "    stream0 = get_raw_stream(0)\n"
                          "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n" +
                          allocation("buf1") +
                          "    mlir_fused_mul_1.run(buf0, arg1_1, buf1, stream=stream0)\n"
                          "    del arg0_1, arg1_1\n    return (buf1, buf0, )");
}

/// The same, but mul_1 reads a view of buf0 that was taken before add_0 ran.
inline std::string captured_view_wrapper() {
  return wrapper_text(mlir_kernel("mlir_fused_add_0", "add") + mlir_kernel("mlir_fused_mul_1", "mul"),
                      allocation("buf0") +
                          "    buf0_view = reinterpret_tensor(buf0, (4, 8), (8, 1), 0)\n"
                          "    stream0 = get_raw_stream(0)\n"
                          "    mlir_fused_add_0.run(arg0_1, arg1_1, buf0, stream=stream0)\n" +
                          allocation("buf1") +
                          "    mlir_fused_mul_1.run(buf0_view, arg1_1, buf1, stream=stream0)\n"
                          "    return (buf1, )");
}

}  // namespace bufferproof::cli
