# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No mixer is known to the compiler by name.

usage: no_mixer_names.py NAMES FOLDER...
Prints every file, line and name found; exit status 1 where there is one.
"""

import pathlib
import re
import sys


def read_names(path):
    """One pattern that matches any of the names as whole words."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    names = [r"[\s_-]*".join(map(re.escape, line.split()))
             for line in lines if line and not line.startswith("#")]
    # A word ends at letters' and digits' ends: `vla_step` and `VLA.mlir` name
    # the mixer, `available` does not.
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(names)})(?![a-z0-9])", re.IGNORECASE)


def main():
    pattern = read_names(pathlib.Path(sys.argv[1]))
    found = searched = 0
    for folder in map(pathlib.Path, sys.argv[2:]):
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            searched += 1
            for hit in pattern.finditer(path.name):
                print(f"{path}: the file's name holds '{hit[0]}'")
                found += 1
            text = path.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                for hit in pattern.finditer(line):
                    print(f"{path}:{number}: '{hit[0]}'")
                    found += 1
    print(f"{searched} files, {found} names of mixers")
    return 1 if found or not searched else 0


if __name__ == "__main__":
    sys.exit(main())
