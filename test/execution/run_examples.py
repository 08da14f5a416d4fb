# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile the example files, run them on the CPU and compare them with their float64 references.

    run_examples.py                       every example, a short table
    run_examples.py --all [EXAMPLE...]    every schedule, size and length

Each example stands in one file; other sizes, chunks of one row and float64 come from it
by weft-instantiate, schedules parallel in time by weft-segment. In float64 the largest
difference over the largest reference entry must stay below 1e-10; as written (head size
64, bfloat16 inputs and products) the relative RMS below 5e-3, gradients 8e-3, and the
worst row below 5 times that, against the reference of the rounded inputs. Exit status 1 where one does not.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile

import numpy as np

from oracle.common import max_error, rms_error, worst_row_error
from oracle.examples import EXAMPLES
from oracle.inputs import to_storage

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LENGTHS = (0, 1, 5, 64, 131, 300)
FLOAT64_BOUND = 1e-10
WRITTEN_BOUND, GRADIENT_BOUND, ROW_FACTOR = 5e-3, 8e-3, 5.0


@dataclasses.dataclass(frozen=True)
class Schedule:
    """A name, the rows of a chunk (0: as written), passes after the instantiation, and whether numerics stay as written."""

    name: str
    rows: int = 0
    passes: str = ""
    written: bool = False


def segments(count, written=False):
    name = f"{count} segments" + (", as written" if written else "")
    return Schedule(name, passes=f"weft-segment{{segments={count}}}", written=written)


CHUNKED = (Schedule("sequential"), Schedule("chunks of 1 row", rows=1), segments(2), segments(3), segments(8),
           Schedule("sequential, as written", written=True), segments(3, written=True))
CHUNKED_SHORT = (CHUNKED[0], CHUNKED[1], CHUNKED[3], CHUNKED[5])
ALGEBRA = (Schedule("reference"), Schedule("chunked", passes="weft-to-chunked"),
           Schedule("3 segments", passes="weft-to-chunked,weft-segment{segments=3}"),
           Schedule("reference, as written", written=True), Schedule("chunked, as written", passes="weft-to-chunked", written=True))
ALGEBRA_SHORT = (ALGEBRA[0], ALGEBRA[1], ALGEBRA[2], ALGEBRA[4])


def schedules_of(file, short):
    if file.startswith("chunked/"):
        return CHUNKED_SHORT if short else CHUNKED
    return ALGEBRA_SHORT if short else ALGEBRA


def pipeline(example, schedule, width):
    """The passes before the lowering to the CPU; width 0 keeps the file's feature sizes."""
    options = [f"{letter}={width}" for letter in example.features if width]
    options += [f"rows={schedule.rows}"] if schedule.rows else []
    options += [] if schedule.written else ["in=f64"]
    instantiate = f"weft-instantiate{{{' '.join(options)}}}" if options else ""
    return ",".join(filter(None, (instantiate, schedule.passes)))


def run_cases(file, passes, cases, folder):
    """Compile the file once and run it on every case's inputs; returns the outputs of each, arrays by name.

    Raises RuntimeError with the tool's diagnostics where it fails.
    """
    lines = []
    for i, inputs in enumerate(cases):
        np.savez(os.path.join(folder, f"in{i}.npz"), **inputs)
        lines.append(f"--inputs={folder}/in{i}.npz --output={folder}/out{i}.npz\n")
    list_file = os.path.join(folder, "cases")
    with open(list_file, "w", encoding="utf-8") as stream:
        stream.writelines(lines)
    command = ["weft-run", os.path.join(ROOT, "examples", file), f"--cases={list_file}", "--time-limit=300"]
    command += [f"--pipeline={passes}"] if passes else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    outputs = []
    for i in range(len(cases)):
        with np.load(os.path.join(folder, f"out{i}.npz")) as archive:
            outputs.append({name: archive[name].astype(np.float64) for name in archive.files})
    return outputs


def measure(file, schedule, outputs, wanted):
    """The error shown in the table, and whether it is within bounds."""
    pairs = [(outputs[name], want) for name, want in wanted.items()]
    if not schedule.written:
        error = max(max_error(got, want) for got, want in pairs)
        return error, error <= FLOAT64_BOUND
    bound = GRADIENT_BOUND if "gradients" in file else WRITTEN_BOUND
    error = max(rms_error(got, want) for got, want in pairs)
    row = max(worst_row_error(got, want) for got, want in pairs)
    return error, error <= bound and row <= ROW_FACTOR * bound


def run_schedule(file, schedule, width, lengths, folder):
    """The error at every length; returns a list of (error, within bounds)."""
    example = EXAMPLES[file]
    sizes = dict(example.sizes, C=schedule.rows or example.chunk, **{letter: width or 64 for letter in example.features})
    cases, wanted = [], []
    for length in lengths:
        sizes["T"] = length
        drawn = example.draw_inputs(np.random.default_rng(1000 + length), sizes)
        if schedule.written:
            drawn = {name: to_storage(x, example.inputs[name][0]) for name, x in drawn.items()}
        cases.append(drawn)
        wanted.append(example.reference(drawn, sizes))
    passes = pipeline(example, schedule, width if width != 64 else 0)
    results = run_cases(file, passes, cases, folder)
    return [measure(file, schedule, got, want) for got, want in zip(results, wanted)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", nargs="*", help="files relative to examples/; all of them by default")
    parser.add_argument("--all", action="store_true", help="every schedule, head sizes 8 and 64, every length")
    options = parser.parse_args()
    files = options.examples or list(EXAMPLES)
    unknown = [file for file in files if file not in EXAMPLES]
    if unknown:
        parser.error(f"no example {unknown[0]}; there are {', '.join(EXAMPLES)}")
    lengths = LENGTHS if options.all else (5, 131)
    print(f"{'example':<34} {'schedule':<24} {'D':>3} " + " ".join(f"{'T=' + str(t):>8}" for t in lengths), flush=True)
    failures = 0
    for file in files:
        for width in (8, 64) if options.all else (64,):
            for schedule in schedules_of(file, not options.all):
                if width == 64 or not schedule.written:
                    failures += print_row(file, schedule, width, lengths)
    print(f"{failures} rows out of bounds" if failures else "all within bounds")
    return 1 if failures else 0


def print_row(file, schedule, width, lengths):
    """Print one row of the table; returns 1 where it is out of bounds."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            cells = run_schedule(file, schedule, width, lengths, folder)
        except RuntimeError as error:
            print(f"{file:<34} {schedule.name:<24} {width:>3} failed\n{error}", flush=True)
            return 1
    text = " ".join(f"{error:>8.1e}" if error else f"{'0':>8}" for error, _ in cells)
    good = all(within for _, within in cells)
    print(f"{file:<34} {schedule.name:<24} {width:>3} {text}{'' if good else '  OUT OF BOUNDS'}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
