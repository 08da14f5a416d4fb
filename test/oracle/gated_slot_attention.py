# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Gated slot attention: a bounded memory of slots, read by a softmax between two gated linear recurrences.

Source: Zhang et al., "Gated Slot Attention" (arXiv 2409.07146).
"""

import numpy as np

from oracle.common import apply, check, expand_heads, outer, softmax


def gated_slot_attention(q, k, v, g, keys, values):
    """K_t = d_t K_{t-1} + (1 - d_t) k_t^T and V_t likewise with v_t, d_t = exp(g_t) per slot; o_t = V_t^T softmax(K_t q_t / sqrt(D)).

    q [B, T, HQ, D], k [B, T, H, D], v [B, T, H, V], log gates g [B, T, H, M] <= 0, HQ a
    multiple of H; keys [B, H, M, D] and values [B, H, M, V] are the slots before the
    first step. Returns o [B, T, HQ, V] and the final keys and values.
    """
    heads = q.shape[2]
    slots_k, slots_v, out = keys.copy(), values.copy(), np.zeros(q.shape[:3] + v.shape[3:])
    for t in range(q.shape[1]):
        d = np.exp(g[:, t])
        slots_k = d[..., None] * slots_k + outer(1.0 - d, k[:, t])
        slots_v = d[..., None] * slots_v + outer(1.0 - d, v[:, t])
        seen = (expand_heads(slots_k, heads, axis=1) @ q[:, t, :, :, None])[..., 0] / np.sqrt(q.shape[3])
        out[:, t] = apply(softmax(seen), expand_heads(slots_v, heads, axis=1))
    return out, slots_k, slots_v


def main():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 11, h, 4)) for h in (2, 1, 1))
    g, keys, values = -rng.random((1, 11, 1, 3)), rng.standard_normal((1, 1, 3, 4)), rng.standard_normal((1, 1, 3, 4))
    out, final_k, _ = gated_slot_attention(q, k, v, g, keys, values)
    sums = np.cumsum(g[0, :, 0], 0)
    for t in range(11):
        weights = (1.0 - np.exp(g[0, :t + 1, 0])) * np.exp(sums[t] - sums[:t + 1])
        slots_k = np.exp(sums[t])[:, None] * keys[0, 0] + weights.T @ k[0, :t + 1, 0]
        slots_v = np.exp(sums[t])[:, None] * values[0, 0] + weights.T @ v[0, :t + 1, 0]
        want = softmax(q[0, t] @ slots_k.T / 2.0) @ slots_v
        check(f"token {t}: recurrence and weighted sums", out[0, t], want)
    check("final keys", final_k[0, 0], slots_k)


if __name__ == "__main__":
    main()
