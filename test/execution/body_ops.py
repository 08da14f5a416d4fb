# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every body op, with every option, executed and compared with numpy in float64.

Rows of NaN and infinity stand wherever an op promises not to look; sizes go down to one
row and to none; ops that serve whole tensors run on dynamic sizes too.

usage: body_ops.py WEFT_RUN
"""

import sys

import numpy as np

from execution.one_op import Program, run_all, tensor_type
from oracle import body

F64 = "numerics<in = f64, acc = f64>"
NAN, INF = np.nan, np.inf
rng = np.random.default_rng(7)
normal = rng.standard_normal


def both_shapes(*arrays):
    """(suffix of the case's name, types of the arrays): with static, then dynamic sizes."""
    yield "", [tensor_type(x) for x in arrays]
    yield "_dynamic", [tensor_type(x, dynamic=True) for x in arrays]


def products():
    p = Program()
    shapes = [
        ((5, 7), (7, 3), 1, 0),
        ((5, 7), (3, 7), 1, 1),
        ((7, 5), (7, 3), 0, 0),
        ((7,), (7,), 0, 0),
        ((7,), (4, 7), 0, 1),
        ((2, 7, 3), (4, 2, 7), 1, 2),
        ((1, 1), (1, 1), 1, 0),
        ((3, 0), (0, 2), 1, 0),
        ((0, 3), (3, 2), 1, 0),
    ]
    for n, (sa, sb, i, j) in enumerate(shapes):
        a, b = normal(sa), normal(sb)
        want = body.dot(a, b, i, j)
        for suffix, (ta, tb, r) in both_shapes(a, b, want):
            p.add(
                f"dot{n}{suffix}",
                f"weft.dot $a, $b over [{i}, {j}] {F64} : $Ta, $Tb -> $R0",
                {"a": a, "b": b},
                [want],
                {"a": ta, "b": tb},
                [r],
            )
    # Only what a sum takes in can spoil it.
    a, b = normal((4, 3)), normal((3, 5))
    a[1, 2], b[0, 4] = NAN, INF
    p.add(
        "dot_nan",
        f"weft.dot $a, $b over [1, 0] {F64} : $Ta, $Tb -> $R0",
        {"a": a, "b": b},
        [body.dot(a, b, 1, 0)],
    )
    return p


def decaying_products():
    p = Program()
    for rows in (1, 5, 16, 37):
        a, b, weights = normal((rows, 6)), normal((rows, 6)), normal((rows, rows))
        for strict in (False, True):
            for reverse in (False, True):
                # Decays down to -1e4 a step: exp(g) and exp(-h) apart would overflow.
                steps = -rng.random((rows, 6)) * np.where(rng.random((rows, 6)) < 0.1, 1e4, 1.0)
                g = np.cumsum(steps[::-1], 0)[::-1] if reverse else np.cumsum(steps, 0)
                clauses = " strict" * strict + " reverse" * reverse
                name = f"{rows}{clauses.replace(' ', '_')}"
                form = f"decay($g, $g : $Tg){clauses} {F64}"
                p.add(
                    f"decayed_dot{name}",
                    f"weft.decayed_dot $a, $b {form} : $Ta, $Tb -> $R0",
                    {"a": a, "b": b, "g": g},
                    [body.decayed_dot(a, b, g, g, strict, reverse)],
                )
                p.add(
                    f"decayed_matmul{name}",
                    f"weft.decayed_matmul $w, $b {form} : $Tw, $Tb -> $R0",
                    {"w": weights, "b": b, "g": g},
                    [body.decayed_matmul(weights, b, g, g, strict, reverse)],
                )
    # Two different decays, and rows after the last that hold anything.
    a, b, g = normal((6, 3)), normal((6, 3)), np.cumsum(-rng.random((6, 3)), 0)
    h = g + rng.random((6, 3))
    b[5] = INF
    p.add(
        "decayed_dot_two",
        f"weft.decayed_dot $a, $b decay($g, $h : $Tg) strict {F64} : $Ta, $Tb -> $R0",
        {"a": a, "b": b, "g": g, "h": h},
        [body.decayed_dot(a, b, g, h, True)],
    )
    return p


def reductions():
    p = Program()
    for n, (shape, dim) in enumerate(
        [((5,), 0), ((4, 5), 0), ((4, 5), 1), ((3, 4, 5), 1), ((1, 1), 1), ((0, 3), 0), ((3, 0), 0)]
    ):
        x = normal(shape)
        total, largest = body.reduce_sum(x, dim), body.reduce_max(x, dim)
        for suffix, (tx, r) in both_shapes(x, total):
            p.add(
                f"sum{n}{suffix}",
                f"weft.sum $x over {dim} : $Tx -> $R0",
                {"x": x},
                [total],
                {"x": tx},
                [r],
                exact=True,
            )
            p.add(
                f"max{n}{suffix}",
                f"weft.max $x over {dim} : $Tx -> $R0",
                {"x": x},
                [largest],
                {"x": tx},
                [r],
                exact=True,
            )
        for exclusive in (False, True):
            for reverse in (False, True):
                clauses = " exclusive" * exclusive + " reverse" * reverse
                for suffix, (tx,) in both_shapes(x):
                    p.add(
                        f"cumsum{n}{clauses.replace(' ', '_')}{suffix}",
                        f"weft.cumsum $x over {dim}{clauses} : $Tx",
                        {"x": x},
                        [body.cumsum(x, dim, exclusive, reverse)],
                        {"x": tx},
                        [tx],
                        exact=True,
                    )
    x = np.array([[1.0, NAN, 3.0], [-INF, -INF, -INF], [INF, 1.0, -INF], [-0.0, 0.0, -1.0]])
    p.add("max_special", "weft.max $x over 1 : $Tx -> $R0", {"x": x}, [np.array([NAN, -INF, INF, 0.0])])
    p.add("sum_special", "weft.sum $x over 1 : $Tx -> $R0", {"x": x}, [np.array([NAN, -INF, NAN, -1.0])])
    return p


RECURRENCE = """func.func private @then(%a1: f64, %b1: f64, %a2: f64, %b2: f64) -> (f64, f64) {
  %a = arith.mulf %a2, %a1 : f64
  %c = arith.mulf %a2, %b1 : f64
  %b = arith.addf %c, %b2 : f64
  return %a, %b : f64, f64
}
func.func private @larger(%earlier: f64, %later: f64) -> f64 {
  %m = arith.maximumf %earlier, %later : f64
  return %m : f64
}
"""


def running_combinations():
    p = Program(RECURRENCE)

    def then(a1, b1, a2, b2):
        return a2 * a1, a2 * b1 + b2

    for rows, lo, hi in ((1, 0, 1), (8, 0, 8), (8, 2, 5), (8, 3, 3), (8, 7, 8)):
        for exclusive in (False, True):
            for reverse in (False, True):
                a, b, m = normal((rows, 3)), normal((rows, 3)), normal(rows)
                dead = (np.arange(rows) < lo) | (np.arange(rows) >= hi)
                a[dead], b[dead], m[dead] = NAN, INF, NAN
                clauses = " exclusive" * exclusive + " reverse" * reverse
                name = f"{rows}_{lo}_{hi}{clauses.replace(' ', '_')}"
                scanned, totals = body.scan_rows([a, b], then, (1.0, 0.0), lo, hi, exclusive, reverse)
                p.add(
                    f"then{name}",
                    "weft.scan_rows ($a, $b : $Ta, $Tb) by @then identity [1.0 : f64, 0.0 : f64] "
                    f"from $lo to $hi{clauses} -> ($R0, $R1), ($R2, $R3)",
                    {"a": a, "b": b, "lo": lo, "hi": hi},
                    scanned + totals,
                )
                scanned, totals = body.scan_rows(
                    [m], lambda x, y: (np.maximum(x, y),), (-INF,), lo, hi, exclusive, reverse
                )
                p.add(
                    f"larger{name}",
                    "weft.scan_rows ($m : $Tm) by @larger identity [0xFFF0000000000000 : f64] "
                    f"from $lo to $hi{clauses} -> ($R0), ($R1)",
                    {"m": m, "lo": lo, "hi": hi},
                    scanned + totals,
                    exact=True,
                )
    return p


def triangles():
    p = Program()
    p.add("eye1", "weft.eye : $R0", {}, [np.eye(1)], exact=True)
    p.add("eye5", "weft.eye : $R0", {}, [np.eye(5)], exact=True)
    for n, shape in enumerate([(5, 5), (3, 6), (6, 3), (1, 1)]):
        x = normal(shape)
        for diagonal in (-7, -2, -1, 0, 1, 7):
            for reverse in (False, True):
                clauses = f" diagonal {diagonal}" + " reverse" * reverse
                want = body.tril(x, diagonal, reverse)
                spoilt = np.where(body.tril(np.ones(shape), diagonal, reverse) == 0, NAN, x)
                for suffix, (tx,) in both_shapes(x):
                    p.add(
                        f"tril{n}_{diagonal + 7}{'_reverse' * reverse}{suffix}",
                        f"weft.tril $x{clauses} : $Tx",
                        {"x": spoilt},
                        [want],
                        {"x": tx},
                        [tx],
                        exact=True,
                    )
    for rows in (1, 5, 16, 33, 64):
        matrix = normal((rows, rows)) / rows + 2.0 * np.eye(rows)
        gram = matrix @ matrix.T
        for reverse in (False, True):
            outside = body.tril(np.ones((rows, rows)), -1, not reverse) != 0
            for unit in (False, True):
                clauses, name = (
                    " unit" * unit + " reverse" * reverse,
                    f"{rows}{'_unit' * unit}{'_reverse' * reverse}",
                )
                spoilt = np.where(outside | (unit & np.eye(rows, dtype=bool)), NAN, matrix)
                for suffix, rhs in (
                    ("", normal((rows, 3))),
                    ("_vector", normal(rows)),
                    ("_none", normal((rows, 0))),
                ):
                    p.add(
                        f"solve{name}{suffix}",
                        f"weft.solve_tril $l, $x{clauses} {F64} : $Tl, $Tx -> $R0",
                        {"l": spoilt, "x": rhs},
                        [body.solve_tril(matrix, rhs, unit, reverse)],
                    )
            # Only the lower triangle is read, either way.
            lower = np.where(np.triu(np.ones((rows, rows)), 1) != 0, NAN, gram)
            p.add(
                f"cholesky{rows}{'_reverse' * reverse}",
                f"weft.cholesky $m{' reverse' * reverse} {F64} : $Tm",
                {"m": lower},
                [body.cholesky(gram, reverse)],
            )
    return p


def shapes():
    p = Program()
    for n, (shape, dims, target) in enumerate(
        [
            ((), [], (3, 2)),
            ((4,), [0], (4, 2)),
            ((4,), [1], (2, 4)),
            ((4, 5), [0, 2], (4, 3, 5)),
            ((4, 5), [0, 1], (4, 5)),
            ((1,), [0], (1, 3)),
            ((0,), [1], (2, 0)),
        ]
    ):
        x, like = normal(shape), np.zeros(target, np.float32)
        want = body.broadcast(x, dims, target)
        p.add(f"broadcast{n}", f"weft.broadcast $x to {dims} : $Tx -> $R0", {"x": x}, [want], exact=True)
        tx, tl, r = (tensor_type(y, dynamic=True) for y in (x, like, want))
        p.add(
            f"broadcast{n}_dynamic",
            f"weft.broadcast $x to {dims} like($l : $Tl) : $Tx -> $R0",
            {"x": x, "l": like},
            [want],
            {"x": tx, "l": tl},
            [r],
            exact=True,
        )
    for n, (parts, dim) in enumerate(
        [
            ([(4, 3)], 1),
            ([(4, 3), (4, 1), (4, 5)], 1),
            ([(2, 3), (0, 3), (1, 3)], 0),
            ([(2,), (3,)], 0),
            ([(2, 2, 3), (2, 1, 3)], 1),
        ]
    ):
        arrays = {f"x{i}": normal(s) for i, s in enumerate(parts)}
        want = np.concatenate(list(arrays.values()), dim)
        for suffix, (*types, r) in both_shapes(*arrays.values(), want):
            own = dict(zip(arrays, types))
            p.add(
                f"concat{n}{suffix}",
                f"weft.concat {', '.join('$' + k for k in arrays)} over {dim} : "
                f"{', '.join('$T' + k for k in arrays)} -> $R0",
                arrays,
                [want],
                own,
                [r],
                exact=True,
            )
    for n, (sx, sy) in enumerate([((3,), (4,)), ((5, 3), (5, 4)), ((2, 5, 1), (2, 5, 3)), ((0, 3), (0, 2))]):
        x, y = normal(sx), normal(sy)
        want = body.outer(x, y)
        for suffix, (tx, ty, r) in both_shapes(x, y, want):
            p.add(
                f"outer{n}{suffix}",
                "weft.outer $x, $y : $Tx, $Ty -> $R0",
                {"x": x, "y": y},
                [want],
                {"x": tx, "y": ty},
                [r],
                exact=True,
            )
    return p


def maps():
    p = Program()
    for n, (shape, dim) in enumerate(
        [((4, 5), 1), ((4, 5), 0), ((3, 4, 5), 1), ((5,), 0), ((4, 1), 1), ((3, 0), 1), ((0, 3), 1)]
    ):
        x = 30.0 * normal(shape)
        for suffix, (tx,) in both_shapes(x):
            p.add(
                f"softmax{n}{suffix}",
                f"weft.softmax $x over {dim} : $Tx -> $R0",
                {"x": x},
                [body.softmax(x, dim)],
                {"x": tx},
                [tx],
            )
            p.add(
                f"normalize{n}{suffix}",
                f"weft.l2_normalize $x over {dim} eps 1.0e-3 : $Tx -> $R0",
                {"x": x},
                [body.l2_normalize(x, dim, 1e-3)],
                {"x": tx},
                [tx],
            )
    x = np.array(
        [
            [-INF, -INF, -INF],
            [-INF, 0.0, 1.0],
            [800.0, 799.0, -800.0],
            [NAN, 0.0, 1.0],
            [-1e308, -1e308, -1e308],
        ]
    )
    p.add("softmax_special", "weft.softmax $x over 1 : $Tx -> $R0", {"x": x}, [body.softmax(x, 1)])
    x = np.array([[0.0, -0.0, 0.0], [1e-5, 0.0, 0.0], [3.0, 4.0, 0.0], [NAN, 1.0, 1.0]])
    p.add(
        "normalize_special",
        "weft.l2_normalize $x over 1 eps 1.0e-3 : $Tx -> $R0",
        {"x": x},
        [body.l2_normalize(x, 1, 1e-3)],
    )
    return p


def rows():
    p = Program()
    x = normal((6, 4))
    for lo, hi in ((0, 6), (2, 5), (3, 3), (5, 2), (-4, 9), (0, 0), (6, 8)):
        for dim in (0, 1):
            name = f"keep_live{dim}_{lo + 4}_{hi}"
            dead = body.keep_live(np.ones_like(x), dim, lo, hi, 0.0) == 0
            spoilt = np.where(dead, NAN, x)
            for suffix, (tx,) in both_shapes(x):
                p.add(
                    name + suffix,
                    f"weft.keep_live $x over {dim} from $lo to $hi else 0xFFF0000000000000 : $Tx",
                    {"x": spoilt, "lo": lo, "hi": hi},
                    [body.keep_live(x, dim, lo, hi, -INF)],
                    {"x": tx},
                    [tx],
                    exact=True,
                )
    for n, (source, index) in enumerate(
        [
            (normal((6, 3)), np.array([5, 0, 3, 3, -1, 6, 2**31 - 1, -(2**31)], np.int32)),
            (normal((6, 3)), np.array([5, 2**40, -(2**63), 2**32], np.int64)),
            (normal((0, 3)), np.array([0, 1, -1], np.int32)),
            (normal((4,)), np.array([3, 4, 1], np.int64)),
            (normal((4, 2, 3)), np.array([], np.int32)),
            (np.arange(5, dtype=np.int32), np.array([4, 9, 0], np.int32)),
            (normal((3, 4)).astype(np.float16), np.array([2, 7], np.int32)),
        ]
    ):
        want = body.gather_rows(source, index)
        for suffix, (ts, ti, r) in both_shapes(source, index, want):
            p.add(
                f"gather{n}{suffix}",
                "weft.gather_rows $s[$i] : $Ts, $Ti -> $R0",
                {"s": source, "i": index},
                [want],
                {"s": ts, "i": ti},
                [r],
                exact=True,
            )
    scores, ri, ci = normal((5, 7)), rng.permutation(9)[:5].astype(np.int32), rng.permutation(9)[:7]
    for n, (left, right) in enumerate([(None, None), (0, 0), (2, 1), (None, 0), (0, None), (100, 100)]):
        window = ", ".join("*" if side is None else str(side) for side in (left, right))
        for m, (p0, c0) in enumerate([(0, 0), (3, 0), (0, 3), (64, 61)]):
            p.add(
                f"window{n}_{m}",
                f"weft.mask_window $s window [{window}] rows $p cols $c : $Ts",
                {"s": scores, "p": p0, "c": c0},
                [body.mask_window(scores, left, right, p0, c0)],
                exact=True,
            )
            p.add(
                f"window{n}_{m}_causal",
                f"weft.mask_window $s window [{window}] rows $p cols $c causal($i, $j : $Ti, $Tj) : $Ts",
                {"s": scores, "p": p0, "c": c0, "i": ri, "j": ci},
                [body.mask_window(scores, left, right, p0, c0, ri, ci)],
                exact=True,
            )
    return p


def levels():
    p = Program()
    for size, count in ((1, 1), (1, 3), (2, 2), (16, 5), (64, 13)):
        lam = normal((size, count))
        p.add(
            f"level_weights{size}_{count}",
            "weft.level_weights $l : $Tl -> $R0",
            {"l": lam},
            [body.level_weights(lam)],
            exact=True,
        )
    stack, query, lam = normal((4, 5, 3)), normal((8, 5)), normal((8, 7))
    for chunk in range(17):
        # Slots whose bit is not set hold anything.
        dead = np.array([not chunk >> b & 1 for b in range(4)])
        spoilt = np.where(dead[:, None, None], NAN, stack)
        for first in (4, 7):
            p.add(
                f"read{chunk}_{first}",
                f"weft.fenwick_read $s at $n query $q levels $l from {first} {F64} : $Ts, $Tq, $Tl -> $R0",
                {"s": spoilt, "n": chunk, "q": query, "l": lam},
                [body.fenwick_read(stack, chunk, query, lam, first)],
            )
        p.add(
            f"read{chunk}_vector",
            f"weft.fenwick_read $s at $n query $q levels $l from 4 {F64} : $Ts, $Tq, $Tl -> $R0",
            {"s": spoilt[:, :, 0], "n": chunk, "q": query, "l": lam},
            [body.fenwick_read(stack[:, :, 0], chunk, query, lam, 4)],
        )
    for block in range(16):
        for level in (0, 1, 3, 4):
            p.add(
                f"merge{block}_{level}",
                "weft.fenwick_merge $s, $g at $n level $m : $Ts, $Tg",
                {"s": stack, "g": stack[0], "n": block, "m": level},
                [body.fenwick_merge(stack, stack[0], block, level)],
            )
    return p


def main():
    families = (
        products,
        decaying_products,
        reductions,
        running_combinations,
        triangles,
        shapes,
        maps,
        rows,
        levels,
    )
    return run_all([family() for family in families], sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
