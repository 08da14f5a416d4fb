# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the functions that wtile-math-to-nvvm expands, without a GPU.

The pass's own output is executed in float32 on numbers over the whole range, the GPU's
instructions being modelled by exact results with random errors as large as the PTX ISA
allows. Products and sums are rounded apart, then fused wherever LLVM may fuse them.

usage: accuracy.py WEFT_OPT
Prints the largest relative error of each function; exit status 1 where one is above its
bound, or where a special value is wrong.
"""

import re
import subprocess
import sys

import numpy as np

NAN, INF = np.nan, np.inf
F32 = np.float32
TINY = 2.0 ** -126
OP = re.compile(r'%(\S+) = "([\w.]+)"\(([^)]*)\) (?:<\{(.*?)\}> )?: \(.*\) -> (\S+)$')
rng = np.random.default_rng(3)


def single(values):
    """float64 [N] rounded to float32; overflow is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(F32)


def flush(values):
    """float32 [N]: below the normal range, zero of the same sign."""
    return np.where(np.abs(values) < TINY, np.copysign(F32(0), values), values)


def perturbed(exact, relative=0.0, absolute=0.0):
    """float64 [N] with a random error of at most these sizes, as float32."""
    noise = rng.uniform(-1, 1, exact.shape)
    with np.errstate(invalid="ignore"):
        return single(exact + noise * np.where(np.isfinite(exact),
                                               relative * np.abs(exact) + absolute, 0))


def log2_instruction(x):
    x = flush(x)
    exact = np.log2(x.astype(float))
    near = (x > 0.5) & (x < 2)
    return np.where(near, perturbed(exact, absolute=2.0 ** -22),
                    perturbed(exact, relative=2.0 ** -22))


# By the name of the intrinsic; operands float32 [N], the result likewise.
INSTRUCTIONS = {
    "llvm.nvvm.ex2.approx.ftz":
        lambda x: flush(perturbed(np.exp2(flush(x).astype(float)), 2.0 ** -22.5)),
    "llvm.nvvm.lg2.approx.ftz.f": log2_instruction,
    "llvm.nvvm.rcp.approx.ftz.f":
        lambda x: flush(perturbed(1 / flush(x).astype(float), 2.0 ** -23)),
    "llvm.nvvm.rsqrt.approx.f":
        lambda x: perturbed(1 / np.sqrt(x.astype(float)), 2.0 ** -22.9),
    "llvm.nvvm.rsqrt.approx.ftz.f":
        lambda x: perturbed(1 / np.sqrt(flush(x).astype(float)), 2.0 ** -22.9),
    "llvm.nvvm.sqrt.approx.ftz.f":
        lambda x: perturbed(np.sqrt(flush(x).astype(float)), 2.0 ** -23),
    "llvm.nvvm.sqrt.rn.f": lambda x: single(np.sqrt(x.astype(float))),
    "llvm.nvvm.div.full.ftz":
        lambda x, y: flush(perturbed(flush(x).astype(float) / flush(y), 2.0 ** -23)),
    "llvm.nvvm.div.rn.f": lambda x, y: single(x.astype(float) / y),
    "llvm.tanh": lambda x: perturbed(np.tanh(x.astype(float)), 2.0 ** -11),
}

PREDICATES = {("arith.cmpf", 4): np.less,
              ("arith.cmpi", 6): lambda x, y: x.view(np.uint32) < y.view(np.uint32)}


class Function:
    """One llvm.func of the pass's output, as a list of ops."""

    def __init__(self, text):
        self.name = re.search(r'sym_name = "(\w+)"', text)[1]
        self.arguments = re.findall(r"%(\w+): f32", text.split("\n")[1])
        self.ops = [match.groups() for match in
                    (OP.match(line.strip()) for line in text.split("\n")) if match]
        self.result = re.search(r'"llvm.return"\(%(\w+)\)', text)[1]

    def run(self, inputs, fused):
        """float32 [N] for each argument; float32 [N]."""
        values = dict(zip(self.arguments, inputs))
        products = {}
        for name, op, operands, attributes, result in self.ops:
            names = [operand.strip()[1:] for operand in operands.split(",") if operand]
            read = [values[operand] for operand in names]
            if op == "arith.constant":
                values[name] = constant(attributes, result)
            elif op == "arith.mulf":
                products[name] = read[0].astype(float) * read[1]
                values[name] = single(products[name])
            elif op in ("arith.addf", "arith.subf"):
                values[name] = add(names, read, products if fused else {},
                                   -1 if op == "arith.subf" else 1)
            else:
                values[name] = evaluate(op, read, attributes)
        return values[self.result]


