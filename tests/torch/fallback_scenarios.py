"""What the runtimes' fallback delivery does to a caller, scenario by scenario: PyTorch against `check` and `simulate` (label torch).

Each scenario is one small wrapper. Its text runs in Python on CPU tensors, with one kernel falling back: eager PyTorch computes the
kernel's function and hands it over by the statement the runtime uses (`out.data = r`, `out.copy_(r)`, `out.set_(r)`). The caller is
wronged when a returned tensor has another shape, element type or element than the kernels' contract gives it, or when the launch raises.
`simulate` with that kernel falling back has to have a finding (or to raise) exactly then, and `check` of the same runtime has to refute
exactly when some road wrongs the caller.

usage: fallback_scenarios.py PATH_OF_BUFFERPROOF
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

RUNTIMES = {"torch_npu-26.0.0": "data", "torch_npu-26.1.0": "copy", "torch_npu-dev": "set"}
NAN = float("nan")


def deliver(how, result, output):
    if how == "data":
        output.data = result.data
    elif how == "copy":
        output.copy_(result.contiguous())
    else:
        result = result if result.is_contiguous() else result.contiguous()
        output.set_(result) if result.dtype == output.dtype else output.copy_(result)


def broadcasts(shape, to):
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(to))) and len(shape) <= len(to)


class Kernel:
    """What the wrapper calls `k`: its text, what eager PyTorch computes for it, and its traced graph where that says more."""

    def __init__(self, parameters, result, body, eager, outputs=1, graph=""):
        self.text, self.eager, self.outputs, self.graph = (parameters, result, body), eager, outputs, graph

    def definition(self, name):
        parameters, result, body = self.text
        lines = "\n".join("    " + line for line in body.strip().splitlines())
        return (f"{name} = async_compile.mlir_auto_fallback('{name}', '''\nmodule {{\n  func.func @{name}({parameters}) -> {result} "
                f"attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}} {{\n{lines}\n  }}\n}}\n''', kernel_meta="
                f"{{'device_str': 'npu', 'device_index': 0, 'num_outputs': {self.outputs}, 'non_contiguous_indices': {{'inputs': [], "
                f"'outputs': []}}, 'dynamic': False, 'mutated_indices': [], 'traced_graph_cache': 'c', 'traced_graph_hash': 'h_{name}', "
                f"'num_call_functions': 2, 'kernel_hash': 'f'}})\n\n")


T = "tensor<3x4xf32>"


def binary(fun, a, b):
    return f"linalg.elemwise_binary {{fun = #linalg.binary_fn<{fun}>}} ins({a}, {b} : {T}, {T}) outs(%0 : {T}) -> {T}"


PLUS = Kernel(f"%arg0: {T}", T, f"%0 = tensor.empty() : {T}\n%1 = {binary('add', '%arg0', '%arg0')}\nreturn %1 : {T}",
              lambda a: (a + a,))
SUM = Kernel(f"%arg0: {T}, %arg1: {T}", T, f"%0 = tensor.empty() : {T}\n%1 = {binary('add', '%arg0', '%arg1')}\nreturn %1 : {T}",
             lambda a, b: (a + b,))
TWICE = Kernel(f"%arg0: {T}", f"({T}, {T})",
               f"%0 = tensor.empty() : {T}\n%1 = {binary('add', '%arg0', '%arg0')}\nreturn %1, %1 : {T}, {T}",
               lambda a: (lambda s: (s, s))(a + a), outputs=2)
FEWER = Kernel(f"%arg0: {T}", T, PLUS.text[2], lambda a: (a + a,), outputs=2)
TRANSPOSED = Kernel(f"%arg0: {T}", "tensor<4x3xf32>", f"""%0 = tensor.empty() : {T}
%1 = {binary('add', '%arg0', '%arg0')}
%2 = tensor.empty() : tensor<4x3xf32>
%3 = linalg.transpose ins(%1 : {T}) outs(%2 : tensor<4x3xf32>) permutation = [1, 0]
return %3 : tensor<4x3xf32>""", lambda a: ((a + a).permute(1, 0),))
FLAT = Kernel(f"%arg0: {T}", "tensor<12xf32>",
              f"%1 = tensor.collapse_shape %arg0 [[0, 1]] : {T} into tensor<12xf32>\nreturn %1 : tensor<12xf32>",
              lambda a: (a.reshape(12),),
              graph="view = torch.ops.aten.view.default(arg0_1, [12])\nreturn (view,)")


def rows(n):
    s = f"tensor<{n}x4xf32>"
    return Kernel(f"%arg0: {T}", s, f"""%0 = tensor.empty() : {T}
