#!/usr/bin/env python3
"""Writes tests/fixtures/torch/ops.txt: small calls, their operands, and what PyTorch computes for them.

For every call PyTorch runs it twice: on the operands as they are, and on the same operands widened to f64. The test compares our result
with the f64 run within the proven bound, and PyTorch's own result for information. Values are hexadecimal floats or integers, so
nothing is lost; the seed is fixed. With --calls FILE the calls are read from FILE's lines instead of made (the live comparison).
Needs PyTorch. Usage: scripts/fixtures-torch.py > tests/fixtures/torch/ops.txt

Format, one call a block:
  call OP
  attr NAME i|r|s|l VALUE...          integer, real, string, list of integers
  in DTYPE d0xd1x... VALUE...         "in none" for an absent operand
  out DTYPE d0xd1x... VALUE...        PyTorch's f64 run (integer and i1 results as they are)
  end
"""
import re
import sys

import torch
import torch.nn.functional as F

NAMES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.bool: "i1",
         torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64"}
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def values(tensor):
    flat = tensor.reshape(-1)
    if tensor.dtype.is_floating_point:
        return " ".join(short_hex(v) for v in flat.double().tolist())
    return " ".join(str(int(v)) for v in flat.tolist())


def short_hex(v):
    return re.sub(r"\.?0*p", "p", v.hex()) if v == v and abs(v) != float("inf") else str(v)


def shape(tensor):
    return "x".join(str(s) for s in tensor.shape) or "scalar"


def attribute(name, value):
    if isinstance(value, (list, tuple)):
        return f"attr {name} l " + " ".join(str(v) for v in value)
    if isinstance(value, str):
        return f"attr {name} s {value}"
    if isinstance(value, float):
        return f"attr {name} r {value.hex()}"
    return f"attr {name} i {int(value)}"


def widened(x):
    return x.double() if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else x


def as_list(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def emit(op, function, operands, attributes=None, result_types=None):
    own = as_list(function(*operands))
    exact = as_list(function(*[widened(x) for x in operands]))
    print(f"call {op}")
    for name, value in (attributes or {}).items():
        print(attribute(name, value))
    for x in operands:
        print("in none" if x is None else f"in {NAMES[x.dtype]} {shape(x)} {values(x)}")
    for k, (mine, wide) in enumerate(zip(own, exact)):
        kind = result_types[k] if result_types else NAMES[mine.dtype]
        print(f"out {kind} {shape(wide)} {values(wide)}")
    print("end")


def randn(*sizes, dtype=torch.float32, scale=1.0):
    return (torch.randn(*sizes, dtype=torch.float64) * scale).to(dtype)


UNARY = {
    "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "sinh": torch.sinh, "cosh": torch.cosh, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "atan": torch.atan,
    "asinh": torch.asinh, "erf": torch.erf, "abs": torch.abs, "neg": torch.neg, "sign": torch.sign, "relu": torch.relu,
    "square": torch.square, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc, "rint": torch.round,
}
POSITIVE = {"log": torch.log, "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt,
            "rsqrt": torch.rsqrt, "rec": torch.reciprocal, "lgamma": torch.lgamma}
UNIT = {"asin": torch.asin, "acos": torch.acos, "atanh": torch.atanh}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "max": torch.maximum,
          "min": torch.minimum, "maxnum": torch.fmax, "minnum": torch.fmin, "mod": torch.fmod, "atan2": torch.atan2,
          "copysign": torch.copysign}
COMPARE = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}
INTEGER = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum, "min": torch.minimum,
           "remainder": torch.remainder, "mod": torch.fmod, "and": torch.bitwise_and, "or": torch.bitwise_or,
           "xor": torch.bitwise_xor, "floordiv": lambda a, b: torch.div(a, b, rounding_mode="floor"),
           "div": lambda a, b: torch.div(a, b, rounding_mode="trunc")}


