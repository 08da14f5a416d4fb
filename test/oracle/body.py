# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The body ops in numpy: what each promises, with all its options.

Functions take and return arrays of any float dtype and compute in it: float64 for the
reference, float32 where a test compares bit for bit. Rows are [C, ...], time runs along
dim 0; `reverse` runs it from the last row to the first. Names and argument order are
those of the dialect's ops.
"""

import numpy as np

# ---------------------------------------------------------------- numerics

# Fraction bits kept, smallest normal exponent, largest finite number.
FORMATS = {
    "bf16": (7, -126, float.fromhex("0x1.fep127")),
    "f16": (10, -14, 65504.0),
    "tf32": (10, -126, float.fromhex("0x1.ffcp127")),
}


def round_to(x, name):
    """x (float32, any shape) rounded to "bf16", "f16" (nearest, ties to even), "tf32"
    (nearest, ties away from zero) or "f32" (as it is). Returns float32; beyond the
    largest number lies infinity; NaN stays NaN."""
    x = np.asarray(x, np.float32)
    if name == "f32":
        return x
    bits, smallest, largest = FORMATS[name]
    wide = np.abs(x.astype(np.float64))
    finite = np.where(np.isfinite(wide), wide, 1.0)
    exponent = np.maximum(np.frexp(finite)[1] - 1, smallest)
    place = np.ldexp(1.0, exponent - bits)
    steps = finite / place
    steps = np.floor(steps + 0.5) if name == "tf32" else np.rint(steps)
    rounded = np.where(steps * place > largest, np.inf, steps * place)
    return np.copysign(np.where(np.isfinite(wide), rounded, wide), x).astype(np.float32)


def split(x, name):
    """x (float32) as high and low half of format `name`: x is about high + low."""
    high = round_to(x, name)
    return high, round_to(x - high, name)


def product(a, b, numerics):
    """The float32 product of two float32 arrays, operands rounded as `numerics` says:
    "f32", "tf32", "bf16", "f16", "tf32x3", "bf16x3" or "f16x2"."""
    name, _, parts = numerics.partition("x")
    with np.errstate(all="ignore"):
        if parts == "3":
            (ah, al), (bh, bl) = split(a, name), split(b, name)
            return ah * bh + ah * bl + al * bh
        if parts == "2":
            ah, (bh, bl) = round_to(a, name), split(b, name)
            return ah * bh + ah * bl
        return round_to(a, name) * round_to(b, name)


# ---------------------------------------------------------------- products


def dot(a, b, i, j, numerics="f64"):
    """Contracts dim i of a with dim j of b. Returns [free dims of a, free dims of b].

    numerics "f64": in float64. Otherwise products as `product` makes them, summed in
    float32 in increasing order of the index.
    """
    if numerics == "f64":
        return np.tensordot(a.astype(np.float64), b.astype(np.float64), ((i,), (j,)))
    a, b = (np.moveaxis(x.astype(np.float32), k, 0) for x, k in ((a, i), (b, j)))
    total = np.zeros(a.shape[1:] + b.shape[1:], np.float32)
    lead = a.shape[1:] + (1,) * (b.ndim - 1)
    with np.errstate(all="ignore"):
        for x, y in zip(a, b):
            total += product(x.reshape(lead), y, numerics)
    return total


def sees(size, strict=False, reverse=False):
    """[C, C] of bool: row t sees column s <= t (strict: s < t; reverse: s >= t or s > t)."""
    t, s = np.arange(size)[:, None], np.arange(size)[None, :]
    if reverse:
        t, s = s, t
    return s < t if strict else s <= t


def decays(g, h, strict, reverse):
    """[C, C, K]: exp(g_td - h_sd) where t sees s, else 0."""
    seen = sees(len(g), strict, reverse)[..., None]
    with np.errstate(invalid="ignore"):
        return np.exp(np.where(seen, g[:, None] - h[None], -np.inf))


def decayed_dot(a, b, g, h, strict=False, reverse=False):
    """[C, K] rows a, b and cumulative log decays g, h -> [C, C]: the sum over d of
    a_td b_sd exp(g_td - h_sd) where t sees s, else 0, whatever a and b hold."""
    seen = sees(len(a), strict, reverse)[..., None]
    with np.errstate(invalid="ignore"):
        terms = a[:, None] * b[None] * decays(g, h, strict, reverse)
    return np.where(seen, terms, 0.0).sum(-1)


def decayed_matmul(p, b, g, h, strict=False, reverse=False):
    """Weights p [C, C] and rows b [C, K] -> [C, K]: the sum over the s that t sees of
    p_ts b_sd exp(g_td - h_sd)."""
    seen = sees(len(p), strict, reverse)[..., None]
    with np.errstate(invalid="ignore"):
        terms = p[..., None] * b[None] * decays(g, h, strict, reverse)
    return np.where(seen, terms, 0.0).sum(1)


# ---------------------------------------------------------------- reductions, running combinations


def reduce_sum(x, dim):
    """x without dim `dim`, summed in increasing order of the index in x's dtype."""
    total = np.zeros(np.delete(x.shape, dim), x.dtype)
    for part in np.moveaxis(x, dim, 0):
        total = total + part
    return total


