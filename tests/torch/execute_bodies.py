"""Kernel bodies executed by bufferproof and by PyTorch, on the same seeded inputs (label torch).

For every kernel of the files: PyTorch evaluates the kernel's text (named-op text by named_op_eval.py, torch dialect call by call, a traced
graph as the Python it is), run_kernel executes what bufferproof read. Every element of both has to lie in the proven enclosure that
run_kernel gives; there is no tolerance. Prints a line per kernel: elements, elements of which nothing is claimed, and the
largest distance of the two in units of the enclosure's width.

usage: execute_bodies.py RUN_KERNEL [--resnet RESNET_WRAPPERS] FILE...
"""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import torch

from named_op_eval import Function, NotEvaluated

SCALAR_TYPES = {0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64, 5: torch.float16, 6: torch.float32,
                7: torch.float64, 11: torch.bool, 15: torch.bfloat16}
NUMPY = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "i32": numpy.int32,
         "i16": numpy.int16, "i8": numpy.int8, "u8": numpy.uint8, "i1": numpy.bool_}


# ---- what PyTorch makes of a text


class TorchDialect:
    """One function of torch-dialect text, each operation a call of the operator it is named after."""

    def __init__(self, text, name):
        head = re.search(r"func\.func @" + re.escape(name) + r"\((.*?)\) ->", text, re.S)
        self.names = re.findall(r"%(\w+): ", head.group(1))
        self.lines = [line.strip() for line in text[head.end():].split("{\n", 1)[1].splitlines() if line.strip()]

    def __call__(self, *arguments):
        values = dict(zip(self.names, arguments))
        use = lambda names: [values[n.strip().lstrip("%")] for n in names.split(",") if n.strip()]
        for line in self.lines:
            if line.startswith("return "):
                return use(line[7:].split(" : ")[0])
            match = re.match(r"%([\w.$-]+) = ([\w.]+)\s?(.*)", line)
            if not match:
                raise NotEvaluated(line[:60])
            name, op, rest = match.groups()
            operands = rest.split(" : ")[0]
            if op.startswith("torch.constant."):
                values[name] = self.constant(op.rsplit(".", 1)[1], operands)
            elif op == "torch.prim.ListConstruct":
                values[name] = use(operands)
            else:
                values[name] = self.operator(op, use(operands))
        raise NotEvaluated("no return")

    @staticmethod
    def constant(kind, text):
        if kind == "none":
            return None
        if kind == "bool":
            return text.strip() == "true"
        if kind in ("int", "float"):
            return {"int": int, "float": float}[kind](text)
        raise NotEvaluated(f"constant {kind}")

    @staticmethod
    def operator(op, operands):
        _, namespace, name, *overload = op.split(".")
        call = getattr(getattr(getattr(torch.ops, namespace), name), overload[0] if overload else "default")
        positional, keywords = [], {}
        for argument, value in zip(call._schema.arguments, operands):
            if "ScalarType" in str(argument.type) or argument.name == "dtype":
                value = SCALAR_TYPES.get(value)
            if argument.kwarg_only:
                keywords[argument.name] = value
            else:
                positional.append(value)
        return call(*positional, **keywords)


def traced_graph(text):
    """A function that runs the class of a traced graph's text."""
    namespace = {"torch": torch, "device": lambda *_, **__: torch.device("cpu"), "inf": float("inf"), "nan": float("nan")}
    exec(text.replace("<lambda>", "Graph"), namespace)  # a file of this test's own choice
    classes = [v for v in namespace.values() if isinstance(v, type) and issubclass(v, torch.nn.Module)]
    return lambda *arguments: classes[-1].forward(None, *arguments)


def evaluator(text, name):
    if name.endswith("@fx") or "func.func" not in text:
        plain = name.removesuffix("@fx")
        call = re.search(r"^" + re.escape(plain) + r" = async_compile", text, re.M)
        graphs = list(re.finditer(r'^class <lambda>\(.*?(?=^"""|\Z)', text[:call.start()] if call else text, re.S | re.M))
        return traced_graph(graphs[-1].group(0))
    start = text.index("func.func @" + name + "(")
    ends = [e for e in (text.find("'''", start), len(text)) if e > 0]
    begins = text.rfind("'''", 0, start)
    kernel = text[max(begins, 0):min(ends)]
    return TorchDialect(kernel, name) if "!torch." in kernel else Function(kernel, name)


# ---- inputs