def constant(attributes, kind):
    text = re.search(r"value = (\S+) :", attributes)[1]
    if kind != "f32":
        return np.array([int(text)]).astype(np.int32)
    if text.startswith("0x"):
        return np.array([int(text, 16)], dtype=np.uint32).view(F32)
    return np.array([F32(text)])


def add(names, read, products, sign):
    """x + sign y; a product among the two is not rounded before."""
    wide = [products.get(name, value.astype(float)) for name, value in zip(names, read)]
    if names[0] in products and names[1] in products:
        wide[1] = read[1].astype(float)
    return single(wide[0] + sign * wide[1])


def evaluate(op, x, attributes):
    if op == "llvm.call_intrinsic":
        return INSTRUCTIONS[re.search(r'intrin = "([^"]+)"', attributes)[1]](*x)
    if op in ("arith.cmpf", "arith.cmpi"):
        return PREDICATES[op, int(re.search(r"predicate = (\d+)", attributes)[1])](*x)
    return {
        "math.fma": lambda: single(x[0].astype(float) * x[1] + x[2]),
        "math.absf": lambda: np.abs(x[0]),
        "math.copysign": lambda: np.copysign(x[0], x[1]),
        "arith.negf": lambda: -x[0],
        "arith.maximumf": lambda: np.maximum(x[0], x[1]),
        "arith.minimumf": lambda: np.minimum(x[0], x[1]),
        "arith.select": lambda: np.where(x[0], x[1], x[2]),
        "arith.bitcast": lambda: x[0].view(np.int32 if x[0].dtype == F32 else F32),
        "arith.addi": lambda: x[0] + x[1],
        "arith.subi": lambda: x[0] - x[1],
        "arith.andi": lambda: x[0] & x[1],
        "arith.shli": lambda: x[0] << x[1],
        "arith.sitofp": lambda: x[0].astype(F32),
    }[op]()


# Name: the op, the float64 function, where its error is bounded, and by how much, fast and
# precise. The error of exp grows with |x| in the fast form, that of log near 1 is absolute.
CASES = {
    "exp": ("math.exp %x", np.exp, (-87, 88), (6.0e-6, 3.5e-7)),
    "exp_small": ("math.exp %x", np.exp, (-16, 16), (1.4e-6, 3.5e-7)),
    "exp2": ("math.exp2 %x", np.exp2, (-126, 127.9), (3.0e-7, 3.0e-7)),
    "expm1": ("math.expm1 %x", np.expm1, (-INF, 88.7), (2.5e-7, 2.5e-7)),
    "log_far": ("math.log %x", np.log, (2, INF), (4.0e-7, 1.2e-7)),
    "log2_far": ("math.log2 %x", np.log2, (2, INF), (4.0e-7, 2.5e-7)),
    "log10_far": ("math.log10 %x", np.log10, (2, INF), (4.0e-7, 2.5e-7)),
    "log": ("math.log %x", np.log, (0, INF), (INF, 1.5e-7)),
    "log1p": ("math.log1p %x", np.log1p, (-1, INF), (2.5e-7, 2.5e-7)),
    "rsqrt": ("math.rsqrt %x", lambda x: 1 / np.sqrt(x), (0, INF), (2.0e-7, 2.0e-7)),
    "sqrt": ("math.sqrt %x", np.sqrt, (0, INF), (2.0e-7, 6.0e-8)),
    "tanh": ("math.tanh %x", np.tanh, (-INF, INF), (4.0e-7, 4.0e-7)),
    "quotient": ("arith.divf %x, %y", np.divide, (-INF, INF), (2.4e-7, 6.0e-8)),
    "reciprocal": ("arith.divf %one, %x", lambda x: 1 / x, (-INF, INF), (2.4e-7, 6.0e-8)),
}

