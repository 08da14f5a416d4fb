# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the algebra stage, executed token by token and in chunks, in float64 on the same inputs.

Each program is a function on tokens q, k, v, x [B, T, heads, feature], decays and states.
The algebra stage's reference meaning must equal what weft-to-chunked makes of the program,
for chunks of 1, 16 and 64 rows and lengths on both sides of their multiples. Decays have
steps of -1e4 and of -inf, linear ones are negative now and then, and zero.

usage: algebra_chunks.py WEFT_RUN [program...]
"""

import itertools
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np

B, K, V = 2, 4, 3
LENGTHS = (0, 1, 5, 63, 64, 131)
CHUNKS = (1, 16, 64)
# Heads of queries, keys, values, decays and states, by the length's place in LENGTHS.
HEADS = ({"q": 4, "k": 2, "v": 2, "g": 2, "s": 2}, {"q": 2, "k": 2, "v": 6, "g": 1, "s": 6},
         {"q": 1, "k": 1, "v": 1, "g": 1, "s": 1}, {"q": 3, "k": 1, "v": 3, "g": 3, "s": 1})
TOLERANCE = 1e-10
SIZES = {"k": K, "v": V}

ORDERS = [("decay", "write", "read"), ("decay", "read", "write"), ("write", "decay", "read"),
          ("write", "read", "decay"), ("read", "decay", "write"), ("read", "write", "decay"),
          ("write", "read"), ("read", "write")]


def tensor(axes):
    """`tensor<?x?x?x4xf64>` of "bthk"."""
    return "tensor<" + "".join(f"{SIZES.get(a, '?')}x" for a in axes) + "f64>"


class Program:
    """The text of one function. Arguments are made by name: see `array`."""

    def __init__(self, name):
        self.name, self.lines, self.arguments, self.results = name, [], {}, []

    def argument(self, name, axes):
        self.arguments[name] = axes
        return f"%{name}"

    def operand(self, name, axes, full):
        """An operand of a clause, its type, and `along [...]` where it lacks axes."""
        along = f" along [{', '.join(axes)}]" if axes != full else ""
        return self.argument(name, axes), along, tensor(axes)

    def emit(self, text, types, keep=True):
        names = [f"%r{len(self.lines)}_{i}" for i in range(len(types))]
        self.lines.append(f"  {', '.join(names)} = {text}")
        if keep:
            self.results += list(zip(names, types))
        return names

    def affine(self, order=ORDERS[0], space="log", decay=("g", "bth"), key=("k", "bthk"), value=("v", "bthv"),
               query=("q", "bthk"), reverse=False, normalize=None, init=None, states=True):
        clauses = []
        for clause in order:
            if clause == "decay":
                g, along, kind = self.operand(decay[0], decay[1], decay[1] if decay[1] in ("bth", "bthk") else "")
                clauses.append(f"decay({g} in {space}{along} : {kind})")
            elif clause == "read":
                q, along, kind = self.operand(*query, "bthk")
                clauses.append(f"read({q} scale 0.5{along} : {kind})")
            else:
                k, along_k, kind_k = self.operand(*key, "bthk")
                v, along_v, kind_v = self.operand(*value, "bthv")
                clauses.append(f"write({k}{along_k}, {v}{along_v} : {kind_k}, {kind_v})")
        if normalize:
            clauses.append(f"normalize({normalize} 0.125)")
        if init:
            names = [self.operand(f"s0_{init}", init, "bhkv")]
            if normalize:
                names.append(self.operand(f"z0_{init}", init.replace("v", ""), "bhk"))
            clauses.append(f"init({', '.join(n + a for n, a, _ in names)} : {', '.join(t for _, _, t in names)})")
        types = [tensor("bthv")]
        if states:
            types += [tensor("bhkv")] + ([tensor("bhk")] if normalize else [])
        words = " reverse" if reverse else ""
        return self.emit(f"weft.affine_scan over 1{words} {' '.join(clauses)} -> {', '.join(types)}", types)

    @property
    def text(self):
        arguments = ", ".join(f'%{n}: {tensor(a)} {{weft.name = "{n}"}}' for n, a in self.arguments.items())
        types = ", ".join(f'{t} {{weft.name = "out{i}"}}' for i, (_, t) in enumerate(self.results))
        values = ", ".join(n for n, _ in self.results)
        body = "\n".join(self.lines)
        plain = ", ".join(t for _, t in self.results)
        return f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n  return {values} : {plain}\n}}\n"


# ------------------------------------------------------------------ programs

def clause_orders(reverse):
    """All orders of the clauses: scans of one launch, their states carried side by side."""
    p = Program("orders_reverse" if reverse else "orders")
    for order in ORDERS:
        p.affine(order, reverse=reverse, init="bhkv")
    return p


def decays(channel, reverse):
    """Decays in every space, per head or per key channel, with every normaliser."""
    p = Program(f"decays{'_channel' if channel else ''}{'_reverse' if reverse else ''}")
    axes = "bthk" if channel else "bth"
    for (space, name), normalize in zip((("log", "g"), ("log2", "g2"), ("linear", "d")), (None, "added", "clamped")):
        orders = (ORDERS[0], ORDERS[3] if normalize is None else ORDERS[2])
        for order, init in zip(orders, (None, "bhkv")):
            # A normaliser of both signs divides by what may be zero: with one, factors are positive.
            decay = "d_plus" if normalize and space == "linear" else name
            p.affine(order, space, (f"{decay}_{axes}", axes), ("k_plus", "bthk") if normalize else ("k", "bthk"),
                     query=("q_plus", "bthk") if normalize else ("q", "bthk"), reverse=reverse,
                     normalize=normalize, init=init)
    p.affine(ORDERS[4], "linear", (f"d_{axes}", axes), reverse=reverse)
    return p


def fewer_axes():
    """Operands without batch, time or head axis: values of the program."""
    p = Program("fewer_axes")
    for axes in ("h", "k", "hk", "th", "t", "b", "tk"):
        p.affine(ORDERS[len(axes)], "log", (f"g_{axes}", axes))
    for axes in ("h", "th"):
        p.affine(ORDERS[5], "linear", (f"d_{axes}", axes), init="hkv")
    p.affine(ORDERS[6], key=("k_hk", "hk"), normalize="added", query=("q_plus", "bthk"))
    p.affine(ORDERS[1], key=("k_tk", "tk"), init="kv")
    p.affine(ORDERS[0], query=("q_k", "k"))
    p.affine(ORDERS[2], value=("v_btv", "btv"), query=("q_bhk", "bhk"))
    return p


def sums():
    p = Program("sums")
    for words, x in itertools.product(("", " exclusive", " reverse", " exclusive reverse"), ("bthk", "bth")):
        total = tensor(x.replace("t", ""))
        name = p.argument(f"v_{x}", x)
        init = f" init({p.argument('z0_' + x, x.replace('t', ''))} : {total})" if "exclusive" in words else ""
        p.emit(f"weft.prefix_sum {name} over 1{words}{init} : {tensor(x)} -> {tensor(x)}, {total}", [tensor(x), total])
    return p


def associative():
    """A running maximum, and a recurrence as pairs: not commutative."""
    p = Program("associative")
    x, total = tensor("bthk"), tensor("bhk")
    largest = "^c(%e: f64, %l: f64):\n    %m = arith.maximumf %e, %l : f64\n    weft.yield %m : f64\n  }"
    pair = ("^c(%a1: f64, %b1: f64, %a2: f64, %b2: f64):\n    %a = arith.mulf %a2, %a1 : f64\n    %c = arith.mulf %a2, %b1 : f64\n"
            "    %b = arith.addf %c, %b2 : f64\n    weft.yield %a, %b : f64, f64\n  }")
    v, d = p.argument("v_bthk", "bthk"), p.argument("small_bthk", "bthk")
    for words in ("", " exclusive", " reverse", " exclusive reverse"):
        init = ("", f" init({p.argument('z0_bthk', 'bhk')} : {total})")["reverse" in words]
        p.emit(f"weft.associative_scan over 1 ({v} : {x}) identity [0xFFF0000000000000 : f64]{words}{init} -> ({x}), ({total}) {{\n  {largest}",
               [x, total])
        init = ("", f" init(%small0, %z0_bthk : {total}, {total})")["reverse" in words]
        if init:
            p.argument("small0", "bhk")
        p.emit(f"weft.associative_scan over 1 ({d}, {v} : {x}, {x}) identity [1.0 : f64, 0.0 : f64]{words}{init} "
               f"-> ({x}, {x}), ({total}, {total}) {{\n  {pair}", [x, x, total, total])
    return p


def fused():
    """Producers, a stored producer, parameters, an epilogue, what is made of a final state; two directions."""
    p = Program("fused")
    k, v = tensor("bthk"), tensor("bthv")
    SIZES["w"] = K
    mu, w, gate = p.argument("k_hk", "hk"), p.argument("k_hkw", "hkw"), p.argument("v", "bthv")
    keys, queries = p.argument("k", "bthk"), p.argument("q", "bthk")
    weights, = p.emit(f"weft.softmax {w} over 2 : {tensor('hkw')} -> {tensor('hkw')}", [tensor("hkw")], keep=False)
    project, = p.emit(f"weft.token_matmul {keys}, {weights} numerics<in = f64, acc = f64> : {k}, {tensor('hkw')} -> {k}", [k], keep=False)
    shift, = p.emit(f"weft.broadcast {mu} to [2, 3] like({keys} : {k}) : {tensor('hk')} -> {k}", [k], keep=False)
    moved, = p.emit(f"arith.addf {project}, {shift} : {k}", [k], keep=False)
    features, = p.emit(f"weft.softmax {moved} over 3 : {k} -> {k}", [k])
    reads, = p.emit(f"weft.softmax {queries} over 3 : {k} -> {k}", [k], keep=False)
    for reverse in ("", " reverse"):
        types = [v, tensor("bhkv"), tensor("bhk")]
        out, state, _ = p.emit(f"weft.affine_scan over 1{reverse} write({features}, {gate} : {k}, {v}) read({reads} : {k}) "
                               f"normalize(added 1.0e-3) -> {', '.join(types)}", types)
        p.emit(f"math.tanh {state} : {types[1]}", [types[1]])
        scale, = p.emit(f"math.tanh {gate} : {v}", [v], keep=False)
        wide, = p.emit(f"math.absf {out} : {v}", [v], keep=False)
        p.emit(f"arith.mulf {wide}, {out} : {v}", [v])
        p.emit(f"weft.prefix_sum {scale} over 1{reverse} : {v} -> {v}", [v])
    return p


def copied():
    """Producers without the axis of batch or heads that are read outside too: launches of their own, and copies."""
    p = Program("copied")
    k = tensor("bthk")
    q, g, t = p.argument("q", "bthk"), p.argument("q_bt", "bt"), p.argument("k_tk", "tk")
    size, = p.emit(f"math.absf {g} : {tensor('bt')}", [tensor("bt")], keep=False)
    decay, = p.emit(f"arith.negf {size} : {tensor('bt')}", [tensor("bt")])
    step, = p.emit(f"math.tanh {t} : {tensor('tk')}", [tensor("tk")])
    wide, = p.emit(f"weft.broadcast {step} to [1, 3] like({q} : {k}) : {tensor('tk')} -> {k}", [k], keep=False)
    keys, = p.emit(f"arith.mulf {q}, {wide} : {k}", [k], keep=False)
    types = [k, "tensor<?x?x4x4xf64>"]
    p.emit(f"weft.affine_scan over 1 decay({decay} in log along [b, t] : {tensor('bt')}) write({keys}, {q} : {k}, {k}) "
           f"read({q} : {k}) -> {', '.join(types)}", types)
    return p


def head_counts():
    """Scans of one launch with several head counts: sums of the keys' heads are keys of more output heads."""
    p = Program("head_counts")
    k, v = tensor("bthk"), tensor("bthv")
    keys, values = p.argument("k", "bthk"), p.argument("v", "bthv")
    p.argument("q", "bthk")
    total = tensor("bhk")
    summed, _ = p.emit(f"weft.prefix_sum {keys} over 1 : {k} -> {k}, {total}", [k, total])
    small, = p.emit(f"math.tanh {summed} : {k}", [k], keep=False)
    run, = p.emit(f"weft.prefix_sum {values} over 1 exclusive : {v} -> {v}", [v])
    p.affine(ORDERS[0], key=(small[1:], "bthk"), value=(run[1:], "bthv"), init="bhkv")
    p.affine(ORDERS[5], query=("k", "bthk"))
    for name in (small[1:], run[1:]):
        del p.arguments[name]
    return p


