#!/usr/bin/env python3
"""Times ResNet-18 and its convolutions against what is installed: PyTorch (eager, NCHW and channels_last; oneDNN's own
layout), ONNX Runtime, and Eigen's im2col + GEMM. One table: interleaved rounds, medians, ratios to ours.

usage: bench-peers.py BUILD [--rounds N] [--threads T] [--cpu-time] [--whole-runs]
       (a Python that has torch; onnx and onnxruntime for that row)

Rounds are interleaved, one run of every contender a round, so that a slow phase of the machine hits all alike: the ratios
are the result, not the milliseconds. On a machine with other work, --cpu-time takes the processor time of one thread,
which waiting does not touch. --whole-runs times only the simulator's run of the ResNet-18 wrapper with values, tags included,
against PyTorch eager. A peer that is not installed is left out and said so."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

CONVOLUTIONS = [  # count, channels, size, filters, kernel, stride, padding: tests/bench/resnet_convolutions.hpp
    (1, 3, 224, 64, 7, 2, 3), (4, 64, 56, 64, 3, 1, 1), (1, 64, 56, 128, 3, 2, 1), (1, 64, 56, 128, 1, 2, 0),
    (3, 128, 28, 128, 3, 1, 1), (1, 128, 28, 256, 3, 2, 1), (1, 128, 28, 256, 1, 2, 0), (3, 256, 14, 256, 3, 1, 1),
    (1, 256, 14, 512, 3, 2, 1), (1, 256, 14, 512, 1, 2, 0), (3, 512, 7, 512, 3, 1, 1)]


clock = time.perf_counter
our_time = "real_time"


class OurBenchmarks:
    """One of our Google Benchmark programs: a round runs every benchmark that matches once."""

    def __init__(self, program, pattern):
        self.program, self.pattern = program, pattern

    def round(self):
        out = subprocess.run([self.program, f"--benchmark_filter={self.pattern}", "--benchmark_format=json",
                              "--benchmark_min_time=0.3"], capture_output=True, text=True, check=True).stdout
        return {b["name"].replace("/real_time", ""): b[our_time] for b in json.loads(out)["benchmarks"]}


class WholeRuns:
    """One call of the simulator's run with values, weights in place."""

    def __init__(self, build, threads):
        self.program, self.threads = f"{build}/simulator/bench_values_resnet18", threads

    def round(self):
        out = subprocess.run([self.program, f"--benchmark_filter=/t{self.threads}/tuned", "--benchmark_format=json",
                              "--benchmark_min_time=0.3"], capture_output=True, text=True, check=True).stdout
        counter = "network_cpu_ms" if our_time == "cpu_time" else "network_wall_ms"
        return {"values/resnet18/b8": json.loads(out)["benchmarks"][0][counter]}


def milliseconds(function, least=0.3):
    function()
    times = []
    while sum(times) < least or len(times) < 3:
        start = clock()
        function()
        times.append(clock() - start)
    return 1e3 * statistics.median(times)


