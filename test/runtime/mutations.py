# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manifests and cubins that were truncated or edited: a status each time, never a signal.

usage: mutations.py COUNT [SEED]     (SCANWEFT_LIBCUDA names the fake driver)

COUNT mutants of each kind. Those whose digests are made anew reach the checks behind them; what
still loads is queried and launched. A damaged file must be refused whatever the damage.
"""

import collections
import json
import os
import random
import re
import sys

import sample
from scanweft.manifest import seal, write
from scanweft.runtime import Context, Library, RuntimeFailure, Scalar, Tensor, contiguous_strides

NUMBERS = (-1, 0, 1, 2, 7, 63, 255, 4096, 1 << 31, (1 << 31) - 1, (1 << 63) - 1, -(1 << 63), 1 << 63, 1 << 70)


def damage_bytes(rng, data):
    """Truncated, or some bytes changed, removed, doubled."""
    data = bytearray(data)
    how = rng.randrange(5)
    if how == 0:
        return bytes(data[:rng.randrange(len(data))])
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        if how == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 2:
            data[at] = rng.randrange(256)
        elif how == 3:
            del data[at:at + rng.randint(1, 40)]
        else:
            data[at:at] = data[at:at + rng.randint(1, 40)]
        if not data:
            break
    return bytes(data)


def places(value, path=()):
    """Every place of a JSON value as (container, key)."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield value, key
        yield from places(child)


def damage_structure(rng, whole):
    """A few values replaced, removed, swapped, moved."""
    for _ in range(rng.randint(1, 3)):
        found = list(places(whole))
        container, key = rng.choice(found)
        how = rng.randrange(5)
        if how == 0:
            del container[key]
        elif how == 1 and isinstance(container[key], int):
            container[key] = rng.choice(NUMBERS)
        elif how == 2 and isinstance(container[key], int):
            container[key] += rng.choice((-1, 1))
        elif how == 3 and isinstance(container, list):
            container.append(container[key])
        else:
            other, other_key = rng.choice(found)
            try:
                value = json.loads(json.dumps(other[other_key]))
            except (IndexError, KeyError):
                continue
            container[key] = value
    return whole


class Caller:
    """Launches whatever entry there is with tensors that fit its sizes, and with some that do not."""

    def __init__(self, context):
        self.context, self.memory = context, context.allocate(1 << 20)

    def tensor(self, parameter):
        if parameter.is_scalar:
            return Scalar(parameter.kind, 3)
        sizes = [5 if size < 0 else min(size, 1 << 40) for size in parameter.sizes]
        return Tensor(self.memory, parameter.kind, tuple(sizes), contiguous_strides(sizes))

    def __call__(self, artifact):
        for entry in artifact.entries():
            if any(p.kind.startswith("f8") for p in entry.arguments + entry.results):
                continue
            arguments = [self.tensor(p) for p in entry.arguments]
            sizes, workspace = entry.query(arguments)
            results = [Tensor(self.memory, p.kind, s, contiguous_strides(s)) for p, s in zip(entry.results, sizes)]
            entry.launch(arguments, results, self.memory.address, workspace)


def attempt(context, caller, text, code, outcomes):
    """Loads and calls; returns whether it loaded."""
    try:
        artifact = context.load_bytes(text, code)
    except RuntimeFailure as failure:
        outcomes[failure.name] += 1
        assert failure.text and "\n" not in failure.text, repr(failure.text)
        return False
    try:
        caller(artifact)
        outcomes["launched"] += 1
    except RuntimeFailure as failure:
        outcomes["call: " + failure.name] += 1
        assert failure.text and "\n" not in failure.text, repr(failure.text)
    artifact.close()
    return True




def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    rng = random.Random(seed)
    driver = sample.FakeDriver(os.environ["SCANWEFT_LIBCUDA"])
    accepted = 0
    with Context(Library()) as context:
        caller = Caller(context)
        code, text = sample.cubin(), sample.text()
        context.load_bytes(text, code).close()
        kinds = {kind: collections.Counter() for kind in ("manifest, damaged", "manifest, damaged and sealed", "manifest, edited and sealed",
                                                          "cubin, damaged", "cubin, damaged and sealed")}
        for _ in range(count):
            damaged = damage_bytes(rng, text.encode())
            if damaged != text.encode():
                accepted += attempt(context, caller, damaged, code, kinds["manifest, damaged"])
            try:
                sealed = seal(damaged.decode())
            except (ValueError, UnicodeDecodeError):
                sealed = None
            if sealed:
                attempt(context, caller, sealed, code, kinds["manifest, damaged and sealed"])
            edited = damage_structure(rng, json.loads(re.sub(r'"digest".*"', '"digest": "' + "0" * 64 + '"', text)))
            try:
                attempt(context, caller, seal(json.dumps(edited)), code, kinds["manifest, edited and sealed"])
            except ValueError:
                pass
            broken = damage_bytes(rng, code)
            if broken != code:
                accepted += attempt(context, caller, text, broken, kinds["cubin, damaged"])
            if broken:
                attempt(context, caller, write(sample.manifest(), broken), broken, kinds["cubin, damaged and sealed"])
        caller.memory.free()
    for kind, outcomes in kinds.items():
        print(f"{kind}: " + ", ".join(f"{name} {n}" for name, n in sorted(outcomes.items())))
        assert sum(outcomes.values()) > count // 4, f"too few mutants of {kind}"
    print(f"{accepted} damaged files accepted")
    del driver
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