%1 = {binary('add', '%arg0', '%arg0')}
%2 = tensor.extract_slice %1[0, 0] [{n}, 4] [1, 1] : {T} to {s}
return %2 : {s}""", lambda a: ((a + a)[:n],))


DOUBLE = Kernel(f"%arg0: {T}", "tensor<3x4xf64>", f"""%0 = tensor.empty() : tensor<3x4xf64>
%1 = hfusion.cast {{round_mode = #hfusion.round_mode<rint>}} ins(%arg0 : {T}) outs(%0 : tensor<3x4xf64>) -> tensor<3x4xf64>
return %1 : tensor<3x4xf64>""", lambda a: (a.double(),))

FRESH = "empty_strided((3, 4), (4, 1), device='npu', dtype=torch.float32)"
# name: kernels, statements of call(args) with X = arg0_1 (3, 4); k falls back, other kernels are tuned.
SCENARIOS = {
    "plain result": ({"k": PLUS}, f"buf0 = {FRESH}\nk.run(arg0_1, buf0, stream=stream0)\nreturn (buf0, )"),
    "output is a view of a larger buffer": ({"k": PLUS, "m": PLUS}, """buf2 = empty_strided((6, 4), (4, 1), device='npu', dtype=torch.float32)
buf0 = reinterpret_tensor(buf2, (3, 4), (4, 1), 0)
k.run(arg0_1, buf0, stream=stream0)
buf1 = reinterpret_tensor(buf2, (3, 4), (4, 1), 12)
m.run(arg0_1, buf1, stream=stream0)
return (buf2, )"""),
    "input updated in place, seen through another view": ({"k": SUM}, """buf0 = reinterpret_tensor(arg1_1, (12, ), (1, ), 0)
k.run(arg0_1, arg1_1, arg1_1, stream=stream0)
return (buf0, )"""),
    "permuted result, read by declared strides": ({"k": TRANSPOSED}, """buf0 = empty_strided((4, 3), (3, 1), device='npu', dtype=torch.float32)
k.run(arg0_1, buf0, stream=stream0)
return (reinterpret_tensor(buf0, (2, 6), (6, 1), 0), )"""),
    "result is a view of an input that is written later": ({"k": FLAT, "m": SUM}, """buf0 = empty_strided((12, ), (1, ), device='npu', dtype=torch.float32)
k.run(arg1_1, buf0, stream=stream0)
m.run(arg0_1, arg1_1, arg1_1, stream=stream0)
return (buf0, )"""),
    "one tensor returned twice, then one of them written": ({"k": TWICE, "m": SUM}, f"""buf0 = {FRESH}
buf1 = {FRESH}
k.run(arg0_1, buf0, buf1, stream=stream0)
m.run(arg0_1, buf0, buf0, stream=stream0)
return (buf0, buf1, )"""),
    "one row for three": ({"k": rows(1)}, f"buf0 = {FRESH}\nk.run(arg0_1, buf0, stream=stream0)\nreturn (reinterpret_tensor(buf0, (3, 4), (4, 1), 0), )"),
    "two rows for three": ({"k": rows(2)}, f"buf0 = {FRESH}\nk.run(arg0_1, buf0, stream=stream0)\nreturn (reinterpret_tensor(buf0, (3, 4), (4, 1), 0), )"),
    "fewer results than outputs": ({"k": FEWER}, f"""buf0 = {FRESH}
buf1 = {FRESH}
k.run(arg0_1, buf0, buf1, stream=stream0)
return (buf0, buf1, )"""),
    "result of another element type": ({"k": DOUBLE}, f"buf0 = {FRESH}\nk.run(arg0_1, buf0, stream=stream0)\nreturn (reinterpret_tensor(buf0, (12, ), (1, ), 0), )"),
    "no fallback at all": ({"m": PLUS}, f"buf0 = {FRESH}\nm.run(arg0_1, buf0, stream=stream0)\nreturn (buf0, )"),
}

HEAD = """import torch
import torch_npu
from torch import device, empty_strided
from torch_npu._inductor.ascend_npu_ir.ascend_npu_ir.codecache import CustomAsyncCompile
from torch_npu._C import _npu_getCurrentRawStream as get_raw_stream
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
async_compile = CustomAsyncCompile()


"""
TAIL = """
def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((3, 4), (4, 1), device='npu:0', dtype=torch.float32)
    arg1_1 = rand_strided((3, 4), (4, 1), device='npu:0', dtype=torch.float32)
    fn = lambda: call([arg0_1, arg1_1])
"""


def wrapper(kernels, body):
    text = HEAD + "".join(kernel.definition(name) for name, kernel in kernels.items())
    text += "async_compile.wait(globals())\ndel async_compile\n\ndef call(args):\n    arg0_1, arg1_1 = args\n    args.clear()\n"
    text += "    stream0 = get_raw_stream(0)\n"
    return text + "".join("    " + line + "\n" for line in body.splitlines()) + TAIL


class Launch:
    def __init__(self, kernel, how):
        self.kernel, self.how = kernel, how

    def run(self, *arguments, stream):
        inputs, outputs = arguments[:-self.kernel.outputs], arguments[-self.kernel.outputs:]
        for result, output in zip(self.kernel.eager(*inputs), outputs):
            if self.how == "tuned":  # through the base pointer, densely, in the result's own type
                given = result.contiguous().view(-1).view(torch.uint8)
                flat = torch.as_strided(output, (output.numel(),), (1,), output.storage_offset()).view(torch.uint8)
                flat[:given.numel()] = given[:flat.numel()]
            elif self.how == "contract":
                output.copy_(result if broadcasts(result.shape, output.shape) else torch.full(output.shape, NAN))
            else:
                deliver(self.how, result, output)


def returned(kernels, body, road):
    """What call() gives with kernel k on this road, all others by contract; None when the launch raises."""
    torch.manual_seed(0)
    names = {name: Launch(kernel, road if name == "k" else "contract") for name, kernel in kernels.items()}
    scope = dict(names, torch=torch, stream0=0, arg0_1=torch.randint(1, 9, (3, 4)).float(), arg1_1=torch.randint(1, 9, (3, 4)).float(),
                 empty_strided=lambda size, stride, **_: torch.full(size, NAN),
                 reinterpret_tensor=lambda t, size, stride, offset: torch.as_strided(t, size, stride, t.storage_offset() + offset))
    try:
        exec("def call():\n" + "".join("    " + line + "\n" for line in body.splitlines()) + "result = call()", scope)
    except RuntimeError:
        return None
    return scope["result"]


def wronged(kernels, body, road):
    meant, found = returned(kernels, body, "contract"), returned(kernels, body, road)
    if found is None:
        return True
    return any(a.shape != b.shape or a.dtype != b.dtype or a.isnan().any() or b.isnan().any() or not torch.equal(a, b)
               for a, b in zip(meant, found))


def write_graphs(folder, kernels):
    """As the compiler keeps them, by the hash a kernel's metadata names."""
    folder.mkdir()
    for name, kernel in kernels.items():
        if kernel.graph:
            lines = "".join(f"        {line}\n" for line in kernel.graph.splitlines())
            (folder / f"h_{name}.py").write_text(f"class GraphModule(torch.nn.Module):\n    def forward(self, arg0_1):\n{lines}")


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def main():
    program, bad = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, (kernels, body)) in enumerate(SCENARIOS.items()):
            path = pathlib.Path(folder) / f"s{number}.py"
            path.write_text(wrapper(kernels, body))
            graphs = pathlib.Path(folder) / f"graphs{number}"
            write_graphs(graphs, kernels)
            for runtime, how in RUNTIMES.items():
                falls_back = ["--fallback", "k"] if "k" in kernels else []
                one_run = run(program, "simulate", str(path), "--graphs", str(graphs), "--runtime", runtime, *falls_back)
                every_run = run(program, "check", str(path), "--graphs", str(graphs), "--runtime", runtime)
                truth = wronged(kernels, body, how)
                any_road = truth or wronged(kernels, body, "tuned")
                said = one_run.returncode == 1 or "raises" in one_run.stdout
                good = said == truth and (every_run.returncode == 1) == any_road and one_run.returncode in (0, 1)
                good = good and every_run.returncode in (0, 1)
                bad += not good
                print(f"{title}, {how}: the caller is {'wronged' if truth else 'right'}, simulate exit {one_run.returncode}, "
                      f"some road wrong: {any_road}, check exit {every_run.returncode}{'' if good else '  <-- BAD'}")
                if not good:
                    print(re.sub(r"(?m)^", "    ", (one_run.stdout + one_run.stderr + every_run.stdout + every_run.stderr)[:1500]))
    print(f"{len(SCENARIOS) * len(RUNTIMES)} comparisons, {bad} bad")
    return 1 if bad else 0


sys.exit(main())
