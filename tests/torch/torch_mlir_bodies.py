"""What the installed torch-mlir writes for ResNet-18's fused kernels reads, verifies and executes (label torch).

Takes the traced graph of every fused kernel of the emitted ResNet-18 wrapper, and a few graphs with the library calls beside them,
has torch-mlir export them to its torch dialect (fixed batch and dynamic batch), and compares run_kernel's result with PyTorch's
eager one inside the proven enclosure, as execute_bodies.py does.

usage: torch_mlir_bodies.py RUN_KERNEL RESNET_WRAPPERS
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import torch

from execute_bodies import Compared, NotEvaluated, listed, once, symbols_of, traced_graph

warnings.filterwarnings("ignore")
from torch_mlir import fx  # noqa: E402  after the filter: it warns when imported

R = torch.rand


class Calls(torch.nn.Module):
    """A function as the module torch.export wants."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def fused_graphs(generator, folder):
    """name, function, example inputs of each traced graph in the wrapper; parameters are f32."""
    path = folder / "resnet18.py"
    subprocess.run([generator, "--depth", "18", "--text", "fx", "--batch", "2", "--image", "32", "-o", str(path)], check=True)
    for match in re.finditer(r'^"""\n(class <lambda>.*?)"""\n(\w+) = async_compile', path.read_text(), re.S | re.M):
        shapes = re.findall(r'(\w+): "f32\[([\d, ]*)\]"', match.group(1).split("):", 2)[1])
        examples = tuple(R([int(n) for n in sizes.split(", ") if n]) for _, sizes in shapes)
        yield match.group(2), traced_graph(match.group(1)), examples


def library_graphs():
    # Not batch_norm: eager PyTorch fuses it into one multiply-add per channel, which is not the steps the compiler takes.
    conv = torch.nn.functional.conv2d
    yield "conv", lambda x, w: conv(x, w, stride=2, padding=1), (R(2, 3, 9, 9), R(4, 3, 3, 3))
    yield "max_pool", lambda x: torch.nn.functional.max_pool2d(x, 3, 2, 1), (R(2, 3, 9, 9),)
    yield "linear", lambda x, w, b: torch.nn.functional.linear(x.mean([2, 3]), w, b), (R(2, 8, 3, 3), R(5, 8), R(5))
    yield "softmax", lambda x: torch.softmax(x, -1), (R(4, 9),)


def exported(function, examples, dynamic):
    shapes = None
    if dynamic:
        batch = torch.export.Dim("batch", min=2)
        shapes = (tuple({0: batch} if x.dim() > 1 and x.shape[0] == 2 else {} for x in examples),)
    module = fx.export_and_import(Calls(function), *examples, output_type="torch", func_name="kernel", dynamic_shapes=shapes)
    return str(module)


def judge(run_kernel, name, function, examples, dynamic, folder):
    path = folder / f"{name}{'_dynamic' if dynamic else ''}.mlir"
    path.write_text(exported(function, examples, dynamic))
    (_, parameters), = listed(run_kernel, path)
    if parameters.startswith("unsupported"):
        return f"{path.stem}: {parameters}", False
    sizes = {s: 3 for s in symbols_of(parameters)}
    found, problem = once(run_kernel, path, "kernel", parameters, function, sizes, 0.25, 2.0, folder)
    if not found:
        return f"{path.stem}: {problem[:200]}", False
    elements, unclaimed, furthest = found
    return f"{path.stem}: {elements} elements, nothing claimed of {unclaimed}, at most {furthest:.3f} of the width apart", unclaimed == 0


def main():
    run_kernel, generator = sys.argv[1:3]
    counts = {"good": 0, "bad": 0}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, function, examples in [*fused_graphs(generator, folder), *library_graphs()]:
            for dynamic in (False, True):
                if dynamic and not any(x.dim() > 1 and x.shape[0] == 2 for x in examples):
                    continue
                try:
                    line, good = judge(run_kernel, name, function, examples, dynamic, folder)
                except torch._dynamo.exc.UserError:  # the graph says its batch size itself
                    continue
                except (Compared, NotEvaluated) as problem:
                    line, good = f"{name}: {problem}", False
                counts["good" if good else "bad"] += 1
                print(f"{line}{'' if good else '  <-- BAD'}")
    print(counts)
    return 0 if counts["good"] >= 12 and not counts["bad"] else 1


sys.exit(main())
