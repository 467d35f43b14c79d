"""How far an f32 run of a generated ResNet wrapper may be from its exact values (used by emulated_resnet.py).

Proven, launch by launch (`check_launches`): bufferproof's golden buffers are the inputs, PyTorch computes the launch from them in
f64, and both results lie within the launch's own bound: convolution and addmm gamma_n (|a| |b|) for sums of n products in any
order (Higham, Accuracy and Stability, 3.1), a fused kernel the enclosure that run_kernel gives, pooling the same bits.

First order, for the whole network (`first_order`): every rounding operation gets a variable for its error, and autograd in f64
gives what each is worth in an element of the result. Terms with products of two errors are left out, and so is a relu or a
maximum that decides otherwise within its operands' errors.
  bound     sum of |derivative| x proven bound: every error at its worst and of the worst sign;
  spread    root of the sum of squares, sqrt(n) in place of n: errors of independent sign (Higham and Mary, A New Approach to
            Probabilistic Rounding Error Analysis, 2019). A model, not a proof: far sharper. A result is more than 8 spreads off
            with a probability below 1e-13.
  predicted sum of derivative x the error that golden's launch really made: the error of the result, to first order.
The first two hold for every summation order, so PyTorch's own f32 run is as close.
"""
import re
import subprocess

import numpy as np
import torch

UNIT, TINY = 2.0**-24, 2.0**-149
OWN = 1 + 2.0**-20  # f64's own roundings, of the reference and of the bounds: 2^-53 times fewer than 2^30 terms


def gamma(n):
    return n * UNIT / (1 - n * UNIT)


def convolve(x, weight, bias, options):
    return torch.ops.aten.convolution(x, weight, bias, *(options[k] for k in (
        "stride", "padding", "dilation", "transposed", "output_padding", "groups")))


def convolution_bound(x, weight, options):
    terms = weight[0].numel()
    return gamma(terms) * convolve(x.abs(), weight.abs(), None, options) + terms * TINY


def addmm_bound(bias, a, b):
    terms = a.shape[1] + 2
    return gamma(terms) * (bias.abs() + a.abs() @ b.abs()) + terms * TINY


def body_of(text):
    body = text[text.index("\nmlir_fused"):text.index("\ndef benchmark_compiled_module")]
    return body.replace("torch_npu.npu.set_device(0)", "").replace("del async_compile", "")


# ---- each launch on golden's own buffers


def with_every_buffer(text):
    """The wrapper that returns all its buffers, and the buffer each launch writes, in order."""
    head, call = text.split("\ndef call(args):", 1)
    call, rest = call.split("\ndef benchmark_compiled_module", 1)
    call = re.sub(r"^ +del buf\d+\n", "", call, flags=re.M)
    written, line_of = [], r"^    (?:(buf\d+) = extern_kernels\.conv|mlir_fused\w+\.run\(.*?(buf\d+), stream|(buf\d+) = buf\d+\[0\]|.*out=(buf\d+)\))"
    for match in re.finditer(line_of, call, re.M):
        written.append(next(name for name in match.groups() if name))
    call = re.sub(r"return \(buf\d+, \)", f"return ({', '.join(written)}, )", call)
    return f"{head}\ndef call(args):{call}\ndef benchmark_compiled_module{rest}", written


