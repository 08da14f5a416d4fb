# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the examples for a GPU, in the sizes and types that are checked there, and writes cases.json.

usage: compile_kernels.py FOLDER --target=sm_90a [--code=cubin|ptx] [--only=NAME] [--jobs=N]

Needs weft-opt and weft-cc on PATH. What the compiler declines is listed with its diagnostic; exit status 1
where nothing was compiled.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FEW = {"lengths": [1, 131, 1000], "sets": ["normal", "low_rank"], "pieces": [[64, 100]]}
PIECES = [[64], [1, 63], [100, 101]]


def timing(batch, length, heads):
    return [{"B": batch, "T": length, "H": heads, "HQ": heads, "HV": heads}]


LARGE, WIDE = timing(8, 4096, 16), timing(8, 2048, 32)
# Example, options of weft-instantiate, types beside the file's own, and what differs in its checks.
KERNELS = [
    ("linear_attention.mlir", "", ("f16", "f32"), {"timing": LARGE + WIDE}),
    ("linear_attention.mlir", "K=128 V=128", (), {"timing": LARGE}),
    ("decayed_linear_attention.mlir", "", ("f16", "f32"), {"timing": LARGE, "pieces": PIECES}),
    ("gma_causal.mlir", "", ("f16", "f32"), {"timing": LARGE}),
    ("gma_causal.mlir", "M=16", (), {"timing": LARGE}),
    ("gma_causal.mlir", "D=128 V=128", (), {"timing": LARGE}),
    ("gma_causal.mlir", "M=16 D=128 V=64", (), {}),
    ("prefix_sum.mlir", "", (), {"timing": LARGE}),
    ("first_order_scan.mlir", "", (), {"timing": LARGE, "pieces": PIECES}),
    ("cumulative_max.mlir", "", (), {"timing": LARGE}),
    ("chunked/linear_attention.mlir", "", ("f16", "f32"), {"timing": LARGE, "pieces": PIECES}),
    ("chunked/linear_attention.mlir", "K=128 V=128", (), {"timing": LARGE, "pieces": PIECES}),
    ("chunked/vla.mlir", "", ("f16", "f32"), {"timing": WIDE, "pieces": PIECES}),
    ("chunked/permuted_window.mlir", "", ("f16", "f32"), {"timing": LARGE}),
    ("chunked/permuted_window.mlir", "K=128 V=128", (), {"timing": LARGE}),
    ("chunked/fenwick.mlir", "", ("f16", "f32"), {"timing": WIDE}),
    ("chunked/fenwick.mlir", "K=128 V=128", (), {"timing": LARGE}),
    ("chunked/gated_recurrence.mlir", "", ("f32",), {"timing": LARGE, "pieces": PIECES}),
    ("chunked/gated_slot_attention.mlir", "", (), {"timing": LARGE, "pieces": PIECES}),
    ("chunked/two_terms.mlir", "", (), {"timing": LARGE, "pieces": PIECES}),
    ("chunked/retention_gradients.mlir", "", (), {"timing": LARGE}),
]


def list_kernels():
    """Yields (name, example, options of weft-instantiate, fields of the case)."""
    for example, sizes, types, fields in KERNELS:
        for kind in ("", *types):
            options = " ".join(filter(None, (sizes, f"in={kind}" if kind else "")))
            name = " ".join(filter(None, (example.removesuffix(".mlir"), sizes, kind)))
            yield name, example, options, {**fields, **(FEW if kind else {})}


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, cwd=ROOT)


def compile_kernel(kernel, options):
    """The case, or the diagnostic why there is none."""
    name, example, instantiate, fields = kernel
    file, given = os.path.join("examples", example), None
    if instantiate:
        done = run(["weft-opt", file, f"--weft-instantiate={instantiate}", "--mlir-print-debuginfo"])
        if done.returncode:
            return None, done.stderr
        file, given = "-", done.stdout
    stem = re.sub(r"\W+", "_", name)
    manifest = os.path.join(options.folder, stem + ".json")
    done = run(["weft-cc", file, f"--target={options.target}", "--emit=manifest", f"--code={options.code}", "-o", manifest], given)
    if done.returncode:
        return None, done.stderr
    with open(manifest, encoding="utf-8") as text:
        described = json.load(text)
    entry = described["entries"][0]
    return {"name": name, "manifest": stem + ".json", "entry": entry["name"], "example": example,
            "launches": len(entry["launches"]), **fields}, described["kernels"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--code", default="cubin", choices=("cubin", "ptx"))
    parser.add_argument("--only", default="", help="kernels whose name holds this")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    os.makedirs(options.folder, exist_ok=True)
    kernels = [kernel for kernel in list_kernels() if options.only in kernel[0]]
    cases, declined = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for kernel, (case, said) in zip(kernels, pool.map(lambda k: compile_kernel(k, options), kernels)):
            if case:
                cases.append(case)
                reports = [k.get("report", {}) for k in said]
                print(f"{kernel[0]}: " + "; ".join(
                    f"{r.get('registers', '?')} registers, {r.get('spill_stores', 0) + r.get('spill_loads', 0)} bytes of spills, "
                    f"{k['dynamic_shared']} of shared memory, {r.get('code_bytes', 0)} of code" for k, r in zip(said, reports)), flush=True)
            else:
                declined.append({"name": kernel[0], "why": said})
                print(f"{kernel[0]}: declined: {said.splitlines()[0] if said else 'without a word'}", flush=True)
    with open(os.path.join(options.folder, "cases.json"), "w", encoding="utf-8") as file:
        json.dump({"target": options.target, "kernels": cases, "declined": declined}, file, indent=1)
    print(f"{len(cases)} compiled, {len(declined)} declined")
    return 0 if cases else 1


if __name__ == "__main__":
    sys.exit(main())
