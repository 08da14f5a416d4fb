# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the manifest of manifest.mlir and launches it against the fake driver.

usage: load_manifest.py MANIFEST

The driver is told of the kernels' parameters by the test's own list, so that the runtime's check
of the manifest against them is a check of the compiler.
"""

import ctypes
import os
import sys

from scanweft.runtime import Context, Library, RuntimeFailure, Scalar, Tensor, contiguous_strides

PARAMETERS = {"squares": [8] * 13, "scale": [8, 8, 8, 8, 4, 8, 8, 8, 8]}


def main():
    driver = ctypes.CDLL(os.environ["SCANWEFT_LIBCUDA"])
    for name, sizes in PARAMETERS.items():
        driver.fake_cuda_add_kernel(name.encode(), 1024, 0, len(sizes), (ctypes.c_int * len(sizes))(*sizes))
    with Context(Library()) as context, context.load(sys.argv[1]) as artifact:
        entry = artifact.entry("norms")
        x, order, y, work = (context.allocate(n) for n in (130 * 3 * 64 * 4, 130 * 4, 130 * 4, 4096))

        def arguments(length=130, rows=64):
            return [Tensor(x, "f32", (130, 3, 64), contiguous_strides((130, 3, 64))), Tensor(order, "i32", (length,), (1,)),
                    Scalar("f32", 0.5), Scalar("index", rows)]
        sizes, workspace = entry.query(arguments())
        print(f"results {entry.results[0].name} {list(sizes[0])}\nworkspace {workspace}")
        launched = entry.launch(arguments(), [Tensor(y, "f32", sizes[0], (1,))], work.address, workspace)
        for each in launched:
            print(f"{each['kernel']} {each['variant']} {each['programs']} programs, "
                  f"{sum(PARAMETERS[each['kernel']]) + 4 * (each['kernel'] == 'scale')} bytes of parameters")
        for wrong in (arguments(length=129), arguments(rows=0)):
            try:
                entry.query(wrong)
            except RuntimeFailure as failure:
                print(f"refused: {failure}")


if __name__ == "__main__":
    main()