def elementwise():
    for dtype in FLOATS:
        n = 6 if dtype in (torch.float16, torch.bfloat16) else 9
        x, y = randn(n, dtype=dtype, scale=2.0), randn(n, dtype=dtype, scale=2.0)
        unit = (torch.rand(n, dtype=torch.float64) * 1.9 - 0.95).to(dtype)
        for name, function in UNARY.items():
            emit(name, function, [x])
        for name, function in POSITIVE.items():
            emit(name, function, [x.abs() + 0.125])
        for name, function in UNIT.items():
            emit(name, function, [unit])
        emit("acosh", torch.acosh, [x.abs() + 1])
        emit("pow", torch.pow, [x.abs() + 0.125, y])
        for name, function in BINARY.items():
            emit(name, function, [x, y])
        for name, function in COMPARE.items():
            emit(name, function, [torch.round(x), torch.round(y)])
    special = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-45, 1.0, -1.0])
    for name, function in {**UNARY, **POSITIVE, **UNIT}.items():
        if name not in ("sign", "relu"):
            emit(name, function, [special])
    for name in ("max", "min", "maxnum", "minnum", "add", "mul", "div"):
        emit(name, BINARY[name], [special, special.flip(0).contiguous()])
    for dtype in (torch.int8, torch.uint8, torch.int32, torch.int64):
        a = torch.randint(0 if dtype == torch.uint8 else -100, 100, (8,)).to(dtype)
        b = torch.tensor([1, 2, 3, 5, 7, 9, 11, 100], dtype=dtype)
        for name, function in INTEGER.items():
            emit(name, function, [a, b])
    condition = torch.tensor([True, False, True, True])
    emit("select", torch.where, [condition, randn(4), randn(4)])
    emit("isnan", torch.isnan, [special])
    emit("logical_not", torch.logical_not, [special])


def casts():
    x = torch.cat([randn(8, scale=50.0).clamp(-100, 100), torch.tensor([0.5, 1.5, -2.5])])
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        for to in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int32, torch.int64,
                   torch.bool):
            # The f64 run is the value itself: the cast's exact result before rounding.
            own = x.to(dtype).to(to)
            exact = x.to(dtype).double() if to.is_floating_point else own
            emit("cast", lambda v, own=own, exact=exact: exact if v.dtype == torch.float64 else own, [x.to(dtype)],
                 result_types=[NAMES[to]])
    k = torch.tensor([0, 1, -1, 127, 300, 70000, 2**31 - 1, 2**53 + 1], dtype=torch.int64)
    for to in (torch.int8, torch.int16, torch.int32, torch.float32, torch.float64):
        emit("cast", lambda v, to=to: v.to(to), [k], result_types=[NAMES[to]])


def reductions():
    for dtype in FLOATS:
        x = randn(3, 24, dtype=dtype)
        emit("sum", lambda v: v.sum(1), [x], {"dims": [1]})
        emit("mean", lambda v: v.mean(0), [x], {"dims": [0]})
        emit("amax", lambda v: v.amax(1), [x], {"dims": [1]})
        emit("amin", lambda v: v.amin(0, keepdim=True), [x], {"dims": [0], "keepdim": 1})
        emit("var_mean", lambda v: torch.var_mean(v, 1), [x], {"dims": [1], "correction": 1})
        emit("softmax", lambda v: torch.softmax(v, 1), [x], {"dim": 1})
        emit("log_softmax", lambda v: torch.log_softmax(v, 0), [x], {"dim": 0})
        emit("cumulative", lambda v: torch.cumsum(v, 1), [x[:2, :9].contiguous()], {"dim": 1, "fn": "sum"})
    for dtype in (torch.float32, torch.float64):
        x = randn(2, 6, dtype=dtype)
        emit("prod", lambda v: v.prod(1), [x], {"dims": [1]})
        emit("layer_norm", lambda v, w, b: F.layer_norm(v, [6], w, b, 1e-5), [x, randn(6, dtype=dtype), randn(6, dtype=dtype)],
             {"normalized_shape": [6], "eps": 1e-5})
        y = randn(2, 3, 4, dtype=dtype)
        p = [randn(3, dtype=dtype) for _ in range(3)] + [randn(3, dtype=dtype).abs() + 0.1]
        for form in ("decomposed", "folded"):
            emit("native_batch_norm", lambda v, w, b, m, s: F.batch_norm(v, m, s, w, b, False, 0.1, 1e-5), [y] + p,
                 {"form": form, "eps": 1e-5})
    mask = torch.tensor([[True, False], [True, True]])
    emit("any", lambda v: v.any(1), [mask], {"dims": [1]})
    emit("all", lambda v: v.all(1), [mask], {"dims": [1]})
    emit("sum", lambda v: v.sum(1), [torch.arange(12, dtype=torch.int64).reshape(3, 4)], {"dims": [1]})
    ties = torch.tensor([[1.0, 3.0, 3.0], [float("nan"), 2.0, float("nan")]])
    emit("arg_reduce", lambda v: torch.max(v, 1), [ties], {"fn": "max", "dim": 1})


