# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime on a GPU with the kernel of scale.mlir: strides, sizes, failures, captures, times.

usage: scale_on_gpu.py MANIFEST...     cubins and PTX; exit status 77 without a GPU
"""

import os
import statistics
import sys
import time

for folder in ("..", "../../python"):
    sys.path.insert(0, os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), folder)))

import numpy as np

from scanweft.runtime import Context, Library, RuntimeFailure, Scalar, Tensor, contiguous_strides

WIDTH = 64


def run(context, entry, length, heads, pitch, offset):
    """One launch on strided memory; returns whether the result is exact and nothing else changed."""
    rng = np.random.default_rng(length)
    data = rng.standard_normal(offset + length * heads * pitch + 64).astype(np.float32)
    memory, result = context.allocate(data.nbytes), context.allocate(data.nbytes)
    memory.upload(data)
    poison = np.full(data.size, np.nan, np.float32)
    result.upload(poison)
    strides = (heads * pitch, pitch, 1)
    x, y = (Tensor(m, "f32", (length, heads, WIDTH), strides, 4 * offset) for m in (memory, result))
    launched = entry.launch([x, Scalar("f32", 0.5)], [y])
    context.synchronize()
    got = result.download().view(np.float32)
    wanted = poison.copy()
    if length:
        y.view(wanted.view(np.uint8))[...] = np.float32(0.5) * x.view(data.view(np.uint8))
    same = np.array_equal(got, wanted, equal_nan=True) and launched[0]["programs"] == length * heads
    memory.free()
    result.free()
    return same


def check_failures(context, entry):
    """Calls that must be refused, and leave the device as it was."""
    memory = context.allocate(1 << 16)

    def call(sizes=(2, 3, WIDTH), strides=(192, 64, 1), offset=0, kind="f32"):
        entry.launch([Tensor(memory, kind, sizes, strides, offset), Scalar("f32", 1.0)],
                     [Tensor(memory, "f32", (2, 3, WIDTH), (192, 64, 1), 1 << 15)])
    call()
    refused = 0
    wrong = [{"kind": "bf16"}, {"sizes": (2, 3, 32)}, {"sizes": (2, 3)}, {"strides": (192, 64, 2)}, {"offset": 2}, {"sizes": (3, 3, WIDTH)}]
    for change in wrong:
        try:
            call(**change)
        except RuntimeFailure as failure:
            print(f"  refused: {failure}")
            refused += 1
    context.synchronize()
    memory.free()
    return refused == len(wrong)


def check_times(context, entry):
    """Time of a copy-like kernel and of its launch on the host."""
    length, heads = 4096, 64
    size = length * heads * WIDTH * 4
    memory, result = context.allocate(size), context.allocate(size)
    memory.fill(0x3F800000)
    tensors = [Tensor(m, "f32", (length, heads, WIDTH), contiguous_strides((length, heads, WIDTH))) for m in (memory, result)]
    arguments = ([tensors[0], Scalar("f32", 2.0)], [tensors[1]])
    entry.time(*arguments, number=3)
    cold = statistics.median(entry.time(*arguments, number=20))
    host = sorted(entry.host_time(*arguments, number=1000))
    with context.capture() as counts:
        entry.launch(*arguments)
    print(f"  {2 * size / 1e6:.0f} MB: {cold:.4f} ms, {2 * size / cold / 1e9:.2f} TB/s; host {host[500]:.2f} us, 99 % {host[990]:.2f} us; "
          f"captured {counts}")
    memory.free()
    result.free()
    return counts == {"kernels": 1, "memsets": 0, "copies": 0, "others": 0}


def main():
    try:
        context = Context(Library())
    except RuntimeFailure as failure:
        required = "gpu" in os.environ.get("SCANWEFT_REQUIRE", "").split(",")
        print(f"{'failed' if required else 'skipped'}: {failure}")
        return 1 if required else 77
    passed = True
    with context:
        print(context.describe())
        for manifest in sys.argv[1:]:
            start = time.perf_counter()
            with context.load(manifest) as artifact:
                entry = artifact.entry("scale")
                print(f"{manifest}: loaded in {1e3 * (time.perf_counter() - start):.1f} ms, {artifact.kernels()[0]}")
                shapes = [(length, heads, pitch, offset) for length in (0, 1, 5, 131) for heads in (1, 3)
                          for pitch, offset in ((64, 0), (67, 1), (192, 64))]
                wrong = [shape for shape in shapes if not run(context, entry, *shape)]
                print(f"  {len(shapes) - len(wrong)} of {len(shapes)} shapes exact {wrong}")
                passed &= not wrong and check_failures(context, entry) and check_times(context, entry)
    print("all passed" if passed else "failed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
