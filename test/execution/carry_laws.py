# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The laws of carry kinds, by executing small programs on random inputs in float64.

Per case one function is written whose results come in pairs, one pair a tensor and law;
`weft-run` executes it and both of a pair must agree. Dense elements are made as a
schedule makes them, by walking chunks with a summary carry: e1 and e2 of one whole chunk
each, e3 of a ragged one. The laws, with * for combine, 1 for the identity, x for a state:

  associative   e3 * (e2 * e1) = (e3 * e2) * e1
  summary       that = the walk of all three chunks at once
  neutral       e1 * 1 = e1 = 1 * e1
  act           act(e2 * e1, x) = act(e2, act(e1, x))
  rows          act on chunk 1's rows = act(e1, x)
  walk          act on the rows of chunks 1, 2, 3 = act(e3, act(e2, act(e1, x)))

A stack of states acts at a place in time, so `act` is checked at aligned blocks and
starts from a stack that the chunks before could have left.

Affine elements come in 34 forms, for a memory alone and for a stack of them; a short run
takes a spread of these. Names of cases on the command line pick among all.

usage: carry_laws.py WEFT_RUN [--all | case...]
"""

import dataclasses
import itertools
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np

C, K, V, R = 4, 5, 3, 3
SLOTS = 6
NUMERICS = "numerics<in = f64, acc = f64>"
TOLERANCE = 1e-10

FUNCTIONS = """
func.func private @larger(%e: f64, %l: f64) -> f64 {
  %m = arith.maximumf %e, %l : f64
  return %m : f64
}
func.func private @then(%a1: f64, %b1: f64, %a2: f64, %b2: f64) -> (f64, f64) {
  %a = arith.mulf %a2, %a1 : f64
  %c = arith.mulf %a2, %b1 : f64
  %b = arith.addf %c, %b2 : f64
  return %a, %b : f64, f64
}
"""


def tensor(*dims):
    """`tensor<4x?xf64>` of (4, "?")."""
    return "tensor<" + "".join(f"{d}x" for d in dims) + "f64>"


@dataclasses.dataclass
class Case:
    """A kind with a body.

    `slices` maps names to feature shapes; `params` names to shapes; `body` is text that makes
    %e of the slices' chunks and the params; `states` and `dense` are shapes of the state's and
    the dense element's tensors; `draw` makes states: (rng, first chunk) -> arrays."""

    name: str
    kind: str
    slices: dict
    body: str
    states: list
    dense: list
    draw: object
    element: str = ""
    params: dict = dataclasses.field(default_factory=dict)

    @property
    def element_type(self):
        return f"!weft.element<{self.element or self.kind}>"


def normal(shapes):
    return lambda rng, first: [rng.standard_normal(s) for s in shapes]


def stack(shape):
    """A stack as chunk `first` finds it: slot b holds something where bit b of `first` is set."""

    def draw(rng, first):
        x = rng.standard_normal((SLOTS, *shape))
        live = [(first >> b) & 1 for b in range(SLOTS)]
        return [x * np.reshape(live, (-1,) + (1,) * len(shape))]

    return draw


def affine_body(decay, terms, width):
    """Rows of an affine element: `decay` None, () or (K,); terms are pairs (erases, has a value).

    Returns (slices, text). Decays are exp of sums of non-positive rows, so 1 on dead rows."""
    slices, lines, parts = {}, [], ""
    if decay is not None:
        slices["g"] = decay
        out = tensor(*decay)
        lines += [
            f"%total = weft.sum %g over 0 : {tensor(C, *decay)} -> {out}",
            f"%d = math.exp %total : {out}",
        ]
        parts += f" decay(%d : {out})"
    for i, (erases, valued) in enumerate(terms):
        slices[f"w{i}"] = (K,)
        parts += f" term(write(%w{i} : {tensor(C, K)})"
        if erases:
            slices[f"r{i}"] = (K,)
            parts += f" erase(%r{i} : {tensor(C, K)})"
        if valued:
            slices[f"v{i}"] = width
            parts += f" value(%v{i} : {tensor(C, *width)})"
        parts += ")"
    lines.append(f"%e = weft.affine_element{parts} {NUMERICS}")
    return slices, "\n    ".join(lines)


