# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules that every source file of the project keeps.

licence   the two-line licence header stands at the top
length    a C++, TableGen or Python file has at most 700 lines
cost      no header that costs seconds in every file that includes it
guard     a header's include guard is its path

usage: house_rules.py ROOT [FOLDER...]
Prints `file:line: rule: what`; exit status 1 where a rule is broken.
"""

import pathlib
import re
import sys

FOLDERS = ("cmake", "dialects", "docs", "examples", "include", "lib", "passes", "python",
           "test", "tools", ".ci", "CMakeLists.txt", "dev")
HEADER = ("Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.",
          "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
CODE = {".c", ".cpp", ".h", ".td", ".def", ".py"}
LICENSED = CODE | {".cmake"}
LINES = 700
COSTLY = re.compile(r'#include "(mlir/Conversion/Passes\.h|mlir/InitAll\w*\.h|'
                    r'mlir/Dialect/LLVMIR/NVVMDialect\.h)"')
# Who makes the ops of the one dialect that has no cheaper header.
PAYING = {"passes/Threads/Instructions.cpp"}


def is_licensed(path):
    return (path.suffix in LICENSED or path.name in ("CMakeLists.txt", "dev", "run")
            or path.name.endswith(".py.in") or path.parts[:1] == ("examples",))


def broken_rules(path, relative):
    """Yields (line, rule, what) for one file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    top = [line.lstrip("/#; ").strip() for line in lines[:4]]
    if is_licensed(relative) and not any(
            tuple(top[i:i + 2]) == HEADER for i in range(3)):
        yield 1, "licence", "no licence header"
    if path.suffix in CODE and len(lines) > LINES:
        yield LINES + 1, "length", f"{len(lines)} lines, at most {LINES}"
    for number, line in enumerate(lines, 1):
        hit = COSTLY.search(line)
        if hit and path.suffix in (".cpp", ".h") and relative.as_posix() not in PAYING:
            yield number, "cost", f"{hit[1]} takes seconds to include"
    if path.suffix in (".h", ".td"):
        yield from broken_guard(lines, relative)


def broken_guard(lines, relative):
    where = relative.as_posix().removeprefix("include/")
    prefix = "" if where.startswith("scanweft/") else "SCANWEFT_"
    guard = prefix + re.sub(r"\W", "_", where).upper()
    for number, line in enumerate(lines, 1):
        if line.startswith("#ifndef "):
            if line.split()[1] != guard:
                yield number, "guard", f"the include guard is {line.split()[1]}, not {guard}"
            return
    yield 1, "guard", f"no include guard {guard}"


def main():
    root = pathlib.Path(sys.argv[1])
    broken = files = 0
    for folder in sys.argv[2:] or FOLDERS:
        start = root / folder
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            relative = path.relative_to(root)
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            if "Inputs" in relative.parts and not sys.argv[2:]:
                continue
            files += 1
            for line, rule, what in broken_rules(path, relative):
                print(f"{relative}:{line}: {rule}: {what}")
                broken += 1
    print(f"{files} files, {broken} rules broken")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main())
