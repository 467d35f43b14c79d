#!/usr/bin/env python3
"""Strides that eager PyTorch gives elementwise results and reshaped views, as lines for the tests.

Usage: scripts/fixtures-strides.py > tests/fixtures/torch_strides.txt
Each line: KIND ; shape ; operand strides | operand strides ... ; result strides (or "copy" for a reshape that
copies). Needs PyTorch (CPU); seeded, so its output only changes with PyTorch.
"""
import random

import torch


def laid_out(shape, rng):
    """A float tensor of this shape: permuted, sliced with a step, or expanded storage."""
    order = list(range(len(shape)))
    rng.shuffle(order)
    sizes = [shape[axis] for axis in order]
    steps = [rng.choice((1, 1, 1, 2)) for _ in order]
    base = torch.zeros([size * step for size, step in zip(sizes, steps)])
    view = base[tuple(slice(None, None, step) for step in steps)]
    back = [order.index(axis) for axis in range(len(shape))]
    view = view.permute(back)
    for axis in range(len(shape)):
        if rng.random() < 0.15:
            view = view.narrow(axis, 0, 1).expand(shape)
    return view


def text(numbers):
    return ",".join(str(number) for number in numbers)


def main():
    rng = random.Random(11)
    print(f"# PyTorch {torch.__version__}, scripts/fixtures-strides.py")
    for _ in range(400):
        shape = [rng.choice((1, 2, 3, 4, 5)) for _ in range(rng.randint(1, 4))]
        operands = [laid_out(shape, rng) for _ in range(rng.randint(1, 3))]
        result = operands[0] + 1 if len(operands) == 1 else operands[0] * operands[1]
        if len(operands) == 3:
            result = torch.addcmul(*operands)
        strides = " | ".join(text(operand.stride()) for operand in operands)
        print(f"elementwise ; {text(shape)} ; {strides} ; {text(result.stride())}")
    for _ in range(300):
        shape = [rng.choice((2, 3, 4, 6)) for _ in range(rng.randint(1, 4))]
        x = laid_out(shape, rng)
        total = x.numel()
        target = []
        while total > 1 and len(target) < 4:
            factors = [d for d in range(2, total + 1) if total % d == 0]
            target.append(rng.choice(factors))
            total //= target[-1]
        if total > 1:
            target.append(total)
        try:
            result = text(x.view(target).stride())
        except RuntimeError:
            result = "copy"
        print(f"reshape {text(target)} ; {text(shape)} ; {text(x.stride())} ; {result}")


if __name__ == "__main__":
    main()