class Launches:
    """Executes the wrapper on golden's buffers and holds every launch against its bound."""

    def __init__(self, golden, written, run_kernel, wrapper, folder):
        self.golden, self.written, self.at = golden, written, 0
        self.run_kernel, self.wrapper, self.folder = run_kernel, wrapper, folder
        self.failures, self.worst, self.errors = [], 0.0, []

    def next(self):
        self.at += 1
        return torch.from_numpy(self.golden[self.written[self.at - 1]])

    def within(self, exact, bound):
        ours = self.next()
        self.errors.append(ours.double() - exact)
        ratio = ((ours.double() - exact).abs() / (bound * OWN)).max().item()
        self.worst = max(self.worst, ratio)
        if not ratio <= 1:
            self.failures.append(f"{self.written[self.at - 1]}: {ratio:.3g} of its bound")
        return ours

    def convolution(self, x, weight, *, bias, **options):
        x, weight = x.double(), weight.double()
        return self.within(convolve(x, weight, bias, options), convolution_bound(x, weight, options))

    def addmm(self, bias, a, b, *, alpha, beta, out):
        bias, a, b = bias.double(), a.double(), b.double()
        assert alpha == 1 and beta == 1
        out.copy_(self.within(bias + a @ b, addmm_bound(bias, a, b)))

    def max_pool(self, x, *options):
        ours = self.next()
        if not torch.equal(torch.ops.aten.max_pool2d_with_indices(x, *options)[0], ours):
            self.failures.append(f"{self.written[self.at - 1]}: not the maxima")
        return ours, None

    def fused(self, name, function, arguments, out):
        ours = self.next()
        np.savez(self.folder / "kernel_in.npz", **{str(i): a.contiguous().numpy() for i, a in enumerate(arguments)})
        subprocess.run([self.run_kernel, self.wrapper, name, self.folder / "kernel_in.npz", self.folder / "kernel_out.npz"], check=True)
        made = np.load(self.folder / "kernel_out.npz")
        low, high = made["lo0"], made["hi0"]
        exact = function(None, *[a.double() for a in arguments])[0].numpy()
        self.errors.append(ours.double() - torch.from_numpy(exact))
        inside = np.isfinite(low).all() and np.isfinite(high).all()
        for what, values in (("PyTorch", exact), ("bufferproof", ours.numpy().astype(np.float64))):
            slack = np.abs(values) * (OWN - 1) * UNIT if what == "PyTorch" else 0  # of f64's own roundings
            if not (inside and (low <= values + slack).all() and (values - slack <= high).all()):
                self.failures.append(f"{self.written[self.at - 1]}: {what} is outside of the enclosure of {name}")
        if made["out0"].tobytes() != ours.numpy().tobytes():
            self.failures.append(f"{self.written[self.at - 1]}: golden is not what run_kernel gives")
        out.copy_(ours)


def check_launches(text, arrays, functions, golden, run_kernel, wrapper, folder):
    """The executed launches: their failures, errors (pooling has none), and the largest in units of a sum's bound."""
    returning, written = with_every_buffer(text)
    launches = Launches(golden, written, run_kernel, wrapper, folder)

    class Fused:
        def __init__(self, name):
            self.name = name

        def run(self, *arguments, stream):
            launches.fused(self.name, functions[self.name], arguments[:-1], arguments[-1])

    execute(returning, [torch.from_numpy(a) for a in arrays.values()], {
        "kernel": Fused, "convolution": launches.convolution, "addmm": launches.addmm, "max_pool": launches.max_pool,
        "empty_strided": lambda size, stride, **_: torch.empty_strided(size, stride),
        "reinterpret_tensor": torch._C._dynamo.guards._reinterpret_tensor})
    if launches.at != len(written) or launches.at < 30:
        launches.failures.append(f"{launches.at} launches of {len(written)}")
    return launches


def execute(text, arguments, means):
    """Runs the wrapper's text; `means` says what its calls do."""
    space = lambda **names: type("space", (), {k: staticmethod(v) if callable(v) else v for k, v in names.items()})
    pool = space(default=means["max_pool"])
    module = {
        "torch": space(float32=torch.float32, ops=space(aten=space(max_pool2d_with_indices=pool))), "get_raw_stream": lambda _: None,
        "async_compile": space(mlir_auto_fallback=lambda name, *_, **__: means["kernel"](name), wait=lambda _: None),
        "extern_kernels": space(convolution=means["convolution"], addmm=means["addmm"]),
        "empty_strided": means["empty_strided"], "reinterpret_tensor": means["reinterpret_tensor"]}
    exec(compile(body_of(text), "wrapper", "exec"), module)  # our own generator's text
    return module["call"](arguments)


# ---- the whole network


class Errors:
    """The error variables of a run, each with the bound and the spread of what it stands for; those of launches without."""

    def __init__(self):
        self.variables, self.bounds, self.spreads, self.launches = [], [], [], []

    def rounded(self, value, bound, spread):
        self.variables.append(torch.zeros_like(value, requires_grad=True))
        self.bounds.append(bound.detach())
        self.spreads.append(spread.detach())
        return value + self.variables[-1]

    def launched(self, value):
        self.launches.append(torch.zeros_like(value, requires_grad=True))
        return value + self.launches[-1]

    def in_element(self, element):
        """(bound, spread, derivatives by launch errors)."""
        grads = torch.autograd.grad(element, self.variables + self.launches, retain_graph=True)
        roundings, launches = grads[:len(self.variables)], grads[len(self.variables):]
        bound = sum((g.abs() * b).sum().item() for g, b in zip(roundings, self.bounds))
        spread = sum(((g * s)**2).sum().item() for g, s in zip(roundings, self.spreads))**0.5
        return OWN * bound, OWN * spread, launches


