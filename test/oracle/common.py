# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Head layout, token-wise functions and error measures shared by the oracles."""

import numpy as np


def expand_heads(x, heads, axis=2):
    """Repeat the heads of x so that it has `heads` of them: head i reads head i * h / heads.

    x: [B, T, h, ...] float64 (or heads at `axis`), h a divisor of heads. Returns the
    same with `heads` entries along that axis. Raises ValueError when h does not divide.
    """
    own = x.shape[axis]
    if own == 0 or heads % own:
        raise ValueError(f"{own} heads do not divide {heads}")
    return np.repeat(x, heads // own, axis=axis)


def softplus(x):
    """log(1 + exp(x)), any shape."""
    return np.logaddexp(0.0, x)


def sigmoid(x):
    """1 / (1 + exp(-x)), any shape."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def softmax(x):
    """Softmax along the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    """Logarithm of the softmax along the last axis."""
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def elu_plus_one(x):
    """x + 1 for positive x, exp(x) otherwise."""
    return np.maximum(x, 0.0) + np.exp(np.minimum(x, 0.0))


def unit(x, eps=1e-12):
    """x / max(|x|, eps) along the last axis."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), eps)


def outer(x, y):
    """[..., M], [..., N] -> [..., M, N]."""
    return x[..., :, None] * y[..., None, :]


def apply(x, matrix):
    """Rows x [..., K] times matrices [..., K, V] -> [..., V]."""
    return (x[..., None, :] @ matrix)[..., 0, :]


def difference(got, want):
    """got - want, and `want` with its infinities set to 0: inf where an infinity or a NaN is not met, else 0."""
    infinite = ~np.isfinite(want)
    with np.errstate(invalid="ignore"):
        apart = np.where(got == want, 0.0, got - want)
    apart = np.where(np.isnan(apart) | (infinite & (got != want)), np.inf, apart)
    return apart, np.where(infinite, 0.0, want)


def max_error(got, want):
    """Largest |got - want| relative to the largest |want|; 0 for empty arrays, inf if got has a NaN."""
    if got.shape != want.shape:
        raise ValueError(f"shapes {got.shape} and {want.shape} differ")
    if not want.size:
        return 0.0
    apart, want = difference(got, want)
    return float(np.abs(apart).max() / max(np.abs(want).max(), 1e-300))


def rms_error(got, want):
    """|got - want| / |want| over all entries (Frobenius); 0 for empty arrays."""
    if not want.size:
        return 0.0
    apart, want = difference(got, want)
    return float(np.linalg.norm(apart) / max(np.linalg.norm(want), 1e-300))


def worst_row_error(got, want):
    """Largest |row of got - want| / |row of want| over rows along the last axis; 0 for empty arrays."""
    if not want.size:
        return 0.0
    apart, want = difference(got, want)
    size = np.linalg.norm(want, axis=-1)
    return float((np.linalg.norm(apart, axis=-1) / np.maximum(size, 1e-300)).max())


def check(name, got, want, bound=1e-12):
    """Print the error of a self check; raise AssertionError where it exceeds `bound`."""
    error = max_error(np.asarray(got), np.asarray(want))
    print(f"{name:<60s} {error:.1e}")
    assert error <= bound, f"{name}: {error:.1e} exceeds {bound:.1e}"


def numeric_gradient(loss, x, step=1e-6):
    """Central differences of loss() with respect to every entry of x, perturbed in place.

    x: any shape, float64. Returns an array of x's shape.
    """
    gradient = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        kept = x[i]
        x[i] = kept + step
        high = loss()
        x[i] = kept - step
        low = loss()
        x[i] = kept
        gradient[i] = (high - low) / (2.0 * step)
    return gradient
