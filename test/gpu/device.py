# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of one call in device memory: strided as callers pass them, between guard bands, results poisoned.

After a launch everything must be as before but the results' own elements, and each of those written.
"""

import contextlib
import dataclasses

import numpy as np

from oracle.examples import EXAMPLES
from scanweft.runtime import RuntimeFailure, Tensor, contiguous_strides
from scanweft.storage import STORAGE, itemsize, poison

GUARD_BYTES, GUARD = 4096, 0xA5
LAYOUTS = ("contiguous", "fused", "transposed", "unaligned")


class Broken(AssertionError):
    """Memory that a kernel must not have written, or did not write."""


@dataclasses.dataclass
class Region:
    """A piece of device memory with its image on the host, and the tensors in it by name."""

    image: np.ndarray
    memory: object
    tensors: dict


def _pitched(sizes, pad):
    """Strides of rows [B, T] that lie `pad` elements further apart than they are long."""
    row = int(np.prod(sizes[2:])) + pad
    inner = contiguous_strides(sizes[2:])
    return (max(sizes[1], 1) * row, row) + inner


def _transposed(sizes):
    """Strides of [B, T, H, ...] stored as [B, H, T, ...]."""
    order = (0, 2, 1) + tuple(range(3, len(sizes)))
    stored = contiguous_strides([sizes[i] for i in order])
    return tuple(stored[order.index(i)] for i in range(len(sizes)))


def _extent(sizes, strides):
    """Elements from the first to the last, both included; 0 of an empty tensor."""
    if 0 in sizes:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))


def place(shapes, layout, tokens):
    """Regions for `shapes` {name: (kind, sizes)} as lists of {name: (offset in bytes, strides)} with their bytes.

    `tokens` names those laid out [B, T, heads, ...], to which the layout applies.
    """
    regions = []
    fused = [name for name in shapes if name in tokens and len(shapes[name][1]) == 4] if layout == "fused" else []
    groups = {}
    for name in fused:
        groups.setdefault((shapes[name][0], shapes[name][1][:2]), []).append(name)
    for (kind, (batch, length)), names in groups.items():
        widths = [int(np.prod(shapes[name][1][2:])) for name in names]
        row, at, placed = sum(widths), 0, {}
        for name, width in zip(names, widths):
            placed[name] = (at * itemsize(kind), (length * row, row) + contiguous_strides(shapes[name][1][2:]))
            at += width
        regions.append((batch * length * row * itemsize(kind), placed))
    for name, (kind, sizes) in shapes.items():
        if name in fused:
            continue
        token = name in tokens and len(sizes) >= 3
        strides, offset = contiguous_strides(sizes), 0
        if layout == "unaligned":
            offset = itemsize(kind)
            strides = _pitched(sizes, 3) if token else strides
        elif layout == "transposed" and token and len(sizes) >= 4:
            strides = _transposed(sizes)
        regions.append((offset + _extent(sizes, strides) * itemsize(kind), {name: (offset, strides)}))
    return regions


class DeviceCall:
    """Memory for one problem's arguments and results of an entry."""

    def __init__(self, context, entry, problem, layout="contiguous"):
        self.context, self.entry, self.problem = context, entry, problem
        tokens = {name for name in problem.names() if problem.letters(name)[:2] == ["B", "T"]}
        kinds = dict(problem.types)
        self.regions, self.scalars = [], {}
        shapes = {p.name: (p.kind, problem.shape(p.name)) for p in entry.arguments if not p.is_scalar}
        for num_bytes, placed in place(shapes, layout, tokens):
            self._add(num_bytes, {name: (kinds[name], shapes[name][1], *where) for name, where in placed.items()},
                      {name: problem.draw(name) for name in placed})
        self.arguments = [self.find(p.name) for p in entry.arguments]
        sizes, self.workspace_bytes = entry.query(self.arguments)
        self.first_result = len(self.regions)
        outputs = {p.name: (p.kind, size) for p, size in zip(entry.results, sizes)}
        rows = {name for name, (_, size) in outputs.items() if name not in EXAMPLES[problem.example].carried and len(size) >= 3}
        for num_bytes, placed in place(outputs, "contiguous" if layout == "fused" else layout, rows):
            self._add(num_bytes, {name: (outputs[name][0], outputs[name][1], *where) for name, where in placed.items()})
        self.results = [self.find(p.name) for p in entry.results]
        self.workspace = context.allocate(self.workspace_bytes + GUARD_BYTES)
        self._reset_workspace()

    def _add(self, num_bytes, placed, values=None):
        total = (num_bytes + 2 * GUARD_BYTES + 3) // 4 * 4
        image = np.full(total, GUARD, np.uint8)
        tensors = {}
        memory = self.context.allocate(total)
        for name, (kind, sizes, offset, strides) in placed.items():
            tensors[name] = Tensor(memory, kind, tuple(sizes), tuple(strides), GUARD_BYTES + offset)
            target = tensors[name].view(image)
            if target.size:
                target[...] = values[name] if values else poison(kind)
        memory.upload(image)
        self.regions.append(Region(image, memory, tensors))

    def _reset_workspace(self):
        image = np.full(self.workspace.num_bytes, GUARD, np.uint8)
        if self.entry.workspace_zeroed:
            image[:self.workspace_bytes] = 0
        self.workspace.upload(image)

    def find(self, name):
        for region in self.regions:
            if name in region.tensors:
                return region.tensors[name]
        raise KeyError(f"no tensor '{name}'")

    def poison(self):
        for region in self.regions[self.first_result:]:
            region.memory.upload(region.image)

    def launch(self):
        return self.entry.launch(self.arguments, self.results, self.workspace.address, self.workspace_bytes)

    def read(self, verify=True):
        """The results as stored, by name. Raises Broken where memory shows a wrong write or a missing one."""
        self.context.synchronize()
        outputs = {}
        if verify:
            for region in self.regions[:self.first_result]:
                self._verify_untouched(region.memory.download(), region.image, "arguments " + ", ".join(region.tensors))
            tail = self.workspace.download()[self.workspace_bytes:]
            if (tail != GUARD).any():
                raise Broken(f"wrote past the workspace of {self.workspace_bytes} bytes")
        for region in self.regions[self.first_result:]:
            data = region.memory.download()
            for name, tensor in region.tensors.items():
                view = tensor.view(data)
                outputs[name] = view.copy()
                if view.size:
                    view[...] = tensor.view(region.image)
            if verify:
                self._verify_untouched(data, region.image, "outside of " + ", ".join(region.tensors))
                for name, tensor in region.tensors.items():
                    self._verify_written(outputs[name], tensor, name)
        return outputs

    @staticmethod
    def _verify_untouched(data, image, what):
        changed = np.flatnonzero(data != image)
        if changed.size:
            raise Broken(f"wrote {changed.size} bytes it must not, in {what}: the first at byte {changed[0] - GUARD_BYTES}")

    @staticmethod
    def _verify_written(stored, tensor, name):
        bits = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[itemsize(tensor.kind)]
        left = np.argwhere(stored.view(bits) == np.asarray(poison(tensor.kind), STORAGE[tensor.kind]).view(bits))
        if len(left):
            raise Broken(f"left {len(left)} of {stored.size} elements of '{name}' unwritten: the first is {left[0].tolist()}")

    def num_bytes(self):
        """Bytes of arguments and results, each once."""
        tensors = [t for region in self.regions for t in region.tensors.values()]
        return sum(int(np.prod(t.sizes)) * itemsize(t.kind) for t in tensors)

    def free(self):
        """Gives the memory back; after a kernel broke its context there is nothing to give."""
        for memory in [*(region.memory for region in self.regions), self.workspace]:
            with contextlib.suppress(RuntimeFailure):
                memory.free()