def programs():
    made = [clause_orders(False), clause_orders(True)]
    made += [decays(channel, reverse) for channel in (False, True) for reverse in (False, True)]
    return made + [fewer_axes(), sums(), associative(), fused(), copied(), head_counts()]


# ------------------------------------------------------------------ inputs

def array(rng, name, axes, steps, heads):
    """The input of an argument; its name's first letters say how it is drawn and which heads it has."""
    kind = name.split("_")[0].rstrip("02")
    sizes = {"b": B, "t": steps, "h": heads[{"d": "g", "z": "s", "small": "k"}.get(kind, kind)], "k": K, "v": V, "w": K}
    x = rng.standard_normal([sizes[a] for a in axes])
    if kind == "small":
        return np.tanh(x)
    if "plus" in name or kind == "z" or name == "k_hk":
        x = np.abs(x) + 0.1
    if kind not in "gd":
        return x
    g = -np.logaddexp(0, -x)
    if "t" in axes and steps > 8:
        along = axes.index("t")
        for step, strong in ((5, -np.inf), (7, -1e4)):
            np.moveaxis(g, along, 0)[step] = strong
    if kind == "g":
        return g / np.log(2) if name.startswith("g2") else g
    return np.exp(g) * np.where(rng.random(g.shape) < (0 if "plus" in name else 0.3), -1, 1)


