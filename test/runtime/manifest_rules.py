# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every rule of a manifest: an edit that breaks it, and what the runtime then says.

usage: manifest_rules.py     (SCANWEFT_LIBCUDA names the fake driver)
"""

import os
import re
import sys

import sample
from scanweft.manifest import seal
from scanweft.runtime import Context, Library, RuntimeFailure


def at(*path, value):
    """An edit that sets one place of the entry; a value that is callable maps the old one."""
    def edit(entry, whole):
        place = entry
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value(place[path[-1]]) if callable(value) else value
    return edit


def drop(*path):
    def edit(entry, whole):
        place = entry
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]
    return edit


def kernel(name, value):
    return lambda entry, whole: whole["kernels"][0].__setitem__(name, value)


VARIANT = ("launches", 0, "variants", 0)
RULES = [
    (drop("name"), "an entry has no 'name'"),
    (at("name", value=""), "an entry's name has 0 characters: from 1 to 512"),
    (at("name", value=7), "an entry's name is an integer, not a string"),
    (at("extra", value=1), "an entry has a 'extra', which version 1 does not know"),
    (at("arguments", value={}), "arguments is an object, not an array"),
    (at("arguments", 0, "type", value="f24"), "there is no type 'f24'"),
    (at("arguments", 0, "kind", value="matrix"), "an argument's kind is 'matrix': 'tensor' or 'scalar'"),
    (at("arguments", 0, "sizes", 2, value=-4), "a size is -4: from 0 to 9223372036854775807"),
    (at("arguments", 0, "sizes", value=[1] * 9), "an argument's sizes has 9 elements: at most 8"),
    (at("arguments", 0, "dims", value=["T"]), "an argument's dims has 1 elements: at least 3"),
    (at("expressions", 0, value=["dim", 4, 0]), "argument 4 does not exist here: there are 4"),
    (at("expressions", 0, value=["dim", 0, 3]), "dim 3 does not exist here: there are 3"),
    (at("expressions", 0, value=["dim", 2, 0]), "dim 0 does not exist here: there are 0"),
    (at("expressions", 0, value=["dim", -1, 0]), "argument -1 does not exist here: there are 4"),
    (at("expressions", 4, value=["value", 3]), "argument 3 is no integer scalar"),
    (at("expressions", 4, value=["value", 0]), "argument 0 is no integer scalar"),
    (at("expressions", 3, value=["mul", 3, 0]), "expression 3 does not exist here: there are 3"),
    (at("expressions", 3, value=["mul", 0, 9]), "expression 9 does not exist here: there are 3"),
    (at("expressions", 3, value=["power", 0, 1]), "there is no operation 'power'"),
    (at("expressions", 3, value=["mul", 0]), "'mul' has 1 operands: it takes 2"),
    (at("expressions", 3, value=["select", 0, 1]), "'select' has 2 operands: it takes 3"),
    (at("expressions", 3, value=["const", "4"]), "a constant is a string, not an integer"),
    (at("results", 0, "sizes", 0, value=24), "expression 24 does not exist here: there are 24"),
    (at("temporaries", 0, "offset", value=24), "expression 24 does not exist here: there are 24"),
    (drop("workspace"), "a temporary without a workspace"),
    (at("workspace", "zeroed", value=1), "zeroed is an integer, not true or false"),
    (at("checks", 0, "holds", value=-1), "expression -1 does not exist here: there are 24"),
    (at("launches", 0, "variants", value=[]), "variants has 0 elements: at least 1"),
    (at(*VARIANT, "kernel", value=2), "kernel 2 does not exist here: there are 2"),
    (at(*VARIANT, "programs", 0, value=24), "expression 24 does not exist here: there are 24"),
    (at(*VARIANT, "programs", value=[0] * 17), "programs has 17 elements: at most 16"),
    (at(*VARIANT, "parameters", 0, value=["pointer", 7]), "buffer 7 does not exist here: there are 7"),
    (at(*VARIANT, "parameters", 0, value=["pointer", 3]), "buffer 3 is a scalar"),
    (at(*VARIANT, "parameters", 0, value=["size", 6, 2]), "dim 2 does not exist here: there are 2"),
    (at(*VARIANT, "parameters", 0, value=["stride", 5, 1]), "dim 1 does not exist here: there are 1"),
    (at(*VARIANT, "parameters", 0, value=["scalar", 0]), "argument 0 is no scalar"),
    (at(*VARIANT, "parameters", 0, value=["extent", 2]), "program axis 2 does not exist here: there are 2"),
    (at(*VARIANT, "parameters", 0, value=["tensor", 0]), "there is no parameter 'tensor'"),
    (at(*VARIANT, "parameters", 0, value=["pointer", 0, 0]), "parameter 'pointer' has 2 operands: it takes 1"),
    (at(*VARIANT, "parameters", value=[["extent", 0]] * 513), "the parameters of 'aligned' take more than 4096 bytes"),
    (at(*VARIANT, "guards", 0, value=["alignment", 0, 0]), "a guard's bound is 0: from 1 to 9223372036854775807"),
    (at(*VARIANT, "guards", 0, value=["alignment", 2, 16]), "buffer 2 is a scalar"),
    (at(*VARIANT, "guards", 0, value=["stride", 0, 3, 16]), "dim 3 does not exist here: there are 3"),
    (at(*VARIANT, "guards", 0, value=["below", 24, 1]), "expression 24 does not exist here: there are 24"),
    (at(*VARIANT, "guards", 0, value=["packed", 7]), "buffer 7 does not exist here: there are 7"),
    (at(*VARIANT, "guards", 0, value=["fast", 0]), "there is no guard 'fast'"),
    (at(*VARIANT, "guards", 0, value=["span", 0]), "guard 'span' has 1 operands: it takes 2"),
    (at("launches", 0, "variants", 1, "guards", value=[["packed", 0]]),
     "variant 'plain' has guards: the last one of a launch has none"),
    (at(*VARIANT, "resident", value=99), "expression 99 does not exist here: there are 24"),
    (lambda entry, whole: whole["entries"].append(dict(entry)), "two entries are called 'scale'"),
    (kernel("threads", 0), "a kernel's threads is 0: from 1 to 1024"),
    (kernel("threads", 2048), "a kernel's threads is 2048: from 1 to 1024"),
    (kernel("dynamic_shared", -1), "a kernel's dynamic_shared is -1: from 0 to 2147483647"),
    (kernel("report", {"speed": 1}), "a report has a 'speed', which version 1 does not know"),
    (lambda entry, whole: whole.update(entries=[]), "entries has 0 elements: at least 1"),
    (lambda entry, whole: whole.update(target=""), "target has 0 characters: from 1 to 512"),
    (lambda entry, whole: whole.update(scanweft_manifest=2), "its version is 2, this runtime reads 1"),
    (lambda entry, whole: whole.update(code={**whole.get("code", {}), "kind": "elf"}), "code has no 'bytes'"),
]
# Texts that are no manifests, and what is said of them.
TEXTS = [
    ("", "manifest:1:1: expected a value before the end"),
    ("[]", "manifest:1:1: the manifest is an array, not an object"),
    ("{}", "manifest: it has no 'scanweft_manifest': not a manifest"),
    ('{"a": 1, "a": 2}', "manifest:1:10: 'a' stands twice"),
    ('{"a": 1.5}', "manifest:1:7: expected an integer"),
    ('{"a": 01}', "manifest:1:7: an integer with a leading zero"),
    ('{"a": 9223372036854775808}', "manifest:1:7: an integer past 64 bits"),
    ('{"a": -9223372036854775809}', "manifest:1:7: an integer past 64 bits"),
    ('{"a": "\\u0000"}', "manifest:1:8: a character that text cannot hold"),
    ('{"a": "\\ud800x"}', "manifest:1:8: half of a surrogate pair"),
    ('{"a": "\\q"}', "manifest:1:8: an unknown escape"),
    ('{"a": "b', "manifest:1:7: a string without an end"),
    ('{"a": 1} 2', "manifest:1:10: expected nothing after the value"),
    ('{"a": nul}', "manifest:1:7: expected 'null'"),
    ('{"a"\n 1}', "manifest:2:2: expected ':'"),
    ("[" * 100, "manifest:1:34: nested more than 32 deep"),
    (b'{"a": "\xff"}', "manifest:1:8: text that is not UTF-8"),
    (b'{"a": "\xc0\x80"}', "manifest:1:8: text that is not UTF-8"),
    (b'{"a": "\xed\xa0\x80"}', "manifest:1:8: text that is not UTF-8"),
    ('{"a": "\t"}', "manifest:1:8: a control character in a string"),
    (" " * (8 * 1024 * 1024 + 1), "manifest: a manifest of 8388609 bytes, at most 8388608"),
]


def refused(context, text, code, wanted, status="bad manifest"):
    """Whether loading fails with this status and text."""
    try:
        context.load_bytes(text, code).close()
    except RuntimeFailure as failure:
        said = re.sub(r"^manifest:\d+:\d+: ", "", failure.text)
        if failure.name == status and wanted in (said, failure.text):
            return True
        print(f"wanted {status}: {wanted}\ngot    {failure}")
        return False
    print(f"wanted {status}: {wanted}\ngot    a loaded artifact")
    return False


def main():
    driver = sample.FakeDriver(os.environ["SCANWEFT_LIBCUDA"])
    good = code = 0
    with Context(Library()) as context:
        code = sample.cubin()
        context.load_bytes(sample.text(), code).close()
        results = [refused(context, sample.text(edit), code, wanted) for edit, wanted in RULES]
        results += [refused(context, text, code, wanted) for text, wanted in TEXTS]
        sealed = sample.text()
        results.append(refused(context, sealed.replace('"threads": 128', '"threads": 129'), code,
                               f"its digest is {sealed[-67:-3]}, its text's is "
                               f"{seal(sealed.replace(chr(34) + 'threads' + chr(34) + ': 128', chr(34) + 'threads' + chr(34) + ': 129'))[-67:-3]}"
                               ": damaged or edited after the compiler wrote it"))
        good = sum(results)
        print(f"{good} of {len(results)} rules hold")
        del driver
    return 0 if good == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
