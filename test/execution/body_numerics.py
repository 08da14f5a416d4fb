# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roundings of products, bit for bit against numpy, and body ops on 16- and 32-bit floats.

A product's operands are rounded by arithmetic on bits; numpy's side rounds in float64 by
another algorithm. Operands are ties, neighbours of ties, the edges of each format's range,
subnormals, infinities and NaN of both signs.

usage: body_numerics.py WEFT_RUN
"""

import sys

import numpy as np

from execution.one_op import Program, run_all, tensor_type
from oracle import body

SINGLE = ("f32", "tf32", "bf16", "f16", "tf32x3", "bf16x3", "f16x2")
NAN, INF = np.nan, np.inf
rng = np.random.default_rng(11)
BLOCK = 16


def singles(shape):
    """Normal numbers, float32."""
    return rng.standard_normal(shape).astype(np.float32)


def halves(shape, name):
    """Normal numbers, float32, that bf16 or f16 holds exactly."""
    return body.round_to(singles(shape), name)


def hard_operands():
    """float32 [N]: what roundings get wrong."""
    numbers = [
        0.0,
        1.0,
        1.5,
        3.0,
        65504.0,
        65519.996,
        65520.0,
        65536.0,
        2.0**-14,
        2.0**-24,
        2.0**-25,
        1.5 * 2.0**-25,
        2.0**-126,
        2.0**-133,
        2.0**-134,
        2.0**-149,
        float.fromhex("0x1.fffffep127"),
        float.fromhex("0x1.fefffep127"),
        float.fromhex("0x1.ffp127"),
        float.fromhex("0x1.ffdffep127"),
        float.fromhex("0x1.ffep127"),
        INF,
        NAN,
    ]
    for dropped in (13, 16):
        for kept in (0, 1, 2, 0x3F):  # even and odd last places, carries into the exponent
            for exponent in (-133, -130, -126, -20, -15, -14, 0, 15, 100):
                for around in (-1, 0, 1):
                    fraction = (kept << dropped) + (1 << (dropped - 1)) + around
                    numbers.append(float(np.ldexp(1.0 + fraction * 2.0**-23, exponent)))
                    numbers.append(float(np.ldexp(2.0 - fraction * 2.0**-23, exponent)))
    with np.errstate(over="ignore"):
        values = np.array(numbers, np.float32)
    random = rng.integers(0, 2**32, 512, dtype=np.uint32).view(np.float32)
    return np.concatenate([values, -values, random])


def rounded_products():
    """Every rounding of one operand and of both, and sums of products, bit for bit."""
    p = Program()
    hard = hard_operands()[:, None]
    other = np.concatenate([[1.0, -1.0, 2.0**-20, NAN, INF], singles(8)]).astype(np.float32)[None, :]
    left, right = singles((7, 40)), singles((40, 5))
    for numerics in SINGLE:
        clause = f"numerics<in = {numerics}, acc = f32> : $Ta, $Tb -> $R0"
        for name, a, b in (("lhs", hard, other), ("rhs", other.T, hard.T), ("sums", left, right)):
            p.add(
                f"{name}_{numerics}",
                f"weft.dot $a, $b over [1, 0] {clause}",
                {"a": a, "b": b},
                [body.dot(a, b, 1, 0, numerics)],
                exact=True,
            )
        for element in ("bf16", "f16"):
            a, b = halves((3, 9), element), halves((9, 4), element)
            types = {"a": tensor_type(a, element), "b": tensor_type(b, element)}
            p.add(
                f"{element}_{numerics}",
                f"weft.dot $a, $b over [1, 0] {clause}",
                {"a": a, "b": b},
                [body.dot(a, b, 1, 0, numerics)],
                types,
                exact=True,
            )
    # float64 operands become float32 first; float32 ones are exact in float64.
    a, b = rng.standard_normal((3, 9)), singles((9, 4))
    p.add(
        "wide",
        "weft.dot $a, $b over [1, 0] numerics<in = bf16, acc = f32> : $Ta, $Tb -> $R0",
        {"a": a, "b": b},
        [body.dot(a, b, 1, 0, "bf16")],
        exact=True,
    )
    p.add(
        "narrow",
        "weft.dot $a, $b over [1, 0] numerics<in = f64, acc = f64> : $Ta, $Tb -> $R0",
        {"b": a, "a": b.T[:, :3]},
        [body.dot(b.T[:, :3], a, 1, 0)],
    )
    return p


def solve_in_blocks(matrix, rhs, numerics, reverse):
    """solve_tril in float32: products inside a block of 16 rows exact, between blocks rounded."""
    x = rhs.copy()
    rows = list(range(len(x)))[:: -1 if reverse else 1]
    for n, t in enumerate(rows):
        for s in rows[:n]:
            how = "f32" if s // BLOCK == t // BLOCK else numerics
            x[t] -= body.product(matrix[t, s], x[s], how)
        x[t] /= matrix[t, t]
    return x


def factor_in_blocks(m, numerics):
    """cholesky in float32: a block's own factorisation exact, products between blocks rounded."""
    lower = np.zeros_like(m)
    for j in range(len(m)):
        column = m[j:, j].copy()
        for k in range(j):
            how = "f32" if k // BLOCK == j // BLOCK else numerics
            column -= body.product(lower[j:, k], lower[j, k], how)
        lower[j:, j] = column / np.sqrt(column[0])
    return lower


