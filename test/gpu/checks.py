# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is checked of a compiled kernel on a device. Each check returns a record with `passed`."""

import contextlib
import dataclasses
import fcntl
import statistics

import numpy as np

from device import Broken, DeviceCall
from oracle.examples import EXAMPLES
from problem import Problem, bounds, errors
from scanweft.runtime import RuntimeFailure, Tensor, contiguous_strides
from scanweft.storage import decode, itemsize

BANDWIDTH = 4.3e12  # bytes a second that a large copy moves on the card of the floors


def record(check, problem, passed, **fields):
    return {"check": check, "passed": bool(passed), **problem.describe(), **fields}


def failed(check, problem, error, **fields):
    return record(check, problem, False, error=str(error), **fields)


def compare(problem, outputs, kinds, reference):
    """Relative RMS and worst row of each result, their bounds, and whether all are within."""
    rms_bound, row_bound = bounds(problem.example, problem.types)
    measured, passed = {}, True
    for name, want in reference.items():
        got = decode(outputs[name], kinds[name])
        if got.shape != want.shape:
            return {"error": f"'{name}' has shape {list(got.shape)}, its reference {list(want.shape)}"}, False
        rms, row = errors(got, want)
        measured[name] = {"rms": rms, "row": row}
        passed &= rms <= rms_bound and row <= row_bound
    missing = set(kinds) - set(reference)
    if missing:
        return {"error": f"no reference for {sorted(missing)}"}, False
    return {"errors": measured, "rms_bound": rms_bound, "row_bound": row_bound}, passed


def kinds_of(entry):
    return {p.name: p.kind for p in entry.results}


def check_accuracy(context, entry, problem, layout, reference):
    """One launch from poisoned results against the float64 reference; nothing else written."""
    call = None
    try:
        call = DeviceCall(context, entry, problem, layout)
        launched = call.launch()
        outputs = call.read()
        fields, passed = compare(problem, outputs, kinds_of(entry), reference)
        return record("accuracy", problem, passed, layout=layout, variants=[x["variant"] for x in launched], **fields)
    except (RuntimeFailure, Broken) as error:
        return failed("accuracy", problem, error, layout=layout)
    finally:
        if call:
            call.free()


def check_launches(context, entry, problem, expected):
    """What a call puts on its stream, as the driver counts it: kernels, and nothing else."""
    call = None
    try:
        call = DeviceCall(context, entry, problem)
        with context.capture() as counts:
            call.launch()
        passed = counts == {"kernels": expected, "memsets": 0, "copies": 0, "others": 0}
        return record("launches", problem, passed, workspace_bytes=call.workspace_bytes, **counts)
    except RuntimeFailure as error:
        return failed("launches", problem, error)
    finally:
        if call:
            call.free()


def check_repeat(context, entry, problem, number):
    """The same bits from every launch, results poisoned before each."""
    call = None
    try:
        call = DeviceCall(context, entry, problem)
        call.launch()
        first = call.read()
        for turn in range(1, number):
            call.poison()
            call.launch()
            outputs = call.read(verify=False)
            for name, x in outputs.items():
                if x.tobytes() != first[name].tobytes():
                    places = np.argwhere(x.view(np.uint8) != first[name].view(np.uint8))
                    return failed("repeat", problem, f"launch {turn + 1} differs in '{name}' at {places[0].tolist()}", number=number)
        return record("repeat", problem, True, number=number)
    except (RuntimeFailure, Broken) as error:
        return failed("repeat", problem, error, number=number)
    finally:
        if call:
            call.free()


def _slice_tokens(tensor, start, stop):
    """Rows [start, stop) of a tensor [B, T, ...], in place."""
    return Tensor(tensor.memory, tensor.kind, (tensor.sizes[0], stop - start) + tensor.sizes[2:], tensor.strides,
                  tensor.offset + start * tensor.strides[1] * itemsize(tensor.kind))


