"""ResNet-18 executed twice: by PyTorch from the wrapper's own text and the dump's own graphs, and by bufferproof (label torch).

The generated wrapper runs in Python on CPU tensors: convolutions, pooling and the linear layer are PyTorch's; a fused kernel
is the module its traced_graph_hash names, imported from the dump; buffers start as NaN; the result is handed over by the
statement of the runtime (emulated_truth.py). For several layouts of the network, runtimes and fallbacks both must have NaN
at the same elements. PyTorch sums in another order, so numbers are compared in units of rounding: how far bufferproof's own
f32 and f64 runs are from one another.

usage: emulated_resnet.py PATH_OF_BUFFERPROOF PATH_OF_RESNET_WRAPPERS
"""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import numpy as np
import torch

import emulated_truth

BN = "mlir_fused__native_batch_norm_legit_no_training_"
UNITS = 16  # of the largest difference between f32 and f64: two summation orders, and the roundings of a whole network

LAYOUTS = {
    "fresh": ["--no-reuse"],
    "reused": [],
    "views": ["--captured-views"],
    "fresh_views": ["--no-reuse", "--captured-views"],
    "slices": ["--alias-slices", "batch", "--no-reuse"],
    "channel_slices": ["--alias-slices", "channel", "--no-reuse"],
    "layer2": ["--stage", "layer2"],
}
FALLBACKS = [["relu_0"], ["add_relu_2"], ["all"]]


def inputs_of(text, seed):
    """As the benchmark part declares them: weights of unit gain, positive vectors."""
    values = np.random.default_rng(seed)
    out = {}
    for name, size in re.findall(r"(\w+) = rand_strided\(\(([\d, ]*)\)", text):
        shape = tuple(int(x) for x in size.split(",") if x.strip())
        array = values.standard_normal(shape) if len(shape) > 1 else values.uniform(0.5, 1.5, shape)
        if len(shape) > 1:
            array = array / np.sqrt(shape[1] * min(64, int(np.prod(shape[2:]))))
        out[name] = array.astype(np.float32)
    return out


class TracedKernel(emulated_truth.Kernel):
    """A kernel whose function is the module of the dump."""

    def __init__(self, meta, delivery, graphs):
        digest = meta["traced_graph_hash"]
        spec = importlib.util.spec_from_file_location(digest, graphs / "0" / digest / f"{digest}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.function, self.outputs, self.delivery = getattr(module, digest)().forward, meta["num_outputs"], delivery


def convolution(x, weight, *, stride, padding, dilation, transposed, output_padding, groups, bias):
    return torch.ops.aten.convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def execute(text, arrays, graphs, delivery, fallen_back):
    def kernel(name, _, kernel_meta):
        return TracedKernel(kernel_meta, delivery if name in fallen_back else None, graphs)

    body = text[text.index("\nmlir_fused"):text.index("\ndef benchmark_compiled_module")]
    body = body.replace("torch_npu.npu.set_device(0)", "").replace("del async_compile", "")
    module = {"torch": torch, "get_raw_stream": lambda _: None,
              "async_compile": types.SimpleNamespace(mlir_auto_fallback=kernel, wait=lambda _: None),
              "extern_kernels": types.SimpleNamespace(convolution=convolution, addmm=torch.addmm),
              "empty_strided": lambda size, stride, device, dtype: emulated_truth.nan(size, stride),
              "reinterpret_tensor": torch._C._dynamo.guards._reinterpret_tensor}
    exec(compile(body, "wrapper", "exec"), module)  # our own generator's text
    with torch.no_grad():
        return [r.contiguous().numpy() for r in module["call"]([torch.from_numpy(a.copy()) for a in arrays.values()])]


def bufferproof(program, folder, arguments):
    out = folder / "out.npz"
    run = subprocess.run([program, *arguments, "--tensors", str(folder / "in.npz"), "--out", str(out), "--format", "json"],
                         capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{arguments}: {run.stderr}")
    report = json.loads(run.stdout)
    names = [o["name"] for o in (report.get("outputs") or report["values"]["calls"][0])]
    arrays = np.load(out)
    return [arrays[name] for name in names]


def disagreement(real, simulated, unit):
    if real.shape != simulated.shape:
        return f"shape {real.shape} and {simulated.shape}"
    if not (np.isnan(real) == np.isnan(simulated)).all():
        return f"{int(np.isnan(real).sum())} and {int(np.isnan(simulated).sum())} NaN"
    error = np.nanmax(np.abs(real - simulated), initial=0.0)
    return f"{error:.3g} apart, more than {UNITS} x {unit:.3g}" if error > UNITS * unit else None


def main():
    program, generator = sys.argv[1:3]
    runs, failures, worst = 0, [], 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for layout, options in LAYOUTS.items():
            wrapper, graphs = folder / f"{layout}.py", folder / layout
            subprocess.run([generator, "--image", "32", "--batch", "2", "--traced-graphs", str(graphs), "-o", str(wrapper), *options],
                           check=True)
            text = wrapper.read_text()
            arrays = inputs_of(text, 3)
            np.savez(folder / "in.npz", **arrays)
            kernels = set(re.findall(r"^(mlir_fused\w+) = ", text, re.M))
            golden, wide = (bufferproof(program, folder, ["golden", str(wrapper), "--numerics", p]) for p in ("ieee-f32", "f64"))
            unit = max(float(np.abs(a - b).max()) for a, b in zip(golden, wide))
            for runtime, delivery in emulated_truth.DELIVERIES.items():
                for short in FALLBACKS if delivery != "copy" else FALLBACKS[-1:]:
                    fallen_back = kernels if short == ["all"] else {BN + s for s in short}
                    if not fallen_back <= kernels:
                        continue
                    truth = execute(text, arrays, graphs, delivery, fallen_back)
                    arguments = ["simulate", str(wrapper), "--runtime", runtime, "--memory", "nan", "--graphs", str(graphs)]
                    arguments += [a for k in sorted(fallen_back) for a in ("--fallback", k)]
                    simulated = bufferproof(program, folder, arguments)
                    runs += 1
                    for real, ours in zip(truth, simulated, strict=True):
                        worst = max(worst, float(np.nanmax(np.abs(real - ours), initial=0.0)) / unit)
                        reason = disagreement(real, ours, unit)
                        if reason:
                            failures.append(f"{layout} on {runtime}, falling back: {short}: {reason}")
    print("\n".join(failures[:20]))
    print(f"{runs} runs, {len(failures)} disagreements, numbers at most {worst:.2f} units of rounding apart")
    return 1 if failures or runs < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
