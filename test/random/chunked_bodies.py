# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of the chunked stage: one weft.chunked loop with a random body.

A body is a random DAG of body ops over a chunk's rows, program-scope parameters and
carried states. Every value carries what the verifier's rules ask about: its shape
("C" stands for the chunk's rows), whether it is zero on dead rows, and how many
carries it has read, so that element i is built from values that read carries before i
only. Values stay of order one: products are scaled by the square root of the
contracted length, growing values pass through tanh, erases contract.
"""

import dataclasses
import re

ROWS = "C"
PRECISIONS = ("bf16", "tf32", "f32", "f16")

REGIONS = {
    "larger": (1, "0xFF800000 : f32", """func.func private @larger(%e: f32, %l: f32) -> f32 {
  %m = arith.maximumf %e, %l : f32
  return %m : f32
}"""),
    "plus": (1, "0.0 : f32", """func.func private @plus(%e: f32, %l: f32) -> f32 {
  %s = arith.addf %e, %l : f32
  return %s : f32
}"""),
    "then": (2, "1.0 : f32, 0.0 : f32", """func.func private @then(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  %a = arith.mulf %a2, %a1 : f32
  %c = arith.mulf %a2, %b1 : f32
  %b = arith.addf %c, %b2 : f32
  return %a, %b : f32, f32
}"""),
}


@dataclasses.dataclass(frozen=True)
class Value:
    """An SSA value of the body: dims are ints or ROWS; `dead` is "zero" or "finite"; `reads` counts carries read."""

    name: str
    dims: tuple
    dead: str = "zero"
    reads: int = 0
    element: str = "f32"


@dataclasses.dataclass(frozen=True)
class Input:
    """A function argument: name, type, names of its dims, and how weft-run draws it; `program`: one for each program of a kernel."""

    name: str
    type: str
    dims: tuple
    draw: str
    program: bool = False

    def __str__(self):
        dims = ", ".join(f'"{name}"' for name in self.dims)
        return f'%{self.name}: {self.type} {{weft.name = "{self.name}", weft.dims = [{dims}], weft.input = "{self.draw}"}}'


@dataclasses.dataclass(frozen=True)
class Carry:
    """One carry: its kind's text, the shapes of its states, how each starts (a kind of input, or a number), the element kind's text."""

    kind: str
    states: tuple
    draws: tuple
    element: str


class ChunkedProgram:
    """One function. `text` is the whole module, `sizes` what weft-run is told of its dynamic dims."""

    def __init__(self, rng, index):
        self.rng = rng
        self.name = f"p{index}"
        self.chunk = int(2 ** rng.integers(0, 6))
        self.steps = int(rng.choice((0, 1, 2) + tuple(int(n) for n in rng.integers(3, 150, size=13))))
        self.keys, self.width = int(rng.integers(2, 9)), int(rng.integers(2, 9))
        self.queries = int(rng.integers(2, 7))
        self.programs = int(rng.integers(1, 4)) if rng.random() < 0.4 else 0
        self.lines, self.constants, self.inputs, self.slices, self.pool = [], [], [], [], []
        self.regions, self.count = set(), 0
        kinds = self.draw_carries()
        self.carries = kinds
        fenwick = any("fenwick" in carry.kind for carry in kinds)
        self.descending = not fenwick and rng.random() < 0.3
        self.start = 0 if fenwick or not self.steps or rng.random() < 0.6 else int(rng.integers(0, self.steps + 1))
        self.reverse = " reverse" if self.descending else ""
        self.build()

    # -------------------------------------------------------------- text
    def number(self):
        self.count += 1
        return f"%{self.count + 1000}"

    def size(self, dims):
        return tuple(self.chunk if d == ROWS else d for d in dims)

    def type(self, dims, element="f32"):
        return "tensor<" + "".join(f"{d}x" for d in self.size(dims)) + element + ">"

    def typed(self, *values):
        return ", ".join(self.type(v.dims, v.element) for v in values)

    def emit(self, text, dims, dead, *operands):
        """Append `name = text` to the body and put the value into the pool."""
        name = self.number()
        self.lines.append(f"{name} = {text}")
        reads = max((v.reads for v in operands), default=0)
        value = Value(name, tuple(dims), dead if ROWS in dims else "zero", reads)
        self.pool.append(value)
        return value

    def numerics(self):
        return f"numerics<in = {self.rng.choice(PRECISIONS)}, acc = f32>"

    # -------------------------------------------------------------- inputs
    def add_input(self, suffix, dims, draw, element="f32", dynamic=False, program=False):
        """A function argument; with `dynamic` its dim 0 is the number of steps, with `program` each program has its own."""
        name = f"{self.name}_{suffix}"
        text = "tensor<" + ("?x" if dynamic else "") + "".join(f"{d}x" for d in dims) + element + ">"
        names = (("T",) if dynamic else ()) + ("",) * len(dims)
        self.inputs.append(Input(name, text, names, draw, program))
        return f"%{name}", text

    def add_slice(self, dims, draw, element="f32"):
        index = len(self.slices)
        operand, text = self.add_input(f"x{index}", dims, draw, element, dynamic=True, program=True)
        value = Value(f"%rows{index}", (ROWS,) + tuple(dims), "zero", 0, element)
        self.slices.append((operand, text, value))
        return value

    def draw_carries(self):
        """One to three carries of random kinds."""
        k, v, rng = self.keys, self.width, self.rng
        chunks = -(-self.steps // self.chunk)
        self.slots = max(1, chunks.bit_length())
        choices = {
            "sum": lambda: Carry("#weft.sum", ((k, v),), ("normal",), "#weft.sum"),
            "vector": lambda: Carry("#weft.sum", ((v,),), ("normal",), "#weft.sum"),
            "affine": lambda: Carry("#weft.affine", ((k, v),), ("normal",), "#weft.affine"),
            "affine_vector": lambda: Carry("#weft.affine", ((k,),), ("normal",), "#weft.affine"),
            "gram": lambda: Carry("#weft.inverse_gram", ((k, k),), ("spd",), "#weft.inverse_gram"),
            "softmax": lambda: Carry("#weft.online_softmax", ((self.queries,), (self.queries,), (self.queries, v)),
                                     ("0xFF800000", "0.0", "0.0"), "#weft.online_softmax"),
            "fenwick": lambda: Carry("#weft.fenwick<#weft.affine>", ((self.slots, k, v),), ("0.0",), "#weft.affine"),
            "fenwick_sum": lambda: Carry("#weft.fenwick<#weft.sum>", ((self.slots, k, v),), ("0.0",), "#weft.sum"),
            "region": self.draw_region,
        }
        return [choices[name]() for name in rng.choice(list(choices), size=int(rng.integers(1, 4)))]

    def draw_region(self):
        name = str(self.rng.choice(list(REGIONS)))
        self.regions.add(name)
        parts, identity, _ = REGIONS[name]
        kind = f"#weft.region<@{name} identity [{identity}]>"
        return Carry(kind, ((self.width,),) * parts, ("uniform", "normal")[:parts] if parts > 1 else ("normal",), kind)

    # -------------------------------------------------------------- choosing operands
    def choose(self, dims=None, reads=99, rank=None, rows=None, limit=None):
        """A random pool value with these dims (or rank, or rows in dim 0), of at most `reads` carries read; None if there is none."""
        found = [v for v in self.pool if v.element == "f32" and v.reads <= reads
                 and (dims is None or v.dims == tuple(dims)) and (rank is None or len(v.dims) == rank)
                 and (rows is None or (bool(v.dims) and v.dims[0] == ROWS) == rows)
                 and (limit is None or all(d == ROWS or d <= limit for d in v.dims))]
        return found[int(self.rng.integers(len(found)))] if found else None

    def rows_of(self, width, reads=99):
        """Rows [C, width], made from other rows where the pool has none."""
        value = self.choose((ROWS, width), reads)
        if value is not None and self.rng.random() < 0.85:
            return value
        base = self.choose(rank=2, rows=True, reads=reads, limit=8)
        while base is None or base.dims[1] == ROWS:
            base = self.choose(rank=2, rows=True, reads=reads, limit=8)
        weights = self.parameter((base.dims[1], width))
        return self.scaled_dot(base, weights, 1, 0)

    def mend(self, value):
        """The value, zero on dead rows."""
        if value.dead == "zero":
            return value
        return self.emit(f"weft.keep_live {value.name} over 0 from %lo to %hi else 0.0 : {self.typed(value)}",
                         value.dims, "zero", value)

    def parameter(self, dims):
        """A program-scope tensor."""
        operand, _ = self.add_input(f"w{len(self.inputs)}", dims, "normal")
        value = Value(operand, tuple(dims))
        self.pool.append(value)
        return value

    # -------------------------------------------------------------- building blocks
    def constant(self, number, dims):
        name = self.number()
        self.lines.append(f"{name} = arith.constant dense<{number}> : {self.type(dims)}")
        return Value(name, tuple(dims), "finite")

    def binary(self, op, lhs, rhs, dead):
        return self.emit(f"{op} {lhs.name}, {rhs.name} : {self.typed(lhs)}", lhs.dims, dead, lhs, rhs)

    def unary(self, op, x, dead):
        return self.emit(f"{op} {x.name} : {self.typed(x)}", x.dims, dead, x)

    def squash(self, x):
        return self.unary("math.tanh", x, x.dead)

    def scale(self, x, number):
        return self.binary("arith.mulf", x, self.constant(repr(float(number)), x.dims), x.dead)

    def dot(self, a, b, i, j, dead):
        dims = a.dims[:i] + a.dims[i + 1:] + b.dims[:j] + b.dims[j + 1:]
        return self.emit(f"weft.dot {a.name}, {b.name} over [{i}, {j}] {self.numerics()} : {self.typed(a, b)} "
                         f"-> {self.type(dims)}", dims, dead, a, b)

    def scaled_dot(self, a, b, i, j, dead=None):
        """A product scaled by the square root of the contracted length; zero where its left rows are."""
        length = self.chunk if a.dims[i] == ROWS else a.dims[i]
        free = a.dims[:i] + a.dims[i + 1:]
        dead = dead or (a.dead if ROWS in free else b.dead)
        return self.scale(self.dot(a, b, i, j, dead), 1.0 / length ** 0.5)

    def broadcast(self, x, places, dims, dead):
        return self.emit(f"weft.broadcast {x.name} to {list(places)} : {self.typed(x)} -> {self.type(dims)}",
                         dims, dead, x)

    def reduce(self, op, x, dim, dead):
        dims = x.dims[:dim] + x.dims[dim + 1:]
        return self.emit(f"weft.{op} {x.name} over {dim} : {self.typed(x)} -> {self.type(dims)}", dims, dead, x)

    def tril(self, x, diagonal=0):
        where = f" diagonal {diagonal}" if diagonal else ""
        return self.emit(f"weft.tril {x.name}{where}{self.reverse} : {self.typed(x)}", x.dims, x.dead, x)

    def log_decay(self, dims, reads):
        """Logs of decays [C] or [C, K], at most 0, zero on dead rows, and their sums along time: (sums, total)."""
        x = self.choose((ROWS,) + dims, reads) or self.rows_of(dims[0], reads)
        size = self.scale(self.unary("math.absf", x, x.dead), -float(self.rng.choice((0.1, 1.0, 30.0))))
        logs = self.mend(self.binary("arith.maximumf", size, self.constant("-87.0", size.dims), "finite"))
        sums = self.emit(f"weft.cumsum {logs.name} over 0{self.reverse} : {self.typed(logs)}", logs.dims, "finite", logs)
        return sums, self.reduce("sum", logs, 0, "zero")

    # -------------------------------------------------------------- random ops
    def elementwise(self):
        x = self.choose()
        if x.dims and self.rng.random() < 0.5:
            same = self.choose(x.dims)
            op = str(self.rng.choice(("arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf")))
            zero = x.dead == "zero" and same.dead == "zero" or op == "arith.mulf" and "zero" in (x.dead, same.dead)
            return self.squash(self.binary(op, x, same, "zero" if zero else "finite"))
        op = str(self.rng.choice(("tanh", "negate", "exp", "ratio", "log1p")))
        if op == "tanh":
            return self.squash(x)
        if op == "negate":
            return self.unary("arith.negf", x, x.dead)
        if op == "exp":
            low = self.binary("arith.minimumf", x, self.constant("0.0", x.dims), x.dead)
            return self.unary("math.exp", low, "finite")
        size = self.unary("math.absf", x, x.dead)
        if op == "log1p":
            return self.unary("math.log1p", size, x.dead)
        return self.binary("arith.divf", x, self.binary("arith.addf", size, self.constant("1.0", x.dims), "finite"), x.dead)

    def feature_maps(self):
        x = self.choose(rank=2, rows=True)
        if x.dims[1] == ROWS:
            return self.elementwise()
        if self.rng.random() < 0.5:
            return self.emit(f"weft.softmax {x.name} over 1 : {self.typed(x)} -> {self.type(x.dims)}", x.dims, "finite", x)
        eps = self.rng.choice(("1.0e-2", "0.5"))
        return self.emit(f"weft.l2_normalize {x.name} over 1 eps {eps} : {self.typed(x)} -> {self.type(x.dims)}",
                         x.dims, x.dead, x)

    def project(self):
        x = self.choose(rank=2, rows=True)
        if x.dims[1] == ROWS:
            return self.elementwise()
        width = int(self.rng.choice((self.keys, self.width)))
        return self.squash(self.scaled_dot(x, self.parameter((x.dims[1], width)), 1, 0))

    def attend(self):
        """Causal scores of two rows applied to a third, undecayed, decayed per row, or by level weights."""
        q, k = self.rows_of(self.keys), self.mend(self.rows_of(self.keys))
        scores = self.tril(self.scaled_dot(q, k, 1, 1))
        choice = self.rng.random()
        if choice < 0.4:
            sums, _ = self.log_decay((), 99) if self.choose((ROWS,)) else (None, None)
            if sums is not None:
                later, earlier = (self.broadcast(sums, (d,), (ROWS, ROWS), "finite") for d in (0, 1))
                gaps = self.tril(self.binary("arith.subf", later, earlier, "finite"))
                scores = self.binary("arith.mulf", scores, self.unary("math.exp", gaps, "finite"), scores.dead)
        elif choice < 0.6 and not self.descending:
            weights = self.emit(f"weft.level_weights {self.levels().name} : {self.typed(self.levels())} "
                                f"-> {self.type((ROWS, ROWS))}", (ROWS, ROWS), "finite", self.levels())
            scores = self.binary("arith.mulf", scores, weights, scores.dead)
        return self.squash(self.scaled_dot(scores, self.mend(self.rows_of(self.width)), 1, 0, "finite"))

    def levels(self):
        """The slice of level weights, made on first use."""
        if not hasattr(self, "level_slice"):
            self.level_slice = self.add_slice((self.chunk.bit_length() + self.slots,), "normal")
        return self.level_slice

    def decayed(self):
        """decayed_dot or decayed_matmul with decays per channel."""
        a, b = self.rows_of(self.keys), self.mend(self.rows_of(self.keys))
        sums, _ = self.log_decay((self.keys,), 99)
        strict = " strict" if self.rng.random() < 0.5 else ""
        decay = f"decay({sums.name}, {sums.name} : {self.typed(sums)}){strict}{self.reverse}"
        scores = self.emit(f"weft.decayed_dot {a.name}, {b.name} {decay} {self.numerics()} : {self.typed(a, b)} -> "
                           f"{self.type((ROWS, ROWS))}", (ROWS, ROWS), "finite", a, b, sums)
        scores = self.scale(scores, 1.0 / self.keys)
        if self.rng.random() < 0.5:
            return self.squash(self.scaled_dot(scores, self.mend(self.rows_of(self.width)), 1, 0, "finite"))
        applied = self.emit(f"weft.decayed_matmul {scores.name}, {b.name} {decay} {self.numerics()} : "
                            f"{self.typed(scores, b)} -> {self.type(b.dims)}", b.dims, "finite", scores, b, sums)
        return self.squash(self.scale(applied, self.chunk ** -0.5))

    def solve(self):
        """Unit triangular solve of strictly causal scores, or a Cholesky factor and its solve."""
        k = self.mend(self.rows_of(self.keys))
        norm = self.emit(f"weft.l2_normalize {k.name} over 1 eps 0.5 : {self.typed(k)} -> {self.typed(k)}",
                         k.dims, "zero", k)
        x = self.mend(self.rows_of(self.width))
        gram = self.scale(self.dot(norm, norm, 1, 1, "zero"), 0.5)
        if self.rng.random() < 0.5:
            matrix, unit = self.tril(gram, -1), " unit"
        else:
            eye = self.emit(f"weft.eye : {self.type(gram.dims)}", gram.dims, "finite")
            shifted = self.binary("arith.addf", gram, eye, "finite")
            matrix = self.emit(f"weft.cholesky {shifted.name}{self.reverse} {self.numerics()} : {self.typed(shifted)}",
                               shifted.dims, "finite", shifted)
            unit = ""
        solved = self.emit(f"weft.solve_tril {matrix.name}, {x.name}{unit}{self.reverse} {self.numerics()} : "
                           f"{self.typed(matrix, x)} -> {self.type(x.dims)}", x.dims, "finite", matrix, x)
        return self.squash(solved)

    def reshape(self):
        """Concatenation or an outer product that is summed again."""
        x, y = self.rows_of(self.keys), self.rows_of(self.width)
        dead = "zero" if x.dead == y.dead == "zero" else "finite"
        if self.rng.random() < 0.5:
            dims = (ROWS, self.keys + self.width)
            return self.emit(f"weft.concat {x.name}, {y.name} over 1 : {self.typed(x, y)} -> {self.type(dims)}",
                             dims, dead, x, y)
        dims = (ROWS, self.keys, self.width)
        pairs = self.emit(f"weft.outer {x.name}, {y.name} : {self.typed(x, y)} -> {self.type(dims)}", dims,
                          "zero" if "zero" in (x.dead, y.dead) else "finite", x, y)
        return self.squash(self.reduce("sum", pairs, int(self.rng.integers(1, 3)), pairs.dead))

    def scan(self):
        """Running combinations by a random region."""
        name = str(self.rng.choice(list(REGIONS)))
        self.regions.add(name)
        parts, identity, _ = REGIONS[name]
        sources = [self.squash(self.rows_of(self.width)) for _ in range(parts)]
        exclusive = " exclusive" if name != "larger" and self.rng.random() < 0.3 else ""
        rows, totals = self.emit_scan(name, identity, sources, exclusive)
        self.pool += totals
        return self.scale(rows[-1], self.chunk ** -0.5 if name == "plus" else 1.0)

    def emit_scan(self, name, identity, sources, exclusive=""):
        parts, names = len(sources), [self.number() for _ in range(2 * len(sources))]
        one, total = self.typed(*sources), ", ".join([self.type((self.width,))] * parts)
        self.lines.append(f"{', '.join(names)} = weft.scan_rows ({', '.join(s.name for s in sources)} : {one}) by @{name} "
                          f"identity [{identity}] from %lo to %hi{exclusive}{self.reverse} -> ({one}), ({total})")
        reads = max(s.reads for s in sources)
        # Rows before the first live one hold the identity, which may be infinite: only what is mended leaves.
        rows = [self.mend(Value(n, (ROWS, self.width), "finite", reads)) for n in names[:parts]]
        return rows, [Value(n, (self.width,), "zero", reads) for n in names[parts:]]

    def gather(self):
        """Rows of a table by an index slice."""
        table, text = self.add_input(f"t{len(self.inputs)}", (int(self.rng.integers(1, 20)), self.width), "normal")
        index = self.add_slice((), "permutation", "i32")
        return self.emit(f"weft.gather_rows {table}[{index.name}] : {text}, {self.type((ROWS,), 'i32')} -> "
                         f"{self.type((ROWS, self.width))}", (ROWS, self.width), "finite")

    def sums_over_rows(self):
        x = self.mend(self.choose(rows=True))
        if x.dims[1:] == (ROWS,):
            return self.elementwise()
        total = self.squash(self.scale(self.reduce("sum", x, 0, "zero"), 1.0 / self.chunk ** 0.5))
        return self.squash(self.broadcast(total, tuple(range(1, len(x.dims))), x.dims, "finite"))

    def row_scalars(self):
        x = self.choose(rank=2, rows=True)
        if x.dims[1] == ROWS:
            return self.elementwise()
        op = str(self.rng.choice(("sum", "max")))
        scalars = self.squash(self.reduce(op, x, 1, x.dead))
        return self.broadcast(scalars, (0,), (ROWS, int(self.rng.choice((self.keys, self.width)))), scalars.dead)

    # -------------------------------------------------------------- carries
    def read_state(self, carry, states):
        """A value of rows that reads the carry."""
        if "fenwick" in carry.kind:
            query, levels = self.rows_of(self.keys), self.levels()
            return self.squash(self.emit(
                f"weft.fenwick_read {states[0].name} at %n query {query.name} levels {levels.name} from "
                f"{self.chunk.bit_length()} {self.numerics()} : {self.typed(states[0], query, levels)} -> "
                f"{self.type((ROWS, self.width))}", (ROWS, self.width), "finite", query, states[0]))
        state = states[-1]
        bounded = self.squash(state)
        if len(state.dims) == 2:
            return self.squash(self.scaled_dot(self.rows_of(state.dims[0]), bounded, 1, 0))
        return self.broadcast(bounded, (1,), (ROWS,) + state.dims, "finite")

    def element(self, carry, reads):
        """The element of a carry from values that read at most `reads` carries."""
        if carry.element == "#weft.sum":
            shape = carry.states[0][1:] if "fenwick" in carry.kind else carry.states[0]
            return self.sum_element(shape, reads)
        if carry.element == "#weft.affine":
            shape = carry.states[0][1:] if "fenwick" in carry.kind else carry.states[0]
            return self.affine_element(shape, reads)
        if carry.element == "#weft.inverse_gram":
            rows = self.scale(self.squash(self.mend(self.rows_of(self.keys, reads))), 1.0 / self.chunk ** 0.5)
            name = self.number()
            self.lines.append(f"{name} = weft.gram_element {rows.name}{self.reverse} {self.numerics()} : {self.typed(rows)}")
            return name
        if carry.element == "#weft.online_softmax":
            return self.softmax_element(reads)
        return self.region_element(carry, reads)

    def sum_element(self, shape, reads):
        if len(shape) == 2:
            added = self.scaled_dot(self.mend(self.rows_of(shape[0], reads)), self.rows_of(shape[1], reads), 0, 0, "zero")
        else:
            added = self.scale(self.reduce("sum", self.mend(self.rows_of(shape[0], reads)), 0, "zero"), 1.0 / self.chunk)
        name = self.number()
        self.lines.append(f"{name} = weft.sum_element {added.name} : {self.typed(added)}")
        return name

    def affine_element(self, shape, reads):
        decay = ""
        if self.rng.random() < 0.7:
            per_channel = self.rng.random() < 0.5
            dims = (shape[0],) if per_channel else ()
            if per_channel or self.choose((ROWS,), reads):
                kept = self.unary("math.exp", self.log_decay(dims, reads)[1], "zero")
                decay = f"decay({kept.name} : {self.typed(kept)}) "
        terms = []
        for _ in range(int(self.rng.integers(1, 3))):
            write = self.contraction(shape[0], reads)
            parts = [f"write({write.name} : {self.typed(write)})"]
            erases = self.rng.random() < 0.5
            if erases:
                erase = self.contraction(shape[0], reads)
                parts.append(f"erase({erase.name} : {self.typed(erase)})")
            if not erases or self.rng.random() < 0.8:
                value = self.rows_of(shape[1], reads) if len(shape) == 2 else self.row_of_scalars(reads)
                parts.append(f"value({value.name} : {self.typed(value)})")
            terms.append(f"term({' '.join(parts)})")
        name = self.number()
        self.lines.append(f"{name} = weft.affine_element {decay}{' '.join(terms)} {self.numerics()}")
        return name

    def contraction(self, width, reads):
        """Rows whose outer products over a chunk sum to less than a quarter in norm."""
        rows = self.mend(self.rows_of(width, reads))
        unit = self.emit(f"weft.l2_normalize {rows.name} over 1 eps 0.5 : {self.typed(rows)} -> {self.typed(rows)}",
                         rows.dims, "zero", rows)
        return self.scale(unit, 0.4 / self.chunk ** 0.5)

    def row_of_scalars(self, reads):
        return self.choose((ROWS,), reads) or self.squash(self.reduce("sum", self.rows_of(self.keys, reads), 1, "finite"))

    def softmax_element(self, reads):
        queries = self.parameter((self.queries, self.keys))
        scores = self.scaled_dot(queries, self.rows_of(self.keys, reads), 1, 1, "finite")
        names = [self.number() for _ in range(4)]
        kind = self.typed(scores)
        window = f"[{self.rng.choice(('*', '20', '3'))}, {self.rng.choice(('*', '0', '9'))}]"
        self.lines += [f"{names[0]} = arith.constant {self.chunk} : index", f"{names[1]} = arith.muli %n, {names[0]} : index",
                       f"{names[2]} = weft.mask_window {scores.name} window {window} rows %c7 cols {names[1]} : {kind}",
                       f"{names[3]} = weft.keep_live {names[2]} over 1 from %lo to %hi else 0xFFF0000000000000 : {kind}"]
        values, name = self.rows_of(self.width, reads), self.number()
        self.lines.append(f"{name} = weft.softmax_element {names[3]}, {values.name} {self.numerics()} : "
                          f"{kind}, {self.typed(values)}")
        return name

    def region_element(self, carry, reads):
        name = carry.kind.split("@")[1].split()[0]
        parts, identity, _ = REGIONS[name]
        sources = [self.squash(self.rows_of(self.width, reads)) for _ in range(parts)]
        if name == "plus":
            sources = [self.scale(sources[0], 1.0 / self.chunk)]
        _, totals = self.emit_scan(name, identity, sources)
        element = self.number()
        self.lines.append(f"{element} = weft.region_element {', '.join(t.name for t in totals)} : {self.typed(*totals)} "
                          f"-> !weft.element<{carry.element}>")
        return element

    # -------------------------------------------------------------- the whole
    def build(self):
        rng = self.rng
        self.pool = [self.add_slice((self.keys,), "normal"), self.add_slice((self.width,), "normal"),
                     self.add_slice((), "normal")]
        low = self.add_slice((self.keys,), "normal", "bf16")
        self.pool.append(Value("%low", low.dims, "zero"))
        self.lines.append(f"%low = arith.extf {low.name} : {self.typed(low)} to {self.type(low.dims)}")
        states, operands = [], []
        for i, carry in enumerate(self.carries):
            args = [Value(f"%s{i}_{j}", dims, "zero", i + 1) for j, dims in enumerate(carry.states)]
            states.append(args)
            for j, (dims, draw) in enumerate(zip(carry.states, carry.draws)):
                operands.append(self.initial_state(f"s{i}_{j}", dims, draw) + (args[j],))
        makers = (self.elementwise, self.feature_maps, self.project, self.attend, self.decayed, self.solve, self.reshape,
                  self.scan, self.gather, self.sums_over_rows, self.row_scalars)
        weights = [3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 2]
        elements, readers = [], []
        for i, carry in enumerate(self.carries):
            for maker in rng.choice(makers, size=int(rng.integers(1, 4)), p=[w / sum(weights) for w in weights]):
                maker()
            elements.append(self.element(carry, i))
            readers.append(self.read_state(carry, states[i]))
        outs = self.outputs_of(readers)
        self.text = regions_text(self.regions) + self.function(operands, elements, outs)
        self.sizes = f"T={self.steps}" + (f",P={self.programs}" if self.programs else "")

    def initial_state(self, suffix, dims, draw):
        """The name and type of a state before the loop: an input, or a constant where `draw` is a number."""
        if draw[0].isalpha():
            return self.add_input(suffix, dims, draw, program=True)
        text = self.type(dims)
        self.constants.append(f"  %{suffix}_start = arith.constant dense<{draw}> : {text}\n")
        return f"%{suffix}_start", text

    def outputs_of(self, readers):
        """One or two rows of output that depend on the carries where rows do."""
        rows = [v for v in readers if v.dims and v.dims[0] == ROWS] or [self.rows_of(self.width)]
        mixed = rows[0]
        for other in rows[1:]:
            other = self.scaled_dot(other, self.parameter((other.dims[1], mixed.dims[1])), 1, 0, "finite")
            mixed = self.binary("arith.addf", mixed, other, "finite")
        extra = self.choose(mixed.dims)
        outs = [self.binary("arith.addf", mixed, extra, "finite")]
        if self.rng.random() < 0.4:
            outs.append(self.rows_of(self.keys))
        return outs

    def function(self, operands, elements, outs):
        """The function: rows of output and final states are its results, of one loop or of a kernel's programs."""
        out_inits = [self.add_input(f"o{i}", v.dims[1:], "normal", dynamic=True, program=True) for i, v in enumerate(outs)]
        types = [text for _, text in out_inits] + [text for _, text, _ in operands]
        results = [f"%r{i}" for i in range(len(types))]
        self.outputs = [f"{self.name}_r{i}" for i in range(len(types))]
        loop = self.loop(results, operands, elements, outs, out_inits)
        if self.programs:
            return self.kernel(loop, results, types)
        return self.wrap(loop, results, types)

    def loop(self, results, operands, elements, outs, out_inits):
        """The text of the weft.chunked op."""
        blocks = ", ".join(["%n: index", "%lo: index", "%hi: index"]
                           + [f"{v.name}: {self.typed(v)}" for _, _, v in self.slices + operands])
        element_types = ", ".join(f"!weft.element<{c.element}>" for c in self.carries)
        body = "\n".join(f"    {line}" for line in self.lines)
        return f"""  {', '.join(results)} = weft.chunked rows %from to %T by {self.chunk}{' descending' if self.descending else ''}
      slices({', '.join(s[0] for s in self.slices)} : {', '.join(s[1] for s in self.slices)})
      carries({', '.join(o[0] for o in operands)} : {', '.join(o[1] for o in operands)})
      as [{', '.join(c.kind for c in self.carries)}]
      outs({', '.join(o for o, _ in out_inits)} : {', '.join(t for _, t in out_inits)}) {{
  ^chunk({blocks}):
{body}
    weft.next out({', '.join(v.name for v in outs)} : {self.typed(*outs)}) carry({', '.join(elements)} : {element_types})
  }}
"""

    def wrap(self, body, results, types, axis=0):
        """The function around `body`, whose results are `results`; the steps are dim `axis` of the first slice."""
        typed = ", ".join(f'{t} {{weft.name = "{n}"}}' for t, n in zip(types, self.outputs))
        first = next(x for x in self.inputs if x.name == f"{self.name}_x0")
        return f"""func.func @{self.name}({', '.join(str(x) for x in self.inputs)}) -> ({typed}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %from = arith.constant {self.start} : index
  %T = tensor.dim %{first.name}, %c{axis} : {first.type}
{''.join(self.constants)}{body}  return {', '.join(results)} : {', '.join(types)}
}}
"""

    def kernel(self, loop, results, types):
        """The loop as one of several programs, each with its own slices, states and outputs."""
        views, wide = [], []
        for x in self.inputs:
            if not x.program:
                wide.append(x)
                continue
            text = x.type.replace("tensor<", "tensor<?x")
            wide.append(dataclasses.replace(x, type=text, dims=("P",) + x.dims))
            sizes = x.type[len("tensor<"):-1].replace("?", "%T").split("x")[:-1]
            views.append(f"  %{x.name}_view = tensor.extract_slice %{x.name}[{', '.join(['%p'] + ['0'] * len(sizes))}] "
                         f"[{', '.join(['1'] + sizes)}] [{', '.join(['1'] * (len(sizes) + 1))}] : {text} to {x.type}\n")
            loop = re.sub(rf"%{x.name}\b", f"%{x.name}_view", loop)
        self.inputs = wide
        result_types = [text.replace("tensor<", "tensor<?x") for text in types]
        inits = "".join(f"  %i{i} = tensor.empty({'%P, %T' if t.startswith('tensor<?x?') else '%P'}) : {t}\n"
                        for i, t in enumerate(result_types))
        placed = ", ".join(f"{r} into [%p{', *' * (t.count('x'))}]" for r, t in zip(results, types))
        first = next(x for x in wide if x.name == f"{self.name}_x0")
        whole = [f"%k{i}" for i in range(len(results))]
        body = f"""  %P = tensor.dim %{first.name}, %c0 : {first.type}
{inits}  {', '.join(whole)} = weft.kernel @{self.name} programs(%P)
      outs({', '.join(f'%i{i}' for i in range(len(results)))} : {', '.join(result_types)}) {{
  ^program(%p: index):
{''.join(views)}{loop}  weft.place {placed} : {', '.join(types)}
  }}
"""
        return self.wrap(body, whole, result_types, axis=1)


def regions_text(names):
    """The combine functions of these names."""
    return "\n".join(REGIONS[name][2] for name in sorted(names)) + "\n"
