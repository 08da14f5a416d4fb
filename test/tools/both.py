# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the same arguments through weft-opt and through mlir-opt with the
plugin; passes weft-opt's output on, and fails where the two differ.

mlir-opt reads its flags before it knows the plugin's passes: name passes in
--pass-pipeline, not as flags of their own.

usage: both.py --mlir-opt=PATH --plugin=PATH -- ARGUMENTS
"""

import difflib
import os
import subprocess
import sys


def run(command, text):
    """Returns (exit status, standard output, standard error)."""
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def show_difference(name, ours, stock):
    lines = difflib.unified_diff(
        ours.decode(errors="replace").splitlines(),
        stock.decode(errors="replace").splitlines(),
        f"weft-opt {name}",
        f"mlir-opt {name}",
        lineterm="",
    )
    print("\n".join(lines), file=sys.stderr)


def main():
    split = sys.argv.index("--")
    options = dict(o.lstrip("-").split("=", 1) for o in sys.argv[1:split])
    arguments = sys.argv[split + 1 :]
    # A file argument, or else the text on standard input for both tools.
    has_file = any(os.path.exists(a) for a in arguments)
    text = b"" if has_file else sys.stdin.buffer.read()
    if os.environ.get("SCANWEFT_CHECK_ROUNDTRIP"):
        arguments.insert(0, "--verify-roundtrip")
    load = [f"--load-{k}-plugin={options['plugin']}" for k in ("dialect", "pass")]

    ours = run(["weft-opt", *arguments], text)
    sys.stdout.buffer.write(ours[1])
    sys.stderr.buffer.write(ours[2])
    sys.stdout.flush()
    sys.stderr.flush()
    if not os.path.exists(options["plugin"]):
        return ours[0]
    stock = run([options["mlir-opt"], *load, *arguments], text)
    if ours[0] != stock[0]:
        print(f"both.py: exit status {ours[0]} of weft-opt, {stock[0]} of mlir-opt:",
              file=sys.stderr)
        sys.stderr.buffer.write(stock[2])
        return 100
    if ours[1:] != stock[1:]:
        show_difference("output", ours[1], stock[1])
        show_difference("diagnostics", ours[2], stock[2])
        return 100
    return ours[0]


if __name__ == "__main__":
    sys.exit(main())
