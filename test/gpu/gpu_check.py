# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled kernels on a GPU; needs Python 3 with numpy, the runtime library and the driver.

usage: gpu_check.py FOLDER [options]

FOLDER holds manifests with their code and `cases.json`:

    {"kernels": [{"name": "linear attention, D 64, bf16", "manifest": "linear_attention.json",
                  "entry": "linear_attention", "example": "linear_attention.mlir",
                  "sizes": {"B": 2, "HQ": 4, "H": 2}, "lengths": [0, 1, 63, 1000], "long": 2000,
                  "pieces": [[64], [1, 63]], "repeat": {"T": 512}, "timing": [{"B": 8, "T": 4096}],
                  "launches": 1, "chunk": 64}]}

`example` names the inputs and the float64 reference in oracle.examples; sizes that the kernel fixes come
from its manifest. Lengths above `long` are checked with one seed of each set. Each kernel has a process of its
own, which is stopped after --time-limit seconds. Without a driver or a device nothing is checked and the exit status is 77, or 1 where SCANWEFT_REQUIRE names gpu.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (HERE, os.path.join(HERE, ".."), os.path.join(HERE, "..", "..", "python")):
    sys.path.insert(0, os.path.normpath(folder))

import numpy as np

import checks
from device import LAYOUTS
from scanweft.runtime import Context, Library, RuntimeFailure

MODES = ("accuracy", "launches", "repeat", "pieces", "timing")
SETS = ("normal", "low_rank", "offset", "zero_state")
SKIPPED = 77
SANITIZER_ERROR = 9


