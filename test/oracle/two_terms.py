# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A memory with a decay per key channel whose erase and write use different directions.

The generalised delta rule of DPLR form, as in RWKV-7 (Peng et al., arXiv 2503.14456):
state transition diag(d) - w r^T diag(d), write k v^T.
"""

import numpy as np

from oracle.common import apply, check, expand_heads, outer


def two_terms(q, k, v, r, w, g, state):
    """S' = exp(g_t) S_{t-1} per key channel; S_t = S' - w_t (S'^T r_t)^T + k_t v_t^T; o_t = S_t^T q_t.

    q, k, r, w, g [B, T, H, K], v [B, T, HV, V], HV a multiple of H, state [B, HV, K, V].
    Returns o [B, T, HV, V] and the final state.
    """
    heads = v.shape[2]
    q, k, r, w, g = (expand_heads(x, heads) for x in (q, k, r, w, g))
    s, out = state.copy(), np.zeros(v.shape)
    for t in range(q.shape[1]):
        s = np.exp(g[:, t])[..., None] * s
        s = s - outer(w[:, t], apply(r[:, t], s)) + outer(k[:, t], v[:, t])
        out[:, t] = apply(q[:, t], s)
    return out, s


def main():
    rng = np.random.default_rng(0)
    q, k, r, w = (rng.standard_normal((1, 12, 1, 5)) / 2 for _ in range(4))
    v, g, state = rng.standard_normal((1, 12, 2, 3)), -rng.random((1, 12, 1, 5)), rng.standard_normal((1, 2, 5, 3))
    out, final = two_terms(q, k, v, r, w, g, state)
    products = [(np.eye(5) - np.outer(w[0, t, 0], r[0, t, 0])) @ np.diag(np.exp(g[0, t, 0])) for t in range(12)]
    for head in range(2):
        total, want = state[0, head], []
        for t in range(12):
            total = products[t] @ total + np.outer(k[0, t, 0], v[0, t, head])
            want.append(q[0, t, 0] @ total)
        check(f"head {head}: recurrence and transition matrices", out[0, :, head], want)
        check(f"head {head}: final state", final[0, head], total)


if __name__ == "__main__":
    main()
