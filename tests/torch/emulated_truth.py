"""Small wrappers executed twice: by PyTorch, and by `bufferproof simulate` (label torch).

The wrapper's own text runs in Python on CPU tensors. `empty_strided` hands out NaN; a kernel's result is computed by eager
PyTorch and handed over by the statement the runtime really uses: stores through the output's base pointer (tuned),
`out.data = r`, `out.copy_(r)`, `out.set_(r)`, or nothing. What torch_npu does around a launch (non-contiguous arguments) is
redone here from its source, not from bufferproof's. Both must agree on every bit of every output (any NaN is a NaN), on
which elements are right, and a run with a wrong element must have a finding. Operands are small integers, so that no
rounding happens: values are exact.

usage: emulated_truth.py PATH_OF_BUFFERPROOF [RANDOM_PROGRAMS]
"""
import collections
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import types

import numpy as np
import torch

DELIVERIES = {
    "torch_npu-26.0.0": "data",
    "torch_npu-26.1.0": "copy",
    "torch_npu-dev": "set",
    "as-reported": "nothing",
}


# ---- kernels: the text bufferproof reads, and the function PyTorch runs ------------------------------------------------
def elementwise(op):
    def text(shape):
        t = f"tensor<{shape[0]}x{shape[1]}xf32>"
        return (f"(%arg0: {t}, %arg1: {t}) -> {t}",
                f"%0 = tensor.empty() : {t}\n"
                f"    %1 = linalg.elemwise_binary {{fun = #linalg.binary_fn<{op}>}} ins(%arg0, %arg1 : {t}, {t}) outs(%0 : {t}) -> {t}\n"
                f"    return %1 : {t}")
    return text


def transposed_sum(shape):
    t, u = f"tensor<{shape[0]}x{shape[1]}xf32>", f"tensor<{shape[1]}x{shape[0]}xf32>"
    return (f"(%arg0: {t}) -> {u}",
            f"%0 = tensor.empty() : {u}\n"
            f"    %1 = linalg.transpose ins(%arg0 : {t}) outs(%0 : {u}) permutation = [1, 0]\n"
            f"    %2 = linalg.elemwise_binary {{fun = #linalg.binary_fn<add>}} ins(%1, %1 : {u}, {u}) outs(%0 : {u}) -> {u}\n"
            f"    return %2 : {u}")


def two_results(second):
    def text(shape):
        t = f"tensor<{shape[0]}x{shape[1]}xf32>"
        return (f"(%arg0: {t}, %arg1: {t}) -> ({t}, {t})",
                f"%0 = tensor.empty() : {t}\n"
                f"    %1 = linalg.elemwise_binary {{fun = #linalg.binary_fn<add>}} ins(%arg0, %arg1 : {t}, {t}) outs(%0 : {t}) -> {t}\n"
                f"    %2 = linalg.elemwise_binary {{fun = #linalg.binary_fn<mul>}} ins(%arg0, %arg1 : {t}, {t}) outs(%0 : {t}) -> {t}\n"
                f"    return %1, {second} : {t}, {t}")
    return text


def doubled(a, b):
    r = a + b
    return r, r


OPS = {  # name: text of a shape, function, number of results
    "add": (elementwise("add"), lambda a, b: (a + b,), 1),
    "sub": (elementwise("sub"), lambda a, b: (a - b,), 1),
    "mul": (elementwise("mul"), lambda a, b: (a * b,), 1),
    "transpose_add": (transposed_sum, lambda a: (a.t() + a.t(),), 1),
    "add_mul": (two_results("%2"), lambda a, b: (a + b, a * b), 2),
    "add_twice": (two_results("%1"), doubled, 2),
}


def kernel_text(name, op, shape):
    text, _, results = OPS[op]
    signature, body = text(shape)
    return (f"{name} = async_compile.mlir_auto_fallback('{name}', '''\nmodule {{\n  func.func @{name}{signature} "
            f"attributes {{hacc.entry}} {{\n    {body}\n  }}\n}}\n''', kernel_meta={{'device_str': 'npu', 'num_outputs': "
            f"{results}, 'dynamic': False, 'mutated_indices': [], 'traced_graph_hash': 'c{name}', 'num_call_functions': 2, 'op': '{op}'}})\n")


