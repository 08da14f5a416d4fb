# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated inputs by the names that `weft.input` takes, equal to weft-run's up to the last places
of log, sin and cos: a value depends on the seed, the argument's name and its row-major index."""

import numpy as np

KINDS = ("zeros", "ones", "iota", "normal", "offset", "uniform", "positive", "logsigmoid", "softplus", "unit", "low_rank",
         "spd", "permutation")
GOLDEN, LOW_RANK, LOW_RANK_NOISE = 0x9E3779B97F4A7C15, 4, 0.1
MASK = (1 << 64) - 1


def _mix(z):
    """SplitMix64's output function, of an int or of a uint64 array."""
    if isinstance(z, int):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _key(seed, name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return _mix(_mix((seed + GOLDEN) & MASK) ^ value)


def _bits(key, index):
    return _mix(np.uint64(key) + (index.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN))


def _uniform(key, index):
    return ((_bits(key, index) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _normal(key, index):
    pair = index - (index & 1)
    radius = np.sqrt(-2.0 * np.log(_uniform(key, pair)))
    angle = 2.0 * np.pi * _uniform(key, pair + 1)
    return radius * np.where(index & 1, np.sin(angle), np.cos(angle))


def _softplus(x):
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def _low_rank(seed, name, index, width):
    value = LOW_RANK_NOISE * _normal(_key(seed, name), index)
    weights, basis = _key(seed, name + ":weights"), _key(seed, name + ":basis")
    for rank in range(LOW_RANK):
        value += _normal(weights, index // width * LOW_RANK + rank) * _normal(basis, rank * width + index % width) / np.sqrt(LOW_RANK)
    return value


def _permutations(key, shape):
    """Fisher-Yates on each row."""
    width = shape[-1]
    rows = np.empty((int(np.prod(shape[:-1])), width), np.int64)
    for r, row in enumerate(rows):
        order = list(range(width))
        bits = _bits(key, np.arange(r * width, (r + 1) * width)).tolist()
        for i in range(width - 1, 0, -1):
            j = bits[i] % (i + 1)
            order[i], order[j] = order[j], order[i]
        row[:] = order
    return rows.reshape(shape)


def generate(kind, shape, seed, name):
    """Float64 array of this shape (int64 of permutations) for an argument `name`. ValueError for an unknown kind."""
    shape = tuple(shape)
    number = int(np.prod(shape))
    if kind not in KINDS:
        raise ValueError(f"there is no input '{kind}': there are {', '.join(KINDS)}")
    key, index = _key(seed, name), np.arange(number)
    if kind == "permutation":
        return _permutations(key, shape)
    if kind in ("zeros", "ones"):
        return np.full(shape, float(kind == "ones"))
    if kind == "iota":
        return index.astype(np.float64).reshape(shape)
    width = shape[-1] if shape else 1
    if kind in ("uniform", "positive"):
        return (_uniform(key, index) + 0.5 * (kind == "positive")).reshape(shape)
    if kind == "low_rank":
        return _low_rank(seed, name, index, width).reshape(shape)
    x = _normal(key, index).reshape(shape)
    if kind == "offset":
        return x + 2.0
    if kind == "logsigmoid":
        return -_softplus(-x)
    if kind == "softplus":
        return _softplus(x)
    if kind == "unit":
        return x / np.sqrt((x * x).sum(-1, keepdims=True))
    if kind == "spd":
        return np.eye(width) + x @ np.swapaxes(x, -1, -2) / width
    return x
