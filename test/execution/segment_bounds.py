# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over part of an axis, cut into segments.

Random rows [from, to) that start and end inside chunks and inside aligned blocks (for a
stack of states: at a whole chunk, with what the chunks before left in it), empty ones
among them; random numbers of segments. Outputs and final states equal those of the loop
as written; rows outside stay as they were.

usage: segment_bounds.py WEFT_RUN
"""

import os
import re
import sys
import tempfile

import numpy as np

import scan_counts
from scan_counts import C, K, V, differences, execute

SLOTS, COUNT = 7, 6

# from and to are the lengths of two vectors; the outputs start as -1.
BOUNDS = """func.func @loop(%f: tensor<?xf64> {weft.name = "from"}, %t: tensor<?xf64> {weft.name = "to"},
                """


def bounded(text):
    """The loop of scan_counts over rows [from, to)."""
    text = text.replace("func.func @loop(", BOUNDS)
    text = text.replace("rows %c0 to %T", "rows %from to %to")
    text = re.sub(r"%init = tensor.empty\(%T\) : (tensor<\?x\dxf64>)",
                  r"""%from = tensor.dim %f, %c0 : tensor<?xf64>
  %to = tensor.dim %t, %c0 : tensor<?xf64>
  %minus = arith.constant -1.0 : f64
  %init = tensor.splat %minus[%T] : \1""", text)
    return text


def stacked(text):
    """The memory as a stack, read by levels."""
    state, stack = "tensor<5x3xf64>", f"tensor<{SLOTS}x5x3xf64>"
    body, rest = text.split("%e = weft.affine_element")
    body = re.sub(r"%oc = weft.dot[^\n]*",
                  f"""%lam = arith.constant dense<0.5> : tensor<4x10xf64>
    %oc = weft.fenwick_read %h at %n query %rc levels %lam from 3 numerics<in = f64, acc = f64>
        : {stack}, tensor<4x5xf64>, tensor<4x10xf64> -> tensor<4x3xf64>""", body)
    text = body.replace(state, stack) + "%e = weft.affine_element" + rest.replace(state, stack)
    return text.replace("as [#weft.affine]", "as [#weft.fenwick<#weft.affine>]")


PROGRAMS = {
    "affine": bounded(scan_counts.AFFINE),
    "region": bounded(scan_counts.REGION),
    "stack": bounded(stacked(scan_counts.AFFINE)),
}


def draw(name, rng):
    """Inputs by name, and a number of segments."""
    first = int(rng.integers(0, 90))
    last = first + int(rng.choice((-3, 0, rng.integers(1, 20), rng.integers(20, 120))))
    if name == "stack":
        first -= first % C
    steps = max(first, last, 0) + 3
    inputs = scan_counts.draw("region" if name == "region" else "affine", steps, rng)
    if name == "stack":
        live = [(first // C >> b) & 1 for b in range(SLOTS)]
        inputs["h0"] = rng.standard_normal((SLOTS, K, V)) * np.reshape(live, (-1, 1, 1))
    inputs |= {"from": np.zeros(first), "to": np.zeros(max(last, 0))}
    return inputs, int(rng.integers(1, 10))


def main():
    weft_run, failed = sys.argv[1], 0
    for name, text in PROGRAMS.items():
        for seed in range(COUNT):
            arrays, segments = draw(name, np.random.default_rng(seed))
            with tempfile.TemporaryDirectory() as folder:
                program, inputs, output = (os.path.join(folder, f) for f in ("loop.mlir", "in.npz", "out.npz"))
                with open(program, "w", encoding="utf-8") as file:
                    file.write(text)
                np.savez(inputs, **arrays)
                want, _ = execute(weft_run, program, inputs, output)
                got, _ = execute(weft_run, program, inputs, output, segments)
            for problem in differences(want, got):
                failed += 1
                print(f"{name}, seed {seed}, rows {len(arrays['from'])} to {len(arrays['to'])}, {segments} segments: {problem}")
    print(f"{len(PROGRAMS) * COUNT} loops, {failed} results differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