# ---- wrappers -----------------------------------------------------------------------------------------------------------
class Wrapper:
    """A wrapper's text, statement by statement."""

    def __init__(self):
        self.kernels, self.body, self.names = "", "", []
        self.mutated = []  # positions of inputs that are written: what the caller's own tensor holds counts too

    def kernel(self, op, shape, arguments, outputs):
        name = f"mlir_fused_{op}_{len(self.names)}"
        self.names.append(name)
        self.kernels += kernel_text(name, op, shape)
        self.line(f"{name}.run({', '.join(arguments + outputs)}, stream=stream0)")
        return name

    def line(self, text):
        self.body += f"    {text}\n"
        return self

    def alloc(self, name, rows, columns, strides=None):
        return self.line(f"{name} = empty_strided(({rows}, {columns}), {strides or (columns, 1)}, device='npu', dtype=torch.float32)")

    def view(self, name, base, size, stride, offset=0, mark=""):
        return self.line(f"{name} = reinterpret_tensor({base}, {size}, {stride}, {offset}){mark}")

    def text(self):
        inputs = "".join(f"    {name} = rand_strided((4, 8), (8, 1), device='npu:0', dtype=torch.float32)\n" for name in ("arg0_1", "arg1_1"))
        return ("import torch\nfrom torch import empty_strided\n" + self.kernels +
                "def call(args):\n    arg0_1, arg1_1 = args\n    args.clear()\n    stream0 = get_raw_stream(0)\n" + self.body +
                "def benchmark_compiled_module(times=10, repeat=10):\n" + inputs + "    fn = lambda: call([arg0_1, arg1_1])\n")


def slices(size, stride, offset, base):
    """Two kernels write the two slices of one buffer; a third reads it."""
    w = Wrapper().alloc("buf0", *base)
    w.view("buf1", "buf0", size, stride, 0, "  # alias").view("buf2", "buf0", size, stride, offset, "  # alias")
    w.kernel("add", (4, 8), ["arg0_1", "arg1_1"], ["buf1"])
    w.kernel("mul", (4, 8), ["arg0_1", "arg1_1"], ["buf2"])
    w.alloc("buf3", *base)
    w.kernel("add", base, ["buf0", "buf0"], ["buf3"])
    return w.line("return (buf3, buf1, )")


def permuted_result():
    """B1s: eager keeps the permuted strides, and a view reads by the declared ones."""
    w = Wrapper().alloc("buf0", 8, 4)
    w.kernel("transpose_add", (4, 8), ["arg0_1"], ["buf0"])
    w.view("buf1", "buf0", (4, 8), (8, 1)).alloc("buf2", 4, 8)
    w.kernel("add", (4, 8), ["buf1", "arg1_1"], ["buf2"])
    return w.line("return (buf2, buf0, )")


def result_returned_twice(then_in_place):
    w = Wrapper().alloc("buf0", 4, 8).alloc("buf1", 4, 8)
    w.kernel("add_twice", (4, 8), ["arg0_1", "arg1_1"], ["buf0", "buf1"])
    if then_in_place:
        w.kernel("mul", (4, 8), ["buf0", "arg1_1"], ["buf0"])
    return w.line("return (buf0, buf1, )")


def mutated_input():
    """An input is its own output; a view of it was taken before."""
    w = Wrapper().view("arg0_view", "arg0_1", (4, 8), (8, 1))
    w.kernel("add", (4, 8), ["arg0_1", "arg1_1"], ["arg0_1"])
    w.alloc("buf0", 4, 8)
    w.kernel("mul", (4, 8), ["arg0_view", "arg1_1"], ["buf0"])
    w.mutated = [0]
    return w.line("return (buf0, arg0_1, )")


