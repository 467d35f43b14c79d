"""Evaluates one function of named-op MLIR text with PyTorch's eager operations, from the text alone.

An independent reading of the language for the comparisons of execute_bodies.py: it shares nothing with the reader in model/read/mlir.
Knows what the compiler's dumps use, not all of the dialects; anything else raises NotEvaluated. Elements of tensor.empty are NaN.
"""
import math
import re
import struct

import torch

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i1": torch.bool,
          "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "index": torch.int64}

UNARY = {"exp": torch.exp, "log": torch.log, "abs": torch.abs, "ceil": torch.ceil, "floor": torch.floor, "negf": torch.neg,
         "reciprocal": torch.reciprocal, "rec": torch.reciprocal, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "tanh": torch.tanh,
         "erf": torch.erf, "relu": torch.relu, "sin": torch.sin, "cos": torch.cos, "absf": torch.abs, "vnot": torch.bitwise_not}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "max_signed": torch.maximum,
          "min_signed": torch.minimum, "powf": torch.pow, "maxf": torch.maximum, "minf": torch.minimum,
          "vand": torch.bitwise_and, "vor": torch.bitwise_or,
          "addf": torch.add, "subf": torch.sub, "mulf": torch.mul, "divf": torch.div, "maximumf": torch.maximum,
          "minimumf": torch.minimum}
COMPARE = {"veq": torch.eq, "vne": torch.ne, "vlt": torch.lt, "vle": torch.le, "vgt": torch.gt, "vge": torch.ge}
FOLDS = {"addf": torch.sum, "addi": torch.sum, "mulf": lambda x, d: _repeat(torch.prod, x, d),
         "maximumf": torch.amax, "minimumf": torch.amin, "maxnumf": torch.amax, "minnumf": torch.amin}
