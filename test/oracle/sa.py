# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Softmax attention over a window of a permuted order of the tokens.

Source: "Stochastic attention", arXiv 2604.00754 (one order for all batch entries and
heads; causal in the original order).
"""

import numpy as np

from oracle.common import check, expand_heads


def window_attention(q, k, v, order, window, causal=True):
    """Query i sees key j where -left <= slot(j) - slot(i) <= right and, if causal, j <= i; scale 1/sqrt(K).

    q [B, T, HQ, K], k [B, T, H, K], v [B, T, H, V], HQ a multiple of H; order [T], a
    permutation: token order[p] stands at slot p. window = (left, right) in slots.
    Returns o [B, T, HQ, V] and the log-sum-exp of the scores [B, T, HQ]; a query that
    sees nothing gives 0 and -inf.
    """
    heads, steps = q.shape[2], q.shape[1]
    k, v = expand_heads(k, heads), expand_heads(v, heads)
    slot = np.empty(steps, dtype=np.int64)
    slot[order.astype(np.int64)] = np.arange(steps)
    out, lse = np.zeros(q.shape[:3] + v.shape[3:]), np.full(q.shape[:3], -np.inf)
    for i in range(steps):
        distance = slot - slot[i]
        seen = (distance >= -window[0]) & (distance <= window[1])
        if causal:
            seen &= np.arange(steps) <= i
        if not seen.any():
            continue
        scores = np.einsum("bhk,bjhk->bjh", q[:, i], k[:, seen]) / np.sqrt(q.shape[3])
        top = scores.max(1)
        weights = np.exp(scores - top[:, None])
        out[:, i] = np.einsum("bjh,bjhv->bhv", weights / weights.sum(1, keepdims=True), v[:, seen])
        lse[:, i] = top + np.log(weights.sum(1))
    return out, lse


def main():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 33, h, 5)) for h in (4, 2, 2))
    out, lse = window_attention(q, k, v, np.arange(33), (33, 33))
    scores = np.einsum("bthk,bshk->bhts", q, np.repeat(k, 2, 2)) / np.sqrt(5.0)
    weights = np.exp(np.where(np.tri(33, dtype=bool), scores, -np.inf))
    sums = weights.sum(-1)
    check("window of all tokens: causal attention", out,
          np.einsum("bhts,bshv->bthv", weights / sums[..., None], np.repeat(v, 2, 2)))
    check("log-sum-exp", lse, np.moveaxis(np.log(sums), 1, 2))
    order = rng.permutation(33)
    permuted = window_attention(q[:, order], k[:, order], v[:, order], np.arange(33), (4, 3), causal=False)[0]
    check("order: window attention of permuted tokens",
          window_attention(q, k, v, order, (4, 3), causal=False)[0][:, order], permuted)


if __name__ == "__main__":
    main()