# Operands in order, then the result.
SPECIAL = {
    "exp": [(-INF, 0), (-1000, 0), (-104.5, 0), (0, 1), (1000, INF), (INF, INF), (NAN, NAN)],
    "exp2": [(-INF, 0), (-1000, 0), (0, 1), (1000, INF), (INF, INF), (NAN, NAN)],
    "expm1": [(-INF, -1), (-200, -1), (0, 0), (1000, INF), (INF, INF), (NAN, NAN)],
    "log": [(0, -INF), (-0.0, -INF), (1, 0), (-1, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "log1p": [(-1, -INF), (-2, NAN), (0, 0), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "rsqrt": [(0, INF), (1, 1), (-1, NAN), (INF, 0), (NAN, NAN)],
    "sqrt": [(0, 0), (1, 1), (-1, NAN), (INF, INF), (NAN, NAN)],
    "tanh": [(-INF, -1), (-20, -1), (0, 0), (20, 1), (INF, 1), (NAN, NAN)],
    "quotient": [(1, 0, INF), (-1, 0, -INF), (0, 0, NAN), (1, INF, 0), (INF, INF, NAN),
                 (3e38, 3e38, 1), (1e-37, 1e-37, 1), (NAN, 1, NAN)],
    "reciprocal": [(0, INF), (-0.0, -INF), (INF, 0), (NAN, NAN)],
}


def arguments(name):
    return ("x", "y") if name == "quotient" else ("x",)


def compile_cases(weft_opt, precise):
    text = "gpu.module @kernels {\n"
    for name, (op, *_) in CASES.items():
        parameters = ", ".join(f"%{argument}: f32" for argument in arguments(name))
        text += (f"llvm.func @{name}({parameters}) -> f32 {{\n"
                 f"%one = arith.constant 1.0 : f32\n%r = {op} : f32\n"
                 "llvm.return %r : f32\n}\n")
    passes = f"builtin.module(gpu.module(wtile-math-to-nvvm{{precise={precise}}}))"
    run = subprocess.run([weft_opt, "-", "--pass-pipeline=" + passes,
                          "--mlir-print-op-generic"], input=text + "}\n",
                         stdout=subprocess.PIPE, text=True, check=True)
    return [Function(part) for part in run.stdout.split('"llvm.func"()')[1:]]


def sample(name):
    """float32 [N] for each argument: every exponent and sign, and the usual range."""
    count = 1 << 17
    result = []
    for _ in arguments(name):
        bits = rng.integers(0, 1 << 32, count, dtype=np.uint32)
        usual = rng.standard_normal(count) * rng.choice([0.1, 1, 10, 60], count)
        near_one = 1 + rng.standard_normal(count) * 2.0 ** -rng.integers(1, 23, count)
        result.append(np.concatenate([bits.view(F32), single(usual), single(near_one)]))
    return result


def largest_error(function, case, fused):
    """The largest relative error where operands and result are normal, and where."""
    _, exact, (low, high), _ = case
    x = sample(function.name)
    want = exact(*(v.astype(float) for v in x))
    got = function.run(x, fused).astype(float)
    normal = (x[0] > low) & (x[0] < high) & (np.abs(want) >= TINY) & (np.abs(want) < 3.4e38)
    for operand in x:
        normal &= (np.abs(operand) >= TINY) & np.isfinite(operand)
    error = np.where(normal, np.abs(got - want) / np.abs(np.where(normal, want, 1)), 0)
    error = np.where(normal & ~np.isfinite(got), INF, error)
    worst = int(np.argmax(error))
    return error[worst], x[0][worst]


def wrong_specials(function):
    for *operands, want in SPECIAL.get(function.name, ()):
        got = float(function.run([np.array([F32(v)]) for v in operands], False)[0])
        close = got == want or abs(got - want) < 3e-7
        if not (np.isnan(got) if np.isnan(want) else close):
            yield f"{function.name}{tuple(operands)} = {got}, not {want}"


def main():
    checks = faults = 0
    for form, precise in enumerate(("false", "true")):
        for function in compile_cases(sys.argv[1], precise):
            case = CASES[function.name]
            for fused in (False, True):
                error, where = largest_error(function, case, fused)
                bound = case[3][form]
                checks += 1
                faults += not error <= bound
                print(f"{function.name}: precise = {precise}, fused = {fused}: "
                      f"{error:.2e} at {where:.9g} (bound {bound:.1e})"
                      f"{'' if error <= bound else ' WRONG'}")
            for text in wrong_specials(function):
                print(f"precise = {precise}: {text} WRONG")
                faults += 1
    print(f"{checks} checks, {faults} faults")
    return 1 if faults or checks != 4 * len(CASES) else 0


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main())
