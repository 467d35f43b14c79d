#!/usr/bin/env python3
"""A wrapper of N kernels with symbolic batch, in torch_npu's MLIR form, for scripts/bench: each kernel adds the two buffers
before it, every third output goes on as a reused buffer. With --bodies each kernel has the 2 kB of text a fused batch norm has.
Usage: scripts/synthetic-wrapper.py N [--bodies] > output_code.py
"""
import sys

HEAD = """import torch
from torch import empty_strided
from torch_npu._C import _npu_getCurrentRawStream as get_raw_stream
from torch_npu._inductor.ascend_npu_ir.ascend_npu_ir.codecache import CustomAsyncCompile
async_compile = CustomAsyncCompile()

"""
KERNEL = """mlir_fused_add_{i} = async_compile.mlir_auto_fallback('mlir_fused_add_{i}', '''
module {{
  func.func @mlir_fused_add_{i}(%arg0: tensor<?x64xf32>, %arg1: tensor<?x64xf32>, %arg2: i64) -> tensor<?x64xf32> attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<HOST>}} {{
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x64xf32>
    %0 = tensor.empty(%dim) : tensor<?x64xf32>
    %1 = linalg.elemwise_binary {{fun = #linalg.binary_fn<add>}} ins(%arg0, %arg1 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%0 : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %1 : tensor<?x64xf32>
  }}
}}
''', kernel_meta={{'device_str': 'npu', 'device_index': 0, 'num_outputs': 1, 'mutated_indices': [], 'dynamic': True, 'num_call_functions': 2, 'traced_graph_hash': 'h{i}', 'traced_graph_cache': 'traced_graph_cache'}})

"""
T = "tensor<?x64xf32>"
STEPS = "".join(
    f"    %{k + 1} = linalg.elemwise_binary {{{{fun = #linalg.binary_fn<{fun}>}}}} ins(%{k}, %{operand} : {T}, {T}) outs(%0 : {T}) -> {T}\n"
    for k, (fun, operand) in enumerate([("add", "arg0"), ("mul", "arg1"), ("sub", "arg0"), ("mul", "1"), ("add", "2"), ("mul", "arg1"),
                                        ("add", "arg0"), ("sub", "3"), ("mul", "4")], start=1))


def with_body(i):
    """The kernel of KERNEL with nine more elementwise steps."""
    text = KERNEL.format(i=i)
    return text.replace("    return %1", STEPS.format() + "    return %10")


def main():
    count = int(sys.argv[1])
    kernel = with_body if "--bodies" in sys.argv[2:] else (lambda i: KERNEL.format(i=i))
    out = [HEAD] + [kernel(i) for i in range(count)]
    out.append("async_compile.wait(globals())\ndel async_compile\n\ndef call(args):\n"
               "    arg0_1, arg1_1, arg2_1 = args\n    args.clear()\n    s0 = arg0_1\n"
               "    assert_size_stride(arg1_1, (s0, 64), (64, 1))\n    assert_size_stride(arg2_1, (s0, 64), (64, 1))\n"
               "    stream0 = get_raw_stream(0)\n")
    before = ["arg1_1", "arg2_1"]
    for i in range(count):
        name = f"buf{i}"
        ended = before[-3] if len(before) > 4 and i % 3 == 0 and before[-3].startswith("buf") else None
        if ended:
            out.append(f"    {name} = {ended}; del {ended}  # reuse\n")
        else:
            out.append(f"    {name} = empty_strided((s0, 64), (64, 1), device='npu', dtype=torch.float32)\n")
        out.append(f"    mlir_fused_add_{i}.run({before[-1]}, {before[-2]}, s0, {name}, stream=stream0)\n")
        before.append(name)
    out.append(f"    return ({before[-1]}, )\n")
    sys.stdout.write("".join(out))


main()