def check_pieces(context, entry, problem, cuts, reference):
    """The sequence in pieces, each beginning with the state the last one ended in, against the same reference."""
    carried = EXAMPLES[problem.example].carried
    call, states = None, []
    try:
        call = DeviceCall(context, entry, problem, "fused")
        whole = None
        call.launch()
        whole = call.read()
        call.poison()
        ends = [*cuts, problem.size("T")]
        current = {name: tensor for name, tensor in zip([p.name for p in entry.arguments], call.arguments)}
        for start, stop in zip([0, *cuts], ends):
            arguments = [_slice_tokens(current[p.name], start, stop) if problem.letters(p.name)[:2] == ["B", "T"] else current[p.name]
                         for p in entry.arguments]
            last, results = stop == ends[-1], []
            for parameter, tensor in zip(entry.results, call.results):
                if parameter.name not in carried:
                    results.append(_slice_tokens(tensor, start, stop))
                elif last:
                    results.append(tensor)
                else:
                    memory = context.allocate(int(np.prod(tensor.sizes)) * itemsize(tensor.kind))
                    states.append(memory)
                    results.append(Tensor(memory, tensor.kind, tensor.sizes, contiguous_strides(tensor.sizes)))
            entry.launch(arguments, results, call.workspace.address, call.workspace_bytes)
            for parameter, tensor in zip(entry.results, results):
                if parameter.name in carried:
                    current[carried[parameter.name]] = tensor
        outputs = call.read()
        fields, passed = compare(problem, outputs, kinds_of(entry), reference)
        same = all(outputs[name].tobytes() == whole[name].tobytes() for name in outputs)
        apart = max((errors(decode(outputs[n], kinds_of(entry)[n]), decode(whole[n], kinds_of(entry)[n]))[0] for n in outputs), default=0.0)
        return record("pieces", problem, passed and apart <= fields.get("rms_bound", 0.0), cuts=list(cuts), bitwise=same,
                      from_whole=apart, **fields)
    except (RuntimeFailure, Broken) as error:
        return failed("pieces", problem, error, cuts=list(cuts))
    finally:
        for memory in states:
            memory.free()
        if call:
            call.free()


def check_timing(context, entry, problem, layout, number, host_number, lock, reference):
    """Median time with a cold cache, the floor by bytes, the host's time; and the last entry's result is right.

    The GPU is this process's alone while it holds the file `lock`.
    """
    for name in problem.names():
        problem.draw(name)
    with contextlib.ExitStack() as stack:
        if lock:
            fcntl.flock(stack.enter_context(open(lock, "rb")), fcntl.LOCK_EX)
        return time_alone(context, entry, problem, layout, number, host_number, reference)


def time_alone(context, entry, problem, layout, number, host_number, reference):
    call = None
    try:
        call = DeviceCall(context, entry, problem, layout)
        arguments = (call.arguments, call.results, call.workspace.address, call.workspace_bytes)
        call.launch()
        outputs = call.read()
        part = dataclasses.replace(problem, part=True)
        outputs = {name: cut_result(part, x) for name, x in outputs.items()}
        fields, passed = compare(problem, outputs, kinds_of(entry), reference)
        entry.time(*arguments, number=3)
        cold = entry.time(*arguments, number=number)
        again = entry.time(*arguments, number=number)
        warm = entry.time(*arguments, number=number, flush=False)
        host = entry.host_time(*arguments, number=host_number)
        floor = call.num_bytes() / BANDWIDTH * 1e3
        return record("timing", problem, passed, layout=layout, milliseconds=statistics.median(cold), least=min(cold),
                      again=statistics.median(again), warm=statistics.median(warm), floor=floor,
                      over_floor=statistics.median(cold) / floor if floor else 0.0, host_microseconds=statistics.median(host),
                      host_p99=sorted(host)[len(host) * 99 // 100], bytes=call.num_bytes(), workspace_bytes=call.workspace_bytes, **fields)
    except (RuntimeFailure, Broken) as error:
        return failed("timing", problem, error, layout=layout)
    finally:
        if call:
            call.free()


def cut_result(part, x):
    """The part of a result [B, T, heads, ...] or [B, heads, ...] whose reference a part has."""
    sizes = dict(part.sizes)
    groups = part.groups()
    heads = 2 if x.ndim > 2 and x.shape[1] == sizes.get("T") else 1
    index = [slice(x.shape[0] - 1, None)] + [slice(None)] * (x.ndim - 1)
    if x.ndim > heads:
        index[heads] = slice(x.shape[heads] - x.shape[heads] // groups, None)
    return x[tuple(index)]


def make_problem(case, entry, **changes):
    """The problem of a case: its sizes, those that the kernel fixes, and `changes` to its sizes or other fields."""
    example = EXAMPLES[case["example"]]
    sizes = {**example.sizes, **case.get("sizes", {}), "C": case.get("chunk", example.chunk)}
    for parameter in entry.arguments:
        for letter, size in zip(example.inputs[parameter.name][2].split(), parameter.sizes):
            if size >= 0:
                sizes[letter] = size
    fields = {name: changes.pop(name) for name in ("inputs", "seed", "part", "tiled") if name in changes}
    sizes.update(changes)
    return Problem(case["example"], tuple(sorted(sizes.items())), tuple((p.name, p.kind) for p in entry.arguments), **fields)
