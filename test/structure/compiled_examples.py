# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in the descriptions of .td files, checked against the compiler.

Every op, attribute, type and pass has a summary and a description. Every op's
description holds at least one ```mlir block that uses the op, and each such block,
of any definition, is a whole module: it parses, verifies and survives a round trip
through weft-opt as it stands.

usage: compiled_examples.py --tblgen=PATH --include=FOLDER... FILE.td...
Prints every fault as `file:line: definition: what`; exit status 1 where there is one.
"""

import argparse
import json
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"```mlir\n(.*?)```", re.DOTALL)


def is_own(record, records):
    """Whether a definition is the project's; upstream's come along by inclusion."""
    dialect = record.get("dialect") or record.get("opDialect")
    return dialect is None or records[dialect["def"]]["cppNamespace"].startswith("::scanweft")


def load(file, options):
    """The definitions of a .td file, as (name, record), in the order of the sources."""
    command = [options.tblgen, "--dump-json", file]
    command += [f"-I{folder}" for folder in options.include]
    records = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    names = []
    for kind in ("Op", "AttrDef", "TypeDef", "PassBase"):
        names += records["!instanceof"].get(kind, [])
    own = [(name, records[name]) for name in names if is_own(records[name], records)]
    return sorted(own, key=lambda item: location(item[1]))


def location(record):
    file, line = record["!locs"][-1].rsplit(":", 1)
    return file, int(line)


def texts_missing(record):
    """What a definition lacks in words."""
    if not record["summary"].strip():
        yield "no summary"
    if not record["description"].strip():
        yield "no description"
    if "opName" not in record:
        return
    op = f"{record['opDialect']['def'].split('_')[0].lower()}.{record['opName']}"
    blocks = BLOCK.findall(record["description"])
    if not any(re.search(rf"{re.escape(op)}\b", block) for block in blocks):
        yield f"no ```mlir example that uses {op}"


def compile_block(text):
    """The first error weft-opt has for a module, or None."""
    done = subprocess.run(["weft-opt", "--verify-roundtrip", "-"], input=text,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return errors[0] if errors else f"exit status {done.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    faults = blocks = 0
    records = [item for file in options.files for item in load(file, options)]
    for name, record in records:
        where = "{}:{}: {}".format(*location(record), name)
        for fault in texts_missing(record):
            print(f"{where}: {fault}")
            faults += 1
        for block in BLOCK.findall(record["description"]):
            blocks += 1
            error = compile_block(textwrap.dedent(block))
            if error:
                print(f"{where}: example {error}")
                faults += 1
    print(f"{len(records)} definitions, {blocks} examples, {faults} faults")
    return 1 if faults or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
