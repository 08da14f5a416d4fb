# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of single ops: many cases in one function, run by weft-run, each result
compared with what numpy says.
"""

import os
import string
import subprocess
import tempfile

import numpy as np

ELEMENTS = {"float64": "f64", "float32": "f32", "float16": "f16", "int32": "i32", "int64": "i64"}


def tensor_type(x, element=None, dynamic=()):
    """The tensor type of an array: `element` where numpy has no such dtype (bf16), the
    dims listed in `dynamic` (or all, for True) of unknown size."""
    sizes = ["?" if dynamic is True or d in dynamic else str(size) for d, size in enumerate(x.shape)]
    return f"tensor<{'x'.join(sizes + [element or ELEMENTS[str(x.dtype)]])}>"


class Program:
    """Cases gathered into one function."""

    def __init__(self, functions=""):
        self.functions = functions
        self.inputs, self.arguments, self.body = {}, [], []
        self.results, self.wanted = [], {}

    def add(self, name, text, inputs, wanted, types=None, results=None, exact=False, bound=1e-11):
        """One op. `text` names its operands $a, their types $Ta, and its result types $R0, ...

        inputs: arrays, or ints for values of type index, by name. wanted: the results, arrays
        in order. types, results: types other than those of the arrays, by name and in order.
        exact: bit for bit, all NaNs alike; else |got - want| <= bound * max(1, |want|), with
        infinities and NaNs in their places.
        """
        words = {}
        for key, value in inputs.items():
            own = f"{name}_{key}"
            kind = "index" if isinstance(value, int) else (types or {}).get(key) or tensor_type(value)
            words[key], words["T" + key] = f"%{own}", kind
            self.arguments.append(f'%{own}: {kind} {{weft.name = "{own}"}}')
            self.inputs[own] = np.int64(value) if isinstance(value, int) else value
        kinds = results or [tensor_type(w) for w in wanted]
        words.update({f"R{i}": kind for i, kind in enumerate(kinds)})
        count = f":{len(kinds)}" if len(kinds) > 1 else ""
        self.body.append(f"  %{name}{count} = {string.Template(text).substitute(words)}")
        for i, (kind, want) in enumerate(zip(kinds, wanted)):
            value, own = (f"%{name}#{i}", f"{name}.{i}") if count else (f"%{name}", name)
            self.results.append((value, kind, own))
            self.wanted[own] = (want, exact, bound)

    def text(self):
        """The module."""
        arguments = ",\n    ".join(self.arguments)
        results = ",\n    ".join(f'{k} {{weft.name = "{n}"}}' for _, k, n in self.results)
        values, kinds = (", ".join(r[i] for r in self.results) for i in (0, 1))
        body = "\n".join(self.body)
        return (
            f"{self.functions}func.func @main({arguments})\n    -> ({results}) {{\n{body}\n"
            f"  return {values} : {kinds}\n}}\n"
        )

    def run(self, weft_run):
        """Names of the cases whose results differ, with how, as texts.

        Raises SystemExit with the tool's diagnostics where the program does not run.
        """
        with tempfile.TemporaryDirectory() as folder:
            program, inputs, output = (os.path.join(folder, n) for n in ("p.mlir", "in.npz", "out.npz"))
            with open(program, "w", encoding="utf-8") as file:
                file.write(self.text())
            np.savez(inputs, **self.inputs)
            done = subprocess.run(
                [weft_run, program, "--inputs", inputs, "--output", output],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise SystemExit(f"weft-run exits {done.returncode}\n{done.stderr}")
            with np.load(output) as arrays:
                got = {n: arrays[n] for n in self.wanted}
        problems = (difference(n, got[n], *case) for n, case in self.wanted.items())
        return [p for p in problems if p]


def difference(name, got, want, exact, bound):
    """How two arrays differ, as a text; "" where they do not."""
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"{name}: shape {got.shape}, expected {want.shape}"
    if not want.size:
        return ""
    same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
    if exact:
        close = same
    else:
        with np.errstate(invalid="ignore"):
            size = max(1.0, np.abs(want[np.isfinite(want)]).max(initial=0.0))
            close = same | (np.abs(got - want) <= bound * size) & np.isfinite(want)
    if close.all():
        return ""
    place = tuple(int(i) for i in np.argwhere(~close)[0])
    count = f"{(~close).sum()} of {want.size} entries differ"
    return f"{name}: {count}, {place} is {got[place]!r}, expected {want[place]!r}"


def run_all(programs, weft_run):
    """Runs programs; prints problems and a last line; returns the exit status."""
    cases = sum(len(p.wanted) for p in programs)
    problems = [text for p in programs for text in p.run(weft_run)]
    for text in problems:
        print(text)
    print(f"{cases - len(problems)} results right, {len(problems)} not")
    return 1 if problems else 0