def run(weft_run, path, cases, passes):
    """Returns the output of weft-run over a file of cases, or raises."""
    command = [weft_run, path, f"--cases={cases}"] + ([f"--pipeline={passes}"] if passes else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check(weft_run, program, folder):
    """Returns (comparisons, failures as texts)."""
    path = os.path.join(folder, "program.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.text)
    rng = np.random.default_rng(zlib.crc32(program.name.encode()))
    make, compare = [], []
    for place, steps in enumerate(LENGTHS):
        heads = HEADS[place % len(HEADS)]
        # Sums and associative scans have as many heads in as out.
        if program.name in ("sums", "associative"):
            heads = dict.fromkeys(heads, heads["k"])
        inputs, output = (os.path.join(folder, f"{n}{steps}.npz") for n in ("in", "out"))
        np.savez(inputs, **{n: array(rng, n, a, steps, heads) for n, a in program.arguments.items()})
        make.append(f"--inputs={inputs} --output={output}")
        compare.append(f"--inputs={inputs} --expect={output} --tolerance={TOLERANCE} --row-tolerance={10 * TOLERANCE}")
    for name, lines in (("make", make), ("compare", compare)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    code, text = run(weft_run, path, os.path.join(folder, "make"), "")
    if code:
        return 0, [f"{program.name}: {text}"]
    failures = []
    for chunk in CHUNKS:
        code, text = run(weft_run, path, os.path.join(folder, "compare"), f"weft-to-chunked{{chunk={chunk}}}")
        if code:
            failures.append(f"{program.name} in chunks of {chunk}: {text}")
    return len(CHUNKS) * len(LENGTHS), failures


def main():
    weft_run, names = sys.argv[1], sys.argv[2:]
    count, failures = 0, []
    for program in programs():
        if names and program.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            compared, failed = check(weft_run, program, folder)
        count += compared
        failures += failed
    for failure in failures:
        print(failure)
    print(f"{count} runs in chunks, {len(failures)} differ from token by token")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
