# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The float64 reference of Scanweft's tests (numpy only).

One module per mixer holds its recurrence token by token, as published, written for
clarity and not for speed. Running a module, `cd test && python3 -m oracle.<module>`,
compares that recurrence with an independent second form. `oracle.examples` maps the
files under examples/ to these functions.

Layout everywhere: tokens [B, T, H, feature], gates [B, T, H], states [B, H, K, V],
float64. Operands of fewer heads are read at head * h / heads.
"""
