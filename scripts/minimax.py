#!/usr/bin/env python3
"""Makes kernels_ref/math/coefficients.hpp: minimax polynomials by the Remez exchange, in 100-digit arithmetic.

Each row below states a function, the interval, the number of coefficients and the weight that turns an absolute error of the
polynomial into a relative error of the function that uses it. The reached error is printed beside each table.
Needs mpmath. Usage: scripts/minimax.py | clang-format --style=file > kernels_ref/math/coefficients.hpp
"""
from mpmath import (mp, mpf, exp, log, sin, cos, atan, asin, sqrt, erf, erfc, lu_solve, matrix, pi, expm1, log1p,
                    loggamma, euler)

mp.dps = 100


def fit(f, weight, a, b, n, rounds=30):
    """n coefficients c0.. of the polynomial p on [a, b] that minimises max |(p - f) * weight|; and that maximum."""
    a, b = mpf(a), mpf(b)
    mid, half = (a + b) / 2, (b - a) / 2
    points = [mid - half * cos(pi * (2 * i + 1) / (2 * (n + 1))) for i in range(n + 1)]
    samples = [mid - half * cos(pi * i / (40 * n)) for i in range(40 * n + 1)]
    values = [(x, f(x), weight(x)) for x in samples]
    known = dict((x, (v, w)) for x, v, w in values)
    for _ in range(rounds):
        rows, rhs = [], []
        for i, x in enumerate(points):
            v, w = known.get(x) or (f(x), weight(x))
            rows.append([x ** j for j in range(n)] + [(-1) ** i / w])
            rhs.append(v)
        solution = lu_solve(matrix(rows), matrix(rhs))
        c, level = [solution[j] for j in range(n)], abs(solution[n])
        errors = [(horner(c, x) - v) * w for x, v, w in values]
        points = extrema(samples, errors, n + 1)
        worst = max(abs(e) for e in errors)
        if worst < level * mpf("1.01"):
            break
    return c, worst


def horner(c, x):
    total = mpf(0)
    for k in reversed(c):
        total = total * x + k
    return total


def extrema(xs, errors, count):
    """One point of largest |error| for each run of one sign; the `count` neighbouring ones that hold the largest."""
    runs = []
    for x, e in zip(xs, errors):
        if runs and (e >= 0) == (runs[-1][1] >= 0):
            if abs(e) > abs(runs[-1][1]):
                runs[-1] = (x, e)
        else:
            runs.append((x, e))
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    assert len(runs) == count, "the error does not alternate: too many coefficients for 100 digits"
    return [x for x, _ in runs]


def at0(f, limit):
    """f with its removable singularity at 0 filled in; so near 0 that the limit is right to 2^-80."""
    return lambda x: limit if abs(x) < mpf(10) ** -25 else f(x)


def even(f, limit):
    return at0(lambda z: f(sqrt(z)), limit)


LN2 = log(mpf(2))
R = LN2 / 2 + mpf(2) ** -10
S2 = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) + mpf(2) ** -12) ** 2
Q2 = (pi / 4 + mpf(2) ** -10) ** 2
T2 = (mpf(7) / 16) ** 2
ERF_SPLIT = mpf(1)


def erf_tail(t):
    """exp(x^2) erfc(x) as a function of t = (x - 2) / (x + 2)."""
    x = 2 * (1 + t) / (1 - t)
    return exp(x * x) * erfc(x)


def lgamma_quotient(w):
    if w < mpf(10) ** -25 or 1 - w < mpf(10) ** -25:
        return euler if w < mpf(1) / 2 else 1 - euler
    return loggamma(1 + w) / (w * (w - 1))


def t_of(x):
    return (mpf(x) - 2) / (mpf(x) + 2)


one = lambda x: mpf(1)
TABLES = [
    # name, meaning, f, weight, a, b, coefficients (double accuracy), coefficients (enough for one rounding to f32)
    ("Exp", "(e^r - 1 - r) / r^2, |r| <= ln2/2", at0(lambda r: (expm1(r) - r) / r**2, mpf(1) / 2),
     one, -R, R, 12, 7),
    ("Log", "(2 atanh(s) - 2s) / s^3, z = s^2 <= 0.0295",
     even(lambda s: (log((1 + s) / (1 - s)) - 2 * s) / s**3, mpf(2) / 3), lambda z: z + mpf(2) ** -20, 0, S2, 8, 4),
    ("LogTail", "((2 atanh(s) - 2s) / s^3 - 2/3) / z, z = s^2 <= 0.0295",
     even(lambda s: ((log((1 + s) / (1 - s)) - 2 * s) / s**3 - mpf(2) / 3) / s**2, mpf(2) / 5),
     lambda z: z + mpf(2) ** -20, 0, S2, 8, 3),
    ("Sin", "(sin r - r) / r^3, z = r^2, r <= pi/4", even(lambda r: (sin(r) - r) / r**3, -mpf(1) / 6),
     lambda z: z + mpf(2) ** -20, 0, Q2, 7, 4),
    ("Cos", "(cos r - 1 + r^2/2) / r^4, z = r^2, r <= pi/4",
     even(lambda r: (cos(r) - 1 + r * r / 2) / r**4, mpf(1) / 24), lambda z: z * z + mpf(2) ** -20, 0, Q2, 7, 4),
    ("Atan", "(atan t - t) / t^3, z = t^2, t <= 7/16", even(lambda t: (atan(t) - t) / t**3, -mpf(1) / 3),
     lambda z: z + mpf(2) ** -20, 0, T2, 12, 6),
    ("Asin", "(asin x - x) / x^3, z = x^2 <= 1/4", even(lambda x: (asin(x) - x) / x**3, mpf(1) / 6),
     lambda z: z + mpf(2) ** -20, 0, mpf(1) / 4, 14, 8),
    ("Erf", "erf(x) / x - 2/sqrt(pi), z = x^2 <= 1",
     even(lambda x: erf(x) / x - 2 / sqrt(pi), mpf(0)), one, 0, ERF_SPLIT**2, 13, 9),
    ("Erfcx", "e^(x^2) erfc(x), t = (x - 2) / (x + 2), 1 <= x <= 6.5", erf_tail, lambda t: 1 / erf_tail(t), t_of(1),
     t_of("6.5"), 19, 12),
    ("Lgamma", "lgamma(1 + w) / (w (w - 1)), 0 <= w <= 1", lgamma_quotient, one, 0, 1, 24, 13),
]


def emit():
    print("// Minimax polynomials, lowest power first. Made by scripts/minimax.py; not edited by hand.")
    print("//\n// k<Name>64: accurate enough for f64 results. k<Name>32: evaluated in f64, accurate enough for f32 results.")
    print("// Tested by tests/kernels_ref/math_golden_test.cpp and tests/kernels_ref/mpfr/.")
    print("#pragma once\n\nnamespace bufferproof::kernels::math {\n")
    for name, meaning, f, weight, a, b, n64, n32 in TABLES:
        for bits, n in ((64, n64), (32, n32)):
            c, worst = fit(f, weight, a, b, n)
            if name == "Erf":  # the leading 2/sqrt(pi) goes back in, rounded once
                c[0] += 2 / sqrt(pi)
            error = float(log(worst) / LN2) if worst else -999
            print(f"// {meaning}; weighted error 2^{error:.1f}")
            body = ", ".join(float(v).hex() for v in c)
            print(f"inline constexpr double k{name}{bits}[] = {{{body}}};")
        print()
    print("}  // namespace bufferproof::kernels::math")


emit()
