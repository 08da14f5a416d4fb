# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manifests from Python: writing small ones for tests, and their digest.

usage: python3 -m scanweft.manifest --seal FILE     write the digest anew, after an edit
       python3 -m scanweft.manifest --check FILE    exit status 1 where it does not match
"""

import hashlib
import json
import re
import sys

ZEROS = "0" * 64
DIGEST = re.compile(r'("digest"\s*:\s*")([0-9a-f]{64})(")')


def text_digest(text):
    """SHA-256 of a manifest's text with its digest as zeros. ValueError where it has none."""
    found = list(DIGEST.finditer(text))
    if not found:
        raise ValueError("the manifest has no digest")
    start, end = found[-1].span(2)
    return hashlib.sha256((text[:start] + ZEROS + text[end:]).encode()).hexdigest()


def seal(text):
    """The text with the digest that it should have."""
    digest = text_digest(text)
    start, end = list(DIGEST.finditer(text))[-1].span(2)
    return text[:start] + digest + text[end:]


def write(manifest, code, kind="cubin", file=None):
    """The text of a manifest given as a dict without version, code and digest, for this code (bytes)."""
    described = {"kind": kind, "bytes": len(code), "sha256": hashlib.sha256(code).hexdigest()}
    if file:
        described["file"] = file
    whole = {"scanweft_manifest": 1, "target": "sm_90a", "code": described, "kernels": [], "entries": [],
             **manifest, "digest": ZEROS}
    return seal(json.dumps(whole, indent=1))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("--seal", "--check"):
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    sealed = seal(text)
    if sys.argv[1] == "--check":
        sys.exit(0 if sealed == text else f"{sys.argv[2]}: its digest does not match its text")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(sealed)


if __name__ == "__main__":
    main()