def affine_cases():
    term_lists = [[(True, True)], [(False, True)], [(True, False)], [(True, False), (False, True)],
                  [(True, True), (True, True), (False, True)], []]
    for decay, terms, width in itertools.product((None, (), (K,)), term_lists, ((V,), ())):
        if decay is None and not terms:
            continue
        slices, body = affine_body(decay, terms, width)
        state = (K, *width)
        name = "affine-{}-{}-{}".format(
            {None: "none", (): "scalar", (K,): "channel"}[decay],
            "+".join("we"[: 1 + e] + "v" * v for e, v in terms) or "decay_only",
            len(state))
        dense = [(K, K), state]
        yield Case(name, "#weft.affine", slices, body, [state], dense, normal([state]))
        yield Case(f"fenwick-{name}", "#weft.fenwick<#weft.affine>", slices, body, [(SLOTS, *state)],
                   dense, stack(state), element="#weft.affine")


def sum_cases():
    for shape in ((V,), (K, V), ()):
        body = (f"%all = weft.sum %x over 0 : {tensor(C, *shape)} -> {tensor(*shape)}\n"
                f"    %e = weft.sum_element %all : {tensor(*shape)}")
        yield Case(f"sum-{len(shape)}", "#weft.sum", {"x": shape}, body, [shape], [shape], normal([shape]))
        yield Case(f"fenwick-sum-{len(shape)}", "#weft.fenwick<#weft.sum>", {"x": shape}, body,
                   [(SLOTS, *shape)], [shape], stack(shape), element="#weft.sum")


def gram_cases():
    def draw(rng, first):
        m = rng.standard_normal((2 * K, K))
        return [np.linalg.inv(m.T @ m / K + np.eye(K))]

    for reverse in ("", " reverse"):
        body = f"%e = weft.gram_element %u{reverse} {NUMERICS} : {tensor(C, K)}"
        yield Case(f"inverse_gram{reverse.replace(' ', '-')}", "#weft.inverse_gram", {"u": (K,)}, body,
                   [(K, K)], [(K, K)], draw)


def softmax_cases():
    shapes = [(R,), (R,), (R, V)]
    scores = (f"%s0 = weft.dot %q, %k over [1, 1] {NUMERICS} : {tensor(R, K)}, {tensor(C, K)} -> {tensor(R, C)}\n"
              "    ")
    live = (f"%s = weft.keep_live %s1 over 1 from %lo to %hi else 0xFFF0000000000000 : {tensor(R, C)}\n"
            f"    %e = weft.softmax_element %s, %v {NUMERICS} : {tensor(R, C)}, {tensor(C, V)}")
    whole = f"%s1 = arith.addf %s0, %s0 : {tensor(R, C)}\n    "
    # Row 0 sees no key of the first chunk, the last row none of the later ones.
    window = ("%four = arith.constant 4 : index\n    %col = arith.muli %n, %four : index\n"
              "    %row = arith.addi %base, %four : index\n"
              f"    %s1 = weft.mask_window %s0 window [*, 0] rows %row cols %col : {tensor(R, C)}\n    ")

    def full(rng, first):
        return [rng.standard_normal(R), rng.random(R) + 0.5, rng.standard_normal((R, V))]

    def empty(rng, first):
        return [np.full(R, -np.inf), np.zeros(R), np.zeros((R, V))]

    for name, mask, draw in (("whole", whole, full), ("window", window, full), ("from_empty", window, empty)):
        yield Case(f"online_softmax-{name}", "#weft.online_softmax", {"k": (K,), "v": (V,)}, scores + mask + live,
                   shapes, shapes, draw, params={"q": (R, K)})


def region_cases():
    for shape in ((V,), (K, V)):
        chunk, state = tensor(C, *shape), tensor(*shape)
        kind = "#weft.region<@larger identity [0xFFF0000000000000 : f64]>"
        body = (f"%run, %e0 = weft.scan_rows (%x : {chunk}) by @larger identity [0xFFF0000000000000 : f64] "
                f"from %lo to %hi -> ({chunk}), ({state})\n"
                f"    %e = weft.region_element %e0 : {state} -> !weft.element<{kind}>")
        yield Case(f"region-max-{len(shape)}", kind, {"x": shape}, body, [shape], [shape], normal([shape]))
        kind = "#weft.region<@then identity [1.0 : f64, 0.0 : f64]>"
        body = (f"%a_run, %b_run, %a, %b = weft.scan_rows (%x, %y : {chunk}, {chunk}) by @then "
                f"identity [1.0 : f64, 0.0 : f64] from %lo to %hi -> ({chunk}, {chunk}), ({state}, {state})\n"
                f"    %e = weft.region_element %a, %b : {state}, {state} -> !weft.element<{kind}>")
        yield Case(f"region-first_order-{len(shape)}", kind, {"x": shape, "y": shape}, body, [shape] * 2,
                   [shape] * 2, normal([shape] * 2))


