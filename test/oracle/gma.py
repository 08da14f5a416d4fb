# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Causal attention by mixture responsibilities: queries and keys meet in the posterior of one Gaussian mixture per head.

Source: arXiv 2606.18283 (diagonal variances by softplus with a floor, prior by softmax,
epsilon added to the normaliser).
"""

import numpy as np

from oracle.common import check, expand_heads, log_softmax, softmax, softplus
from oracle.linear_attention import linear_attention


def responsibilities(x, mu, omega, prior, variance_floor=1e-4):
    """Posterior of the mixture's components for every token, straight from the density.

    x [B, T, HX, D]; mu, omega [H, M, D], prior [H, M], H a divisor of HX.
    Returns [B, T, HX, M].
    """
    mu, omega, prior = (expand_heads(p, x.shape[2], axis=0) for p in (mu, omega, prior))
    variance = softplus(omega) + variance_floor
    bias = log_softmax(prior) - 0.5 * np.log(variance).sum(-1)
    return softmax(bias - 0.5 * ((x[..., None, :] - mu) ** 2 / variance).sum(-1))


def gma(q, k, v, mu, omega, prior, state=None, normalizer=None, epsilon=1e-6):
    """R_t = R_{t-1} + g(k_t) v_t^T; Z_t = Z_{t-1} + g(k_t); o_t = R_t^T g(q_t) / (Z_t . g(q_t) + epsilon), g the responsibilities.

    q [B, T, HQ, D], k [B, T, H, D], v [B, T, H, V], HQ a multiple of H; mu, omega
    [H, M, D], prior [H, M]. state [B, HQ, M, V] and normalizer [B, HQ, M] are those
    before the first step. Returns o [B, T, HQ, V], the final state and normaliser.
    """
    return linear_attention(responsibilities(q, mu, omega, prior), responsibilities(k, mu, omega, prior), v,
                            epsilon=epsilon, state=state, normalizer=normalizer)


def main():
    rng = np.random.default_rng(0)
    normal = rng.standard_normal
    q, k, v = normal((2, 13, 4, 6)), normal((2, 13, 2, 6)), normal((2, 13, 2, 3))
    mixture = normal((2, 9, 6)), normal((2, 9, 6)), normal((2, 9))
    # The scores as one product with [x*x, x], as an implementation would form them.
    precision = 1.0 / (softplus(mixture[1]) + 1e-4)
    weights = np.concatenate([-0.5 * precision, mixture[0] * precision], -1)
    bias = log_softmax(mixture[2]) + 0.5 * np.log(precision).sum(-1) - 0.5 * (mixture[0] ** 2 * precision).sum(-1)
    scores = np.einsum("bthd,hmd->bthm", np.concatenate([k * k, k], -1), weights) + bias
    check("responsibilities: density and product", responsibilities(k, *mixture), softmax(scores))
    pairs = np.tril(np.einsum("bthm,bshm->bhts", responsibilities(q, *mixture),
                              np.repeat(responsibilities(k, *mixture), 2, 2)))
    want = np.einsum("bhts,bshv->bthv", pairs / (pairs.sum(-1, keepdims=True) + 1e-6), np.repeat(v, 2, 2))
    check("outputs: recurrence and pairs", gma(q, k, v, *mixture)[0], want)


if __name__ == "__main__":
    main()
