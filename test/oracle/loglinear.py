# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Log-linear attention: a decaying memory whose past is split in Fenwick levels, each with its own weight.

Source: Guo et al., "Log-linear attention" (arXiv 2506.04761); weights per token and level.
level(t, s) = bit_length(t xor s): 0 on the diagonal, b + 1 for the aligned block of 2^b
tokens just below t.
"""

import numpy as np

from oracle.common import apply, check, expand_heads, outer, sigmoid


def trailing_zeros(n):
    """Number of trailing zero bits of n > 0."""
    return (n & -n).bit_length() - 1


def step(states, k, g, beta):
    """exp(g) (I - beta k k^T) applied to a stack of states [B, H, N, K, V]; k [B, H, K], g, beta [B, H]."""
    states = np.exp(g)[:, :, None, None, None] * states
    erased = (k[:, :, None, None, :] @ states)
    return states - (beta[..., None] * k)[:, :, None, :, None] * erased


def loglinear(q, k, v, g, levels, beta=None):
    """The published recurrence: one state per level, merged just before the next token enters.

    q, k [B, T, G, K], v [B, T, H, V], H a multiple of G, log decay g [B, T, H], weights
    levels [B, T, H, L] with 2^(L-1) >= T; beta [B, T, H] makes it the gated delta rule.
    Returns o [B, T, H, V].
    """
    heads = v.shape[2]
    q, k = expand_heads(q, heads), expand_heads(k, heads)
    rate = np.zeros(g.shape) if beta is None else beta
    scale = np.ones(g.shape) if beta is None else beta
    states = np.zeros(v.shape[:1] + (heads, levels.shape[3], q.shape[3], v.shape[3]))
    out = np.zeros(v.shape)
    for t in range(v.shape[1]):
        if t:
            r = trailing_zeros(t)
            states[:, :, r + 1] = states[:, :, :r + 1].sum(2)
            states[:, :, :r + 1] = 0.0
        states = step(states, k[:, t], g[:, t], rate[:, t])
        states[:, :, 0] = outer(scale[:, t, :, None] * k[:, t], v[:, t])
        out[:, t] = apply(q[:, t], (levels[:, t, :, :, None, None] * states).sum(2))
    return out


def final_stack(k, v, g, chunk, slots):
    """States of the scalar-decay memory after all tokens, one per set bit of the number of chunks.

    Bit b of ceil(T / chunk) stands for the aligned block of 2^b chunks that ends where the
    lower bits' blocks begin; its slot is the sum of that block's writes, decayed to the
    last token. k [B, T, G, K], v [B, T, H, V], g [B, T, H]. Returns [B, H, slots, K, V].
    """
    k = expand_heads(k, v.shape[2])
    steps = v.shape[1]
    weights = np.exp(g[:, ::-1].cumsum(1)[:, ::-1] - g)
    writes = outer(weights[..., None] * k, v)
    stack = np.zeros(v.shape[:1] + (v.shape[2], slots, k.shape[3], v.shape[3]))
    chunks, begin = -(-steps // chunk), 0
    for b in reversed(range(slots)):
        if chunks >> b & 1:
            end = begin + (1 << b)
            stack[:, :, b] = writes[:, begin * chunk:min(end * chunk, steps)].sum(1)
            begin = end
    return stack


def main():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 27, h, 4)) for h in (1, 1, 2))
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    g, levels, beta = -rng.random((1, 27, 2)), rng.standard_normal((1, 27, 2, 6)), sigmoid(rng.standard_normal((1, 27, 2)))
    for name, rate in (("decay", None), ("delta rule", beta)):
        want = np.zeros(v.shape)
        for s in range(27):
            carried = np.repeat(k[:, s], 2, 1) * (1.0 if rate is None else rate[:, s, :, None])
            for t in range(s, 27):
                if t > s:
                    carried = np.exp(g[:, t])[..., None] * carried
                    if rate is not None:
                        kt = k[:, t]
                        carried = carried - rate[:, t, :, None] * kt * (kt * carried).sum(-1, keepdims=True)
                weight = levels[:, t, :, (t ^ s).bit_length()] * (q[:, t] * carried).sum(-1)
                want[:, t] += weight[..., None] * v[:, s]
        check(f"{name}: recurrence and pairs", loglinear(q, k, v, g, levels, rate), want)
    state = np.zeros((1, 2, 4, 4))
    for t in range(27):
        state = np.exp(g[:, t])[..., None, None] * state + outer(np.repeat(k[:, t], 2, 1), v[:, t])
    check("final stack: its slots sum to the plain state", final_stack(k, v, g, 4, 4).sum(2), state)


if __name__ == "__main__":
    main()