def listed(run_kernel, path):
    out = subprocess.run([run_kernel, str(path)], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        name, parameters = line.split("\t")
        yield name, parameters


def symbols_of(parameters):
    found = re.findall(r"scalar (\w+)", parameters)
    for sizes in re.findall(r"\[(.*?)\]", parameters):
        found += re.findall(r"[A-Za-z_]\w*", sizes)
    return list(dict.fromkeys(found))


def arrays(parameters, sizes, low, high, seed):
    generator = numpy.random.default_rng(seed)
    out = []
    for parameter in filter(None, parameters.split("; ")):
        if parameter.startswith("scalar "):
            out.append(numpy.int64(sizes[parameter[7:]]))
            continue
        dtype, shape = re.fullmatch(r"(\w+)\[(.*)\]", parameter).groups()
        shape = [eval(one.replace("//", "//"), {}, sizes) for one in shape.split(", ") if one]
        if dtype not in NUMPY:
            raise NotEvaluated(f"inputs of type {dtype}")
        if dtype.startswith("f"):
            out.append(generator.uniform(low, high, shape).astype(NUMPY[dtype]))
        else:
            out.append(generator.integers(0, 2, shape).astype(NUMPY[dtype]))
    return out


# ---- the comparison


class Compared(Exception):
    pass


def compare(results, stored):
    elements = unclaimed = 0
    furthest = 0.0
    for i, theirs in enumerate(results):
        theirs = theirs.detach().cpu()
        ours, lo, hi = (stored[f"{part}{i}"] for part in ("out", "lo", "hi"))
        if list(theirs.shape) != list(ours.shape):
            raise Compared(f"result {i} has shape {list(ours.shape)}, PyTorch's {list(theirs.shape)}")
        with numpy.errstate(invalid="ignore"):  # signalling NaN in memory nothing was written to
            a, b = ours.astype(numpy.float64), theirs.to(torch.float64).numpy()
        claimed = numpy.isfinite(lo) & numpy.isfinite(hi)
        inside = (a >= lo) & (a <= hi) & (b >= lo) & (b <= hi)
        if numpy.any(claimed & ~inside):
            at = tuple(int(x) for x in numpy.argwhere(claimed & ~inside)[0])
            raise Compared(f"result {i}{list(at)}: ours {a[at]!r}, PyTorch {b[at]!r}, outside [{lo[at]!r}, {hi[at]!r}]")
        elements += a.size
        unclaimed += int(numpy.sum(~claimed & numpy.isfinite(b)))  # NaN: what tensor.empty holds
        width = numpy.where(claimed & (hi > lo), hi - lo, 1.0)
        if a.size:
            furthest = max(furthest, float(numpy.max(numpy.where(claimed, numpy.abs(a - b), 0) / width)))
    return elements, unclaimed, furthest


def once(run_kernel, path, name, parameters, function, sizes, low, high, folder):
    inputs = arrays(parameters, sizes, low, high, seed=len(name))
    numpy.savez(folder / "in.npz", **{str(i): x for i, x in enumerate(inputs)})
    call = [run_kernel, str(path), name, str(folder / "in.npz"), str(folder / "out.npz")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    tensors = [int(x) if x.shape == () and parameter.startswith("scalar") else torch.from_numpy(x.copy() if x.shape else numpy.array(x))
               for x, parameter in zip(inputs, parameters.split("; "))]
    results = function(*tensors)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    with numpy.load(folder / "out.npz") as stored:
        return compare(results, stored), ""


def judge(run_kernel, path, text, name, parameters, folder):
    """One line and whether it is good. Positive inputs have to be claimed everywhere; signed ones where they can."""
    function = evaluator(text, name)
    symbols = symbols_of(parameters)
    # Different sizes show more; a body that needs some of them equal gets equal ones.
    choices = [{s: 3 + i for i, s in enumerate(symbols)}, {s: 4 for s in symbols}]
    for sizes in choices:
        positive, problem = once(run_kernel, path, name, parameters, function, sizes, 0.25, 2.0, folder)
        if positive:
            break
    else:
        return f"{name}: {problem[:200]}", False
    signed, _ = once(run_kernel, path, name, parameters, function, sizes, -2.0, 2.0, folder)
    elements, unclaimed, furthest = positive
    line = f"{name}: {elements} elements, nothing claimed of {unclaimed}, at most {furthest:.3f} of the width apart"
    line += f"; signed inputs: nothing claimed of {signed[1]}, {signed[2]:.3f}"
    return line, unclaimed == 0 and elements > 0


def main():
    arguments = sys.argv[1:]
    run_kernel, files = arguments[0], arguments[1:]
    counts = {"good": 0, "bad": 0, "no body": 0}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if files and files[0] == "--resnet":
            generator, files = files[1], files[2:]
            for text, image in itertools.product(("named-op", "torch", "fx"), ("32",)):
                path = folder / f"resnet18_{text}.py"
                command = [generator, "--depth", "18", "--text", text, "--batch", "2", "--image", image, "-o", str(path)]
                subprocess.run(command, check=True)
                files.append(str(path))
        for path in map(pathlib.Path, files):
            text = path.read_text()
            print(f"{path.name}:")
            for name, parameters in listed(run_kernel, path):
                if parameters.startswith("unsupported"):
                    counts["no body"] += 1
                    print(f"  {name}: {parameters}")
                    continue
                try:
                    line, good = judge(run_kernel, path, text, name, parameters, folder)
                except (NotEvaluated, Compared) as problem:
                    line, good = f"{name}: {type(problem).__name__}: {problem}", False
                counts["good" if good else "bad"] += 1
                print(f"  {line}{'' if good else '  <-- BAD'}")
    print(counts)
    return 0 if counts["good"] and not counts["bad"] else 1


if __name__ == "__main__":
    sys.exit(main())
