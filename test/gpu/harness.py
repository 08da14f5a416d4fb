# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's checks pass a right kernel and notice each kind of wrong one, on a driver without a device.

usage: harness.py FOLDER     (SCANWEFT_LIBCUDA names the fake driver)
"""

import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "runtime"))

import gpu_check
from emulator import Emulator
from sample import FakeDriver
from scanweft.runtime import Context, Library

CASES = {
    "chunked/linear_attention.mlir": {"lengths": [0, 1, 63, 131], "pieces": [[64], [1, 63]], "repeat": {"T": 32},
                                      "timing": [{"B": 3, "T": 100, "HQ": 6, "H": 3}]},
    "first_order_scan.mlir": {"lengths": [5, 64], "pieces": [[7]], "repeat": {"T": 32}, "timing": []},
}
# What a fault is, and the checks that must fail for it.
FAULTS = {
    None: set(),
    "wrong tail": {"accuracy", "pieces", "timing"},
    "unwritten": {"accuracy", "repeat", "pieces", "timing"},
    "past the end": {"accuracy", "repeat", "pieces", "timing"},
    "between rows": {"accuracy"},
    "input changed": {"accuracy", "repeat", "pieces", "timing"},
    "unstable": {"repeat"},
    "state ignored": {"accuracy", "pieces", "timing"},
    "second launch": {"launches"},
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    driver = FakeDriver(os.environ["SCANWEFT_LIBCUDA"])
    references = gpu_check.References(2)
    library, wrong = Library(), 0
    for example, case in CASES.items():
        for fault, noticed in FAULTS.items():
            if example != "chunked/linear_attention.mlir" and fault:
                continue
            driver.reset(kernels=False)
            Emulator(driver, example, fault).write(folder)
            cases = [{"name": f"{example} ({fault})", "manifest": "run.json", "entry": "run", "example": example,
                      "sets": ["normal", "low_rank", "offset", "zero_state"], **case}]
            (folder / "cases.json").write_text(json.dumps({"kernels": cases}))
            options = argparse.Namespace(folder=str(folder), modes=gpu_check.MODES, quick=False, seeds=1, sanitizer=None, lock=None, repeat=20, times=2,
                                         host_times=2)
            with Context(library) as context:
                records, kernels = gpu_check.run(options, context, cases, references)
            assert records and kernels[0]["kernels"][0]["symbol"] == "run_kernel"
            failed = {r["check"] for r in records if not r["passed"]}
            # A state that is ignored where it is zero is no error, and so on: some of the records pass.
            if failed != noticed:
                wrong += 1
                print(f"WRONG {example} ({fault}): failed {sorted(failed)}, wanted {sorted(noticed)}")
    references.pool.shutdown()
    print(f"{wrong} faults not noticed as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
