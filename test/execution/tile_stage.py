# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the examples after each pass of the tile stage that comes before layouts, and compare.

    tile_stage.py [--in bf16|f16|f32|f64] [EXAMPLE...]

Two errors are measured at each length, relative RMS of the worst output: to the float64
reference of the rounded inputs, and to the program before the pass. What a pass may change:

    outline, order   nothing: every entry is computed by the same operations in the same order
    stack            levels' weights stand at the queries, before the products
    expand           triangles by blocks instead of row by row, sums from another start, f32
                     products in three of tf32
    fuse             the order of a sum

Where factors are rounded to 16 bits, a sum that differs in its last place may round to the
other neighbour: bounds are those of the numerics. Exit status 1 where one does not hold, or
where an example is not taken that should be.
"""

import argparse
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_examples
from oracle.common import rms_error, worst_row_error
from oracle.examples import EXAMPLES
from oracle.inputs import to_storage

# Their products decay per entry: no form on tiles.
NOT_ON_TILES = ("chunked/two_terms.mlir", "chunked/gated_slot_attention.mlir")
CLEAN = ",canonicalize,cse"
OUTLINE = "wtile-outline-kernels"
STACK = f"{OUTLINE},wtile-stack-states"
EXPAND = f"{STACK},wtile-expand-body{CLEAN}"
FUSE = f"{EXPAND},wtile-fuse-accumulators{CLEAN}"
ORDER = f"{FUSE},loop-invariant-code-motion,wtile-order-ops"
STAGES = {"chunked": "", "outline": OUTLINE, "stack": STACK, "expand": EXPAND, "fuse": FUSE, "order": ORDER}
# Products of its responsibilities lie below the range of f16, at every stage.
NOT_IN_F16 = ("gma_causal.mlir",)
# By numerics: to the reference, its worst row in multiples of that, and from one stage to the
# next. The worst in f32 is gma_causal, once the parts of a product start from a larger sum.
BOUNDS = {"bf16": (5e-3, 5.0, {"stack": 2.0**-8, "expand": 2.0**-8, "fuse": 2.0**-10}),
          "f16": (5e-3, 5.0, {"stack": 2.0**-10, "expand": 2.0**-10, "fuse": 2.0**-10}),
          "f32": (2e-5, 10.0, {"stack": 1e-5, "expand": 1e-5, "fuse": 2e-5}),
          "f64": (1e-10, 10.0, {})}


def draw_cases(file, numerics, lengths):
    """Inputs and references at the lengths: two lists of dicts of float64 arrays by name."""
    example = EXAMPLES[file]
    sizes = dict(example.sizes, C=example.chunk, **{letter: 64 for letter in example.features})
    storage = {name: numerics if kind == "bf16" or numerics == "f64" else kind
               for name, (kind, _, _) in example.inputs.items()}
    cases, wanted = [], []
    for length in lengths:
        sizes["T"] = length
        drawn = example.draw_inputs(np.random.default_rng(1000 + length), sizes)
        drawn = {name: to_storage(x, storage[name]) for name, x in drawn.items()}
        cases.append(drawn)
        wanted.append(example.reference(drawn, sizes))
    return cases, wanted


def run_stage(file, numerics, stage, cases):
    """Outputs of every case, arrays by name; None where the example has no form on tiles."""
    passes = ["weft-instantiate{in=" + numerics + "}"] if numerics != "bf16" else []
    passes += [] if file.startswith("chunked/") else ["weft-to-chunked"]
    passes += [STAGES[stage]] if STAGES[stage] else []
    with tempfile.TemporaryDirectory() as folder:
        try:
            return run_examples.run_cases(file, ",".join(passes), cases, folder)
        except RuntimeError as error:
            if file in NOT_ON_TILES and "has no form on tiles" in str(error):
                return None
            raise


def distances(outputs, others, error):
    """By case, the largest error of an output."""
    return [max(error(got[name], want[name]) for name in want) for got, want in zip(outputs, others)]


def check_stage(file, numerics, stage, outputs, before, wanted):
    """Print one line; returns whether all bounds hold."""
    bound, row_factor, changes = BOUNDS[numerics]
    if "gradients" in file and numerics == "bf16":
        bound = run_examples.GRADIENT_BOUND
    errors = distances(outputs, wanted, rms_error)
    rows = distances(outputs, wanted, worst_row_error)
    good = max(errors) <= bound and max(rows) <= row_factor * bound
    text = " ".join(f"{error:8.1e}" for error in errors)
    if before is not None:
        moved = distances(outputs, before, rms_error)
        good = good and max(moved) <= changes.get(stage, 0.0)
        text += "   moved " + " ".join(f"{distance:8.1e}" for distance in moved)
    print(f"{file:<34} {stage:<8} {text}{'' if good else '  OUT OF BOUNDS'}", flush=True)
    return good


def check_example(file, numerics, lengths):
    """Runs the stages one after the other; returns the number of faults."""
    cases, wanted = draw_cases(file, numerics, lengths)
    before, faults = None, 0
    # Tiles are of f32 at most: no further than kernels of their own in f64.
    for stage in list(STAGES)[: 2 if numerics == "f64" else None]:
        try:
            outputs = run_stage(file, numerics, stage, cases)
        except RuntimeError as error:
            print(f"{file:<34} {stage:<8} failed\n{error}", flush=True)
            return faults + 1
        if outputs is None:
            print(f"{file:<34} {stage:<8} no form on tiles", flush=True)
            return faults
        faults += not check_stage(file, numerics, stage, outputs, before, wanted)
        before = outputs
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", nargs="*", help="files relative to examples/; all of them by default")
    parser.add_argument("--in", dest="numerics", choices=BOUNDS, default="bf16", help="bf16 is as the files are written")
    options = parser.parse_args()
    left_out = NOT_IN_F16 if options.numerics == "f16" else ()
    files = options.examples or [file for file in EXAMPLES if file not in left_out]
    unknown = [file for file in files if file not in EXAMPLES]
    if unknown:
        parser.error(f"no example {unknown[0]}; there are {', '.join(EXAMPLES)}")
    lengths = run_examples.LENGTHS if options.numerics == "bf16" else (1, 131)
    faults = sum(check_example(file, options.numerics, lengths) for file in files)
    print(f"{len(files)} examples, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