def sanitizer_command(tool):
    """compute-sanitizer over the runtime's kernels alone, with its own exit status for what it finds."""
    return ["compute-sanitizer", f"--tool={tool}", f"--error-exitcode={SANITIZER_ERROR}", "--print-limit=5"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--out", help="write every record as JSON")
    parser.add_argument("--only", action="append", default=[], help="kernels whose name holds this; repeatable")
    parser.add_argument("--modes", default=",".join(MODES), help="of " + ", ".join(MODES))
    parser.add_argument("--quick", action="store_true", help="one seed, two lengths, 20 repetitions, no long timings")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=300)
    parser.add_argument("--times", type=int, default=20, help="launches for a median")
    parser.add_argument("--host-times", type=int, default=1000, help="launches for the host's median")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--parallel", type=int, default=max(1, min(4, os.cpu_count() // 4)), help="kernels checked at a time")
    parser.add_argument("--jobs", type=int, default=max(1, os.cpu_count() // 4), help="processes for references, a kernel")
    parser.add_argument("--time-limit", type=int, default=300, help="seconds for one kernel")
    parser.add_argument("--sanitizer", help="run each kernel's process under this tool of compute-sanitizer, at three lengths")
    parser.add_argument("--case", help="the one kernel of this name, in this process")
    parser.add_argument("--lock", help="a file: who holds it has the GPU alone, for a time")
    options = parser.parse_args()
    options.modes = options.modes.split(",")
    unknown = set(options.modes) - set(MODES)
    if unknown:
        parser.error(f"there is no mode {sorted(unknown)[0]}: there are {', '.join(MODES)}")
    return options


def compute_reference(problem):
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return problem.reference()


class References:
    """Float64 references, computed by other processes while the device works."""

    def __init__(self, jobs):
        self.pool = concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"))
        # Before the driver starts threads of its own.
        list(self.pool.map(abs, range(jobs)))
        self.futures = {}

    def ask(self, problem):
        if problem not in self.futures:
            self.futures[problem] = self.pool.submit(compute_reference, problem)

    def get(self, problem):
        self.ask(problem)
        return self.futures[problem].result()


def plan(case, entry, options):
    """Yields (check's function, problem of the reference or None, arguments) for one kernel."""
    def make(**changes):
        return checks.make_problem(case, entry, **changes)
    lengths = case.get("lengths", [0, 1, 5, 63, 64, 131, 1000, 4096])
    if options.sanitizer:
        lengths = [1, 64, 131]
    elif options.quick:
        lengths = [length for length in lengths if length <= 1000][-2:]
    seeds = 1 if options.quick or options.sanitizer else options.seeds
    if "accuracy" in options.modes:
        for length in lengths:
            for inputs in SETS[:1] if options.sanitizer else case.get("sets", SETS):
                for seed in range(1 if length > case.get("long", 2000) else seeds):
                    every = inputs == "normal" and seed == 0 and not options.sanitizer
                    for layout in LAYOUTS if every else LAYOUTS[1:2]:
                        problem = make(T=length, inputs=inputs, seed=seed)
                        yield checks.check_accuracy, problem, problem, [layout]
    repeated = make(**case.get("repeat", {"T": 512}))
    if "launches" in options.modes:
        yield checks.check_launches, None, repeated, [case.get("launches", 1)]
    if "repeat" in options.modes:
        yield checks.check_repeat, None, repeated, [20 if options.quick else options.repeat]
    if "pieces" in options.modes:
        for cuts in case.get("pieces", []):
            problem = make(T=max(cuts) + 131)
            yield checks.check_pieces, problem, problem, [cuts]
    if "timing" in options.modes:
        for sizes in case.get("timing", [])[:1 if options.quick else None]:
            problem = make(tiled=True, **sizes)
            for layout in ("contiguous", "fused"):
                yield (checks.check_timing, dataclasses.replace(problem, part=True), problem,
                       [layout, options.times, options.host_times, options.lock])


def show(name, result):
    """One line of a result."""
    text = f"{'ok  ' if result['passed'] else 'FAIL'} {name}: {result['check']} T={result['T']} {result['inputs']} seed {result['seed']}"
    for key in ("layout", "cuts"):
        if key in result:
            text += f" {result[key]}"
    if "errors" in result:
        text += " " + " ".join(f"{n} {e['rms']:.1e}/{e['row']:.1e}" for n, e in result["errors"].items())
    if result["check"] == "timing" and "milliseconds" in result:
        text += (f" {result['milliseconds']:.4f} ms (again {result['again']:.4f}, least {result['least']:.4f}, warm {result['warm']:.4f}), "
                 f"floor {result['floor']:.4f}, host {result['host_microseconds']:.2f} us")
    if "error" in result:
        text += f" {result['error']}"
    print(text, flush=True)


def summarize(name, results):
    """A line a check: how many, how many failed, the worst errors."""
    for mode in MODES:
        own = [r for r in results if r["check"] == mode]
        if not own:
            continue
        worst = {}
        for r in own:
            for output, e in r.get("errors", {}).items():
                worst[output] = max(worst.get(output, 0.0), e["rms"])
        wrong = sum(not r["passed"] for r in own)
        text = ", ".join(f"{output} {rms:.1e}" for output, rms in worst.items())
        print(f"{name}: {mode}: {len(own) - wrong} of {len(own)} passed" + (f", worst {text}" if text else ""), flush=True)


def run(options, context, cases, references):
    """All records, in order."""
    planned, loaded = [], []
    for case in cases:
        artifact = context.load(os.path.join(options.folder, case["manifest"]))
        loaded.append(artifact)
        entry = artifact.entry(case["entry"])
        work = list(plan(case, entry, options))
        for _, wanted, _, _ in work:
            if wanted is not None:
                references.ask(wanted)
        planned.append((case, artifact, entry, work))
    records = []
    for case, artifact, entry, work in planned:
        own = []
        for check, wanted, problem, arguments in work:
            try:
                given = [*arguments, references.get(wanted)] if wanted is not None else arguments
                result = check(context, entry, problem, *given)
            except (ValueError, ArithmeticError, KeyError) as error:
                result = checks.failed(check.__name__.removeprefix("check_"), problem, f"no reference: {error!r}")
            result = {"kernel": case["name"], **result}
            own.append(result)
            if not result["passed"] or result["check"] == "timing":
                show(case["name"], result)
        summarize(case["name"], own)
        records += own
    kernels = [{"kernel": case["name"], "kernels": artifact.kernels()} for case, artifact, _, _ in planned]
    for artifact in loaded:
        artifact.close()
    return records, kernels


def open_context(device):
    """The context, or the exit status where there is no GPU."""
    try:
        return Context(Library(), device)
    except RuntimeFailure as failure:
        if failure.name not in ("no driver", "no device"):
            raise
        required = "gpu" in os.environ.get("SCANWEFT_REQUIRE", "").split(",")
        print(f"{'failed' if required else 'skipped'}: {failure}")
        sys.exit(1 if required else SKIPPED)


def run_alone(options, name, modes, lock):
    """One kernel in a process of its own; returns its records and kernels, and prints what it printed."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = sanitizer_command(options.sanitizer) if options.sanitizer else []
        command += [sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--case", name, "--out", out.name,
                    "--modes", ",".join(modes), "--lock", lock]
        status = None
        try:
            done = subprocess.run(command, check=False, timeout=options.time_limit, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            status, said = done.returncode, done.stdout
            problem = f"the process ended with status {status}"
        except subprocess.TimeoutExpired as stopped:
            said = (stopped.stdout or b"").decode(errors="replace")
            problem = f"stopped after {options.time_limit} s"
        text = out.read()
    print(said, end="", flush=True)
    records, kernels = [], []
    if text:
        written = json.loads(text)
        records, kernels = written["records"], written["kernels"]
    if records and status in (0, 1):
        return records, kernels
    if status == SANITIZER_ERROR:
        problem = f"{options.sanitizer} found something"
    print(f"FAIL {name}: {problem}", flush=True)
    return [*records, {"kernel": name, "check": "process", "passed": False, "error": problem}], kernels


def run_all(options, cases):
    """All kernels: first what needs no quiet GPU, then times, one at a time."""
    records, kernels = [], {}
    with tempfile.NamedTemporaryFile() as lock, concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        for modes in ([m for m in options.modes if m != "timing"], [m for m in options.modes if m == "timing"]):
            names = [case["name"] for case in cases if modes and (modes != ["timing"] or case.get("timing"))]
            for own, of in pool.map(lambda name, m=modes: run_alone(options, name, m, lock.name), names):
                records += own
                kernels.update({each["kernel"]: each for each in of})
    return records, list(kernels.values())


def write_results(path, card, records, kernels, started):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"card": card, "command": sys.argv, "python": platform.python_version(), "numpy": np.__version__,
                   "bandwidth": checks.BANDWIDTH, "seconds": time.time() - started, "kernels": kernels, "records": records},
                  file, indent=1)


def main():
    options, started = parse_options(), time.time()
    with open(os.path.join(options.folder, "cases.json"), encoding="utf-8") as file:
        cases = [case for case in json.load(file)["kernels"]
                 if (options.case or case["name"]) == case["name"] and
                 (not options.only or any(part in case["name"] for part in options.only))]
    if not cases:
        sys.exit(f"no kernel of {options.folder} is named so")
    references = References(options.jobs) if options.case else None
    with open_context(options.device) as context:
        card = context.describe()
        if options.case:
            records, kernels = run(options, context, cases, references)
    if options.case:
        references.pool.shutdown(cancel_futures=True)
    else:
        print(f"{card['name']}, sm_{card['major']}{card['minor']}, driver {card['driver_version']}, "
              f"{card['multiprocessors']} multiprocessors", flush=True)
        records, kernels = run_all(options, cases)
    wrong = sum(not r["passed"] for r in records)
    if options.out:
        write_results(options.out, card, records, kernels, started)
    if not options.case:
        print(f"{len(records) - wrong} passed, {wrong} failed, {time.time() - started:.0f} s")
    return 1 if wrong or not records else 0


if __name__ == "__main__":
    sys.exit(main())
