# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of the algebra stage: scans over [B, T, H, feature] between token-wise producers and epilogues.

Values stay of order one: producers pass through tanh, a softmax or a normalisation, sums
over time are scaled, and normalised scans have positive features.
"""

import dataclasses

from chunked_bodies import Input

STATE_SCALE = 0.25


@dataclasses.dataclass(frozen=True)
class Tokens:
    """A value [B, T, heads, width] of f32; `positive` when every entry is."""

    name: str
    heads: int
    width: int
    positive: bool = False

    @property
    def type(self):
        return f"tensor<?x?x?x{self.width}xf32>"


class AlgebraProgram:
    """One function. `text` is the whole module, `sizes` what weft-run is told of its dynamic dims; `chunk` stands on every scan."""

    def __init__(self, rng, index, chunk=None):
        self.rng, self.name = rng, f"a{index}"
        self.batch = int(rng.integers(1, 3))
        self.steps = int(rng.choice((0, 1, 5, int(rng.integers(2, 40)), int(rng.integers(40, 150)))))
        self.heads = int(rng.choice((1, 2, 4)))
        self.keys, self.width = int(rng.integers(2, 9)), int(rng.integers(2, 9))
        self.chunk = f" chunk {chunk}" if chunk else ""
        self.lines, self.inputs, self.results, self.count = [], [], [], 0
        self.size_names = {"B": self.batch, "T": self.steps}
        self.pool = [self.token_input(self.heads, self.keys), self.token_input(self.heads, self.width),
                     self.token_input(self.fewer_heads(), self.keys)]
        self.build()

    # -------------------------------------------------------------- text
    def number(self):
        self.count += 1
        return f"%{self.count + 1000}"

    def add_input(self, type_text, shape, draw):
        """A function argument whose dims have these sizes: the dynamic ones are named by letter and size."""
        name = f"{self.name}_x{len(self.inputs)}"
        letters = ["B", "T", "H"] if type_text.startswith("tensor<?x?x?") else ["B", "H"] if "?x?x" in type_text else ["H"]
        dims = [""] * len(shape)
        if "?" in type_text:
            for i, letter in enumerate(letters):
                dims[i] = letter if letter in "BT" else f"H{shape[i]}"
                self.size_names[dims[i]] = shape[i]
        self.inputs.append(Input(name, type_text, tuple(dims), draw))
        return f"%{name}"

    def token_input(self, heads, width):
        text = f"tensor<?x?x?x{width}xf32>"
        return Tokens(self.add_input(text, (self.batch, self.steps, heads, width), "normal"), heads, width)

    def fewer_heads(self):
        return int(self.rng.choice([h for h in (1, 2, 4) if self.heads % h == 0]))

    def emit(self, text, like, positive=False, width=None):
        name = self.number()
        self.lines.append(f"{name} = {text}")
        value = Tokens(name, like.heads, width or like.width, positive)
        self.pool.append(value)
        return value

    def choose(self, heads=None, width=None):
        """A pool value, with these heads and this width where given (projected when no such width is there)."""
        found = [v for v in self.pool if (heads is None or v.heads == heads) and (width is None or v.width == width)]
        if found:
            return found[int(self.rng.integers(len(found)))]
        same = [v for v in self.pool if heads is None or v.heads == heads]
        return self.project(same[int(self.rng.integers(len(same)))], width) if same else self.token_input(heads, width)

    # -------------------------------------------------------------- token-wise ops
    def constant_like(self, number, x):
        scalar, name = self.number(), self.number()
        self.lines.append(f"{scalar} = arith.constant dense<{number}> : tensor<f32>")
        self.lines.append(f"{name} = weft.broadcast {scalar} to [] like({x.name} : {x.type}) : tensor<f32> -> {x.type}")
        return name

    def project(self, x, width):
        weights = self.add_input(f"tensor<{x.width}x{width}xf32>", (x.width, width), "normal")
        y = self.emit(f"weft.token_matmul {x.name}, {weights} numerics<in = f32, acc = f32> : {x.type}, "
                      f"tensor<{x.width}x{width}xf32> -> tensor<?x?x?x{width}xf32>", x, width=width)
        return self.emit(f"math.tanh {y.name} : {y.type}", y)

    def producer(self, x):
        """One token-wise op on x."""
        kind = str(self.rng.choice(("softmax", "normalize", "tanh", "gate", "bias", "project", "square")))
        if kind == "softmax":
            return self.emit(f"weft.softmax {x.name} over 3 : {x.type} -> {x.type}", x, positive=True)
        if kind == "normalize":
            return self.emit(f"weft.l2_normalize {x.name} over 3 eps 0.1 : {x.type} -> {x.type}", x, x.positive)
        if kind == "tanh":
            return self.emit(f"math.tanh {x.name} : {x.type}", x, x.positive)
        if kind == "project":
            return self.project(x, int(self.rng.choice((self.keys, self.width))))
        if kind == "bias":
            bias = self.add_input(f"tensor<{x.width}xf32>", (x.width,), "normal")
            name = self.number()
            self.lines.append(f"{name} = weft.broadcast {bias} to [3] like({x.name} : {x.type}) : "
                              f"tensor<{x.width}xf32> -> {x.type}")
            moved = self.emit(f"arith.addf {x.name}, {name} : {x.type}", x)
            return self.emit(f"math.tanh {moved.name} : {x.type}", x)
        other = self.choose(x.heads, x.width) if kind == "gate" else x
        product = self.emit(f"arith.mulf {x.name}, {other.name} : {x.type}", x)
        return self.emit(f"math.tanh {product.name} : {x.type}", x, kind == "square")

    def features(self, heads, width):
        """A positive value of these heads and this width."""
        x = self.choose(heads, width)
        return self.emit(f"weft.softmax {x.name} over 3 : {x.type} -> {x.type}", x, positive=True)

    # -------------------------------------------------------------- scans
    def decay(self):
        """A decay clause: per token and head or per head, in log, log2 or linear."""
        space = str(self.rng.choice(("log", "log2", "linear")))
        draw = "uniform" if space == "linear" else "logsigmoid"
        heads = self.fewer_heads()
        if self.rng.random() < 0.3:
            operand = self.add_input("tensor<?xf32>", (heads,), draw)
            return f"decay({operand} in {space} along [h] : tensor<?xf32>)"
        operand = self.add_input("tensor<?x?x?xf32>", (self.batch, self.steps, heads), draw)
        return f"decay({operand} in {space} : tensor<?x?x?xf32>)"

    def affine_scan(self):
        rng, normalized = self.rng, self.rng.random() < 0.4
        reverse = " reverse" if rng.random() < 0.3 else ""
        make = self.features if normalized else self.choose
        query, key = make(self.heads, self.keys), make(self.fewer_heads(), self.keys)
        value = self.choose(self.fewer_heads(), self.width)
        write = f"write({key.name}, {value.name} : {key.type}, {value.type})"
        read = f"read({query.name} scale {STATE_SCALE} : {query.type})"
        clauses = [write, read] if rng.random() < 0.8 or normalized else [read, write]
        if rng.random() < 0.6:
            clauses.insert(int(rng.integers(0, 2)) if clauses[0] == read else 0, self.decay())
        if normalized:
            clauses.append(f"normalize({rng.choice(('added', 'clamped'))} 1.0e-2)")
        out = f"tensor<?x?x?x{self.width}xf32>"
        state, normalizer = f"tensor<?x?x{self.keys}x{self.width}xf32>", f"tensor<?x?x{self.keys}xf32>"
        carried, shapes = [state], [(self.batch, self.heads, self.keys, self.width)]
        if normalized:
            carried.append(normalizer)
            shapes.append((self.batch, self.heads, self.keys))
        if rng.random() < 0.5:
            inits = [self.add_input(t, s, "normal" if i == 0 else "positive")
                     for i, (t, s) in enumerate(zip(carried, shapes))]
            clauses.append(f"init({', '.join(inits)} : {', '.join(carried)})")
        results = [out] + (carried if rng.random() < 0.6 else [])
        return self.scan(f"weft.affine_scan over 1{reverse}{self.chunk} {' '.join(clauses)} -> {', '.join(results)}",
                         self.heads, self.width, results)

    def prefix_sum(self):
        x = self.choose()
        words = "".join(w for w in (" exclusive", " reverse") if self.rng.random() < 0.3)
        total = f"tensor<?x?x{x.width}xf32>"
        init = ""
        if self.rng.random() < 0.4:
            init = f" init({self.add_input(total, (self.batch, x.heads, x.width), 'normal')} : {total})"
        results = [x.type] + ([total] if self.rng.random() < 0.5 else [])
        return self.scan(f"weft.prefix_sum {x.name} over 1{words}{self.chunk}{init} : {x.type} -> {', '.join(results)}",
                         x.heads, x.width, results)

    def associative_scan(self):
        x = self.choose()
        words = " reverse" if self.rng.random() < 0.3 else ""
        total = f"tensor<?x?x{x.width}xf32>"
        if self.rng.random() < 0.5:
            region = "^c(%e: f32, %l: f32):\n      %m = arith.maximumf %e, %l : f32\n      weft.yield %m : f32\n    }"
            text, names, parts = "0xFF800000 : f32", [x.name], 1
        else:
            gate, one = self.producer(x), self.number()
            self.lines.append(f"{one} = math.tanh {gate.name} : {gate.type}")
            if gate.width != x.width:
                gate = self.choose(x.heads, x.width)
            bounded = self.emit(f"math.tanh {gate.name} : {gate.type}", gate)
            region = ("^c(%a1: f32, %b1: f32, %a2: f32, %b2: f32):\n      %a = arith.mulf %a2, %a1 : f32\n"
                      "      %c = arith.mulf %a2, %b1 : f32\n      %b = arith.addf %c, %b2 : f32\n"
                      "      weft.yield %a, %b : f32, f32\n    }")
            text, names, parts = "1.0 : f32, 0.0 : f32", [bounded.name, x.name], 2
        types = ", ".join([x.type] * parts)
        init = ""
        if self.rng.random() < 0.4:
            shape = (self.batch, x.heads, x.width)
            inits = [self.add_input(total, shape, "normal") for _ in range(parts)]
            init = f" init({', '.join(inits)} : {', '.join([total] * parts)})"
        finals = [total] * parts if self.rng.random() < 0.5 else []
        tail = f", ({', '.join(finals)})" if finals else ""
        return self.scan(f"weft.associative_scan over 1 ({', '.join(names)} : {types}) identity [{text}]{words}"
                         f"{self.chunk}{init} -> ({types}){tail} {{\n    {region}", x.heads, x.width,
                         [x.type] * parts + finals, rows=parts)

    def scan(self, text, heads, width, results, rows=1):
        """Append a scan; its last row output goes into the pool, squashed, and all others are results of the program."""
        names = [self.number() for _ in results]
        self.lines.append(f"{', '.join(names)} = {text}")
        self.results += list(zip(names, results))
        return self.emit(f"math.tanh {names[rows - 1]} : {results[rows - 1]}", Tokens(names[rows - 1], heads, width))

    # -------------------------------------------------------------- the whole
    def build(self):
        scans = (self.affine_scan, self.affine_scan, self.prefix_sum, self.associative_scan)
        for _ in range(int(self.rng.integers(1, 4))):
            for _ in range(int(self.rng.integers(0, 3))):
                self.producer(self.choose())
            out = scans[int(self.rng.integers(len(scans)))]()
            if self.rng.random() < 0.5:
                out = self.producer(out)
            self.results.append((out.name, out.type))
        self.outputs = [f"{self.name}_r{i}" for i in range(len(self.results))]
        arguments = ", ".join(str(x) for x in self.inputs)
        self.sizes = ",".join(f"{name}={size}" for name, size in self.size_names.items())
        typed = ", ".join(f'{t} {{weft.name = "{n}"}}' for (_, t), n in zip(self.results, self.outputs))
        body = "\n".join(f"  {line}" for line in self.lines)
        self.text = (f"func.func @{self.name}({arguments}) -> ({typed}) {{\n{body}\n  return "
                     f"{', '.join(n for n, _ in self.results)} : {', '.join(t for _, t in self.results)}\n}}\n")