def column_major_output():
    """E7: an output that is not contiguous goes through a temporary."""
    w = Wrapper().alloc("buf0", 4, 8, (1, 4))
    w.kernel("sub", (4, 8), ["arg0_1", "arg1_1"], ["buf0"])
    w.alloc("buf1", 4, 8)
    w.kernel("mul", (4, 8), ["buf0", "arg1_1"], ["buf1"])
    return w.line("return (buf1, buf0, )")


def random_wrapper(seed):
    """Three kernels on 4 x 8; outputs fresh, reused or slices; readers use names or views taken early."""
    choose = random.Random(seed)
    w = Wrapper()
    readable, handed_on, fresh = ["arg0_1", "arg1_1"], set(), itertools.count()
    for _ in range(3):
        inputs = [choose.choice(readable), choose.choice(readable)]
        op = choose.choice(["add", "sub", "mul", "add_mul"])
        outputs = []
        for _ in range(OPS[op][2]):
            name = f"buf{next(fresh)}"
            old = [r for r in readable if r.startswith("buf") and r not in inputs and r not in handed_on]
            how = choose.choice(["fresh", "fresh", "slice", "reuse"])
            if how == "reuse" and old:
                source = choose.choice(old)
                w.line(f"{name} = {source}; del {source}  # reuse")
                handed_on.add(source)
                readable = [r for r in readable if r != source]
            elif how == "slice":
                w.alloc(f"{name}_base", 8, 8).view(name, f"{name}_base", (4, 8), (8, 1), choose.choice([0, 32]), "  # alias")
            else:
                w.alloc(name, 4, 8)
            if choose.random() < 0.4:
                w.view(f"{name}_view", name, (4, 8), (8, 1))
                readable.append(f"{name}_view")
                handed_on.add(f"{name}_view")
            outputs.append(name)
        w.kernel(op, (4, 8), inputs, outputs)
        readable += outputs
    results = [r for r in readable if r.startswith("buf")]
    choose.shuffle(results)
    return w.line(f"return ({', '.join(results[:3])}, )")


def wrappers(count):
    yield "batch_slices", slices((4, 8), (8, 1), 32, (8, 8))
    yield "channel_slices", slices((4, 8), (16, 1), 8, (4, 16))
    yield "permuted_result", permuted_result()
    yield "result_returned_twice", result_returned_twice(False)
    yield "result_returned_twice_in_place", result_returned_twice(True)
    yield "mutated_input", mutated_input()
    yield "column_major_output", column_major_output()
    for seed in range(count):
        yield f"random_{seed}", random_wrapper(seed)


# ---- PyTorch's run ------------------------------------------------------------------------------------------------------
def nan(size, stride):
    return torch.empty_strided(size, stride).fill_(float("nan"))


def store(out, result):
    """A tuned kernel: row-major from the output's base pointer on, whatever its strides say."""
    strides = torch.empty(result.shape).stride()
    torch.as_strided(out, result.shape, strides, out.storage_offset()).copy_(result)


def hand_over(delivery, out, result):
    if delivery == "data":
        out.data = result
    elif delivery == "copy":
        out.copy_(result.contiguous())
    elif delivery == "set":
        out.set_(result.contiguous())


class Kernel:
    def __init__(self, meta, delivery):
        self.function, self.outputs, self.delivery = OPS[meta["op"]][1], meta["num_outputs"], delivery

    def run(self, *arguments, stream):
        inputs, outputs = arguments[:-self.outputs], arguments[-self.outputs:]
        inputs = [x if x.is_contiguous() else x.contiguous() for x in inputs]
        targets = [o if o.is_contiguous() else nan(o.shape, torch.empty(o.shape).stride()) for o in outputs]
        for out, result in zip(targets, self.function(*inputs)):
            store(out, result) if self.delivery is None else hand_over(self.delivery, out, result)
        for out, target in zip(outputs, targets):
            if out is not target:
                out.copy_(target)


