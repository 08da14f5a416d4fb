# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Normalised linear attention, retention and its gradients.

Sources: Katharopoulos et al., "Transformers are RNNs" (arXiv 2006.16236) for the
recurrence and its normaliser; Sun et al., "Retentive Network" (arXiv 2307.08621) for
the decay per head.
"""

import numpy as np

from oracle.common import (apply, check, expand_heads, numeric_gradient, outer,
                           softmax)


def linear_attention(q, k, v, log_decay=None, feature=lambda x: x, scale=1.0,
                     epsilon=None, state=None, normalizer=None):
    """S_t = d_t S_{t-1} + f(k_t) v_t^T; z_t = d_t z_{t-1} + f(k_t); o_t = S_t^T q' / (z_t . q' + epsilon), q' = scale f(q_t).

    q [B, T, HQ, K], k [B, T, HK, K], v [B, T, HV, V], log_decay [B, T, HD] or None;
    heads H = the largest of them, each other divides it. `feature` maps the last axis.
    Without `epsilon` the output is not divided. state [B, H, K, V] and normalizer
    [B, H, K] are those before the first step (zero if None).
    Returns o [B, T, H, V], the final state and the final normaliser.
    """
    heads = max(x.shape[2] for x in (q, k, v))
    q, k, v = (expand_heads(x, heads) for x in (scale * feature(q), feature(k), v))
    batch, steps = q.shape[:2]
    decay = (np.ones((batch, steps, heads)) if log_decay is None
             else np.exp(expand_heads(log_decay, heads)))
    s = np.zeros((batch, heads, q.shape[3], v.shape[3])) if state is None else state.copy()
    z = np.zeros((batch, heads, q.shape[3])) if normalizer is None else normalizer.copy()
    out = np.zeros(v.shape)
    for t in range(steps):
        s = decay[:, t, :, None, None] * s + outer(k[:, t], v[:, t])
        z = decay[:, t, :, None] * z + k[:, t]
        out[:, t] = apply(q[:, t], s)
        if epsilon is not None:
            out[:, t] /= (z * q[:, t]).sum(-1)[..., None] + epsilon
    return out, s, z


def retention(q, k, v, log_decay, state):
    """S_t = exp(log_decay) S_{t-1} + k_t v_t^T; o_t = S_t^T q_t, one decay per head.

    q, k [B, T, H, K], v [B, T, H, V], log_decay [H], state [B, H, K, V].
    Returns o [B, T, H, V] and the final state.
    """
    per_token = np.broadcast_to(log_decay, q.shape[:3])
    return linear_attention(q, k, v, per_token, state=state)[:2]


def retention_gradients(q, k, v, log_decay, d_out, d_state):
    """Gradients of keys, values and initial state of `retention`, walking time backwards.

    X holds the gradient of the state before the token: G = q_t d_out_t^T + X;
    dk_t = G v_t; dv_t = G^T k_t; X <- exp(log_decay) G.
    Shapes as in `retention`, d_out as o, d_state [B, H, K, V] the gradient of the final
    state. Returns dk, dv and the gradient of the initial state.
    """
    x = d_state.copy()
    dk, dv = np.zeros(k.shape), np.zeros(v.shape)
    for t in reversed(range(q.shape[1])):
        g = outer(q[:, t], d_out[:, t]) + x
        dk[:, t] = (g @ v[:, t, :, :, None])[..., 0]
        dv[:, t] = apply(k[:, t], g)
        x = np.exp(log_decay)[:, None, None] * g
    return dk, dv, x


def main():
    rng = np.random.default_rng(0)
    normal = rng.standard_normal
    q, k, v = normal((2, 17, 4, 5)), normal((2, 17, 2, 5)), normal((2, 17, 2, 3))
    pairs = np.tril(np.einsum("bthk,bshk->bhts", softmax(q), np.repeat(softmax(k), 2, 2)))
    want = np.einsum("bhts,bshv->bthv", pairs / (pairs.sum(-1, keepdims=True) + 1e-6), np.repeat(v, 2, 2))
    check("normalised linear attention: recurrence and pairs",
          linear_attention(q, k, v, feature=softmax, epsilon=1e-6)[0], want)
    g = -rng.random((2, 17, 4))
    sums = np.cumsum(g, 1)
    gamma = np.exp(np.tril(np.moveaxis(sums[:, :, None] - sums[:, None], 3, 1)))
    pairs = np.tril(np.einsum("bthk,bshk->bhts", q, np.repeat(k, 2, 2)) * gamma)
    check("decayed: recurrence and pairs", linear_attention(q, k, v, g)[0],
          np.einsum("bhts,bshv->bthv", pairs, np.repeat(v, 2, 2)))

    q, k, v, s0 = normal((1, 6, 2, 3)), normal((1, 6, 2, 3)), normal((1, 6, 2, 2)), normal((1, 2, 3, 2))
    log_decay, d_out, d_state = np.array([-0.1, -0.7]), normal((1, 6, 2, 2)), normal((1, 2, 3, 2))

    def loss():
        out, final = retention(q, k, v, log_decay, s0)
        return (out * d_out).sum() + (final * d_state).sum()

    got = retention_gradients(q, k, v, log_decay, d_out, d_state)
    for name, mine, x in zip(("keys", "values", "initial state"), got, (k, v, s0)):
        check(f"retention, gradient of {name}: recurrence and differences", mine, numeric_gradient(loss, x), 1e-8)


if __name__ == "__main__":
    main()
