# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums up lit's results: the time of each folder of tests, what failed, and a
last line `N passed, N failed` with `, N skipped` where tests were skipped.

usage: summary.py RESULTS.json
Exit status 1 where a test failed or none ran.
"""

import collections
import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def part(name):
    """The folder of a test `scanweft :: passes/CPU/x.mlir`: two levels."""
    path = name.split(" :: ", 1)[1].removeprefix("./").split("/")[:-1]
    return "/".join(path[:2]) or "."


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    except OSError:
        tests = []
    seconds = collections.Counter()
    numbers = collections.Counter()
    for test in tests:
        seconds[part(test["name"])] += test["elapsed"] or 0.0
        numbers[part(test["name"])] += 1
    for folder in sorted(seconds):
        print(f"  {folder:<24} {numbers[folder]:4} tests {seconds[folder]:7.1f} s")

    codes = [test["code"] for test in tests]
    if not tests:
        print("  no results: lit did not run")
        codes = ["FAIL"]
    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    failed = len(codes) - passed - skipped
    for test in tests:
        if test["code"] not in PASSED | SKIPPED:
            print(f"  {test['code']}: {test['name']}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