def pools():
    x = randn(1, 2, 7, 6)
    x[0, 1, 3, 3] = float("nan")
    for ceil in (False, True):
        emit("max_pool2d", lambda v, c=ceil: F.max_pool2d(v, 3, 2, 1, 1, ceil_mode=c, return_indices=True), [x],
             {"kernel": [3], "stride": [2], "padding": [1], "dilation": [1], "ceil_mode": ceil})
        for include in (False, True):
            emit("avg_pool2d", lambda v, c=ceil, i=include: F.avg_pool2d(v, 3, 2, 1, c, i), [randn(1, 2, 7, 6)],
                 {"kernel": [3], "stride": [2], "padding": [1], "ceil_mode": ceil, "count_include_pad": include})
    emit("max_pool2d", lambda v: F.max_pool2d(v, 2, 1, 0, 2, return_indices=True), [randn(2, 5, 5)],
         {"kernel": [2], "stride": [1], "dilation": [2]})
    emit("adaptive_avg_pool2d", lambda v: F.adaptive_avg_pool2d(v, (3, 4)), [randn(2, 7, 6)], {"output": [3, 4]})


def movement():
    x = randn(2, 3, 4)
    emit("transpose", lambda v: v.permute(2, 0, 1).contiguous(), [x], {"permutation": [2, 0, 1]})
    emit("reshape", lambda v: v.reshape(4, 6), [x])
    emit("expand", lambda v: v.expand(3, 2, 4).contiguous(), [randn(2, 1)[:, :1].contiguous()])
    emit("concat", lambda a, b: torch.cat([a, b], 1), [x, randn(2, 1, 4)], {"dim": 1})
    emit("slice", lambda v: v[:, 1:3, ::2].contiguous(), [x], {"offsets": [0, 1, 0], "strides": [1, 1, 2]})
    emit("pad", lambda v, z: F.pad(v, (1, 2, 0, 1), value=float(z)), [randn(2, 3), torch.tensor(0.5)],
         {"low": [0, 1], "high": [1, 2]})
    emit("repeat", lambda v: v.repeat(2, 3), [randn(2, 2)], {"repeats": [2, 3]})
    emit("flip", lambda v: v.flip([0, 2]), [x], {"dims": [0, 2]})
    emit("gather", lambda v, i: v.gather(1, i), [randn(3, 5), torch.randint(0, 5, (3, 2))], {"dim": 1})
    emit("take", lambda v, i: v.index_select(1, i), [randn(2, 5), torch.randint(0, 5, (3,))], {"dim": 1})
    emit("embedding", lambda w, i: F.embedding(i, w), [randn(5, 3), torch.randint(0, 5, (2, 2))])


def products():
    for dtype in FLOATS:
        x, w, b = randn(2, 4, 6, 5, dtype=dtype), randn(4, 2, 3, 3, dtype=dtype), randn(4, dtype=dtype)
        emit("convolution", lambda v, k, s: F.conv2d(v, k, s, stride=2, padding=1, groups=2), [x, w, b],
             {"stride": [2, 2], "padding": [1, 1], "dilation": [1, 1], "groups": 2})
        emit("convolution", lambda v, k, s: F.conv2d(v, k, s, stride=(1, 2), dilation=2), [x[:1], randn(3, 4, 2, 2, dtype=dtype), None],
             {"stride": [1, 2], "padding": [0, 0], "dilation": [2, 2], "groups": 1})
        a, c = randn(3, 17, dtype=dtype), randn(17, 4, dtype=dtype)
        emit("matmul", torch.matmul, [a, c])
        emit("bmm", torch.bmm, [randn(2, 3, 9, dtype=dtype), randn(2, 9, 2, dtype=dtype)])
        emit("addmm", torch.addmm, [randn(4, dtype=dtype), a, c])
        emit("baddbmm", lambda s, u, v: torch.baddbmm(s, u, v, alpha=0.5, beta=2.0),
             [randn(2, 3, 2, dtype=dtype), randn(2, 3, 9, dtype=dtype), randn(2, 9, 2, dtype=dtype)], {"alpha": 0.5, "beta": 2.0})


torch.manual_seed(int(sys.argv[1]) if len(sys.argv) > 1 else 20240601)
torch.set_num_threads(1)
for family in (elementwise, casts, reductions, pools, movement, products):
    family()