def resnet18(torch, dtype):
    """The network without torchvision: conv, batch norm, relu and the residual sums as separate eager ops."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, channels, filters, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, filters, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(filters)
            self.conv2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(filters)
            self.relu = nn.ReLU(inplace=True)
            self.down = None if stride == 1 else nn.Sequential(
                nn.Conv2d(channels, filters, 1, stride, bias=False), nn.BatchNorm2d(filters))

        def forward(self, x):
            y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            return self.relu(y + (x if self.down is None else self.down(x)))

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for filters in (64, 128, 256, 512):
        for i in range(2):
            layers.append(Block(channels, filters, 2 if i == 0 and filters != 64 else 1))
            channels = filters
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    return nn.Sequential(*layers).eval().to(dtype)


class TorchPeers:
    def __init__(self, threads, only=None):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        torch.manual_seed(1)
        self.runs = {}
        self.add_networks()
        self.add_convolutions()
        if only:
            self.runs = {only: self.runs[only]}

    def add_networks(self):
        torch = self.torch
        for batch in (1, 8):
            images = torch.randn(batch, 3, 224, 224)
            net = resnet18(torch, torch.float32)
            last = resnet18(torch, torch.float32).to(memory_format=torch.channels_last)
            images_last = images.contiguous(memory_format=torch.channels_last)
            self.runs[f"resnet18/b{batch}/PyTorch eager NCHW"] = lambda n=net, x=images: n(x)
            self.runs[f"resnet18/b{batch}/PyTorch eager channels_last"] = lambda n=last, x=images_last: n(x)
        wide = resnet18(torch, torch.float64)
        images = torch.randn(8, 3, 224, 224, dtype=torch.float64)
        self.runs["resnet18/b8/PyTorch eager f64"] = lambda: wide(images)

    def add_convolutions(self):
        torch = self.torch
        layouts = {"NCHW": [], "channels_last": [], "oneDNN's layout": []}
        for count, c, s, m, k, stride, pad in CONVOLUTIONS:
            x, w = torch.randn(8, c, s, s), torch.randn(m, c, k, k)
            last = {"memory_format": torch.channels_last}
            reordered = torch._C._nn.mkldnn_reorder_conv2d_weight(w.to_mkldnn(), [pad, pad], [stride, stride], [1, 1], 1,
                                                                  list(x.shape))
            layouts["NCHW"].append((count, x, w, stride, pad))
            layouts["channels_last"].append((count, x.contiguous(**last), w.contiguous(**last), stride, pad))
            layouts["oneDNN's layout"].append((count, x.to_mkldnn(), reordered, stride, pad))

        def run(list_of_calls):
            for count, x, w, stride, pad in list_of_calls:
                for _ in range(count):
                    torch.conv2d(x, w, None, stride, pad)

        for layout, calls in layouts.items():
            self.runs[f"convs/b8/PyTorch {layout}"] = lambda calls=calls: run(calls)

    def round(self):
        return {name: milliseconds(run) for name, run in self.runs.items()}


class OnnxPeer:
    """The same network through torch.onnx.export, if both packages are there."""

    def __init__(self, threads):
        import io
        import numpy
        import onnxruntime
        import torch
        self.sessions = {}
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        for batch in (1, 8):
            images = torch.randn(batch, 3, 224, 224)
            file = io.BytesIO()
            torch.onnx.export(resnet18(torch, torch.float32), images, file, opset_version=13, input_names=["x"], dynamo=False)
            session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
            self.sessions[batch] = (session, {"x": images.numpy().astype(numpy.float32)})

    def round(self):
        return {f"resnet18/b{batch}/ONNX Runtime": milliseconds(lambda s=session, x=feed: s.run(None, x))
                for batch, (session, feed) in self.sessions.items()}


def contenders(build, threads, whole_runs):
    if whole_runs:
        return [WholeRuns(build, threads), TorchPeers(threads, "resnet18/b8/PyTorch eager NCHW")]
    found = [OurBenchmarks(f"{build}/kernels_ref/bench_kernels_resnet18", f"resnet18/b[18]/t{threads}/"),
             WholeRuns(build, threads),
             OurBenchmarks(f"{build}/kernels_ref/bench_kernels_convolution", f"(convs/b8|fma_peak)/t{threads}/")]
    for name, make in (("PyTorch", TorchPeers), ("ONNX Runtime", OnnxPeer)):
        try:
            found.append(make(threads))
        except Exception as error:  # whatever a missing or broken peer raises: it is left out, and said so
            print(f"{name} is left out: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", file=sys.stderr)
    return found


def measure(found, rounds):
    samples = {}
    for index in range(rounds):
        for contender in found:
            for name, value in contender.round().items():
                samples.setdefault(name, []).append(value)
        print(f"round {index + 1} of {rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    return samples


def ratio(samples, ours, theirs):
    """Median of the rounds' own ratios: a slow round slows both."""
    if ours not in samples or theirs not in samples:
        return None
    return statistics.median(a / b for a, b in zip(samples[ours], samples[theirs]))


def best_set(samples):
    sets = {name.rsplit("/", 1)[1] for name in samples if "fma_peak" in name}
    return next((s for s in ("avx512", "avx2", "fma", "baseline") if s in sets), None)


def goals(threads, best):
    yield "values/resnet18/b8", "resnet18/b8/PyTorch eager NCHW", 1.0
    if best is None:
        return
    net, convs = f"resnet18/b{{}}/t{threads}/f32/{best}", f"convs/b8/t{threads}/"
    yield net.format(8), "resnet18/b8/PyTorch eager NCHW", 0.9
    yield net.format(8), "resnet18/b8/PyTorch eager channels_last", None
    yield net.format(8), "resnet18/b8/ONNX Runtime", 1.2
    yield net.format(1), "resnet18/b1/PyTorch eager NCHW", 1.0
    yield net.format(1), "resnet18/b1/PyTorch eager channels_last", None
    yield net.format(1), "resnet18/b1/ONNX Runtime", None
    yield f"resnet18/b8/t{threads}/f64/{best}", "resnet18/b8/PyTorch eager f64", 0.6
    for layout in ("NCHW", "channels_last", "oneDNN's layout"):
        yield convs + best, f"convs/b8/PyTorch {layout}", 1.25
    yield convs + best, convs + "eigen_im2col", 0.7
    yield convs + "block16", convs + best, 1.1
    yield convs + "block8", convs + best, 1.1
    for mode in ("hf32", "bf16_inputs", "f16_inputs"):
        yield convs + mode, convs + best, 1.15
    yield convs + "avx2", convs + "avx512", 1.1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu-time", action="store_true", help="processor time of one thread")
    parser.add_argument("--whole-runs", action="store_true", help="only the simulator's run with values")
    arguments = parser.parse_args()
    if arguments.cpu_time:
        global clock, our_time
        clock, our_time, arguments.threads = time.process_time, "cpu_time", 1
    samples = measure(contenders(arguments.build, arguments.threads, arguments.whole_runs), arguments.rounds)
    print(f"\n{'contender':48s} {'median ms':>10s} {'least ms':>10s}")
    for name in sorted(samples):
        print(f"{name:48s} {statistics.median(samples[name]):10.2f} {min(samples[name]):10.2f}")
    print(f"\n{'ours':34s} {'against':40s} {'ratio':>6s} {'goal':>6s}")
    for ours, theirs, goal in goals(arguments.threads, best_set(samples)):
        value = ratio(samples, ours, theirs)
        verdict = "" if goal is None or value is None else ("" if value <= goal else "  missed")
        print(f"{ours:34s} {theirs:40s} {'-' if value is None else f'{value:6.2f}':>6s} "
              f"{'' if goal is None else f'{goal:.2f}':>6s}{verdict}")


main()
