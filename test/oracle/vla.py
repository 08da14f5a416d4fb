# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Variational linear attention: a delta rule whose write direction is preconditioned by a growing penalty.

Source: arXiv 2605.11196 and its published code (q and k through elu + 1, unit keys in
the penalty and the erase, un-normalised keys in the normaliser).
"""

import numpy as np

from oracle.common import apply, check, elu_plus_one, expand_heads, outer, unit


def vla(q, k, v, u, inverse, state, normalizer, epsilon=1e-6):
    """A_t = (A_{t-1}^-1 + us us^T)^-1; a_t = unit(A_t kn); h_t = h_{t-1} + a_t (v_t - h_{t-1}^T kn)^T; o_t = h_t^T fq / max(z_t . fq, epsilon).

    fq = elu(q) + 1, fk = elu(k) + 1, kn = unit(fk), us = unit(u) / sqrt(K), z_t = z_{t-1} + fk.
    q, k, u [B, T, H, K], v [B, T, HV, V], HV a multiple of H. Before the first step:
    inverse A [B, H, K, K] symmetric positive definite, state h [B, HV, K, V], normalizer
    z [B, H, K]. Returns o [B, T, HV, V] and the final A, h, z.
    """
    fq, fk, us = elu_plus_one(q), elu_plus_one(k), unit(u) / np.sqrt(u.shape[-1])
    kn, heads = unit(fk), v.shape[2]
    a_inv, h, z = inverse.copy(), state.copy(), normalizer.copy()
    out = np.zeros(v.shape)
    for t in range(q.shape[1]):
        w = apply(us[:, t], a_inv)
        a_inv = a_inv - outer(w, w) / (1.0 + (us[:, t] * w).sum(-1))[..., None, None]
        z = z + fk[:, t]
        den = np.maximum((z * fq[:, t]).sum(-1), epsilon)
        write, erase, read, den = (expand_heads(x, heads, axis=1) for x in
                                   (unit(apply(kn[:, t], a_inv)), kn[:, t], fq[:, t], den))
        h = h + outer(write, v[:, t] - apply(erase, h))
        out[:, t] = apply(read, h) / den[..., None]
    return out, a_inv, h, z


def main():
    rng = np.random.default_rng(0)
    normal = rng.standard_normal
    q, k, u, v = (normal((1, 20, h, d)) for h, d in ((1, 6), (1, 6), (1, 6), (2, 4)))
    root = normal((6, 6))
    penalty = root @ root.T + np.eye(6)
    out, a_inv, h, z = vla(q, k, v, u, np.linalg.inv(penalty)[None, None], np.zeros((1, 2, 6, 4)), np.zeros((1, 1, 6)))
    us, kn, fq = unit(u[0, :, 0]) / np.sqrt(6.0), unit(elu_plus_one(k[0, :, 0])), elu_plus_one(q[0, :, 0])
    memory, want = np.zeros((2, 6, 4)), np.zeros((20, 2, 4))
    for t in range(20):
        solved = np.linalg.solve(penalty + us[:t + 1].T @ us[:t + 1], kn[t])
        a = solved / np.linalg.norm(solved)
        memory = memory - outer(a, apply(kn[t], memory)) + outer(a, v[0, t])
        want[t] = apply(fq[t], memory) / (elu_plus_one(k[0, :t + 1, 0]).sum(0) @ fq[t])
    check("outputs: rank-one updates and solves of the penalty", out[0], want)
    check("final inverse", a_inv[0, 0], np.linalg.inv(penalty + us.T @ us))
    check("final state", h[0], memory)
    check("final normaliser", z[0, 0], elu_plus_one(k[0, :, 0]).sum(0))


if __name__ == "__main__":
    main()
