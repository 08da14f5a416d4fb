# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs through the compiler: the schedules of one program agree within float64 rounding.

    generate.py chunked --count 50 --first 0     bodies of chunk loops: sequential = segmented
    generate.py algebra --count 20               groups of scans: reference = chunked, C in 1, 16, 64
    generate.py chunked --print 7                the program of seed 7

Program n comes from seed n alone. Every program runs in float64; a chunk loop in S segments
for two S from 1 to 8 that go round with n. Exit status 1 where results differ, or where a
program does not compile; its file and commands are printed and kept.
"""

import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np

from algebra_groups import AlgebraProgram
from chunked_bodies import ChunkedProgram

INSTANTIATE = "weft-instantiate{in=f64}"
BOUNDS = ["--metric=max", "--tolerance=1e-10", "--row-tolerance=1e-8"]


def make(stage, seed, chunk=16):
    rng = np.random.default_rng(seed)
    return ChunkedProgram(rng, seed) if stage == "chunked" else AlgebraProgram(rng, seed, chunk)


def variants(stage, seed):
    """What must agree with the reference: (rows of a chunk in the text, passes)."""
    if stage == "chunked":
        return [(16, f"{INSTANTIATE},weft-segment{{segments={1 + (seed + step) % 8}}}") for step in (0, 5)]
    return [(rows, f"{INSTANTIATE},weft-to-chunked") for rows in (1, 16, 64)]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{shlex.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def check(stage, seed, folder):
    """Run one program in all its schedules; returns what went wrong, or an empty string."""
    def command(rows, passes, more):
        path = os.path.join(folder, f"{stage}-{seed}-{rows}.mlir")
        program = make(stage, seed, rows)
        with open(path, "w", encoding="utf-8") as file:
            file.write(program.text)
        return ["weft-run", path, f"--pipeline={passes}", f"--size={program.sizes}", f"--seed={seed}",
                "--time-limit=120"] + more

    expected = os.path.join(folder, f"{stage}-{seed}.npz")
    wrong = run(command(16, INSTANTIATE, [f"--output={expected}"]))
    for rows, passes in variants(stage, seed):
        wrong = wrong or run(command(rows, passes, [f"--expect={expected}"] + BOUNDS))
    if not wrong:
        os.remove(expected)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stage", choices=("chunked", "algebra"))
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--print", type=int, metavar="SEED", help="print one program")
    parser.add_argument("--keep", help="folder for the files of programs that fail")
    options = parser.parse_args()
    if options.print is not None:
        print(make(options.stage, options.print).text)
        return 0
    folder = options.keep or tempfile.mkdtemp(prefix="scanweft-random-")
    os.makedirs(folder, exist_ok=True)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.count)
        for seed, wrong in zip(seeds, pool.map(lambda seed: check(options.stage, seed, folder), seeds)):
            if wrong:
                failures += 1
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{options.count} {options.stage} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
