"""Wrappers of more kinds of graphs, emitted by the installed PyTorch but not compiled (label torch).

Recurrences, attention in training, optimizers, caches, sizes that come out of data, nested control flow, planned memory. Each
must be proved; with its first `del` of a buffer moved before the last use it must be refuted.

usage: emitted_graphs.py PATH_OF_BUFFERPROOF
"""
import pathlib
import re
import subprocess
import sys
import tempfile
from unittest import mock

import torch
import torch._dynamo
import torch._functorch.config as functorch
import torch._inductor.config as inductor
from torch._higher_order_ops.scan import scan
from torch._inductor.graph import GraphLowering

R = torch.randn
nn = torch.nn
functorch.force_non_lazy_backward_lowering = True
functorch.enable_autograd_cache = False
torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(8, 8)

    def forward(self, x, h, c):
        for t in range(3):
            h, c = self.cell(x[t], (h, c))
        return h, c


def adam(p, g, m, v, step):
    m.lerp_(g, 0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    step.add_(1)
    p.addcdiv_(m, v.sqrt().add_(1e-8), value=-0.1)
    return p / (1 - torch.pow(0.9, step))


def foreach(parameters, gradients):
    torch._foreach_add_(parameters, gradients, alpha=-0.1)
    return parameters


def cache(cached, new, position):
    cached[:, position] = new
    return cached.sum(1)


def sized_by_data(index, y):
    u = index.max().item()
    torch._check(u >= 0)
    torch._check(u < 8)
    return torch.zeros(u + 1, 4) + y[:1]


def nested(p, q, x):
    inner = lambda x: torch.cond(q, lambda x: x.sin(), lambda x: x @ x, (x,))
    return torch.cond(p, inner, lambda x: x.cos() + 1, (x,))


def sliced_by_other(x, y):
    return (x[:y.shape[0]] @ y).relu().view(-1, 2).sum(1), torch.arange(x.shape[0])[1:]


def scanned(start, xs):
    def step(carried, x):
        y = torch.tanh(carried + x)
        return y, y * 2
    return scan(step, start, xs, dim=0)


def layer():
    return nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)


def graphs():
    """name, function, arguments, options of compile, options of Inductor."""
    state = (R(4, 4), R(4, 4), R(4, 4), R(4, 4).abs(), torch.ones(()))
    x = (R(2, 5, 16),)
    with_grad = (R(2, 5, 16, requires_grad=True),)
    yield "lstm", Recurrent(), (R(3, 2, 8), R(2, 8), R(2, 8)), {}, {}
    yield "layer", layer().eval(), x, {}, {}
    yield "layer_training", layer().train(), with_grad, {}, {}
    yield "layer_training_dynamic", layer().train(), with_grad, {"dynamic": True}, {}
    yield "layer_planned", layer().eval(), x, {"dynamic": True}, {"memory_planning": True}
    yield "layer_partitioned", layer().train(), with_grad, {}, {"graph_partition": True}
    yield "adam", adam, state, {}, {}
    tensors = lambda: [R(4, 4), R(3), R(2, 2)]
    yield "foreach", foreach, (tensors(), tensors()), {}, {"combo_kernels": True}
    yield "cache", cache, (R(2, 8, 4), R(2, 4), 3), {"dynamic": True}, {}
    yield "sized_by_data", sized_by_data, (torch.tensor([1, 3]), R(2, 4)), {}, {}
    yield "nonzero", lambda x: x.nonzero() * 2, (torch.tensor([1, 0, 1]),), {}, {}
    condition = (torch.tensor(True), torch.tensor(False), R(4, 4))
    yield "nested", nested, condition, {"dynamic": True}, {}
    yield "nested_planned", nested, condition, {}, {"memory_planning": True}
    yield "scan", scanned, (R(4), R(5, 4)), {}, {}
    yield "scan_dynamic", scanned, (R(4), R(5, 4)), {"dynamic": True}, {}
    computed = lambda start, xs: scanned(start * 2 + xs.sum(0), xs * 3)
    yield "scan_of_computed", computed, (R(4), R(5, 4)), {}, {}
    yield "scan_of_computed_dynamic", computed, (R(4), R(5, 4)), {"dynamic": True}, {}
    yield "scan_planned", scanned, (R(4), R(5, 4)), {}, {"memory_planning": True}
    complex_ = lambda: (torch.randn(4, 4, dtype=torch.complex64), torch.randn(4, 4, dtype=torch.complex64))
    yield "complex", lambda a, b: ((a + b) * 2, a.abs() + 1, torch.view_as_real(b * 3).sum(-1)), complex_(), {}, {}
    yield "complex_dynamic", lambda a, b: ((a.conj() * a).real, torch.cat([a, b])), complex_(), {"dynamic": True}, {}
    bicubic = lambda a: torch.nn.functional.interpolate(a, scale_factor=2, mode="bicubic")
    yield "bicubic_dynamic", bicubic, (R(1, 2, 4, 4),), {"dynamic": True}, {}
    yield "sliced_by_other", sliced_by_other, (R(8, 4), R(4, 6)), {"dynamic": True}, {}
    yield "topk", lambda a: (a.topk(3, -1), a.sort(0), a.cumsum(1)), (R(5, 6),), {"dynamic": True}, {}


def emitted(function, arguments, options, settings):
    texts = []

    def take(graph):
        texts.append(graph.codegen()[0].value)
        return mock.Mock(call=lambda *args, **kwargs: None)

    torch._dynamo.reset()
    with inductor.patch(fx_graph_cache=False, **settings), mock.patch.object(GraphLowering, "compile_to_module", take):
        try:
            torch.compile(function, **options)(*arguments)
        except Exception:  # pylint: disable=broad-exception-caught
            pass  # nothing was computed: what is emitted counts
    return texts


def with_early_release(text):
    """A buffer given up before the kernel that uses it last, or None."""
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines):
        name = re.match(r"\s+del (buf\d+)$", line)
        if name and re.match(rf"\s+(cpp_fused|extern_kernels).*\b{name.group(1)}\b", lines[i - 1]):
            return "".join(lines[:i - 1] + [line, lines[i - 1]] + lines[i + 1:])
    return None


def check(program, path, text):
    path.write_text(text)
    return subprocess.run([program, "check", str(path), "--runtime", "stock", "-o", "/dev/null"], check=False).returncode


def main():
    program = sys.argv[1]
    wrong = count = mutants = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "output_code.py"
        for name, function, arguments, options, settings in graphs():
            texts = emitted(function, arguments, options, settings)
            wrong += not texts
            for text in texts:
                code = check(program, path, text)
                mutant = with_early_release(text)
                refuted = check(program, path, mutant) if mutant else 1
                count += 1
                mutants += mutant is not None
                wrong += code != 0 or refuted != 1
                print(f"{name}: exit {code}, released early: {refuted if mutant else '-'}", flush=True)
    print(f"{count} wrappers, {mutants} mutants, {wrong} wrong")
    return 0 if wrong == 0 and mutants >= 5 else 1


sys.exit(main())
