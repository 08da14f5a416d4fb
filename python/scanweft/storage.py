# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of the compiler's types in numpy: bf16, which numpy lacks, is kept as uint16."""

import numpy as np

STORAGE = {
    "i1": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
    "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
}
FLOATS = ("f16", "bf16", "f32", "f64")


def itemsize(kind):
    """Bytes of one element of a type. KeyError for a type without a numpy form."""
    return np.dtype(STORAGE[kind]).itemsize


def encode(x, kind):
    """Float64 or integer array x, any shape, as an array of `kind`'s storage, rounded to nearest, ties to even.

    bf16 is rounded once, from float64. KeyError for an unknown type.
    """
    x = np.asarray(x)
    if kind != "bf16":
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(x.astype(STORAGE[kind]))
    # Rounding to odd in float32 keeps what decides the tie, so that there is one rounding.
    with np.errstate(over="ignore"):
        single = x.astype(np.float32)
    bits = single.view(np.uint32).astype(np.int64)
    wide = single.astype(np.float64)
    exact = (wide == x) | ~np.isfinite(wide)
    with np.errstate(invalid="ignore"):
        beyond = np.abs(wide) > np.abs(x)
    bits = np.where(exact, bits, (bits - beyond) | 1)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(np.isnan(wide), 0x7FC0, rounded)
    return np.ascontiguousarray(rounded.astype(np.uint16))


def decode(stored, kind):
    """An array of `kind`'s storage as float64; integers as they are."""
    if kind == "bf16":
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return stored.astype(np.float64) if kind in FLOATS else stored


def poison(kind):
    """A value of `kind`'s storage that no kernel writes: a NaN with a payload, or a large negative integer."""
    patterns = {"f16": 0x7DEA, "bf16": 0x7FEA, "f32": 0x7FDEADEA, "f64": 0x7FFDEADEADEADEAD}
    if kind in patterns:
        unsigned = {2: np.uint16, 4: np.uint32, 8: np.uint64}[itemsize(kind)]
        return np.array(patterns[kind], unsigned).view(STORAGE[kind])
    info = np.iinfo(STORAGE[kind])
    return np.array(info.min + 90 if info.min else info.max - 90, STORAGE[kind])
