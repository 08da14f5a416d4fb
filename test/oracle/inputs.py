# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random test inputs by kind, and rounding to storage types."""

import numpy as np

from oracle.common import sigmoid, softplus, unit


def draw(rng, kind, shape):
    """A float64 array of this shape (int32 for permutations), drawn from numpy Generator `rng`.

    Kinds: normal N(0, 1); uniform (0, 1); positive 0.1 + uniform; zero; unit (normal,
    l2-normalised along the last axis); logsigmoid and softplus of a normal; permutation
    of [0, n) for shape [n]; spd, symmetric positive definite matrices along the last two
    axes with eigenvalues of order one. Raises ValueError for another kind.
    """
    if kind == "zero":
        return np.zeros(shape)
    if kind == "uniform":
        return rng.random(shape)
    if kind == "positive":
        return 0.1 + rng.random(shape)
    if kind == "permutation":
        return rng.permutation(shape[0]).astype(np.int32)
    x = rng.standard_normal(shape)
    if kind == "normal":
        return x
    if kind == "unit":
        return unit(x)
    if kind == "logsigmoid":
        return np.log(sigmoid(x))
    if kind == "softplus":
        return softplus(x)
    if kind == "spd":
        return np.eye(shape[-1]) + x @ np.swapaxes(x, -1, -2) / shape[-1]
    raise ValueError(f"no inputs of kind {kind}")


def to_bfloat16(x):
    """Float64 x rounded to the nearest bfloat16 (ties to even, by way of float32), as float64. Finite x only."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def to_storage(x, element):
    """Float64 x rounded to the element type "bf16", "f16", "f32" or "f64", as float64; integers stay as they are."""
    if x.dtype.kind != "f" or element == "f64":
        return x
    if element == "bf16":
        return to_bfloat16(x)
    return x.astype({"f16": np.float16, "f32": np.float32}[element]).astype(np.float64)
