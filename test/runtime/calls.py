# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls through the runtime against a driver that records them: what kernels are given, which
variant runs, and every way in which a call can be wrong.

usage: calls.py     (SCANWEFT_LIBCUDA names the fake driver)
"""

import os
import struct
import threading

import sample
from scanweft.runtime import Context, Library, RuntimeFailure, Scalar, Tensor, contiguous_strides

SIZES = {"T": 130, "H": 3}


class Case:
    """The sample loaded, with tensors of T x H x 64 inside rows of `pitch` elements."""

    def __init__(self, context, manifest=None, pitch=64, offset=0, **sizes):
        self.context = context
        self.artifact = context.load_bytes(manifest or sample.text(), sample.cubin())
        self.entry = self.artifact.entry("scale")
        T, H = (sizes.get(name, SIZES[name]) for name in "TH")
        self.memory = [context.allocate(n) for n in (2 * T * H * pitch + offset + 512, 32 * H, 2 * T * H * 64, 4 * H, 65536)]
        x, w, y, total, work = self.memory
        self.arguments = [Tensor(x, "bf16", (T, H, 64), (H * pitch, pitch, 1), offset), Tensor(w, "f32", (H, 8), (8, 1)),
                          Scalar("index", sizes.get("n", 5)), Scalar("f32", 0.5)]
        self.results = [Tensor(y, "bf16", (T, H, 64), contiguous_strides((T, H, 64))), Tensor(total, "f32", (H,), (1,))]
        self.workspace, self.workspace_bytes = work.address, work.num_bytes

    def launch(self):
        return self.entry.launch(self.arguments, self.results, self.workspace, self.workspace_bytes)

    def close(self):
        for memory in self.memory:
            memory.free()
        self.artifact.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def expect(name, got, wanted):
    assert got == wanted, f"{name}: {got}, wanted {wanted}"


def expect_failure(name, text, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except RuntimeFailure as failure:
        expect(text, f"{failure.name}: {failure.text}", f"{name}: {text}")
        return
    raise AssertionError(f"no failure; wanted {name}: {text}")


def test_description(context, driver):
    with Case(context) as case:
        expect("arguments", [(p.name, p.kind, p.sizes, p.is_scalar) for p in case.entry.arguments],
               [("x", "bf16", (-1, -1, 64), False), ("w", "f32", (-1, 8), False), ("n", "index", (), True), ("s", "f32", (), True)])
        expect("results", [(p.name, p.kind, p.sizes) for p in case.entry.results], [("y", "bf16", (-1, -1, 64)), ("sum", "f32", (-1,))])
        sizes, workspace = case.entry.query(case.arguments)
        expect("sizes", sizes, [(130, 3, 64), (3,)])
        expect("workspace", workspace, (130 * 3 * 4 + 255) // 256 * 256)
        kernel = case.artifact.kernels()[0]
        expect("kernel", {k: kernel[k] for k in ("symbol", "threads", "registers", "dynamic_shared", "static_shared",
                                                 "spill_bytes", "code_bytes", "resident_programs")},
               {"symbol": "scale_kernel", "threads": 128, "registers": 96, "dynamic_shared": 65536, "static_shared": 16,
                "spill_bytes": 0, "code_bytes": 4096, "resident_programs": 264})
        expect("not said", case.artifact.kernels()[1]["spill_bytes"], -1)
        expect("device", context.describe()["name"], "Fake Device")


def test_parameters(context, driver):
    with Case(context, pitch=192) as case:
        launched = case.launch()
        expect("launched", launched, [
            {"kernel": "scale_kernel", "variant": "aligned", "variant_index": 0, "num_variants": 2, "programs": 9},
            {"kernel": "sum_kernel", "variant": "plain", "variant_index": 0, "num_variants": 1, "programs": 3}])
        first, second = driver.launches()
        expect("grid", (first.grid, first.threads, first.shared, first.stream), (9, 128, 65536, context.stream.value))
        expect("parameters", struct.unpack("<qqqf4xqqqqq", bytes(first.parameters[:first.parameter_bytes])),
               (case.memory[0].address, 130, 192, 0.5, case.workspace, 5, 26, 3, 3))
        expect("parameters", struct.unpack("<5q", bytes(second.parameters[:second.parameter_bytes])),
               (case.workspace, case.memory[3].address, case.memory[1].address, case.memory[2].address, 3))
        with context.capture() as counts:
            case.launch()
        expect("captured", counts, {"kernels": 2, "memsets": 0, "copies": 0, "others": 0})


def variant_of(context, **keywords):
    with Case(context, **keywords) as case:
        return case.launch()[0]["variant"]


def test_guards(context, driver):
    expect("aligned", variant_of(context), "aligned")
    expect("base", variant_of(context, offset=8), "plain")
    expect("stride", variant_of(context, pitch=68), "plain")
    expect("stride of one entry", variant_of(context, pitch=68, T=1, H=1), "aligned")

    def bound(index, guard):
        return sample.text(lambda entry, whole: entry["launches"][0]["variants"][0]["guards"].__setitem__(index, guard))
    last_byte = 2 * 130 * 3 * 64
    expect("span", variant_of(context, manifest=bound(3, ["span", 0, last_byte])), "aligned")
    expect("span", variant_of(context, manifest=bound(3, ["span", 0, last_byte - 1])), "plain")
    expect("packed", variant_of(context, manifest=bound(4, ["packed", 0])), "aligned")
    expect("packed", variant_of(context, pitch=192, manifest=bound(4, ["packed", 0])), "plain")
    expect("below", variant_of(context, manifest=bound(5, ["below", 5, 391])), "aligned")
    expect("below", variant_of(context, manifest=bound(5, ["below", 5, 390])), "plain")
    expect("nonzero", variant_of(context, manifest=bound(6, ["nonzero", 11])), "plain")
    # 512 bytes do not divide the stride of 384, whatever the type's size.
    expect("stride", variant_of(context, manifest=bound(1, ["stride", 0, 0, 128])), "aligned")
    expect("stride", variant_of(context, manifest=bound(1, ["stride", 0, 0, 512])), "plain")
    # An undefined expression is no reason to fail: the guard does not hold.
    undefined = sample.text(lambda entry, whole: (
        entry["expressions"].append(["div", 0, 11]),
        entry["launches"][0]["variants"][0]["guards"].__setitem__(6, ["nonzero", 24])))
    expect("undefined", variant_of(context, manifest=undefined), "plain")


def test_empty(context, driver):
    with Case(context, T=0) as case:
        launched = case.launch()
        expect("programs", [x["programs"] for x in launched], [0, 3])
        expect("launches", [x.kernel for x in driver.launches()], [b"sum_kernel"])


def change(index, **fields):
    def edit(case):
        tensor = (case.arguments + case.results)[index]
        for name, value in fields.items():
            setattr(tensor, name, value)
    return edit


def wrong(context, edit, name, text, manifest=None, **sizes):
    with Case(context, manifest, **sizes) as case:
        edit(case)
        expect_failure(name, text, case.launch)


def test_wrong_arguments(context, driver):
    def check(edit, text):
        wrong(context, edit, "bad argument", f"'scale': argument {text}")
    check(change(0, kind="f16"), "0 'x': its type is f16, not bf16")
    check(change(0, sizes=(130, 3)), "0 'x': its rank is 2, not 3")
    check(change(0, sizes=(130, 3, 128)), "0 'x': dim 2 is 128, the kernel was compiled for 64")
    check(change(0, sizes=(-1, 3, 64)), "0 'x': dim 0 is -1: a size is not negative")
    check(change(1, sizes=(4, 8)), "1 'w': dim 0, 'H', is 4, but 3 in argument 0 'x'")
    check(change(2, kind="i32"), "2 'n': its type is i32, not index")
    check(change(0, strides=(-1, 64, 1)), "0 'x': the stride of dim 0 is -1: strides are not negative")
    check(change(0, strides=(192, 64, 2)), "0 'x': the stride of its last axis is 2: the last axis is contiguous")
    with Case(context) as case:
        case.arguments[0].offset = 1
        address = case.arguments[0].address
        expect_failure("bad argument", f"'scale': argument 0 'x': its address {address:#x} is no multiple of the 2 bytes of bf16",
                       case.launch)
        case.arguments[0].offset = -case.memory[0].address
        expect_failure("bad argument", "'scale': argument 0 'x': its address is null", case.launch)
        case.arguments[0].offset = 0
        expect_failure("invalid call", "'scale' takes 4 arguments: 3 given", case.entry.launch, case.arguments[:3], case.results)
        expect_failure("invalid call", "'scale' gives 2 results: 1 taken", case.entry.launch, case.arguments, case.results[:1])
    wrong(context, lambda case: None, "bad argument", "'scale': T is T",
          sample.text(lambda entry, whole: entry["checks"][0].update(holds=11)))


def test_wrong_results(context, driver):
    def check(edit, text):
        wrong(context, edit, "bad result", f"'scale': result {text}")
    check(change(4, sizes=(129, 3, 64)), "0 'y': dim 0 is 129, for these arguments it is 130")
    check(change(4, strides=(0, 64, 1)), "0 'y': the stride of dim 0 is 0: results do not repeat")
    check(change(5, kind="f64"), "1 'sum': its type is f64, not f32")


def test_workspace(context, driver):
    with Case(context) as case:
        case.workspace_bytes = 1791
        expect_failure("bad workspace", "'scale': the workspace has 1791 bytes, these arguments need 1792", case.launch)
        case.workspace_bytes, address = 1792, case.workspace
        case.launch()
        case.workspace += 64
        expect_failure("bad workspace", f"'scale': the workspace's address {address + 64:#x} is no multiple of 256", case.launch)
        case.workspace = 0
        expect_failure("bad workspace", "'scale': the workspace is null", case.launch)
    def shift(entry, whole):
        entry["temporaries"][0]["offset"] = 8
    wrong(context, lambda case: None, "bad manifest",
          "'scale': temporary 0, 1560 bytes at 256, leaves the workspace of 1792 bytes", sample.text(shift))
    wrong(context, lambda case: None, "bad manifest", "'scale': temporary 0 lies at byte 4 of the workspace: temporaries lie at multiples of 256",
          sample.text(lambda entry, whole: entry["temporaries"][0].update(offset=6)))


def test_large(context, driver):
    # Numbers without memory: a query looks at sizes alone.
    with Case(context) as case:
        change(1, sizes=(1 << 31, 8))(case)
        change(0, sizes=(1 << 25, 1 << 31, 64), strides=(0, 0, 1))(case)
        expect_failure("too large", "'scale': y takes 2^63 bytes or more", case.entry.query, case.arguments)
        change(0, sizes=((1 << 25) - 1, 1 << 31, 64))(case)
        expect("workspace", case.entry.query(case.arguments)[1], ((1 << 25) - 1) << 33)
    wrong(context, change(0, sizes=(1 << 62, 3, 64), strides=(4, 64, 1)), "too large", "'scale': argument 0 'x' leaves 64-bit addresses")
    grid = sample.text(lambda entry, whole: (
        entry["expressions"].extend([["const", 1 << 31], ["const", 1 << 40]]),
        entry["launches"][0]["variants"][0].update(programs=[24, 1])))
    wrong(context, lambda case: None, "too large", "'scale': kernel 'scale_kernel' would run 6442450944 programs: a grid has at most 2147483647", grid)
    overflow = sample.text(lambda entry, whole: (
        entry["expressions"].extend([["const", 1 << 40]]),
        entry["launches"][0]["variants"][0].update(programs=[24, 24])))
    wrong(context, lambda case: None, "too large", "'scale': the number of programs of kernel 'scale_kernel' has no 64-bit value", overflow)
    product = sample.text(lambda entry, whole: (
        entry["expressions"].extend([["const", 1 << 40], ["mul", 24, 24], ["select", 11, 25, 0], ["select", 21, 25, 0]]),
        entry["launches"][0]["variants"][0].update(programs=[26, 1])))
    with Case(context, product) as case:
        expect("the other side of a select", case.launch()[0]["programs"], 390)
    taken = sample.text(lambda entry, whole: (
        entry["expressions"].extend([["const", 1 << 40], ["mul", 24, 24], ["select", 11, 25, 0], ["select", 21, 25, 0]]),
        entry["launches"][0]["variants"][0].update(programs=[27, 1])))
    wrong(context, lambda case: None, "too large",
          "'scale': a program extent needs expression 25, mul of 1099511627776 and 1099511627776, which has no 64-bit value", taken)
    negative = sample.text(lambda entry, whole: (
        entry["expressions"].extend([["const", -2]]), entry["launches"][0]["variants"][0].update(programs=[24, 1])))
    wrong(context, lambda case: None, "bad argument", "'scale': a program extent is -2: a size is not negative", negative)
    # Nothing ran where only a later launch was wrong.
    later = sample.text(lambda entry, whole: (
        entry["expressions"].extend([["const", -2]]), entry["launches"][1]["variants"][0].update(programs=[24])))
    before = len(driver.launches())
    wrong(context, lambda case: None, "bad argument", "'scale': a program extent is -2: a size is not negative", later)
    expect("launches", len(driver.launches()), before)


def test_residency(context, driver):
    driver.set(driver.BLOCKS, 0)
    wrong(context, lambda case: None, "not resident",
          "'scale': 3 programs of kernel 'sum_kernel' wait for each other, device 'Fake Device' holds 0 of them at once")
    driver.set(driver.BLOCKS, 1)
    driver.set(16, 3)
    with Context(context.library) as small, Case(small) as case:
        case.launch()
    driver.set(16, 2)
    with Context(context.library) as small:
        wrong(small, lambda case: None, "not resident",
              "'scale': 3 programs of kernel 'sum_kernel' wait for each other, device 'Fake Device' holds 2 of them at once")


def load(context, text=None, code=None):
    code = sample.cubin() if code is None else code
    context.load_bytes(text or sample.text(code=code), code).close()


def test_code(context, driver):
    code = sample.cubin()
    expect_failure("bad code", f"cubin: 100 bytes, the manifest says {len(code)}", load, context, sample.text(), code[:100])
    edited = code[:500] + b"x" + code[501:]
    with_digests = sample.text(code=edited)
    load(context, with_digests, edited)
    try:
        load(context, sample.text(), edited)
    except RuntimeFailure as failure:
        assert failure.name == "bad code" and "damaged, or of another compilation" in failure.text, failure
    for cut, text in ((10, "cubin: 10 bytes are no cubin"), (500, "cubin: its table of 2 sections lies outside its 500 bytes")):
        expect_failure("bad code", text, load, context, None, code[:cut])
    far = code[:-40] + (1 << 40).to_bytes(8, "little") + code[-32:]
    expect_failure("bad code", f"cubin: its section 1 lies outside its {len(code)} bytes", load, context, None, far)
    expect_failure("bad code", "cubin: its header is none of a cubin", load, context, None, b"\x7fELF\x02\x01" + bytes(200))
    driver.fail("cuModuleLoadDataEx", 218)
    expect_failure("bad code", "the driver does not load the code: ptxas fatal : unresolved extern", load, context)
    driver.fail(None)


def test_kernels(context, driver):
    expect_failure("no kernel", "the code has no kernel 'other'", load, context,
                   sample.text(lambda entry, whole: whole["kernels"][0].update(symbol="other")))
    expect_failure("no resources", "kernel 'scale_kernel' needs 232449 bytes of shared memory: device 'Fake Device' has 232448 for a block",
                   load, context, sample.text(lambda entry, whole: whole["kernels"][0].update(dynamic_shared=232433)))
    expect_failure("bad code", "kernel 'scale_kernel' has more than the 8 parameters that the manifest gives it", load, context,
                   sample.text(lambda entry, whole: entry["launches"][0]["variants"][0]["parameters"].pop()))
    expect_failure("bad code", "kernel 'sum_kernel' has 5 parameters, the manifest gives it 6", load, context,
                   sample.text(lambda entry, whole: entry["launches"][1]["variants"][0]["parameters"].append(["pointer", 0])))
    expect_failure("bad code", "kernel 'scale_kernel': parameter 3 has 4 bytes at 24, the manifest gives 8 at 24", load, context,
                   sample.text(lambda entry, whole: entry["launches"][0]["variants"][0]["parameters"].__setitem__(3, ["size", 0, 0])))
    driver.reset(kernels=False)
    for kernel, sizes in zip(sample.KERNELS, sample.PARAMETER_BYTES):
        driver.add_kernel(kernel["symbol"], sizes, max_threads=64)
    expect_failure("no resources", "kernel 'scale_kernel' wants 128 threads: the driver allows it 64", load, context)


def test_target(context, driver):
    def on(target, major, minor, kind="cubin"):
        driver.set(75, major)
        driver.set(76, minor)
        with Context(context.library) as device:
            code = sample.cubin() if kind == "cubin" else b"// PTX"
            device.load_bytes(sample.write(sample.manifest(target=target), code, kind), code).close()
    on("sm_90a", 9, 0)
    on("sm_80", 8, 6)
    on("sm_80", 9, 0, "ptx")
    on("sm_120a", 12, 0)
    for target, major, minor, kind in (("sm_90a", 10, 0, "PTX"), ("sm_80", 9, 0, "a cubin"), ("sm_100a", 10, 3, "a cubin"), ("sm_89", 8, 6, "PTX")):
        expect_failure("wrong target", f"the artifact is {kind} for {target}, device 'Fake Device' is sm_{major}{minor}",
                       on, target, major, minor, "ptx" if kind == "PTX" else "cubin")
    expect_failure("bad manifest", "manifest: target 'gfx90a' is no sm_NN", on, "gfx90a", 9, 0)


def test_driver(context, driver):
    expect_failure("no device", "no device 1: there is 1", Context, context.library, 1)
    expect_failure("no device", "no device -1: there is 1", Context, context.library, -1)
    expect_failure("no context", "no context is current in this thread", context.library.make, "context_current")
    expect_failure("bad file", "/nowhere.json: No such file or directory", context.load, "/nowhere.json")
    expect_failure("bad file", "/: not a file", context.load, "/")
    with Case(context) as case:
        driver.fail("cuLaunchKernel", 700)
        expect_failure("driver error", "cuLaunchKernel of scale_kernel: CUDA_ERROR_ILLEGAL_ADDRESS (700)", case.launch)
        driver.fail(None)
        expect_failure("no entry", "the artifact has no entry 'other': it has 'scale'", case.artifact.entry, "other")
    driver.fail("cuMemAlloc_v2", 2)
    expect_failure("out of memory", "cuMemAlloc of Fake Device: CUDA_ERROR_OUT_OF_MEMORY (2)", context.allocate, 100)


def test_threads(context, driver):
    """One artifact, several threads: each gets its own failures."""
    with Case(context) as case:
        texts = {}

        def work(number):
            short = case.arguments[:number]
            for _ in range(200):
                try:
                    case.entry.launch(short, case.results)
                except RuntimeFailure as failure:
                    texts.setdefault(number, set()).add(failure.text)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect("texts", texts, {n: {f"'scale' takes 4 arguments: {n} given"} for n in range(3)})


def test_times(context, driver):
    with Case(context) as case:
        times = case.entry.time(case.arguments, case.results, case.workspace, case.workspace_bytes, number=5)
        expect("launches", len(driver.launches()), 10)
        assert len(times) == 5 and all(t > 0 for t in times), times
        host = sorted(case.entry.host_time(case.arguments, case.results, case.workspace, case.workspace_bytes, number=1000))
        # Two launches a call; the driver here does nothing but copy 4 KB.
        print(f"host time of a call of two launches, without a driver: {host[500]:.2f} us")
        assert host[500] < 50.0, host[500]


def main():
    driver = sample.FakeDriver(os.environ["SCANWEFT_LIBCUDA"])
    library = Library()
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_")]
    for name, function in tests:
        driver.reset()
        live = driver.num_live()
        with Context(library) as context:
            function(context, driver)
            driver.fail(None)
        # The flush of the cache is freed with its context, everything else by the test.
        expect(f"{name}: what is not given back", driver.num_live(), live)
        print(f"{name}: passed")
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