def execute(wrapper, inputs, delivery, fallen_back):
    """What the wrapper returns, then what the caller's own tensors hold that it mutated."""
    compiler = types.SimpleNamespace(mlir_auto_fallback=lambda name, _, kernel_meta: Kernel(kernel_meta, delivery if name in fallen_back else None))
    module = {"async_compile": compiler, "get_raw_stream": lambda _: None,
              "empty_strided": lambda size, stride, device, dtype: nan(size, stride),
              "reinterpret_tensor": torch._C._dynamo.guards._reinterpret_tensor}
    text = wrapper.text().replace("from torch import empty_strided\n", "")
    exec(compile(text, "wrapper", "exec"), module)  # our own text
    arguments = [x.clone() for x in inputs]
    callers = [arguments[i].view(-1).view(arguments[i].shape) for i in wrapper.mutated]
    return [r.clone().contiguous().numpy() for r in [*module["call"](arguments), *callers]]


# ---- comparison ---------------------------------------------------------------------------------------------------------
def simulate(program, path, folder, runtime, fallen_back):
    out = folder / "out.npz"
    command = [program, "simulate", str(path), "--runtime", runtime, "--memory", "nan", "--tensors", str(folder / "in.npz"),
               "--out", str(out), "--format", "json"]
    for kernel in fallen_back:
        command += ["--fallback", kernel]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        return run.stderr.strip(), None
    values = json.loads(run.stdout)["values"]
    outputs = values["calls"][0]
    arrays = np.load(out)
    return None, types.SimpleNamespace(outputs=[arrays[o["name"]] for o in outputs], findings=run.returncode == 1,
                                       wrong=[o.get("difference", {}).get("wrong") for o in outputs],
                                       has_golden=values["has_golden"])


def same(a, b):
    return (a.view(np.int32) == b.view(np.int32)) | (np.isnan(a) & np.isnan(b))


def disagreement(truth, golden, run, fallen_back):
    """None, or how PyTorch's outputs and the simulated run differ."""
    if len(truth) != len(run.outputs):
        return f"{len(run.outputs)} outputs for {len(truth)}"
    for i, (real, meant, simulated, wrong) in enumerate(zip(truth, golden, run.outputs, run.wrong)):
        if real.shape != simulated.shape or not same(real, simulated).all():
            return f"output {i}: PyTorch has\n{real}\nbufferproof\n{simulated}"
        really_wrong = int((~same(real, meant)).sum()) if real.shape == meant.shape else None
        if run.has_golden and wrong != really_wrong:
            return f"output {i}: {really_wrong} elements are wrong, bufferproof counts {wrong}"
        if run.has_golden and really_wrong and not run.findings:
            return f"output {i} has {really_wrong} wrong elements, and there is no finding"
    # Without a golden run the text itself reads the wrong memory, which another road may heal.
    return None if run.has_golden or run.findings or fallen_back else "neither a golden run nor a finding"


def subsets(names):
    for size in range(len(names) + 1):
        yield from itertools.combinations(names, size)


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
    counts, failures = collections.Counter(), []
    values = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, wrapper in wrappers(count):
            arrays = {a: values.integers(-4, 5, (4, 8)).astype(np.float32) for a in ("arg0_1", "arg1_1")}
            np.savez(folder / "in.npz", **arrays)
            inputs = [torch.from_numpy(a) for a in arrays.values()]
            path = folder / f"{title}.py"
            path.write_text(wrapper.text())
            golden = execute(wrapper, inputs, None, ())
            counts["wrappers"] += 1
            for (runtime, delivery), fallen_back in itertools.product(DELIVERIES.items(), subsets(wrapper.names)):
                truth = execute(wrapper, inputs, delivery, fallen_back)
                error, run = simulate(program, path, folder, runtime, fallen_back)
                reason = error or disagreement(truth, golden, run, fallen_back)
                counts["runs"] += 1
                counts["runs with findings"] += bool(run and run.findings)
                counts["runs with wrong elements"] += bool(run and any(run.wrong))
                counts["elements"] += sum(t.size for t in truth)
                if reason:
                    failures.append(f"{title} on {runtime}, falling back: {', '.join(fallen_back) or 'none'}: {reason}\n{wrapper.body}")
    print("\n".join(failures[:5]))
    print(dict(counts), f"{len(failures)} disagreements")
    return 1 if failures or counts["runs with wrong elements"] < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
