# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the project's passes off, one at a time, and expects a test to fail.

A pass that no test misses is a pass without a test. With a pass off
(SCANWEFT_SKIP_PASS) its own test file runs first, then all tests until one fails.

usage: mutate_passes.py --build=FOLDER [--own] [PASS...]
  --own   ask only the pass's own test file
Prints a line for each pass and last `N passed, N failed`, where a pass whose absence
was noticed counts as passed; exit status 1 where one was not.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def all_passes():
    """Pairs (argument, family), in the order of the families' Passes.td."""
    for file in sorted(ROOT.glob("passes/*/Passes.td")):
        for argument in re.findall(r'Pass<"([\w-]+)"', file.read_text(encoding="utf-8")):
            yield argument, file.parent.name


def first_failure(skipped, tests, lit):
    """The name of a test that fails without the pass, or None."""
    environment = dict(os.environ, SCANWEFT_SKIP_PASS=skipped)
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.json")
        subprocess.run([lit, "--quiet", "--max-failures=1", f"--output={results}", *tests],
                       env=environment, capture_output=True, check=False)
        if not results.exists():
            sys.exit(f"{lit} did not run")
        outcomes = json.loads(results.read_text(encoding="utf-8"))["tests"]
    failed = [test["name"] for test in outcomes if test["code"] in ("FAIL", "TIMEOUT", "XPASS")]
    return failed[0] if failed else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("passes", nargs="*")
    options = parser.parse_args()
    lit = shutil.which("lit-22") or shutil.which("lit")
    suite = pathlib.Path(options.build, "test")
    known = dict(all_passes())
    unknown = [name for name in options.passes if name not in known]
    if unknown:
        sys.exit(f"no such pass: {', '.join(unknown)} (there are {', '.join(known)})")

    missed = 0
    names = options.passes or list(known)
    for name in names:
        own = pathlib.Path("passes", known[name], f"{name}.mlir")
        failure = None
        if (ROOT / "test" / own).exists():
            failure = first_failure(name, [suite / own], lit)
        if not failure and not options.own:
            failure = first_failure(name, [suite], lit)
        missed += failure is None
        print(f"  {name:<28} {'NO TEST FAILS WITHOUT IT' if failure is None else failure}",
              flush=True)
    print(f"{len(names) - missed} passed, {missed} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