def reduce_max(x, dim):
    """The largest entry along `dim`: -inf over none, NaN if one is NaN."""
    return np.maximum.reduce(x, axis=dim, initial=-np.inf).astype(x.dtype)


def cumsum(x, dim, exclusive=False, reverse=False):
    """Running sum along `dim`, in x's dtype."""
    out = np.zeros_like(x)
    rows, sums = np.moveaxis(x, dim, 0), np.moveaxis(out, dim, 0)
    total = np.zeros_like(rows[0]) if len(rows) else None
    for t in range(len(rows))[:: -1 if reverse else 1]:
        after = total + rows[t]
        sums[t] = total if exclusive else after
        total = after
    return out


def scan_rows(sources, combine, identity, lo, hi, exclusive=False, reverse=False):
    """Running combination of rows: (scanned, totals), each a list with one array per source.

    combine(earlier..., later...) -> a tuple of arrays; rows outside [lo, hi) take the
    identity, a number per source.
    """
    total = [np.full(x.shape[1:], e, x.dtype) for x, e in zip(sources, identity)]
    scanned = [np.zeros_like(x) for x in sources]
    for t in range(len(sources[0]))[:: -1 if reverse else 1]:
        row = [x[t] if lo <= t < hi else np.full_like(x[t], e) for x, e in zip(sources, identity)]
        after = [np.asarray(y) for y in combine(*total, *row)]
        for y, value in zip(scanned, total if exclusive else after):
            y[t] = value
        total = after
    return scanned, total


# ---------------------------------------------------------------- triangles


def tril(x, diagonal=0, reverse=False):
    """Keeps [t, s] with s <= t + diagonal (reverse: s >= t - diagonal), else 0."""
    t, s = np.arange(x.shape[0])[:, None], np.arange(x.shape[1])[None, :]
    kept = t <= s + diagonal if reverse else s <= t + diagonal
    return np.where(kept, x, np.zeros((), x.dtype))


def solve_tril(matrix, rhs, unit=False, reverse=False):
    """X with L X = rhs, L the lower (reverse: upper) triangle of matrix [C, C], with ones
    on its diagonal if `unit`. Entries outside the triangle may be NaN."""
    lower = tril(matrix, -1 if unit else 0, reverse)
    return np.linalg.solve(lower + (np.eye(len(matrix)) if unit else 0.0), rhs)


def cholesky(m, reverse=False):
    """Lower triangular L with L L^T = m, of whose entries only the lower triangle is read;
    with `reverse` the upper triangular factor U with U U^T = m."""
    lower = np.tril(m)
    whole = lower + np.tril(m, -1).T
    if reverse:
        return np.linalg.cholesky(whole[::-1, ::-1])[::-1, ::-1]
    return np.linalg.cholesky(whole)


