# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each file under examples/ computes: its inputs and its float64 reference.

`EXAMPLES[file]` is an Example, file relative to examples/. Sizes are a dict of letters:
B, T and heads, feature sizes, and C, the rows of a chunk, which only results that are
themselves cut by chunks look at.
"""

import dataclasses
from typing import Callable

import numpy as np

from oracle.algebra import cumulative_max, first_order_scan, prefix_sum
from oracle.common import softmax
from oracle.gated_recurrence import gated_recurrence
from oracle.gated_slot_attention import gated_slot_attention
from oracle.gma import gma
from oracle.inputs import draw
from oracle.linear_attention import linear_attention, retention_gradients
from oracle.loglinear import final_stack, loglinear
from oracle.sa import window_attention
from oracle.two_terms import two_terms
from oracle.vla import vla


@dataclasses.dataclass(frozen=True)
class Example:
    """Inputs by name, as (element type in the file, kind, letters of the dims), and the reference.

    `reference(inputs, sizes)` maps float64 arrays by name to float64 outputs by name.
    `features` are the letters of the feature dims that a test may resize; `chunk` the rows of
    a chunk in the file. `carried` maps a final state to the argument that continues it.
    """

    inputs: dict
    reference: Callable
    sizes: dict
    features: tuple = ("K", "V")
    chunk: int = 64
    carried: dict = dataclasses.field(default_factory=dict)

    def draw_inputs(self, rng, sizes):
        """Float64 arrays by name for these sizes (integers for permutations)."""
        return {name: draw(rng, kind, tuple(sizes[letter] for letter in dims.split()))
                for name, (_, kind, dims) in self.inputs.items()}


def tokens(kind, heads, feature):
    """A bfloat16 operand [B, T, heads, feature]."""
    return "bf16", kind, f"B T {heads} {feature}"


def run_linear_attention(x, sizes):
    group = sizes["HQ"] // sizes["H"]
    state, normalizer = x["s0"].repeat(group, 1), x["z0"].repeat(group, 1)
    o, s, z = linear_attention(x["q"], x["k"], x["v"], feature=softmax, epsilon=1e-6, state=state, normalizer=normalizer)
    return {"o": o, "s": s[:, ::group], "z": z[:, ::group]}


def run_vla(x, sizes):
    o, a, h, z = vla(x["q"], x["k"], x["v"], x["u"], x["a0"], x["h0"], x["z0"])
    return {"o": o, "a": a, "h": h, "z": z}


def run_permuted_window(x, sizes):
    o, lse = window_attention(x["q"], x["k"], x["v"], x["order"], (128, 127))
    return {"o": o, "lse": lse}


def run_fenwick(x, sizes):
    slots = sizes["L"] - (sizes["C"].bit_length() - 1)
    return {"o": loglinear(x["q"], x["k"], x["v"], x["g"], x["lam"]),
            "s": final_stack(x["k"], x["v"], x["g"], sizes["C"], slots)}


def run_two_terms(x, sizes):
    o, s = two_terms(x["q"], x["k"], x["v"], x["r"], x["w"], x["g"], x["s0"])
    return {"o": o, "s": s}


def run_gated_slot_attention(x, sizes):
    o, k, v = gated_slot_attention(x["q"], x["k"], x["v"], x["g"], x["k0"], x["v0"])
    return {"o": o, "kt": k, "vt": v}


def run_gated_recurrence(x, sizes):
    o, h = gated_recurrence(x["x"], x["r"], x["i"], x["decay"], x["h0"])
    return {"o": o, "h": h}


def run_retention_gradients(x, sizes):
    dk, dv, ds0 = retention_gradients(x["q"], x["k"], x["v"], x["decay"], x["do"], x["ds"])
    return {"dk": dk, "dv": dv, "ds0": ds0}


def run_algebra_linear_attention(x, sizes):
    return {"o": linear_attention(x["q"], x["k"], x["v"], feature=softmax, epsilon=1e-6)[0]}


def run_decayed_linear_attention(x, sizes):
    state = x["s0"].repeat(sizes["HQ"] // sizes["H"], 1)
    o, s, _ = linear_attention(x["q"], x["k"], x["v"], x["g"], scale=0.125, state=state)
    return {"o": o, "s": s}


def run_gma(x, sizes):
    return {"o": gma(x["q"], x["k"], x["v"], x["mu"], x["omega"], x["prior"])[0]}


def run_prefix_sum(x, sizes):
    y, total = prefix_sum(x["x"])
    return {"y": y, "total": total}


def run_first_order_scan(x, sizes):
    h, last = first_order_scan(x["a"], x["b"], x["h0"])
    return {"h": h, "last": last}


def run_cumulative_max(x, sizes):
    y, largest = cumulative_max(x["x"])
    return {"y": y, "largest": largest}


EXAMPLES = {
    "linear_attention.mlir": Example(
        {"q": tokens("normal", "HQ", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "H", "V")},
        run_algebra_linear_attention, {"B": 2, "HQ": 4, "H": 2}),
    "decayed_linear_attention.mlir": Example(
        {"q": tokens("normal", "HQ", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "H", "V"),
         "g": ("f32", "logsigmoid", "B T H"), "s0": ("f32", "normal", "B H K V")},
        run_decayed_linear_attention, {"B": 2, "HQ": 4, "H": 2}, carried={"s": "s0"}),
    "gma_causal.mlir": Example(
        {"q": tokens("normal", "HQ", "D"), "k": tokens("normal", "H", "D"), "v": tokens("normal", "H", "V"),
         "mu": ("f32", "normal", "H M D"), "omega": ("f32", "normal", "H M D"), "prior": ("f32", "normal", "H M")},
        run_gma, {"B": 2, "HQ": 4, "H": 2, "M": 128}, features=("D", "V")),
    "prefix_sum.mlir": Example({"x": ("f32", "normal", "B T H K")}, run_prefix_sum, {"B": 2, "H": 3}, features=("K",)),
    "first_order_scan.mlir": Example(
        {"a": ("f32", "uniform", "B T H K"), "b": ("f32", "normal", "B T H K"), "h0": ("f32", "normal", "B H K")},
        run_first_order_scan, {"B": 2, "H": 3}, features=("K",), carried={"last": "h0"}),
    "cumulative_max.mlir": Example(
        {"x": ("f32", "normal", "B T H K")}, run_cumulative_max, {"B": 2, "H": 3}, features=("K",)),
    "chunked/linear_attention.mlir": Example(
        {"q": tokens("normal", "HQ", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "H", "V"),
         "s0": ("f32", "normal", "B H K V"), "z0": ("f32", "positive", "B H K")},
        run_linear_attention, {"B": 2, "HQ": 4, "H": 2}, carried={"s": "s0", "z": "z0"}),
    "chunked/vla.mlir": Example(
        {"q": tokens("normal", "H", "K"), "k": tokens("normal", "H", "K"), "u": tokens("normal", "H", "K"),
         "v": tokens("normal", "HV", "V"), "a0": ("f32", "spd", "B H K K"), "h0": ("f32", "normal", "B HV K V"),
         "z0": ("f32", "positive", "B H K")},
        run_vla, {"B": 2, "HV": 2, "H": 1}, carried={"a": "a0", "h": "h0", "z": "z0"}),
    "chunked/permuted_window.mlir": Example(
        {"q": tokens("normal", "HQ", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "H", "V"),
         "order": ("i32", "permutation", "T")},
        run_permuted_window, {"B": 2, "HQ": 4, "H": 2}),
    "chunked/fenwick.mlir": Example(
        {"q": tokens("normal", "H", "K"), "k": tokens("unit", "H", "K"), "v": tokens("normal", "HV", "V"),
         "g": ("f32", "logsigmoid", "B T HV"), "lam": ("f32", "softplus", "B T HV L")},
        run_fenwick, {"B": 2, "HV": 2, "H": 1, "L": 13}),
    "chunked/two_terms.mlir": Example(
        {"q": tokens("normal", "H", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "HV", "V"),
         "r": tokens("unit", "H", "K"), "w": tokens("unit", "H", "K"), "g": ("f32", "logsigmoid", "B T H K"),
         "s0": ("f32", "normal", "B HV K V")},
        run_two_terms, {"B": 2, "HV": 2, "H": 1}, carried={"s": "s0"}),
    "chunked/gated_slot_attention.mlir": Example(
        {"q": tokens("normal", "HQ", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "H", "V"),
         "g": ("f32", "logsigmoid", "B T H M"), "k0": ("f32", "normal", "B H M K"), "v0": ("f32", "normal", "B H M V")},
        run_gated_slot_attention, {"B": 2, "HQ": 4, "H": 2, "M": 32}, carried={"kt": "k0", "vt": "v0"}),
    "chunked/gated_recurrence.mlir": Example(
        {"x": tokens("normal", "H", "K"), "r": tokens("normal", "H", "K"), "i": tokens("normal", "H", "K"),
         "decay": ("f32", "normal", "H K"), "h0": ("f32", "normal", "B H K")},
        run_gated_recurrence, {"B": 2, "H": 2}, features=("K",), carried={"h": "h0"}),
    "chunked/retention_gradients.mlir": Example(
        {"q": tokens("normal", "H", "K"), "k": tokens("normal", "H", "K"), "v": tokens("normal", "H", "V"),
         "do": tokens("normal", "H", "V"), "decay": ("f32", "logsigmoid", "H"), "ds": ("f32", "normal", "B H K V")},
        run_retention_gradients, {"B": 2, "H": 2}),
}


def main():
    for file, example in EXAMPLES.items():
        sizes = dict(example.sizes, T=9, C=4, **{letter: 4 for letter in example.features})
        outputs = example.reference(example.draw_inputs(np.random.default_rng(0), sizes), sizes)
        shapes = ", ".join(f"{name} {list(x.shape)}" for name, x in outputs.items())
        assert all(np.isfinite(x).all() for x in outputs.values()), file
        print(f"{file}: {shapes}")


if __name__ == "__main__":
    main()
