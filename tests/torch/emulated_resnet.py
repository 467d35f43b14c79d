"""ResNet-18 executed twice: by PyTorch from the wrapper's own text and the dump's own graphs, and by bufferproof (label torch).

The generated wrapper runs in Python on CPU tensors: convolutions, pooling and the linear layer are PyTorch's; a fused kernel
is the module its traced_graph_hash names, imported from the dump; buffers start as NaN; the result is handed over by the
statement of the runtime (emulated_truth.py).

Numbers are held against what network_bounds.py gives:
  proven       every launch of the golden run, on golden's own buffers, against PyTorch in f64, within the launch's bound;
  first order  the golden result of every layout against PyTorch's f64 run of the whole network, for an even sample of the elements:
               within the bound of all roundings at their worst, and within 8 spreads (a model of independent signs); the error of the
               result is the one its launches' errors predict, up to a ten-thousandth of their sizes.
For several layouts, runtimes and fallbacks both must have NaN at the same elements. Where the simulated run is golden to the bit,
PyTorch's f32 run, which rounds as often, is within 16 spreads of it: 8 each. Where it is not, finite elements come from memory of another
tenant, and 16 times the largest spread, in proportion to the largest element, is a threshold and no more.

usage: emulated_resnet.py PATH_OF_BUFFERPROOF PATH_OF_RESNET_WRAPPERS PATH_OF_RUN_KERNEL
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
import network_bounds

BN = "mlir_fused__native_batch_norm_legit_no_training_"
SAMPLE = 24  # elements of a result whose derivatives are computed
SPREADS = 8

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


def traced_module(meta, graphs):
    digest = meta["traced_graph_hash"]
    spec = importlib.util.spec_from_file_location(digest, graphs / "0" / digest / f"{digest}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, digest)


class TracedKernel(emulated_truth.Kernel):
    """A kernel whose function is the module of the dump."""

    def __init__(self, meta, delivery, graphs):
        self.function, self.outputs, self.delivery = traced_module(meta, graphs)().forward, meta["num_outputs"], delivery


def traced_functions(text, graphs):
    """By kernel name: the forward of its module."""
    out = {}

    def kernel(name, _, kernel_meta):
        out[name] = traced_module(kernel_meta, graphs).forward

    declarations = network_bounds.body_of(text).split("\ndef call(args):")[0]
    exec(declarations, {"async_compile": types.SimpleNamespace(mlir_auto_fallback=kernel, wait=lambda _: None), "torch": torch})
    return out


def convolution(x, weight, *, stride, padding, dilation, transposed, output_padding, groups, bias):
    return torch.ops.aten.convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def execute(text, arrays, graphs, delivery, fallen_back):
    def kernel(name, _, kernel_meta):
        return TracedKernel(kernel_meta, delivery if name in fallen_back else None, graphs)

    body = network_bounds.body_of(text)
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


def in_units(error, limit):
    """The largest error; where the limit is 0 (a result that no rounding reaches) there may be none."""
    error = np.abs(error)
    return float(np.divide(error, limit, out=np.where(error > 0, np.inf, 0.0), where=limit > 0).max())


class Layout:
    """One form of the network, its inputs, golden result and bounds."""

    def __init__(self, programs, folder, name, options):
        self.program, generator = programs
        self.folder, self.name, self.wrapper, self.graphs = folder, name, folder / f"{name}.py", folder / name
        subprocess.run([generator, "--image", "32", "--batch", "2", "--traced-graphs", str(self.graphs), "-o", str(self.wrapper), *options],
                       check=True)
        self.text = self.wrapper.read_text()
        self.arrays = inputs_of(self.text, 3)
        np.savez(folder / "in.npz", **self.arrays)
        self.kernels = set(re.findall(r"^(mlir_fused\w+) = ", self.text, re.M))
        self.functions = traced_functions(self.text, self.graphs)
        self.worst = 0.0
        self.golden, = bufferproof(self.program, folder, ["golden", str(self.wrapper)])
        self.first_order = network_bounds.FirstOrder(self.text, self.arrays, self.functions, SAMPLE)

    def launches(self, run_kernel):
        """Failures of single launches, and of the whole from what they did."""
        every = self.folder / f"{self.name}_buffers.py"
        text, names = network_bounds.with_every_buffer(self.text)
        every.write_text(text)
        arrays = bufferproof(self.program, self.folder, ["golden", str(every)])
        launches = network_bounds.check_launches(self.text, self.arrays, self.functions, dict(zip(names, arrays)), run_kernel, every,
                                                 self.folder)
        if arrays[-1].tobytes() != self.golden.tobytes():
            launches.failures.append("the buffers are not those of the golden run")
        predicted, size = self.first_order.predicted(launches.errors)
        left = in_units(self.error() - predicted, size)
        print(f"{launches.at} launches on golden's buffers: sums of products at most {launches.worst:.3f} of their proven bounds; they predict "
              f"the result's error up to {left:.2g} of their sizes")
        if not left <= 1e-4:
            launches.failures.append("the result's error is not what the launches' errors predict")
        return launches.failures

    def error(self):
        """Of golden, at the sample."""
        return self.first_order.at_sample(self.golden - self.first_order.exact)

    def golden_in_bounds(self):
        bound, spread = in_units(self.error(), self.first_order.bound), in_units(self.error(), self.first_order.spread)
        print(f"{self.name}: golden is {np.abs(self.golden - self.first_order.exact).max():.3g} from the f64 network: at most {bound:.2g} of the "
              f"bound, {spread:.2f} spreads")
        return bound <= 1 and spread <= SPREADS

    def disagreement(self, real, simulated):
        if real.shape != simulated.shape:
            return f"shape {real.shape} and {simulated.shape}"
        if not (np.isnan(real) == np.isnan(simulated)).all():
            return f"{int(np.isnan(real).sum())} and {int(np.isnan(simulated).sum())} NaN"
        error, spread = np.abs(real.astype(np.float64) - simulated), self.first_order.spread
        if simulated.tobytes() == self.golden.tobytes():
            off = in_units(self.first_order.at_sample(error), spread)
            off = max(off, float(error.max() / spread.max()))  # elements that are not in the sample
        else:
            size = max(1.0, np.nanmax(np.abs(simulated), initial=0.0) / np.abs(self.golden).max())
            off = float(np.nanmax(error, initial=0.0) / (size * spread.max()))
        self.worst = max(self.worst, off)
        return f"{off:.3g} spreads apart" if off > 2 * SPREADS else None


def check_runs(layout):
    """(runs, failures): every delivery and choice of fallbacks."""
    runs, failures = 0, []
    for runtime, delivery in emulated_truth.DELIVERIES.items():
        for short in FALLBACKS if delivery != "copy" else FALLBACKS[-1:]:
            fallen_back = layout.kernels if short == ["all"] else {BN + s for s in short}
            if not fallen_back <= layout.kernels:
                continue
            real, = execute(layout.text, layout.arrays, layout.graphs, delivery, fallen_back)
            arguments = ["simulate", str(layout.wrapper), "--runtime", runtime, "--memory", "nan", "--graphs", str(layout.graphs)]
            arguments += [a for k in sorted(fallen_back) for a in ("--fallback", k)]
            simulated, = bufferproof(layout.program, layout.folder, arguments)
            runs += 1
            reason = layout.disagreement(real, simulated)
            if reason:
                failures.append(f"{layout.name} on {runtime}, falling back: {short}: {reason}")
    return runs, failures


def main():
    program, generator, run_kernel = sys.argv[1:4]
    runs, failures = 0, []
    with tempfile.TemporaryDirectory() as name:
        for layout_name, options in LAYOUTS.items():
            layout = Layout((program, generator), pathlib.Path(name), layout_name, options)
            if layout_name == "fresh":
                failures += [f"launch of {f}" for f in layout.launches(run_kernel)]
            if not layout.golden_in_bounds():
                failures.append(f"{layout_name}: golden is too far from the f64 network")
            more, found = check_runs(layout)
            runs, failures = runs + more, failures + found
            print(f"{layout_name}: {more} runs, numbers at most {layout.worst:.2f} spreads apart")
    print("\n".join(failures[:20]))
    print(f"{runs} runs, {len(failures)} disagreements")
    return 1 if failures or runs < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