class Rounding(torch.overrides.TorchFunctionMode):
    """Each arithmetic operation of a traced graph rounds once (reciprocal of a root: as an rsqrt of two units)."""

    MOVES = {"unsqueeze", "expand", "relu", "view", "permute"}

    def __init__(self, errors):
        super().__init__()
        self.errors = errors

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        value = function(*arguments, **(keywords or {}))
        name = function.overloadpacket.__name__
        if name in self.MOVES:
            return value
        return self.errors.rounded(value, *self.bound_and_spread(name, value.detach(), arguments))

    @staticmethod
    def bound_and_spread(name, value, arguments):
        if name in ("add", "sub", "mul"):
            constants = sum(abs(a) for a in arguments if isinstance(a, (int, float)))  # rounded as well
            bound = UNIT * (value.abs() + constants) + TINY
        elif name in ("sqrt", "reciprocal"):
            bound = 2 * UNIT * value.abs() + TINY
        elif name == "mean":
            terms = arguments[0].numel() // value.numel() + 1
            size = torch.ops.aten.mean.dim(arguments[0].detach().abs(), *arguments[1:])
            return gamma(terms) * size + TINY, UNIT * terms**0.5 * size
        else:
            raise NotImplementedError(name)
        return bound, bound


class Tensor:
    """A window on memory whose contents autograd knows: stores make new contents, so that views see them."""

    def __init__(self, memory, size, stride, offset=0):
        self.memory, self.window = memory, (tuple(size), tuple(stride), offset)

    @staticmethod
    def of(value):
        value = value.contiguous()
        return Tensor([value.reshape(-1)], value.shape, value.stride())

    def places(self):  # as indices: gradients of as_strided_scatter are wrong where contents are replaced (PyTorch 2.13)
        return torch.as_strided(torch.arange(self.memory[0].numel()), *self.window)

    def get(self):
        return self.memory[0][self.places()]

    def put(self, value):
        self.memory[0] = self.memory[0].index_put((self.places(),), value)


def exact_network(text, arrays, functions):
    """The result in f64, on the graph of its error variables."""
    errors = Errors()

    class Fused:
        def __init__(self, name):
            self.function = functions[name]

        def run(self, *arguments, stream):
            operands = [a.get() for a in arguments[:-1]]
            with Rounding(errors):
                value = self.function(None, *operands)[0]
            arguments[-1].put(errors.launched(value))

    def convolution(x, weight, *, bias, **options):
        x, weight = x.get(), weight.get()
        bound = convolution_bound(x.detach(), weight, options)
        value = errors.rounded(convolve(x, weight, bias, options), bound, bound / weight[0].numel()**0.5)
        return Tensor.of(errors.launched(value))

    def addmm(bias, a, b, *, alpha, beta, out):
        bias, a, b = bias.get(), a.get(), b.get()
        bound = addmm_bound(bias, a.detach(), b)
        out.put(errors.launched(errors.rounded(bias + a @ b, bound, bound / a.shape[1]**0.5)))

    def max_pool(x, *options):
        return Tensor.of(torch.ops.aten.max_pool2d_with_indices(x.get(), *options)[0]), None

    def empty(size, stride, **_):
        return Tensor([torch.zeros(1 + sum((n - 1) * s for n, s in zip(size, stride)), dtype=torch.float64)], size, stride)

    inputs = [Tensor.of(torch.from_numpy(a).double()) for a in arrays.values()]
    result, = execute(text, inputs, {
        "kernel": Fused, "convolution": convolution, "addmm": addmm, "max_pool": max_pool, "empty_strided": empty,
        "reinterpret_tensor": lambda of, size, stride, offset=0: Tensor(of.memory, size, stride, offset)})
    return result.get(), errors


class FirstOrder:
    """The exact result, and for an even sample of its elements (flat): bound, spread, derivatives."""

    def __init__(self, text, arrays, functions, elements):
        exact, errors = exact_network(text, arrays, functions)
        flat = exact.reshape(-1)
        self.exact = exact.detach().numpy()
        self.sample = np.unique(np.linspace(0, flat.numel() - 1, elements).astype(np.int64))
        bounds, spreads, self.derivatives = zip(*[errors.in_element(flat[i]) for i in self.sample])
        self.bound, self.spread = np.array(bounds), np.array(spreads)

    def at_sample(self, values):
        return values.reshape(-1)[self.sample]

    def predicted(self, launch_errors):
        """Of the sample: the error that launches with these errors make, and its size if none cancelled."""
        signed = [sum((g * e).sum().item() for g, e in zip(row, launch_errors, strict=True)) for row in self.derivatives]
        size = [sum((g * e).abs().sum().item() for g, e in zip(row, launch_errors)) for row in self.derivatives]
        return np.array(signed), np.array(size)