def all_cases():
    yield from sum_cases()
    yield from affine_cases()
    yield from gram_cases()
    yield from softmax_cases()
    yield from region_cases()


def short_cases():
    """All kinds; of the affine forms every seventh."""
    yield from sum_cases()
    yield from list(affine_cases())[::7]
    yield from gram_cases()
    yield from softmax_cases()
    yield from region_cases()


class Program:
    """The text of one case's function, from chunk `first` on, and the names of its pairs."""

    def __init__(self, case, first):
        self.case, self.first = case, first
        self.lines, self.results, self.pairs, self.count = [], [], [], 0
        self.steps = (first + 3) * C - 1
        self.dense = ", ".join(tensor(*s) for s in case.dense)
        self.states = ", ".join(tensor(*s) for s in case.states)
        self.summary = f"#weft.summary<{case.kind} of {self.states}>"
        self.write()

    def fresh(self, shapes):
        self.count += 1
        return [f"%t{self.count}_{i}" for i in range(len(shapes))]

    def emit(self, shapes, text):
        names = self.fresh(shapes)
        self.lines.append(f"  {', '.join(names)} = {text}")
        return names

    def walk(self, kind, shapes, init, lo, hi):
        """Rows [lo, hi) with one carry."""
        case = self.case
        slices = ", ".join(f"%{n}_all" for n in case.slices)
        slice_types = ", ".join(tensor("?", *s) for s in case.slices.values())
        arguments = "".join(f", %{n}: {tensor(C, *s)}" for n, s in case.slices.items())
        arguments += "".join(f", %c{i}: {tensor(*s)}" for i, s in enumerate(shapes))
        types = ", ".join(tensor(*s) for s in shapes)
        return self.emit(shapes, f"""weft.chunked rows %bound{lo} to %bound{hi} by {C} slices({slices} : {slice_types})
      carries({', '.join(init)} : {types}) as [{kind}] {{
  ^chunk(%n: index, %lo: index, %hi: index{arguments}):
    {case.body}
    weft.next carry(%e : {case.element_type})
  }}""")

    def combine(self, later, earlier):
        return self.emit(self.case.dense, f"weft.combine {self.case.kind} later({', '.join(later)} : {self.dense}) "
                         f"earlier({', '.join(earlier)} : {self.dense}) {NUMERICS}")

    def act(self, element, state, block, level):
        return self.emit(self.case.states, f"weft.act_dense {self.case.kind} element({', '.join(element)} : {self.dense}) "
                         f"on({', '.join(state)} : {self.states}) at %i{block} level %i{level} {NUMERICS}")

    def law(self, name, shapes, left, right):
        for i, shape in enumerate(shapes):
            pair = f"{name}.{i}.left", f"{name}.{i}.right"
            self.pairs.append(pair)
            self.results += [(pair[0], left[i], shape), (pair[1], right[i], shape)]

    def write(self):
        case, first = self.case, self.first
        bounds = [first * C, (first + 1) * C, (first + 2) * C, self.steps]
        numbers = sorted({0, 1, first, first + 1, first + 2, first // 2})
        self.lines = [f"  %bound{i} = arith.constant {b} : index" for i, b in enumerate(bounds)]
        self.lines += [f"  %i{i} = arith.constant {i} : index" for i in numbers]
        self.lines.append(f"  %base = arith.constant {first * C} : index")
        one = self.emit(case.dense, f"weft.identity {case.kind} -> {self.dense}")
        e1, e2, e3 = (self.walk(self.summary, case.dense, one, i, i + 1) for i in range(3))
        e21, e32 = self.combine(e2, e1), self.combine(e3, e2)
        left, right = self.combine(e3, e21), self.combine(e32, e1)
        self.law("associative", case.dense, left, right)
        self.law("summary", case.dense, left, self.walk(self.summary, case.dense, one, 0, 3))
        self.law("neutral_earlier", case.dense, self.combine(e1, one), e1)
        self.law("neutral_later", case.dense, self.combine(one, e1), e1)
        x = [f"%x{i}_state" for i in range(len(case.states))]
        x1 = self.act(e1, x, first, 0)
        x2 = self.act(e2, x1, first + 1, 0)
        x3 = self.act(e3, x2, first + 2, 0)
        self.law("act", case.states, self.act(e21, x, first // 2, 1), x2)
        self.law("rows", case.states, self.walk(case.kind, case.states, x, 0, 1), x1)
        self.law("walk", case.states, self.walk(case.kind, case.states, x, 0, 3), x3)

    @property
    def text(self):
        case = self.case
        arguments = [(f"{n}_all", tensor("?", *s), n) for n, s in case.slices.items()]
        arguments += [(n, tensor(*s), n) for n, s in case.params.items()]
        arguments += [(f"x{i}_state", tensor(*s), f"state{i}") for i, s in enumerate(case.states)]
        signature = ",\n    ".join(f'%{a}: {t} {{weft.name = "{n}"}}' for a, t, n in arguments)
        types = ",\n    ".join(f'{tensor(*s)} {{weft.name = "{n}"}}' for n, _, s in self.results)
        body = "\n".join(self.lines)
        values = ", ".join(v for _, v, _ in self.results)
        plain = ", ".join(tensor(*s) for _, _, s in self.results)
        return f"func.func @laws(\n    {signature})\n    -> ({types}) {{\n{body}\n  return {values} : {plain}\n}}\n{FUNCTIONS}"

    def inputs(self, rng):
        """Arrays by name: rows of order one, decays' rows non-positive."""
        arrays = {n: rng.standard_normal((self.steps, *s)) / 2 for n, s in self.case.slices.items()}
        if "g" in arrays:
            arrays["g"] = -np.abs(arrays["g"])
        arrays |= {n: rng.standard_normal(s) for n, s in self.case.params.items()}
        return arrays | {f"state{i}": x for i, x in enumerate(self.case.draw(rng, self.first))}


def difference(left, right):
    """Largest difference over the largest entry; equal infinities agree."""
    if left.shape != right.shape:
        return np.inf
    same = left == right
    finite = np.where(same, 0.0, left), np.where(same, 0.0, right)
    if not all(np.isfinite(x).all() for x in finite):
        return np.inf
    scale = max(1.0, float(np.abs(np.where(np.isfinite(right), right, 0.0)).max(initial=0.0)))
    return float(np.abs(finite[0] - finite[1]).max(initial=0.0)) / scale


def check(weft_run, case, first, folder):
    """Returns the failed laws of a case as texts."""
    program = Program(case, first)
    rng = np.random.default_rng(zlib.crc32(case.name.encode()) + first)
    path = os.path.join(folder, "laws.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.text)
    np.savez(os.path.join(folder, "in.npz"), **program.inputs(rng))
    command = [weft_run, path, "--function=laws", f"--inputs={folder}/in.npz", f"--output={folder}/out.npz"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"weft-run exits {done.returncode}: {done.stderr[:2000]}"]
    out = np.load(os.path.join(folder, "out.npz"))
    errors = {left: difference(out[left], out[right]) for left, right in program.pairs}
    return [f"{name[:-5]}: {error:.2e}" for name, error in errors.items() if not error <= TOLERANCE]


def main():
    weft_run, wanted = sys.argv[1], sys.argv[2:]
    cases = list(all_cases() if wanted else short_cases())
    if wanted and wanted != ["--all"]:
        cases = [case for case in cases if case.name in wanted]
    failed = count = 0
    for case in cases:
        # Only a stack looks at the chunk's number.
        for first in (4, 6) if "fenwick" in case.kind else (4,):
            with tempfile.TemporaryDirectory() as folder:
                problems = check(weft_run, case, first, folder)
            count += 1
            failed += bool(problems)
            for problem in problems:
                print(f"{case.name} from chunk {first}: {problem}")
    print(f"{count - failed} cases hold, {failed} do not")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
