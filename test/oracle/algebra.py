# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Scans channel by channel, one step after the other: sums, a first-order recurrence, maxima.

Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.
"""

import numpy as np

from oracle.common import check


def prefix_sum(x, exclusive=False, reverse=False, init=None):
    """Running sums of x [B, T, H, ...] along T, from `init` [B, H, ...] (zero if None).

    `exclusive` leaves step t out of its own sum; `reverse` runs from the last step to the
    first. Returns the sums, shaped as x, and the sum of all [B, H, ...].
    """
    (out,), (total,) = scan((x,), lambda earlier, later: (earlier[0] + later[0],), (0.0,),
                            exclusive, reverse, None if init is None else (init,))
    return out, total


def first_order_scan(a, b, h0):
    """h_t = a_t h_{t-1} + b_t for a, b [B, T, H, K] and h0 [B, H, K]; returns h and its last value."""
    h, out = h0.copy(), np.zeros(b.shape)
    for t in range(b.shape[1]):
        h = a[:, t] * h + b[:, t]
        out[:, t] = h
    return out, h


def cumulative_max(x):
    """Running maxima of x [B, T, H, ...] along T, and the largest of all steps (-inf without steps)."""
    (out,), (largest,) = scan((x,), lambda earlier, later: (np.maximum(earlier[0], later[0]),), (-np.inf,))
    return out, largest


def scan(sources, combine, identity, exclusive=False, reverse=False, inits=None):
    """Running combination of tuples of arrays [B, T, H, ...] along T by combine(earlier, later).

    Starts from `inits`, arrays [B, H, ...], or the numbers `identity`. Returns the outputs,
    one array a source, and the combinations of all steps.
    """
    shape = sources[0].shape
    state = inits or tuple(np.full(shape[:1] + shape[2:], number) for number in identity)
    outs = tuple(np.zeros(x.shape) for x in sources)
    steps = range(shape[1])
    for t in reversed(steps) if reverse else steps:
        after = combine(state, tuple(x[:, t] for x in sources))
        for out, value in zip(outs, state if exclusive else after):
            out[:, t] = value
        state = after
    return outs, state


def main():
    rng = np.random.default_rng(0)
    x, a, h0 = rng.standard_normal((2, 9, 3, 4)), rng.random((2, 9, 3, 4)), rng.standard_normal((2, 3, 4))
    sums = np.cumsum(x, 1)
    check("running sums: steps and numpy", prefix_sum(x)[0], sums)
    check("sums before each step, from the last: steps and numpy", prefix_sum(x, True, True, h0)[0],
          h0[:, None] + np.cumsum(x[:, ::-1], 1)[:, ::-1] - x)
    check("running maxima: steps and numpy", cumulative_max(x)[0], np.maximum.accumulate(x, 1))
    pairs = scan((a, x), lambda e, l: (e[0] * l[0], l[0] * e[1] + l[1]), (1.0, 0.0), inits=(np.ones(h0.shape), h0))
    check("first-order recurrence: steps and pairs", first_order_scan(a, x, h0)[0], pairs[0][1])


if __name__ == "__main__":
    main()
