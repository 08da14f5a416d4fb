# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A manifest that uses every part of the format, a cubin without code, and the fake driver."""

import copy
import ctypes
import struct

from scanweft.manifest import write

TYPE_BYTES = {"bf16": 2, "f32": 4, "index": 8}
POINTER_AND_SIZES = ("pointer", "size", "stride", "expression", "extent")

# scale(x [T, H, 64] bf16, w [H, 8] f32, n index, s f32) -> y [T, H, 64], and its sums by way of a temporary.
ENTRY = {
    "name": "scale",
    "arguments": [
        {"name": "x", "kind": "tensor", "type": "bf16", "sizes": [None, None, 64], "dims": ["T", "H", "K"]},
        {"name": "w", "kind": "tensor", "type": "f32", "sizes": [None, 8], "dims": ["H", ""]},
        {"name": "n", "kind": "scalar", "type": "index"},
        {"name": "s", "kind": "scalar", "type": "f32"},
    ],
    "expressions": [
        ["dim", 0, 0], ["dim", 0, 1], ["const", 64], ["ceildiv", 0, 2], ["value", 2], ["mul", 0, 1],  # 0..5
        ["const", 4], ["mul", 5, 6], ["const", 256], ["ceildiv", 7, 8], ["mul", 9, 8], ["const", 0],  # 6..11
        ["lt", 11, 4], ["floordiv", 0, 4], ["select", 12, 13, 11], ["rem", 0, 2], ["max", 14, 15],    # 12..16
        ["min", 16, 0], ["sub", 17, 17], ["add", 18, 3], ["le", 0, 5], ["eq", 0, 0], ["ne", 0, 0], ["div", 0, 2],  # 17..23
    ],
    "results": [{"name": "y", "type": "bf16", "sizes": [0, 1, 2]}, {"name": "sum", "type": "f32", "sizes": [1]}],
    "temporaries": [{"type": "f32", "sizes": [0, 1], "offset": 11}],
    "workspace": {"bytes": 10, "zeroed": False},
    "checks": [{"holds": 21, "message": "T is T"}],
    "launches": [
        {"variants": [
            {"name": "aligned", "kernel": 0, "programs": [3, 1], "guards": [
                ["alignment", 0, 16], ["stride", 0, 0, 16], ["stride", 0, 1, 16], ["span", 0, 2147483647], ["packed", 4],
                ["below", 5, 2147483648], ["nonzero", 0]],
             "parameters": [["pointer", 0], ["size", 0, 0], ["stride", 0, 1], ["scalar", 3], ["pointer", 6], ["scalar", 2],
                            ["expression", 16], ["extent", 0], ["extent", 1]]},
            {"name": "plain", "kernel": 0, "programs": [3, 1],
             "parameters": [["pointer", 0], ["size", 0, 0], ["stride", 0, 1], ["scalar", 3], ["pointer", 6], ["scalar", 2],
                            ["expression", 16], ["extent", 0], ["extent", 1]]}]},
        {"variants": [{"name": "plain", "kernel": 1, "programs": [1], "resident": 1, "guards": [],
                       "parameters": [["pointer", 6], ["pointer", 5], ["pointer", 1], ["pointer", 4], ["extent", 0]]}]},
    ],
}
KERNELS = [
    {"symbol": "scale_kernel", "threads": 128, "dynamic_shared": 65536,
     "report": {"registers": 96, "spill_stores": 0, "spill_loads": 0, "stack": 0, "static_shared": 16, "barriers": 1,
                "code_bytes": 4096}},
    {"symbol": "sum_kernel", "threads": 256, "dynamic_shared": 0},
]
PARAMETER_BYTES = [[8, 8, 8, 4, 8, 8, 8, 8, 8], [8, 8, 8, 8, 8]]


def cubin(num_bytes=1000):
    """An ELF file of the machine CUDA with one section of zeros."""
    sections = [struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                struct.pack("<IIQQQQIIQQ", 1, 1, 0, 0, 64, num_bytes, 0, 0, 4, 0)]
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + num_bytes, 0, 64, 0, 0,
                                                            64, len(sections), 0)
    return header + bytes(num_bytes) + b"".join(sections)


def manifest(edit=None, **members):
    """The sample as a dict, changed by edit(entry, whole)."""
    whole = {"producer": "a test", "kernels": copy.deepcopy(KERNELS), "entries": [copy.deepcopy(ENTRY)], **members}
    if edit:
        edit(whole["entries"][0], whole)
    return whole


def text(edit=None, code=None, **members):
    return write(manifest(edit, **members), cubin() if code is None else code)


class Launch(ctypes.Structure):
    """A launch as the fake driver records it."""

    _fields_ = [("kernel", ctypes.c_char_p), ("grid", ctypes.c_uint32), ("threads", ctypes.c_uint32),
                ("shared", ctypes.c_uint32), ("stream", ctypes.c_uint64), ("parameter_bytes", ctypes.c_uint64),
                ("parameters", ctypes.c_ubyte * 4096)]


FUNCTION = ctypes.CFUNCTYPE(None, ctypes.POINTER(Launch))


class FakeDriver:
    """The driver that SCANWEFT_LIBCUDA names, as the same process sees it."""

    DEVICES, BLOCKS = -1, -2

    def __init__(self, path):
        self.handle = ctypes.CDLL(path)
        self.handle.fake_cuda_get_launch.restype = ctypes.POINTER(Launch)
        self.reset()

    def reset(self, kernels=True):
        self.handle.fake_cuda_reset()
        self.function = None
        if kernels:
            for kernel, sizes in zip(KERNELS, PARAMETER_BYTES):
                self.add_kernel(kernel["symbol"], sizes)

    def add_kernel(self, name, sizes, max_threads=1024, static_shared=16):
        self.handle.fake_cuda_add_kernel(name.encode(), max_threads, static_shared, len(sizes), (ctypes.c_int * max(len(sizes), 1))(*sizes))

    def set(self, attribute, value):
        self.handle.fake_cuda_set(attribute, value)

    def fail(self, call, result=700):
        self.handle.fake_cuda_fail(call.encode() if call else None, result)

    def run(self, function):
        """function(Launch) stands for every kernel."""
        self.function = FUNCTION(lambda launch: function(launch.contents))
        self.handle.fake_cuda_set_function(self.function)

    def launches(self):
        return [self.handle.fake_cuda_get_launch(i).contents for i in range(self.handle.fake_cuda_num_launches())]

    def num_live(self):
        return self.handle.fake_cuda_num_live()