def solves():
    """Triangular systems: rounding is seen at 1e-3, the order of a sum at 1e-6."""
    p = Program()
    rows = 40
    matrix = np.tril(singles((rows, rows))) / 8 + 2 * np.eye(rows, dtype=np.float32)
    rhs, gram = singles((rows, 3)), (matrix @ matrix.T).astype(np.float32)
    for numerics in SINGLE:
        clause = f"numerics<in = {numerics}, acc = f32>"
        for reverse in (False, True):
            own = matrix.T.copy() if reverse else matrix
            p.add(
                f"solve_{numerics}{'_reverse' * reverse}",
                f"weft.solve_tril $l, $x{' reverse' * reverse} {clause} : $Tl, $Tx -> $R0",
                {"l": own, "x": rhs},
                [solve_in_blocks(own, rhs, numerics, reverse)],
                bound=5e-6,
            )
        p.add(
            f"cholesky_{numerics}",
            f"weft.cholesky $m {clause} : $Tm",
            {"m": gram},
            [factor_in_blocks(gram, numerics)],
            bound=5e-6,
        )
    return p


def decays():
    """Decaying products in float32: only a and b are rounded, not the decay."""
    p = Program()
    a, b, w = singles((20, 6)), singles((20, 6)), singles((20, 20))
    g = np.cumsum(-np.abs(singles((20, 6))), 0)
    for numerics in ("f32", "bf16", "tf32"):
        rounded = [body.round_to(x, numerics).astype(np.float64) for x in (a, b, w)]
        clause = f"decay($g, $g : $Tg) numerics<in = {numerics}, acc = f32>"
        p.add(
            f"dot_{numerics}",
            f"weft.decayed_dot $a, $b {clause} : $Ta, $Tb -> $R0",
            {"a": a, "b": b, "g": g},
            [body.decayed_dot(*rounded[:2], g, g).astype(np.float32)],
            bound=2e-6,
        )
        p.add(
            f"matmul_{numerics}",
            f"weft.decayed_matmul $w, $b {clause} : $Tw, $Tb -> $R0",
            {"w": w, "b": b, "g": g},
            [body.decayed_matmul(rounded[2], rounded[1], g, g).astype(np.float32)],
            bound=4e-6,
        )
    return p


def small_sum(x, name):
    """Sum along dim 1, every step rounded to the element type."""
    total = np.zeros(len(x), np.float32)
    for column in x.T:
        total = body.round_to(total + column, name)
    return total


