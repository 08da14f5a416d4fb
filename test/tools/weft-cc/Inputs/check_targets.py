# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles one instruction of each kind for each target and compares ptxas's verdict
with the table that `weft-cc --list-targets` prints; likewise a kernel with as much
shared memory as the table allows, and one with 16 bytes more.

usage: check_targets.py TABLE
Exit status 1 where the two disagree.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

VERSIONS = {"sm_80": "8.0", "sm_90a": "8.3", "sm_100a": "8.8", "sm_120a": "8.8"}
BODIES = {
    "bf16 arithmetic": ".reg .b16 %h<3>; mov.b16 %h1, 0; add.bf16 %h2, %h1, %h1;",
    "stmatrix": ".reg .b32 %r<3>; mov.u32 %r1, 0; mov.u32 %r2, 0;"
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};",
    "cp.async.bulk": ".reg .b32 %r<3>; .reg .b64 %rd<2>; mov.u32 %r1, 0; mov.u64 %rd1, 0;"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%r1], [%rd1], 16, [%r1];",
    "cluster": "barrier.cluster.arrive; barrier.cluster.wait;",
    "griddepcontrol": "griddepcontrol.wait;",
    "setmaxnreg": "setmaxnreg.inc.sync.aligned.u32 240;",
    "wgmma": "wgmma.fence.sync.aligned;",
    "tcgen05": "tcgen05.fence::before_thread_sync;",
}


# What ptxas grants to static shared memory there, whatever the launch may add.
STATIC_LIMITS = {"sm_80": 48 * 1024}


def uses_shared(size):
    return (f".shared .align 16 .b8 tile[{size}]; .reg .b32 %r<3>; mov.u32 %r1, tile;"
            "ld.volatile.shared.b32 %r2, [%r1];")


def assembles(target, body):
    text = (f".version {VERSIONS[target]}\n.target {target}\n.address_size 64\n"
            f".visible .entry k() .maxntid 128 {{ {body} ret; }}\n")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "k.ptx")
        source.write_text(text, encoding="utf-8")
        ptxas = os.environ.get("SCANWEFT_PTXAS", "ptxas")
        run = subprocess.run([ptxas, f"-arch={target}", source, "-o",
                              pathlib.Path(folder, "k.cubin")],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return run.returncode == 0


def main():
    faults = checks = 0
    for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        target, rest = line.split(": ", 1)
        listed = rest.rsplit(": ", 1)[1].split(", ")
        for name, body in BODIES.items():
            checks += 1
            if assembles(target, body) != (name in listed):
                print(f"{target}: {name}: listed = {name in listed}, ptxas says otherwise")
                faults += 1
        limit = STATIC_LIMITS.get(target, int(re.search(r"memory = (\d+) bytes", rest)[1]))
        for size, fits in ((limit, True), (limit + 16, False)):
            checks += 1
            if assembles(target, uses_shared(size)) != fits:
                print(f"{target}: {size} bytes of shared memory: fits = {fits}, "
                      "ptxas says otherwise")
                faults += 1
        unknown = set(listed) - set(BODIES) - {"those of every target"}
        if unknown:
            print(f"{target}: no program here for {sorted(unknown)}")
            faults += 1
    print(f"{checks} checks, {faults} faults")
    return 1 if faults or checks != len(VERSIONS) * (len(BODIES) + 2) else 0


if __name__ == "__main__":
    sys.exit(main())
