"""Wrappers that the installed PyTorch really emits, judged by bufferproof (label torch).

Compiles small CPU graphs of many kinds with Inductor, and asks for each wrapper: does it read, is it not refuted, and is it
refuted after its first kernel call whose result is read has been taken out? Prints a line per wrapper and the counts.

usage: real_wrappers.py PATH_OF_BUFFERPROOF
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
import torch._dynamo
import torch._inductor.config as inductor
from torch._inductor.utils import run_and_get_code

R = torch.randn
REFUTED, UNDECIDED = 1, (3, 4)


def basic_block():
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = torch.nn.Conv2d(8, 8, 3, padding=1, bias=False)
            self.bn1 = torch.nn.BatchNorm2d(8)
            self.conv2 = torch.nn.Conv2d(8, 8, 3, padding=1, bias=False)
            self.bn2 = torch.nn.BatchNorm2d(8)

        def forward(self, x):
            y = torch.relu(self.bn1(self.conv1(x)))
            return torch.relu(self.bn2(self.conv2(y)) + x)

    return Block()


def stem():
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False), torch.nn.BatchNorm2d(8),
                               torch.nn.ReLU(), torch.nn.MaxPool2d(3, 2, 1), torch.nn.AdaptiveAvgPool2d(1),
                               torch.nn.Flatten(), torch.nn.Linear(8, 5))


def in_place(a, b):
    a.add_(b)
    b[1:3].copy_(a[0:2])
    return a.sum()


def repeated(x, y):
    more = lambda i, a, b: i < 5
    step = lambda i, a, b: (i + 1, b.cos(), a + b)
    return torch._higher_order_ops.while_loop(more, step, (torch.tensor(0), x, y))


def graphs():
    """name, function, arguments, options of compile, options of Inductor."""
    yield "pointwise", lambda a, b: (a + b) * b.relu(), (R(8, 8), R(8, 8)), {}, {}
    yield "pointwise_dynamic", lambda a, b: (a + b) * b.relu(), (R(8, 6), R(8, 6)), {"dynamic": True}, {}
    yield "matmul_softmax", lambda a, b: (a @ b).softmax(-1) + 1, (R(8, 16), R(16, 8)), {}, {}
    yield "matmul_dynamic", lambda a, b: (a @ b).softmax(-1) + 1, (R(8, 16), R(16, 8)), {"dynamic": True}, {}
    yield "concat", lambda a, b: torch.cat([a.sin(), b.cos(), a * b], 1), (R(4, 8), R(4, 8)), {}, {}
    yield "concat_dynamic", lambda a, b: torch.cat([a.sin(), b.cos()], 0) @ b.t(), (R(4, 8), R(4, 8)), {"dynamic": True}, {}
    yield "in_place", in_place, (R(4, 8), R(4, 8)), {}, {}
    yield "views", lambda a: (a.t().reshape(2, -1) * 2, a[1:], a.view(-1)), (R(4, 8),), {}, {}
    yield "sort", lambda a: torch.sort(a, dim=-1), (R(4, 8),), {}, {}
    yield "index_put", lambda a, i, v: a.index_put((i,), v, accumulate=True), (R(8, 4), torch.tensor([1, 1, 2]), R(3, 4)), {}, {}
    yield "layer_norm", lambda a, w: torch.nn.functional.layer_norm(a, (16,), w), (R(8, 16), R(16)), {}, {}
    yield "dropout", lambda a: torch.nn.functional.dropout(a, 0.5) + torch.rand(4), (R(8, 4),), {}, {}
    chain = lambda a, b: ((a @ b).relu() @ b).sin() @ (a @ b).cos()
    yield "reuse", chain, (R(8, 8), R(8, 8)), {}, {}
    yield "no_reuse", chain, (R(8, 8), R(8, 8)), {}, {"allow_buffer_reuse": False}
    yield "memory_planning", chain, (R(8, 8), R(8, 8)), {}, {"memory_planning": True}
    yield "nan_asserts", lambda a, b: (a @ b).relu(), (R(8, 8), R(8, 8)), {}, {"nan_asserts": True}
    yield "partition", chain, (R(8, 8), R(8, 8)), {}, {"graph_partition": True}
    yield "attention", lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v), tuple(R(2, 4, 8, 16) for _ in range(3)), {}, {}
    yield "cond", lambda p, x: torch.cond(p, lambda x: (x.sin() @ x,), lambda x: (x.cos() + 1,), (x,)), (torch.tensor(True), R(4, 4)), {}, {}
    yield "while_loop", repeated, (R(4, 4), R(4, 4)), {}, {}
    yield "while_loop_planned", repeated, (R(4, 4), R(4, 4)), {}, {"memory_planning": True}
    with torch.no_grad():
        yield "stem", stem().eval(), (R(2, 3, 32, 32),), {}, {}
        yield "stem_dynamic", stem().eval(), (R(2, 3, 32, 32),), {"dynamic": True}, {}
        yield "stem_frozen", stem().eval(), (R(2, 3, 32, 32),), {}, {"freezing": True}
        yield "block", basic_block().eval(), (R(2, 8, 16, 16),), {}, {}
        yield "block_dynamic", basic_block().eval(), (R(2, 8, 16, 16),), {"dynamic": True}, {}
    yield "block_training", basic_block().train(), (R(2, 8, 16, 16, requires_grad=True),), {}, {}
    yield "stem_training", stem().train(), (R(2, 3, 32, 32, requires_grad=True),), {}, {}


def emitted(function, arguments, options, settings):
    torch._dynamo.reset()
    with inductor.patch(**settings):
        compiled = torch.compile(function, **options)

        def run(*inputs):
            out = compiled(*inputs)
            if isinstance(out, torch.Tensor) and out.requires_grad:
                out.sum().backward()
            return out

        return run_and_get_code(run, *arguments)[1]


def without_first_kernel(text):
    """The wrapper without its first kernel call that fills a fresh buffer which is named again below, or None.

    A kernel that works in place can be left out of a wrapper and leave a consistent program: nothing to refute."""
    lines = text.splitlines(keepends=True)
    start = next((i for i, line in enumerate(lines) if re.match(r"\s+def call\(|def call\(", line)), None)
    if start is None:
        return None
    for i in range(start, len(lines)):
        call = re.match(r"\s+cpp_fused\w*\((.*)\)\s*$", lines[i])
        names = re.findall(r"\bbuf\d+\b", call.group(1)) if call else []
        fresh = names and re.search(rf"\b{names[-1]} = empty_strided", text)
        if fresh and any(re.search(rf"(extern_kernels|return|cpp_fused|torch\.ops).*\b{names[-1]}\b", later) for later in lines[i + 1:]):
            return "".join(lines[:i] + lines[i + 1:])
    return None


def verdict(program, path):
    return subprocess.run([program, "check", str(path), "--runtime", "stock", "-o", "/dev/null"], capture_output=True,
                          text=True, check=False)


def main():
    program = sys.argv[1]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, function, arguments, options, settings in graphs():
            for part, text in enumerate(emitted(function, arguments, options, settings)):
                path = pathlib.Path(folder) / f"{name}_{part}.py"
                path.write_text(text)
                result = verdict(program, path)
                counts["wrappers"] += 1
                counts[{0: "proved", REFUTED: "refuted"}.get(result.returncode, "undecided" if result.returncode in UNDECIDED else "failed")] += 1
                line = f"{path.name}: exit {result.returncode}"
                mutant = without_first_kernel(text)
                if mutant and result.returncode == 0:
                    path.write_text(mutant)
                    code = verdict(program, path).returncode
                    counts["mutants"] += 1
                    counts["mutants refuted"] += code == REFUTED
                    line += f", without its first kernel: exit {code}"
                print(line, result.stderr.strip()[:300])
    print(dict(counts))
    good = counts["wrappers"] >= 20 and counts["proved"] == counts["wrappers"] and counts["mutants"] >= 10
    return 0 if good and counts["mutants"] == counts["mutants refuted"] else 1


sys.exit(main())
