# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One call of a compiled example: its sizes, inputs and float64 reference."""

import dataclasses
import functools

import numpy as np

from oracle.examples import EXAMPLES
from scanweft.inputs import generate
from scanweft.storage import decode, encode

# Which inputs a set replaces: a kind by another, of these arguments only where they are named.
SETS = {
    "normal": {},
    "low_rank": {"k": {"normal": "low_rank", "unit": "low_rank_unit"}},
    "offset": {name: {"normal": "offset"} for name in ("q", "k", "v", "u", "x", "mu")},
    "zero_state": {},
}
HEADS = ("H", "HQ", "HV")


@dataclasses.dataclass(frozen=True)
class Problem:
    """An example at sizes: `types` are the element types that the kernel was compiled for, by argument.

    `part` keeps one batch entry and one group of heads, the last: the reference of a large call. `tiled`
    inputs are those of one batch entry, repeated: large ones take long to draw.
    """

    example: str
    sizes: tuple  # (letter, size) pairs
    types: tuple  # (argument, type) pairs
    inputs: str = "normal"
    seed: int = 0
    part: bool = False
    tiled: bool = False

    def size(self, letter):
        return dict(self.sizes)[letter]

    def letters(self, name):
        return EXAMPLES[self.example].inputs[name][2].split()

    def shape(self, name):
        return tuple(self.size(letter) for letter in self.letters(name))

    def names(self):
        return list(EXAMPLES[self.example].inputs)

    def kind(self, name):
        kind = EXAMPLES[self.example].inputs[name][1]
        if self.inputs == "zero_state" and name in EXAMPLES[self.example].carried.values():
            return "zeros" if kind != "spd" else kind
        return SETS[self.inputs].get(name, {}).get(kind, kind)

    @functools.lru_cache(maxsize=16)
    def draw(self, name):
        """Argument `name` as its storage, by seed, name and index. The array is shared: it is not to be written."""
        kind, shape = self.kind(name), self.shape(name)
        tiled = self.tiled and self.letters(name)[0] == "B"
        drawn = generate({"low_rank_unit": "low_rank", "zero": "zeros"}.get(kind, kind), (1, *shape[1:]) if tiled else shape,
                         self.seed, name)
        if kind == "low_rank_unit" and drawn.size:
            drawn = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
        stored = encode(drawn, dict(self.types)[name])
        return np.repeat(stored, shape[0], axis=0) if tiled and not self.part else stored

    def cut(self, x, letters):
        """The part of an array with these dims that the reference of a part sees, and so the result's part."""
        if not self.part:
            return x
        index = []
        for letter, size in zip(letters, x.shape):
            group = size // self.groups() if letter in HEADS else size
            index.append(slice(size - 1, None) if letter == "B" else slice(size - group, None) if letter in HEADS else slice(None))
        return x[tuple(index)]

    def groups(self):
        return min(size for letter, size in self.sizes if letter in HEADS)

    def reference(self):
        """Float64 results by name, of the inputs as stored."""
        inputs = {}
        for name, kind in self.types:
            x = self.cut(self.draw(name), self.letters(name))
            inputs[name] = decode(x, kind) if kind not in ("i32", "i64") else x
        sizes = dict(self.sizes)
        if self.part:
            groups = self.groups()
            sizes.update(B=1, **{letter: size // groups for letter, size in self.sizes if letter in HEADS})
        return EXAMPLES[self.example].reference(inputs, sizes)

    def describe(self):
        return {"example": self.example, "inputs": self.inputs, "seed": self.seed, **dict(self.sizes)}


def bounds(example, types):
    """Relative RMS and worst row that a result may be off, for these argument types."""
    low = any(kind in ("bf16", "f16") for _, kind in types)
    gradients = "gradients" in example
    rms = (8e-3 if gradients else 5e-3) if low else (1e-4 if gradients else 1e-5)
    return rms, rms * (5.0 if low else 10.0)


def errors(got, want):
    """Relative RMS and worst row; a row below a thousandth of the typical one is measured against that.

    Infinities and NaNs must agree place by place, else both are inf. got, want: float64, one shape.
    """
    if not want.size:
        return 0.0, 0.0
    agree = (got == want) | (np.isnan(got) & np.isnan(want)) | (np.isfinite(got) & np.isfinite(want))
    if not agree.all():
        return np.inf, np.inf
    finite = np.isfinite(want)
    apart = np.subtract(got, want, out=np.zeros(want.shape), where=finite)
    size = np.where(finite, want, 0.0)
    norm = np.linalg.norm(size)
    rows = np.atleast_1d(np.linalg.norm(size, axis=-1) if want.ndim else np.abs(size))
    row_errors = np.atleast_1d(np.linalg.norm(apart, axis=-1) if want.ndim else np.abs(apart))
    floor = max(1e-3 * np.sqrt((rows * rows).mean()), 1e-300)
    return float(np.linalg.norm(apart) / max(norm, 1e-300)), float((row_errors / np.maximum(rows, floor)).max())
