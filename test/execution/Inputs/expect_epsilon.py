# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalised linear attention of saved inputs with another epsilon.

usage: expect_epsilon.py INPUTS.npz EPSILON EXPECTED.npz
Inputs as in examples/chunked/linear_attention.mlir, float64, one key head.
"""

import sys

import numpy as np

from oracle.common import softmax
from oracle.linear_attention import linear_attention

with np.load(sys.argv[1]) as x:
    group = x["q"].shape[2] // x["k"].shape[2]
    o, s, z = linear_attention(x["q"], x["k"], x["v"], feature=softmax, epsilon=float(sys.argv[2]),
                               state=x["s0"].repeat(group, 1), normalizer=x["z0"].repeat(group, 1))
np.savez(sys.argv[3], o=o, s=s[:, ::group], z=z[:, ::group])
