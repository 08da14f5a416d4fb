# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs from numpy equal those of weft-run.

usage: generated_inputs.py FILE.npz SEED     the inputs that weft-run saved; an argument is named by its kind
"""

import sys

import numpy as np

from scanweft.inputs import KINDS, generate


def main():
    with np.load(sys.argv[1]) as archive:
        saved = {name: archive[name] for name in archive.files}
    missing = set(KINDS) - set(saved)
    assert not missing, f"no argument of kind {missing}"
    for kind, want in saved.items():
        got = generate(kind, want.shape, int(sys.argv[2]), kind)
        # In the last places numpy's log, sin and cos are others than the C library's.
        error = np.abs(got - want).max() / max(np.abs(want).max(), 1.0)
        assert error <= (4e-15 if want.dtype.kind == "f" else 0.0), f"{kind}: {error}"
    print(f"{len(saved)} kinds agree")


if __name__ == "__main__":
    main()
