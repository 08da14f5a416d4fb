# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The real-gated linear recurrent unit: every channel its own decay from a gate.

Source: De et al., "Griffin" (arXiv 2402.19427), the RG-LRU layer between its projections.
"""

import numpy as np

from oracle.common import check, sigmoid, softplus


def gated_recurrence(x, recurrence_gate, input_gate, decay, state, sharpness=8.0):
    """h_t = a_t h_{t-1} + sqrt(1 - a_t^2) sigmoid(input_gate) x_t with a_t = exp(-sharpness softplus(decay) sigmoid(recurrence_gate)).

    x and both gates (before the sigmoid) [B, T, H, D], decay [H, D], state [B, H, D].
    Returns h [B, T, H, D] and the final state.
    """
    log_a = -sharpness * softplus(decay) * sigmoid(recurrence_gate)
    added = np.sqrt(-np.expm1(2.0 * log_a)) * sigmoid(input_gate) * x
    h, out = state.copy(), np.zeros(x.shape)
    for t in range(x.shape[1]):
        h = np.exp(log_a[:, t]) * h + added[:, t]
        out[:, t] = h
    return out, h


def main():
    rng = np.random.default_rng(0)
    x, r, i = (rng.standard_normal((1, 15, 2, 3)) for _ in range(3))
    decay, state = rng.standard_normal((2, 3)), rng.standard_normal((1, 2, 3))
    out, final = gated_recurrence(x, r, i, decay, state)
    sums = np.cumsum(-8.0 * softplus(decay) * sigmoid(r), 1)
    a = np.exp(-8.0 * softplus(decay) * sigmoid(r))
    added = np.sqrt(1.0 - a * a) * sigmoid(i) * x
    for t in range(15):
        want = np.exp(sums[:, t]) * state + (np.exp(sums[:, t:t + 1] - sums[:, :t + 1]) * added[:, :t + 1]).sum(1)
        check(f"token {t}: recurrence and weighted sums", out[:, t], want)
    check("final state", final, out[:, -1])


if __name__ == "__main__":
    main()
