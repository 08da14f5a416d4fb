# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of the tile stage before layouts, executed and compared with numpy.

What only moves numbers, or rounds them, is compared bit for bit. Combinations that do not
commute show their order; NaN stands wherever an op promises not to look.

usage: tile_ops.py WEFT_RUN
"""

import sys

import numpy as np

from execution.one_op import Program, run_all, tensor_type

NAN = np.nan
rng = np.random.default_rng(11)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


# (a, b) after (c, d): x -> b x + a, then x -> d x + c.
AFFINE = """ {
  ^combine(%a: f32, %b: f32, %c: f32, %d: f32):
    %da = arith.mulf %d, %a : f32
    %first = arith.addf %da, %c : f32
    %second = arith.mulf %d, %b : f32
    wtile.yield %first, %second : f32, f32
  }"""


def compose(pairs):
    """The combination of pairs, earliest first, in f32."""
    a, b = pairs[0]
    for c, d in pairs[1:]:
        a, b = d * a + c, d * b
    return a, b


def places():
    p = Program()
    x = normal(4, 8)
    p.add("rows", "wtile.coordinate 0 : $R0", {}, [np.indices((4, 8))[0].astype(np.int32)], exact=True)
    p.add("columns", "wtile.coordinate 1 : $R0", {}, [np.indices((4, 8))[1].astype(np.int32)], exact=True)
    for dims, shape in (([0], (4, 8, 2)), ([2], (8, 2, 4)), ([], (2, 4))):
        source = normal(*[shape[d] for d in dims])
        want = np.broadcast_to(np.expand_dims(source, [d for d in range(len(shape)) if d not in dims]), shape)
        p.add(f"broadcast{len(p.wanted)}", f"wtile.broadcast $x to {dims} : $Tx -> $R0", {"x": source}, [want], exact=True)
    p.add("broadcast_two", "wtile.broadcast $x to [0, 2] : $Tx -> $R0", {"x": x}, [np.repeat(x[:, None], 3, 1)], exact=True)
    p.add("transpose", "wtile.transpose $x : $Tx -> $R0", {"x": x}, [x.T], exact=True)
    p.add("extract", "wtile.extract $x [2, 4] : $Tx -> $R0", {"x": x}, [x[2:, 4:]], exact=True)
    for dim in (0, 1):
        parts = [normal(2, 4) for _ in range(4)]
        p.add(f"concat{dim}", f"wtile.concat $a, $b, $c, $d over {dim} : $Ta, $Tb, $Tc, $Td -> $R0",
              dict(zip("abcd", parts)), [np.concatenate(parts, dim)], exact=True)
    columns = rng.integers(0, 8, (4, 16)).astype(np.int32)
    p.add("take", "wtile.take $x[$c] : $Tx, $Tc -> $R0", {"x": x, "c": columns}, [np.take_along_axis(x, columns, 1)], exact=True)
    one = rng.integers(0, 8, 4).astype(np.int32)
    p.add("take_one", "wtile.take $x[$c] : $Tx, $Tc -> $R0", {"x": x, "c": one}, [x[np.arange(4), one]], exact=True)
    return p


def combinations():
    p = Program()
    a, b = normal(4, 8), normal(4, 8)
    for dim in (0, 1):
        lines = [np.moveaxis(x, dim, 0) for x in (a, b)]
        size = lines[0].shape[0]
        for parts in (1, 2, size):
            split = [list(zip(*(x[i : i + size // parts] for x in lines))) for i in range(0, size, size // parts)]
            want = [np.stack(x) for x in zip(*(compose(pairs) for pairs in split))]
            want = [x[0] for x in want] if parts == 1 else want
            words = f"parts {parts} " if parts > 1 else ""
            p.add(f"reduce{dim}_{parts}", f"wtile.reduce ($a, $b : $Ta, $Tb) over {dim} {words}-> ($R0, $R1){AFFINE}",
                  {"a": a, "b": b}, want, bound=1e-6)
        for words in ("", "exclusive", "reverse", "exclusive reverse"):
            pairs = list(zip(*lines))[:: -1 if "reverse" in words else 1]
            before = [(np.zeros_like(pairs[0][0]), np.ones_like(pairs[0][1]))]
            runs = [compose(before + pairs[: n + ("exclusive" not in words)]) for n in range(size)]
            runs = runs[:: -1 if "reverse" in words else 1]
            want = [np.moveaxis(np.stack(x), 0, dim) for x in zip(*runs)]
            p.add(f"scan{dim}_{words.replace(' ', '_')}",
                  f"wtile.scan ($a, $b : $Ta, $Tb) over {dim} identity [0.0 : f32, 1.0 : f32] {words} -> ($R0, $R1){AFFINE}",
                  {"a": a, "b": b}, want, bound=1e-6)
    return p


def to_tf32(x):
    """cvt.rna: the nearest with 10 fraction bits, ties away from zero."""
    bits = x.view(np.uint32)
    return np.where(np.isnan(x), x, ((bits + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32)).astype(np.float32)


def products():
    p = Program()
    special = np.array([0.0, -0.0, np.inf, -np.inf, NAN, 1e-42, 3.4e38, 1 + 2.0**-11, -1 - 2.0**-11, 1 + 3 * 2.0**-11,
                        np.nextafter(np.float32(1 + 2.0**-11), np.float32(0)), 2.0**-126], np.float32)
    for name, x in (("special", special), ("random", normal(16, 16))):
        p.add(f"round_{name}", "wtile.round $x : $Tx", {"x": x}, [to_tf32(x)], exact=True)
    for kind in (np.float16, np.float32):
        for i, j in ((1, 0), (1, 1), (0, 0), (0, 1)):
            a, b, c = (normal(*shape).astype(kind) for shape in ((6, 4), (4, 6), (4, 4)))
            lhs, rhs = (a, b, c)[0 if i == 1 else 1], (b, a)[j]
            # The unit drops what lies below tf32.
            exact = [(x if kind == np.float16 else (x.view(np.uint32) & 0xFFFFE000).view(np.float32)).astype(np.float64)
                     for x in (lhs, rhs)]
            product = np.tensordot(*exact, axes=(i, j))
            start = normal(*product.shape)
            for sign, word in ((1, ""), (-1, "subtract ")):
                p.add(f"mma_{np.dtype(kind).name}_{i}{j}{word.strip()}",
                      f"wtile.mma $a, $b, $c over [{i}, {j}] {word}: $Ta, $Tb, $R0", {"a": lhs, "b": rhs, "c": start},
                      [(start + sign * product).astype(np.float32)], bound=2e-6)
    return p


def factors():
    p = Program()
    x = normal(16, 16).astype(np.float64)
    spd = np.eye(16) + x @ x.T / 16
    factor = np.linalg.cholesky(spd)
    given = np.tril(spd) + np.triu(np.full((16, 16), NAN), 1)
    p.add("factor", "wtile.factor_block $a : $Ta", {"a": given.astype(np.float32)},
          [factor.astype(np.float32), np.linalg.inv(factor).astype(np.float32)], bound=1e-5)
    triangle = np.tril(normal(48, 48) / 4, -1).astype(np.float64)
    diagonal = 1 + rng.random(48)
    for unit, ones in (("", diagonal), ("unit ", np.ones(48))):
        whole = triangle + np.diag(ones)
        want = np.concatenate([np.linalg.inv(whole[i : i + 16, i : i + 16]) for i in (0, 16, 32)])
        given = triangle + np.triu(np.full((48, 48), NAN), 1) + np.diag(np.full(48, NAN) if unit else ones)
        p.add(f"invert{unit.strip()}", f"wtile.invert_blocks $l {unit}: $Tl -> $R0", {"l": given.astype(np.float32)},
              [want.astype(np.float32)], bound=1e-5)
    return p


ROWS, TILE = 11, 8
MEMORY = "memref<?x4xf32, strided<[?, 1]>>"
VIEW = "memref<?x4xf32, strided<[?, 1], offset: ?>>"
# The views leave out the first and the last row of what they are cut from.
KERNELS = f"""
wtile.kernel @load axes 0 {{
^program(%x: {MEMORY}, %first: index, %lo: index, %hi: index, %t: {MEMORY.replace("?x", f"{TILE}x", 1)}):
  %other = arith.constant -1.0 : f32
  %rows = memref.subview %x[1, 0] [{ROWS - 2}, 4] [1, 1] : {MEMORY} to {VIEW.replace("?x", f"{ROWS - 2}x", 1)}
  %view = memref.cast %rows : {VIEW.replace("?x", f"{ROWS - 2}x", 1)} to {VIEW}
  %tile = wtile.load %view[%first] live(%lo, %hi) else %other : f32 : {VIEW} -> tensor<{TILE}x4xf32>
  wtile.store %tile, %t : tensor<{TILE}x4xf32>, {MEMORY.replace("?x", f"{TILE}x", 1)}
}}
wtile.kernel @store axes 0 {{
^program(%t: {MEMORY.replace("?x", f"{TILE}x", 1)}, %first: index, %lo: index, %hi: index, %x: {MEMORY}):
  %rows = memref.subview %x[1, 0] [{ROWS - 2}, 4] [1, 1] : {MEMORY} to {VIEW.replace("?x", f"{ROWS - 2}x", 1)}
  %view = memref.cast %rows : {VIEW.replace("?x", f"{ROWS - 2}x", 1)} to {VIEW}
  %tile = wtile.load %t : {MEMORY.replace("?x", f"{TILE}x", 1)} -> tensor<{TILE}x4xf32>
  wtile.store %tile, %view[%first] live(%lo, %hi) : tensor<{TILE}x4xf32>, {VIEW}
}}
wtile.kernel @gather axes 0 {{
^program(%x: {MEMORY}, %rows: memref<{TILE}xi32, strided<[1]>>, %t: {MEMORY.replace("?x", f"{TILE}x", 1)}):
  %numbers = wtile.load %rows : memref<{TILE}xi32, strided<[1]>> -> tensor<{TILE}xi32>
  %tile = wtile.gather %x[%numbers] : {MEMORY}, tensor<{TILE}xi32> -> tensor<{TILE}x4xf32>
  wtile.store %tile, %t : tensor<{TILE}x4xf32>, {MEMORY.replace("?x", f"{TILE}x", 1)}
}}
wtile.kernel @scatter axes 0 {{
^program(%t: {MEMORY.replace("?x", f"{TILE}x", 1)}, %rows: memref<{TILE}xi32, strided<[1]>>, %lo: index, %hi: index, %x: {MEMORY}):
  %numbers = wtile.load %rows : memref<{TILE}xi32, strided<[1]>> -> tensor<{TILE}xi32>
  %tile = wtile.load %t : {MEMORY.replace("?x", f"{TILE}x", 1)} -> tensor<{TILE}x4xf32>
  wtile.scatter %tile, %x[%numbers] live(%lo, %hi) : tensor<{TILE}x4xf32>, {MEMORY}, tensor<{TILE}xi32>
}}
// What was loaded does not change with what is stored afterwards, in memory or in a slot.
wtile.kernel @exchange axes 0 {{
^program(%x: memref<4x4xf32, strided<[?, 1]>>, %y: memref<4x4xf32, strided<[?, 1]>>):
  %stack = wtile.new_stack : !wtile.stack<2x4x4xf32>
  %a = wtile.load %x : memref<4x4xf32, strided<[?, 1]>> -> tensor<4x4xf32>
  %b = wtile.load %y : memref<4x4xf32, strided<[?, 1]>> -> tensor<4x4xf32>
  wtile.store_slot %a, %stack[0] : tensor<4x4xf32>, !wtile.stack<2x4x4xf32>
  wtile.store_slot %b, %stack[1] : tensor<4x4xf32>, !wtile.stack<2x4x4xf32>
  %slot = wtile.load_slot %stack[0] : !wtile.stack<2x4x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %slot, %b : tensor<4x4xf32>
  wtile.store_slot %sum, %stack[0] : tensor<4x4xf32>, !wtile.stack<2x4x4xf32>
  wtile.store %slot, %y : tensor<4x4xf32>, memref<4x4xf32, strided<[?, 1]>>
  wtile.store %b, %x : tensor<4x4xf32>, memref<4x4xf32, strided<[?, 1]>>
}}
"""


def memory():
    p = Program(KERNELS)
    x, tile = normal(ROWS, 4), normal(TILE, 4)
    x[0] = x[-1] = NAN
    dynamic = tensor_type(x, dynamic=(0,))
    inside = x[1:-1]
    for n, (first, lo, hi) in enumerate([(0, 0, 8), (1, 0, 8), (5, 0, 4), (-3, 3, 8), (-3, 3, 5), (2, 5, 5), (2, 6, 3), (0, 0, 20), (40, 0, 0)]):
        live = [(r, first + r) for r in range(max(lo, 0), min(hi, TILE))]
        want = np.full((TILE, 4), -1, np.float32)
        for r, row in live:
            want[r] = inside[row]
        bounds = {"first": first, "lo": lo, "hi": hi}
        p.add(f"load{n}", "wtile.launch @load programs() ins($x, $first, $lo, $hi : $Tx, index, index, index) outs($t : $R0)",
              {"x": x, **bounds, "t": tile}, [want], {"x": dynamic}, exact=True)
        want = x.copy()
        for r, row in live:
            want[1 + row] = tile[r]
        p.add(f"store{n}", "wtile.launch @store programs() ins($t, $first, $lo, $hi : $Tt, index, index, index) outs($x : $R0)",
              {"t": tile, **bounds, "x": x}, [want], {"x": dynamic}, [dynamic], exact=True)
    numbers = np.array([3, 0, -1, ROWS - 2, ROWS, 3, np.iinfo(np.int32).min, 1], np.int32)
    known = (numbers >= 0) & (numbers < ROWS)
    want = np.where(known[:, None], x[np.where(known, numbers, 0)], np.float32(0))
    p.add("gather", "wtile.launch @gather programs() ins($x, $r : $Tx, $Tr) outs($t : $R0)", {"x": x, "r": numbers, "t": tile},
          [want], {"x": dynamic}, exact=True)
    for n, (lo, hi) in enumerate([(0, 8), (1, 4), (-5, 1), (4, 100), (3, 2)]):
        want = x.copy()
        for r in range(max(lo, 0), min(hi, TILE)):
            if known[r]:
                want[numbers[r]] = tile[r]
        p.add(f"scatter{n}", "wtile.launch @scatter programs() ins($t, $r, $lo, $hi : $Tt, $Tr, index, index) outs($x : $R0)",
              {"t": tile, "r": numbers, "lo": lo, "hi": hi, "x": x}, [want], {"x": dynamic}, [dynamic], exact=True)
    a, b = normal(4, 4), normal(4, 4)
    p.add("exchange", "wtile.launch @exchange programs() outs($a, $b : $R0, $R1)", {"a": a, "b": b}, [b, a], exact=True)
    return p


if __name__ == "__main__":
    sys.exit(run_all([places(), combinations(), products(), factors(), memory()], sys.argv[1]))
