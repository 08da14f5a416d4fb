# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a loop cut into S segments really executes, for S = 1 to 33.

Two loops with kinds whose combine does not commute, one walked forward (a memory with
erases), one descending (a first-order recurrence), are cut by `weft-segment` and run with
counters. Per S: the results equal the recurrence in numpy, the scan of the summaries
takes 2 (P - 1) combines on 2 log2 P levels with P = 2^ceil(log2 S), and every chunk is
folded once and replayed once.

usage: scan_counts.py WEFT_RUN
"""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np

C, K, V = 4, 5, 3
TOLERANCE = 1e-10

AFFINE = """
func.func @loop(%w: tensor<?x5xf64> {weft.name = "w"}, %r: tensor<?x5xf64> {weft.name = "r"}, %v: tensor<?x3xf64> {weft.name = "v"},
                %h0: tensor<5x3xf64> {weft.name = "h0"}) -> (tensor<?x3xf64> {weft.name = "o"}, tensor<5x3xf64> {weft.name = "h"}) {
  %c0 = arith.constant 0 : index
  %T = tensor.dim %w, %c0 : tensor<?x5xf64>
  %init = tensor.empty(%T) : tensor<?x3xf64>
  %o, %h1 = weft.chunked rows %c0 to %T by 4 slices(%w, %r, %v : tensor<?x5xf64>, tensor<?x5xf64>, tensor<?x3xf64>)
      carries(%h0 : tensor<5x3xf64>) as [#weft.affine] outs(%init : tensor<?x3xf64>) {
  ^chunk(%n: index, %lo: index, %hi: index, %wc: tensor<4x5xf64>, %rc: tensor<4x5xf64>, %vc: tensor<4x3xf64>, %h: tensor<5x3xf64>):
    %oc = weft.dot %rc, %h over [1, 0] numerics<in = f64, acc = f64> : tensor<4x5xf64>, tensor<5x3xf64> -> tensor<4x3xf64>
    %e = weft.affine_element term(write(%wc : tensor<4x5xf64>) erase(%rc : tensor<4x5xf64>) value(%vc : tensor<4x3xf64>))
        numerics<in = f64, acc = f64>
    weft.next out(%oc : tensor<4x3xf64>) carry(%e : !weft.element<#weft.affine>)
  }
  return %o, %h1 : tensor<?x3xf64>, tensor<5x3xf64>
}
"""

REGION = """
#then = #weft.region<@then identity [1.0 : f64, 0.0 : f64]>
func.func private @then(%a1: f64, %b1: f64, %a2: f64, %b2: f64) -> (f64, f64) {
  %a = arith.mulf %a2, %a1 : f64
  %c = arith.mulf %a2, %b1 : f64
  %b = arith.addf %c, %b2 : f64
  return %a, %b : f64, f64
}
func.func @loop(%w: tensor<?x5xf64> {weft.name = "w"}, %r: tensor<?x5xf64> {weft.name = "r"}, %h0: tensor<5xf64> {weft.name = "h0"})
    -> (tensor<?x5xf64> {weft.name = "o"}, tensor<5xf64> {weft.name = "h"}) {
  %c0 = arith.constant 0 : index
  %T = tensor.dim %w, %c0 : tensor<?x5xf64>
  %init = tensor.empty(%T) : tensor<?x5xf64>
  %one = arith.constant dense<1.0> : tensor<5xf64>
  %o, %a1, %h1 = weft.chunked rows %c0 to %T by 4 descending slices(%w, %r : tensor<?x5xf64>, tensor<?x5xf64>)
      carries(%one, %h0 : tensor<5xf64>, tensor<5xf64>) as [#then] outs(%init : tensor<?x5xf64>) {
  ^chunk(%n: index, %lo: index, %hi: index, %wc: tensor<4x5xf64>, %rc: tensor<4x5xf64>, %a: tensor<5xf64>, %h: tensor<5xf64>):
    %ar, %br, %at, %bt = weft.scan_rows (%wc, %rc : tensor<4x5xf64>, tensor<4x5xf64>) by @then identity [1.0 : f64, 0.0 : f64]
        from %lo to %hi reverse -> (tensor<4x5xf64>, tensor<4x5xf64>), (tensor<5xf64>, tensor<5xf64>)
    %hb = weft.broadcast %h to [1] : tensor<5xf64> -> tensor<4x5xf64>
    %carried = arith.mulf %ar, %hb : tensor<4x5xf64>
    %oc = arith.addf %carried, %br : tensor<4x5xf64>
    %e = weft.region_element %at, %bt : tensor<5xf64>, tensor<5xf64> -> !weft.element<#then>
    weft.next out(%oc : tensor<4x5xf64>) carry(%e : !weft.element<#then>)
  }
  return %o, %h1 : tensor<?x5xf64>, tensor<5xf64>
}
"""


def draw(name, steps, rng):
    """Inputs of one loop over `steps` rows by name: {name: float64 array}."""
    if name == "affine":
        w = rng.standard_normal((steps, K)) / 3
        return {"w": w, "r": rng.standard_normal((steps, K)) / 3, "v": rng.standard_normal((steps, V)),
                "h0": rng.standard_normal((K, V))}
    return {"w": rng.uniform(-1, 1, (steps, K)), "r": rng.standard_normal((steps, K)), "h0": rng.standard_normal(K)}


def recurrence(name, w, r, h0, v=None):
    """The loop's results by name, from inputs as `draw` makes them."""
    h, o = h0, np.zeros((len(w), V if name == "affine" else K))
    if name == "affine":
        for chunk in range(0, len(w), C):
            rows = slice(chunk, chunk + C)
            o[rows] = r[rows] @ h
            h = h + w[rows].T @ (v[rows] - o[rows])
    else:
        for t in reversed(range(len(w))):
            o[t] = h = w[t] * h + r[t]
    return {"o": o, "h": h}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nexits {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def execute(weft_run, program, inputs, output, segments=0):
    """Runs a program, cut into segments where there are some; returns (results by name, counters by name)."""
    command = [weft_run, program, "--function=loop", f"--inputs={inputs}", f"--output={output}", "--statistics"]
    if segments:
        command.append(f"--pipeline=weft-segment{{segments={segments}}}")
    counters = {n: int(c) for n, c in re.findall(r"statistic: (\w+) = (\d+)", run(command))}
    with np.load(output) as arrays:
        return dict(arrays), counters


def check(weft_run, name, program, segments, folder):
    """Problems of one loop cut into `segments` segments, as texts."""
    inputs, output = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    steps = segments * C - 1  # one chunk a segment, the last one ragged
    arrays = draw(name, steps, np.random.default_rng(segments))
    np.savez(inputs, **arrays)
    got, counters = execute(weft_run, program, inputs, output, segments)
    levels = (segments - 1).bit_length()
    expected = {"scan_combines": 2 * (2**levels - 1), "scan_depth": 2 * levels, "fold_combines": segments,
                "chunks": 2 * segments}
    problems = [f"{n} is {counters[n]}, expected {c}" for n, c in expected.items() if counters[n] != c]
    return problems + differences(recurrence(name, **arrays), got)


def differences(want, got):
    """Texts for results that differ; both map names to arrays."""
    errors = {k: np.abs(got[k] - x).max(initial=0) / max(1, np.abs(x).max(initial=0)) for k, x in want.items()}
    return [f"{k} differs by {e:.2e}" for k, e in errors.items() if not e <= TOLERANCE]


def main():
    weft_run, failed = sys.argv[1], 0
    for name, text in (("affine", AFFINE), ("region", REGION)):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "loop.mlir")
            with open(program, "w", encoding="utf-8") as file:
                file.write(text)
            for segments in range(1, 34):
                problems = check(weft_run, name, program, segments, folder)
                failed += bool(problems)
                for problem in problems:
                    print(f"{name}, {segments} segments: {problem}")
    print(f"{66 - failed} schedules counted right, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
