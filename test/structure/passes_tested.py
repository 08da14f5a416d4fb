# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One string in several places: a pass `weft-x-y` or `wtile-x-y` of a family F has its
definition in passes/F/XY.cpp and its test in test/passes/F/<pass>.mlir, which runs it
through both weft-opt and the stock mlir-opt.

usage: passes_tested.py ROOT
Exit status 1 where something is missing.
"""

import pathlib
import re
import sys


def file_stem(argument):
    return "".join(word.capitalize() for word in argument.split("-")[1:])


def faults(root, family, argument):
    if not argument.startswith(("weft-", "wtile-")):
        yield f"{argument}: the name starts with neither weft- nor wtile-"
    source = root / "passes" / family / f"{file_stem(argument)}.cpp"
    if not source.exists():
        yield f"{argument}: no {source.relative_to(root)}"
    test = root / "test/passes" / family / f"{argument}.mlir"
    if not test.exists():
        yield f"{argument}: no {test.relative_to(root)}"
        return
    runs = re.findall(r"RUN:.*", test.read_text(encoding="utf-8"))
    if not any("%weft_opt_both" in run and argument in run for run in runs):
        yield f"{test.relative_to(root)}: no run through both tools (%weft_opt_both)"


def main():
    root = pathlib.Path(sys.argv[1])
    found = number = 0
    for file in sorted(root.glob("passes/*/Passes.td")):
        text = file.read_text(encoding="utf-8")
        for argument in re.findall(r'\bPass<"([^"]+)"', text):
            number += 1
            for fault in faults(root, file.parent.name, argument):
                print(fault)
                found += 1
    print(f"{number} passes, {found} faults")
    return 1 if found or not number else 0


if __name__ == "__main__":
    sys.exit(main())
