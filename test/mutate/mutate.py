# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated files through weft-opt, weft-run and weft-cc: every bad input gets a diagnostic.

    python3 test/mutate/mutate.py --count 2000 --seed 1 examples/*.mlir examples/chunked/*.mlir

A mutation deletes, duplicates, swaps or replaces tokens, exchanges types or attributes,
changes numbers (huge and negative ones included) or cuts the file short. Each mutated
file goes through one command. It must end with exit code 0, or with exit code 1 and a
diagnostic that names the file and a line; a signal, another exit code, a missing
location or a run over the time limit is a failure, whose file is kept.
"""

import argparse
import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

TOKEN = re.compile(
    r'//[^\n]*|"[^"\n]*"|0x[0-9A-Fa-f]+|\d+\.\d+(?:e[+-]?\d+)?|\d+|[%@^#!]?[A-Za-z_][\w$.]*|->|\s+|.')
NUMBERS = ("0", "1", "-1", "2", "3", "7", "63", "65", "4096", "2147483648", "9223372036854775807",
           "18446744073709551616", "1.0e308", "0xFFF0000000000000", "0x7FC00000")
TYPES = ("f32", "bf16", "f64", "i32", "index", "i1", "tensor<f32>", "tensor<*xf32>", "tensor<?xf32>", "none",
         "memref<4xf32>", "vector<4xf32>", "f128", "!llvm.ptr<3>", "!weft.element<#weft.sum>", "complex<f32>", "f8E4M3FN", "tensor<0xf32>")
WORDS = ("over", "by", "from", "to", "carry", "out", "outs", "slices", "carries", "descending", "reverse", "strict",
         "unit", "diagonal", "numerics", "decay", "term", "write", "erase", "value", "read", "init", "if", "live",
         "rows", "*", "dense", "module", "func.func", "return", "#weft.sum", "#weft.affine", "#weft.online_softmax",
         "#weft.fenwick<#weft.sum>", "#weft.fenwick<#weft.fenwick<#weft.sum>>", "#weft.inverse_gram", "#weft.region<@none identity []>")
SCALAR_TYPE = re.compile(r"^(f32|bf16|f64|f16|i32|i64|index|i1)$")


def is_text(token):
    return not token.isspace() and not token.startswith("//")


def places(tokens, accepts):
    return [i for i, token in enumerate(tokens) if is_text(token) and accepts(token)]


def mutate_once(rng, tokens):
    """One random change to a token list; returns a new list."""
    tokens = list(tokens)
    at = lambda accepts=lambda t: True: rng.choice(places(tokens, accepts) or places(tokens, lambda t: True))
    kind = rng.choice(("delete", "duplicate", "swap", "number", "number", "type", "word", "value", "cut", "line", "copy",
                       "dimension", "character"))
    i = at()
    if kind == "delete":
        del tokens[i:i + rng.choice((1, 1, 1, 2, 5))]
    elif kind == "duplicate":
        tokens.insert(i, tokens[i] + " ")
    elif kind == "swap":
        j = at(lambda t: t[0] == tokens[i][0])
        tokens[i], tokens[j] = tokens[j], tokens[i]
    elif kind == "number":
        tokens[at(lambda t: t[0].isdigit())] = rng.choice(NUMBERS)
    elif kind == "type":
        tokens[at(lambda t: SCALAR_TYPE.match(t))] = rng.choice(TYPES)
    elif kind == "word":
        tokens[i] = rng.choice(WORDS)
    elif kind == "value":
        tokens[at(lambda t: t[0] == "%")] = tokens[at(lambda t: t[0] == "%")]
    elif kind == "cut":
        del tokens[i:]
    elif kind == "line":
        lines = "".join(tokens).split("\n")
        j = rng.randrange(len(lines))
        lines[j:j + 1] = rng.choice(([], [lines[j], lines[j]], [rng.choice(lines)]))
        tokens = TOKEN.findall("\n".join(lines))
    elif kind == "copy":
        tokens[i] = tokens[at()]
    elif kind == "dimension":
        # Sizes stand inside shape tokens such as x64xbf16, which the lexer splits as 64 and xbf16.
        tokens[at(lambda t: t in ("64", "128", "32", "13"))] = rng.choice(NUMBERS[:10] + ("?", "x", "*"))
    else:
        tokens[i] = tokens[i][:1] + rng.choice("\0\"'{}()<>[]#!%é\\") + tokens[i][1:]
    return tokens


def mutate(rng, text):
    """The text after one to three random changes."""
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not any(map(is_text, tokens)):  # all that could change has been cut
            break
        tokens = mutate_once(rng, tokens)
    return "".join(tokens)


def limit_memory():
    """A mutated size may ask for terabytes: the process gets an allocation failure, not the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(command, path, seconds):
    """Run the command; return None if it behaved, else what was wrong."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds} s"
    errors = done.stderr.decode(errors="replace")
    if done.returncode == 0:
        return None
    if done.returncode != 1:
        return f"exit code {done.returncode}: {errors[-300:]}"
    if not re.search(re.escape(path) + r":\d+:\d+: error: |loc\(.*\): error: ", errors):
        return f"no located diagnostic: {errors[:300]}"
    return None


def check_one(options, number, source, commands):
    rng = random.Random(f"{options.seed}/{number}")
    with open(source, encoding="utf-8") as file:
        original = file.read()
    text, sizes = mutate(rng, original), dynamic_sizes(original)
    path = os.path.join(options.directory, f"mutant-{number}.mlir")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    values = {"FILE": path, "SIZES": sizes}
    command = [values.get(part, part) for part in rng.choice(commands)]
    wrong = judge(command, path, options.seconds)
    if wrong is None:
        os.remove(path)
        return None
    return f"{path} (from {source}): {' '.join(command)}: {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", action="store_true", help="the files hold kernels in the llvm dialect")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of one command")
    parser.add_argument("--directory", help="where mutants that fail are kept; a temporary one by default")
    options = parser.parse_args()
    options.directory = options.directory or tempfile.mkdtemp(prefix="scanweft-mutants-")
    os.makedirs(options.directory, exist_ok=True)
    commands = KERNEL_COMMANDS if options.kernels else COMMANDS
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda n: check_one(options, n, options.files[n % len(options.files)], commands),
                           range(options.count))
        failures = [line for line in results if line]
    for line in failures:
        print(line)
    print(f"{options.count} mutants, {len(failures)} failures")
    return 1 if failures else 0


def dynamic_sizes(text):
    """`--size` of a small run: a number for every name that a dynamic dim of an argument has."""
    for alias, tensor in re.findall(r"^(!\w+) = (tensor<\S+>)$", text, re.M):
        text = re.sub(re.escape(alias) + r"\b", tensor, text)
    names = {}
    for shape, labels in re.findall(r"tensor<([\dx?]+)x\w+>\s*\{[^}]*?weft\.dims = \[([^\]]*)\]", text):
        for size, label in zip(shape.split("x"), re.findall(r'"(\w+)"', labels)):
            if size == "?":
                names[label] = 5 if label == "T" else 2
    return "--size=" + ",".join(f"{name}={size}" for name, size in names.items())


# FILE and SIZES are replaced.
COMMANDS = (
    ["weft-opt", "FILE", "-o", "/dev/null"],
    ["weft-opt", "FILE", "--canonicalize", "--cse", "-o", "/dev/null"],
    ["weft-opt", "FILE", "--pass-pipeline=builtin.module(weft-to-chunked,weft-verify-chunked)", "-o", "/dev/null"],
    ["weft-opt", "FILE", "--pass-pipeline=builtin.module(weft-to-chunked,weft-instantiate{rows=1 in=f64})",
     "-o", "/dev/null"],
    ["weft-opt", "FILE", "--pass-pipeline=builtin.module(weft-to-chunked,func.func(weft-segment{segments=3}))",
     "-o", "/dev/null"],
    ["weft-opt", "FILE", "--pass-pipeline=builtin.module(weft-to-linalg)", "-o", "/dev/null"],
    ["weft-run", "FILE", "SIZES", "--memory-limit=1000000000", "--time-limit=20"],
    ["weft-run", "FILE", "SIZES", "--memory-limit=1000000000", "--time-limit=20", "--numerics=f64",
     "--pipeline=weft-to-chunked,func.func(weft-segment{segments=2})"],
    ["weft-cc", "FILE", "--target=sm_90a", "-o", "/dev/null"],
)

KERNEL_COMMANDS = tuple(["weft-cc", "FILE", f"--target={target}", "-o", "/dev/null"]
                        for target in ("sm_80", "sm_90a", "sm_100a", "sm_120a"))

if __name__ == "__main__":
    sys.exit(main())
