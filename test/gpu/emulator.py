# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on the fake driver that compute an example's reference from the memory they are given, right or
wrong in one chosen way: what the GPU's checks must notice is tried without a GPU.
"""

import ctypes
import struct

import numpy as np

from oracle.examples import EXAMPLES
from sample import cubin
from scanweft.manifest import write
from scanweft.storage import STORAGE, decode, encode, itemsize

WIDTH = 8
# Dims of results, which the examples' table does not say.
RESULTS = {
    "chunked/linear_attention.mlir": {"o": ("bf16", "B T HQ V"), "s": ("f32", "B H K V"), "z": ("f32", "B H K")},
    "first_order_scan.mlir": {"h": ("f32", "B T H K"), "last": ("f32", "B H K")},
}


def describe(example):
    """The manifest's entry of an example whose feature sizes are WIDTH, as the compiler writes it."""
    known = EXAMPLES[example]
    arguments, expressions, letters, parameters = [], [], {}, []
    for number, (name, (kind, _, dims)) in enumerate(known.inputs.items()):
        sizes = [WIDTH if letter in known.features else None for letter in dims.split()]
        arguments.append({"name": name, "kind": "tensor", "type": kind, "sizes": sizes, "dims": dims.split()})
        for dim, letter in enumerate(dims.split()):
            if letter not in letters:
                letters[letter] = len(expressions)
                expressions.append(["const", WIDTH] if sizes[dim] else ["dim", number, dim])
    results = [{"name": name, "type": kind, "sizes": [letters[x] for x in dims.split()]}
               for name, (kind, dims) in RESULTS[example].items()]
    tensors = [a["sizes"] for a in arguments] + [[WIDTH if x in known.features else None for x in dims.split()]
                                                 for _, dims in RESULTS[example].values()]
    for buffer, sizes in enumerate(tensors):
        parameters.append(["pointer", buffer])
        parameters += [["size", buffer, d] for d, size in enumerate(sizes) if size is None]
        parameters += [["stride", buffer, d] for d in range(len(sizes) - 1)]
    parameters.append(["extent", 0])
    variant = {"name": "plain", "kernel": 0, "programs": [letters["B"]], "parameters": parameters}
    return {"name": "run", "arguments": arguments, "expressions": expressions, "results": results,
            "launches": [{"variants": [variant]}]}, tensors


class Emulator:
    """The kernel of `example`; `fault` names what it does wrong: see `faults`."""

    def __init__(self, driver, example, fault=None):
        self.example, self.fault, self.turn = example, fault, 0
        self.entry, self.tensors = describe(example)
        if fault == "second launch":
            self.entry["launches"] *= 2
        parameters = self.entry["launches"][0]["variants"][0]["parameters"]
        driver.add_kernel("run_kernel", [8] * len(parameters))
        driver.run(self.launch)

    def write(self, folder):
        """Manifest, code, and cases.json."""
        code = cubin()
        (folder / "run.cubin").write_bytes(code)
        manifest = {"kernels": [{"symbol": "run_kernel", "threads": 128, "dynamic_shared": 0}], "entries": [self.entry]}
        (folder / "run.json").write_text(write(manifest, code, file="run.cubin"))

    def views(self, launch):
        """numpy views of the launch's memory, by name."""
        values = iter(struct.unpack(f"<{launch.parameter_bytes // 8}q", bytes(launch.parameters[:launch.parameter_bytes])))
        views = {}
        described = self.entry["arguments"] + self.entry["results"]
        for parameter, static in zip(described, self.tensors):
            address = next(values)
            sizes = [next(values) if size is None else size for size in static]
            strides = [next(values) for _ in sizes[1:]] + [1]
            item = itemsize(parameter["type"])
            if 0 in sizes:
                views[parameter["name"]] = np.empty(sizes, STORAGE[parameter["type"]])
                continue
            extent = 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
            memory = (ctypes.c_ubyte * (extent * item)).from_address(address)
            flat = np.frombuffer(memory, np.uint8).view(STORAGE[parameter["type"]])
            views[parameter["name"]] = np.lib.stride_tricks.as_strided(flat, sizes, [s * item for s in strides])
        return views

    def launch(self, launch):
        views, known = self.views(launch), EXAMPLES[self.example]
        self.turn += 1
        sizes = {letter: n for name, (_, _, dims) in known.inputs.items() for letter, n in zip(dims.split(), views[name].shape)}
        inputs = {name: decode(views[name].copy(), kind) for name, (kind, _, _) in known.inputs.items()}
        if self.fault == "state ignored":
            for name in known.carried.values():
                inputs[name] = np.zeros_like(inputs[name])
        outputs = known.reference(inputs, {**sizes, "C": known.chunk})
        for name, (kind, _) in RESULTS[self.example].items():
            self.store(views, name, encode(outputs[name], kind), sizes["T"])

    def store(self, views, name, x, length):
        target, rows = views[name], len(self.entry["results"][0]["sizes"]) and name == self.entry["results"][0]["name"]
        if not target.size:
            return
        if rows and self.fault == "wrong tail" and length % 64:
            x[:, length // 64 * 64:] = x[:, :1]
        if rows and self.fault == "unstable" and self.turn % 7 == 0:
            x.view(np.uint8)[0, 0, 0, 0] ^= 1
        if rows and self.fault == "unwritten" and length:
            target[:, :-1] = x[:, :-1]
            return
        target[...] = x
        if rows and self.fault == "past the end":
            past = (ctypes.c_ubyte * 2).from_address(target.ctypes.data + sum((n - 1) * s for n, s in zip(target.shape, target.strides)) + target.itemsize)
            past[0] = 0
        if rows and self.fault == "between rows" and length > 1 and target.strides[1] != int(np.prod(target.shape[2:])) * target.itemsize:
            gap = (ctypes.c_ubyte * 2).from_address(target.ctypes.data + target.strides[1] - 2)
            gap[0] = 0
        if rows and self.fault == "input changed":
            first = views[self.entry["arguments"][0]["name"]]
            first[0, 0, 0, 0] += 1
