# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scanweft from Python: the runtime (`scanweft.runtime`), manifests (`scanweft.manifest`)
and arrays of the compiler's types (`scanweft.storage`). numpy only."""