# ---------------------------------------------------------------- shapes


def broadcast(x, dims, shape):
    """Dim i of x is dim dims[i] of the result, of shape `shape`; it repeats along the others."""
    expanded = x.reshape([shape[d] if d in dims else 1 for d in range(len(shape))])
    return np.broadcast_to(expanded, shape)


def outer(x, y):
    """[..., M], [..., N] -> [..., M, N]."""
    return x[..., :, None] * y[..., None, :]


# ---------------------------------------------------------------- maps along one dim


def softmax(x, dim):
    """exp(x - max) / sum along `dim`; a line of -inf throughout gives 0."""
    largest = np.max(x, axis=dim, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        weight = np.exp(x - np.where(largest == -np.inf, 0.0, largest))
        total = weight.sum(dim, keepdims=True)
        return np.where(total == 0.0, 0.0, weight / np.where(total == 0.0, 1.0, total))


def l2_normalize(x, dim, eps):
    """x / max(|x|, eps) along `dim`."""
    return x / np.maximum(np.sqrt((x * x).sum(dim, keepdims=True)), eps)


# ---------------------------------------------------------------- live rows, gathers, masks


def keep_live(x, dim, lo, hi, other):
    """Entries whose index along `dim` lies in [lo, hi) stay, the others become `other`."""
    index = np.arange(x.shape[dim]).reshape([-1 if d == dim else 1 for d in range(x.ndim)])
    return np.where((index >= lo) & (index < hi), x, np.asarray(other, x.dtype))


def gather_rows(x, rows):
    """Row i is x[rows[i]], or zeros where rows[i] is outside x."""
    out = np.zeros((len(rows),) + x.shape[1:], x.dtype)
    inside = (rows >= 0) & (rows < len(x))
    out[inside] = x[rows[inside]]
    return out


def mask_window(scores, left, right, row_start, col_start, row_index=None, col_index=None):
    """Scores [R, C] where -left <= key slot - query slot <= right (None: unbounded) and,
    with indices, col_index <= row_index; else -inf."""
    distance = col_start + np.arange(scores.shape[1])[None] - row_start - np.arange(scores.shape[0])[:, None]
    seen = np.ones(scores.shape, bool)
    if left is not None:
        seen &= distance >= -left
    if right is not None:
        seen &= distance <= right
    if row_index is not None:
        seen &= col_index[None] <= row_index[:, None]
    return np.where(seen, scores, np.asarray(-np.inf, scores.dtype))


# ---------------------------------------------------------------- Fenwick levels


def level_weights(levels):
    """levels [C, L] -> [C, C]: levels[t, bit_length(t xor s)] for s <= t, else 0."""
    size = len(levels)
    out = np.zeros((size, size), levels.dtype)
    for t in range(size):
        for s in range(t + 1):
            out[t, s] = levels[t, (t ^ s).bit_length()]
    return out


def fenwick_read(stack, chunk, query, levels, first):
    """Sum over the set bits b of `chunk` of levels[:, first + b] (query contracted with slot b).
    stack [S, K, V] or [S, K], query [C, K] -> [C, V] or [C]."""
    out = np.zeros(query.shape[:1] + stack.shape[2:], stack.dtype)
    for b in range(min(len(stack), levels.shape[1] - first)):
        if chunk >> b & 1:
            weight = levels[:, first + b].reshape([-1] + [1] * (stack.ndim - 2))
            out = out + weight * (query @ stack[b])
    return out


def fenwick_merge(stack, contribution, block, level):
    """Slot level + ctz(block + 1) becomes the contribution plus all slots below it, which
    become zero; beyond the stack it is dropped."""
    slot = level
    while block >> (slot - level) & 1:
        slot += 1
    out = stack.copy()
    merged = contribution + reduce_sum(stack[:slot], 0)
    out[:slot] = 0.0
    if slot < len(stack):
        out[slot] = merged
    return out