INTEGERS = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "divsi": lambda a, b: a // b,
            "divui": lambda a, b: a // b, "floordivsi": lambda a, b: a // b, "remsi": lambda a, b: a % b,
            "minsi": min, "maxsi": max, "ceildivsi": lambda a, b: -(-a // b)}


class NotEvaluated(Exception):
    pass


def _repeat(fold, x, dims):
    for dim in sorted(dims, reverse=True):
        x = fold(x, dim)
    return x


def statements(body):
    """Logical lines: a statement goes on until its brackets are closed."""
    out, open_brackets = [], 0
    for line in body.splitlines():
        line = line.split("//")[0].strip()
        if not line:
            continue
        # reduce's region starts on a line of its own
        if open_brackets > 0 or (out and (line.startswith("(") or line.startswith("->"))):
            out[-1] += "\n" + line
        else:
            out.append(line)
        plain = re.sub(r"->", "", line)
        open_brackets += sum(plain.count(c) for c in "({[") - sum(plain.count(c) for c in ")}]")
    return out


def split_types(text):
    return re.findall(r"tensor<[^>]*>|[a-z]\w*", text)


def dims_of(text):
    """Sizes of "tensor<4x?xf32>" (None for ?) and its element type."""
    *sizes, dtype = re.fullmatch(r"tensor<(.*)>", text.strip()).group(1).split("x")
    if dtype not in DTYPES:
        raise NotEvaluated(f"type {text}")
    return [None if s == "?" else int(s) for s in sizes], DTYPES[dtype]


class Function:
    def __init__(self, text, name):
        head = re.search(r"func\.func @" + re.escape(name) + r"\((.*?)\)\s*->(.*?)(?:attributes \{.*?\})? \{\n", text, re.S)
        if not head:
            raise NotEvaluated("no such function")
        self.parameters = re.findall(r"%(\w+): (tensor<[^>]*>|\w+)", head.group(1))
        end = re.search(r"\n\s*(?:func\.)?return [^\n]*", text[head.end():])
        self.body = text[head.end():head.end() + end.end()]
        self.maps = dict(re.findall(r"(#\w+) = affine_map<(.*?)>\n", text))

    def __call__(self, *arguments):
        self.values = {name: value for (name, _), value in zip(self.parameters, arguments)}
        for statement in statements(self.body):
            result = self.step(statement)
            if result is not None:
                return result
        raise NotEvaluated("no return")

    def use(self, name):
        return self.values[name.strip().lstrip("%")]

    def tensor(self, name, dtype=None):
        value = self.use(name)
        if not isinstance(value, torch.Tensor):
            value = torch.tensor(value)
        return value if dtype is None or value.dtype == dtype else value.to(dtype)

    def sizes(self, text):
        return [int(self.use(part)) if part.strip().startswith("%") else int(part) for part in text.split(",") if part.strip()]

    def step(self, statement):
        if re.match(r"(func\.)?return ", statement):
            names = statement.split("return ", 1)[1].split(" : ")[0].split(",")
            return [self.tensor(name) for name in names]
        match = re.match(r"%(\w+) = ([\w.]+)\s?(.*)", statement, re.S)
        if not match:
            raise NotEvaluated(statement[:60])
        name, op, rest = match.groups()
        handler = getattr(self, "op_" + op.replace(".", "_"), None)
        if handler:
            self.values[name] = handler(rest)
        elif op.startswith("arith.") or op.startswith("math."):
            self.values[name] = self.scalar(op.split(".")[1], rest)
        else:
            raise NotEvaluated(op)
        return None

    def parts(self, rest):
        """Operands, destinations, attribute text and listed axes of a structured operation."""
        ins = re.search(r"ins\(([^:)]*) : ([^)]*)\)", rest)
        outs = re.search(r"outs\(([^:)]*) : ([^)]*)\)", rest)
        axes = re.search(r"(?:dimensions|permutation) = \[([^\]]*)\]", rest)
        return ([n.strip() for n in ins.group(1).split(",")] if ins else [],
                [self.tensor(n) for n in outs.group(1).split(",")],
                [int(a) for a in axes.group(1).split(",") if a.strip()] if axes else [])

    # ---- scalars and sizes

    def op_arith_constant(self, rest):
        text, type_name = re.match(r"(.*?)(?: : (.*))?$", rest, re.S).groups()
        if text in ("true", "false"):
            return torch.tensor(text == "true")
        if type_name.startswith("tensor"):
            one = re.fullmatch(r"dense<([^<>\[\]\"]+)>", text)
            if not one:
                raise NotEvaluated("a dense constant of several values")
            dims, dtype = dims_of(type_name)
            return self.tensor_of(one.group(1), dtype).expand(dims)
        if type_name.startswith("i"):
            return int(text)
        if text.startswith("0x"):
            form = {"f32": "<If", "f64": "<Qd", "f16": "<He"}[type_name]
            number = struct.unpack("<" + form[2], struct.pack("<" + form[1], int(text, 16)))[0]
        else:
            number = float(text)
        return torch.tensor(number, dtype=DTYPES[type_name])

    @staticmethod
    def tensor_of(text, dtype):
        if text in ("true", "false"):
            return torch.tensor(text == "true")
        return torch.tensor(float(text) if dtype.is_floating_point else int(text), dtype=dtype)

    def scalar(self, op, rest):
        names = [n for n in re.match(r"([^:]*)", rest).group(1).split(",")]
        types = rest.split(" : ", 1)[1] if " : " in rest else ""
        if op == "index_cast":
            return self.use(names[0])
        if op in INTEGERS and all(isinstance(self.use(n), int) for n in names):
            return INTEGERS[op](*[self.use(n) for n in names])
        if op in ("truncf", "extf", "sitofp"):
            return self.tensor(names[0]).to(DTYPES[types.split(" to ")[1].strip()])
        if op in UNARY:
            return UNARY[op](self.tensor(names[0]))
        if op in BINARY:
            return BINARY[op](*[self.tensor(n) for n in names])
        raise NotEvaluated(op)

    def op_tensor_dim(self, rest):
        name, axis = rest.split(" : ")[0].split(",")
        return self.tensor(name).shape[self.use(axis)]

    # ---- shapes

    def op_tensor_empty(self, rest):
        sizes, type_name = re.match(r"\((.*?)\) : (.*)", rest).groups()
        dims, dtype = dims_of(type_name)
        open_sizes = iter(self.sizes(sizes))
        shape = [next(open_sizes) if d is None else d for d in dims]
        return torch.full(shape, math.nan, dtype=dtype) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype)

    def op_tensor_expand_shape(self, rest):
        name, _, sizes, source, target = re.match(r"(%\w+) (\[.*\])(?: output_shape \[(.*?)\])? : (.*) into (.*)", rest).groups()
        dims, _ = dims_of(target)
        if sizes:
            dims = self.sizes(sizes)
        return self.tensor(name).reshape([-1 if d is None else d for d in dims])

    def op_tensor_collapse_shape(self, rest):
        name, groups = re.match(r"(%\w+) (\[.*\]) : ", rest).groups()
        x = self.tensor(name)
        shape = [math.prod(x.shape[int(a)] for a in group.split(",") if a.strip()) for group in re.findall(r"\[([\d, ]*)\]", groups)]
        return x.reshape(shape if groups != "[]" else [])

    def window(self, text):
        lists = re.findall(r"\[([^\]]*)\]", text)
        offsets, sizes, strides = (self.sizes(one) for one in lists[:3])
        return tuple(slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in zip(offsets, sizes, strides)), sizes

    def op_tensor_extract_slice(self, rest):
        name, lists, target = re.match(r"(%\w+)(\[.*\]) : .* to (.*)", rest).groups()
        index, sizes = self.window(lists)
        out = self.tensor(name)[index]
        dims, _ = dims_of(target)
        if len(dims) != len(sizes):
            raise NotEvaluated("a slice that drops axes")
        return out

    def op_tensor_insert_slice(self, rest):
        source, base, lists = re.match(r"(%\w+) into (%\w+)(\[.*\]) : ", rest).groups()
        out = self.tensor(base).clone()
        index, sizes = self.window(lists)
        out[index] = self.tensor(source).reshape(sizes)
        return out

    def op_tensor_concat(self, rest):
        dim, names = re.match(r"dim\((\d+)\) ([^:]*) : ", rest).groups()
        return torch.cat([self.tensor(n) for n in names.split(",")], int(dim))

    # ---- structured operations

    def op_linalg_fill(self, rest):
        ins, outs, _ = self.parts(rest)
        return self.tensor(ins[0], outs[0].dtype).expand(outs[0].shape)

    def function(self, rest):
        found = re.search(r"fun = #\w+\.(\w+)_fn<(\w+)>", rest)
        return found.group(1), found.group(2)

    def elementwise(self, rest):
        ins, outs, _ = self.parts(rest)
        kind, fun = self.function(rest)
        table = {"unary": UNARY, "binary": BINARY}.get(kind, {})
        if fun not in table:
            raise NotEvaluated(f"{kind} {fun}")
        return table[fun](*[self.tensor(n, outs[0].dtype) for n in ins]).expand(outs[0].shape)

    op_linalg_elemwise_unary = op_linalg_elemwise_binary = op_hfusion_elemwise_unary = op_hfusion_elemwise_binary = elementwise

    def op_hfusion_cast(self, rest):
        ins, outs, _ = self.parts(rest)
        x, mode = self.tensor(ins[0]), re.search(r"round_mode<(\w+)>", rest)
        if x.is_floating_point() and not outs[0].is_floating_point():
            if mode and mode.group(1) == "rint":
                x = torch.round(x)
            elif not mode or mode.group(1) != "trunc":
                raise NotEvaluated("a rounding mode")
        return x.to(outs[0].dtype).expand(outs[0].shape)

    def op_hfusion_compare(self, rest):
        ins, _, _ = self.parts(rest)
        return COMPARE[re.search(r"compare_fn<(\w+)>", rest).group(1)](*[self.tensor(n) for n in ins])

    def op_hfusion_select(self, rest):
        ins, outs, _ = self.parts(rest)
        return torch.where(self.tensor(ins[0]), self.tensor(ins[1], outs[0].dtype), self.tensor(ins[2], outs[0].dtype))

    def op_linalg_broadcast(self, rest):
        ins, outs, axes = self.parts(rest)
        x = self.tensor(ins[0])
        if x.dim() != outs[0].dim():
            for axis in sorted(axes):
                x = x.unsqueeze(axis)
        return x.expand(outs[0].shape)

    def op_linalg_transpose(self, rest):
        ins, _, axes = self.parts(rest)
        return self.tensor(ins[0]).permute(axes)

    def op_linalg_matmul(self, rest):
        ins, outs, _ = self.parts(rest)
        return self.tensor(ins[0]) @ self.tensor(ins[1]) + outs[0]

    op_linalg_batch_matmul = op_linalg_matmul

    def op_linalg_reduce(self, rest):
        ins, outs, axes = self.parts(rest)
        region = re.search(r"\{\n?\s*%\w+ = arith\.(\w+) %\w+, %\w+ : \w+\s*linalg\.yield %\w+ : \w+\s*\}", rest)
        if not region or region.group(1) not in FOLDS or len(ins) != 1:
            raise NotEvaluated("a reduction of this form")
        fold, x = region.group(1), self.tensor(ins[0])
        out = FOLDS[fold](x, axes).to(x.dtype) if axes else x
        combine = {"addf": torch.add, "addi": torch.add, "mulf": torch.mul, "maximumf": torch.maximum, "minimumf": torch.minimum,
                   "maxnumf": torch.fmax, "minnumf": torch.fmin}[fold]
        return combine(out, outs[0])

    def op_linalg_generic(self, rest):
        if "reduction" in rest:
            raise NotEvaluated("a generic reduction")
        ins, outs, _ = self.parts(rest)
        maps = [self.maps[m] for m in re.search(r"indexing_maps = \[([^\]]*)\]", rest).group(1).split(", ")]
        rank = len(re.match(r"\(([^)]*)\)", maps[0]).group(1).split(","))
        axes = [[int(d.strip()[1:]) for d in re.search(r"-> \(([^)]*)\)", m).group(1).split(",") if d.strip()] for m in maps]
        if axes[-1] != list(range(rank)):
            raise NotEvaluated("a result map that permutes")
        names = re.findall(r"%(\w+): \w+", re.search(r"\^bb0\((.*?)\):", rest).group(1))
        saved = dict(self.values)
        for name, value, own in zip(names, [self.tensor(n) for n in ins] + outs, axes):
            order = sorted(range(len(own)), key=lambda i: own[i])
            value = value.permute(order)
            for axis in range(rank):
                if axis not in own:
                    value = value.unsqueeze(axis)
            self.values[name] = value.expand(outs[0].shape)
        for line in statements(rest[rest.index("):") + 2:rest.rindex("linalg.yield")]):
            self.step(line)
        result = self.tensor(re.search(r"linalg\.yield %(\w+)", rest).group(1))
        self.values = saved
        return result.expand(outs[0].shape)