def small_floats():
    """Ops on f16, bf16 and f32 tensors."""
    p = Program()
    for element in ("f16", "bf16", "f32"):
        x, y = halves((6, 9), element), halves((6, 4), element)
        stored = np.float16 if element == "f16" else np.float32

        def add(name, text, inputs, want, element=element, result=element, **more):
            types = {k: tensor_type(v, element) for k, v in inputs.items() if isinstance(v, np.ndarray)}
            kept = np.float16 if result == "f16" else np.float32
            p.add(
                f"{name}_{element}",
                text,
                inputs,
                [want.astype(kept)],
                types,
                [tensor_type(want, result)],
                **more,
            )

        small = {"bound": {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-6}[element]}
        add("sum", "weft.sum $x over 1 : $Tx -> $R0", {"x": x}, small_sum(x, element), exact=True)
        add("max", "weft.max $x over 1 : $Tx -> $R0", {"x": x}, x.max(1), exact=True)
        sums = np.stack([small_sum(x[:, : n + 1], element) for n in range(9)], 1)
        add("cumsum", "weft.cumsum $x over 1 : $Tx", {"x": x}, sums, exact=True)
        add("tril", "weft.tril $x : $Tx", {"x": x}, body.tril(x), exact=True)
        add(
            "keep_live",
            "weft.keep_live $x over 0 from $lo to $hi else 0xFFF0000000000000 : $Tx",
            {"x": x, "lo": 1, "hi": 4},
            body.keep_live(x, 0, 1, 4, -INF),
            exact=True,
        )
        add(
            "concat",
            "weft.concat $x, $y over 1 : $Tx, $Ty -> $R0",
            {"x": x, "y": y},
            np.concatenate([x, y], 1),
            exact=True,
        )
        add(
            "broadcast",
            "weft.broadcast $x to [0, 2] : $Tx -> $R0",
            {"x": x},
            body.broadcast(x, [0, 2], (6, 2, 9)),
            exact=True,
        )
        add(
            "outer",
            "weft.outer $x, $y : $Tx, $Ty -> $R0",
            {"x": x, "y": y},
            body.round_to(body.outer(x, y), element),
            exact=True,
        )
        add(
            "outer_wide",
            "weft.outer $x, $y : $Tx, $Ty -> $R0",
            {"x": x, "y": y},
            body.outer(x, y),
            result="f32",
            exact=True,
        )
        soft, unit = body.softmax(x.astype(np.float64), 1), body.l2_normalize(x.astype(np.float64), 1, 1e-6)
        add("softmax", "weft.softmax $x over 1 : $Tx -> $R0", {"x": x}, soft.astype(stored), **small)
        add("softmax_wide", "weft.softmax $x over 1 : $Tx -> $R0", {"x": x}, soft, result="f32", bound=1e-6)
        add("normalize", "weft.l2_normalize $x over 1 eps 1.0e-6 : $Tx -> $R0", {"x": x}, unit, **small)
        add(
            "normalize_wide",
            "weft.l2_normalize $x over 1 eps 1.0e-6 : $Tx -> $R0",
            {"x": x},
            unit,
            result="f32",
            bound=1e-6,
        )
        levels = halves((8, 5), element)
        add(
            "level_weights",
            "weft.level_weights $l : $Tl -> $R0",
            {"l": levels},
            body.level_weights(levels),
            result="f32",
            exact=True,
        )
    # The types of a stack's read differ; what is read is rounded, levels are not.
    stack, query, levels = singles((2, 5, 3)), halves((8, 5), "bf16"), singles((8, 6))
    want = levels[:, [4]] * body.dot(query, stack[0], 1, 0, "bf16") + levels[:, [5]] * body.dot(
        query, stack[1], 1, 0, "bf16"
    )
    p.add(
        "fenwick_read",
        "weft.fenwick_read $s at $n query $q levels $l from 4 "
        "numerics<in = bf16, acc = f32> : $Ts, $Tq, $Tl -> $R0",
        {"s": stack, "n": 3, "q": query, "l": levels},
        [want],
        {"q": tensor_type(query, "bf16")},
        exact=True,
    )
    return p


def main():
    families = (rounded_products, solves, decays, small_floats)
    return run_all([family() for family in families], sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
