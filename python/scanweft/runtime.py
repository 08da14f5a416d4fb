# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime library through ctypes, for tests and measurements; numpy on the host.

    context = Context(Library())
    entry = context.load("prefix_sum.json").entry("prefix_sum")
    sizes, workspace_bytes = entry.query(arguments)
    entry.launch(arguments, results)        # Tensors in Memory of the context, Scalars
    results[0].read()                       # an array of the result's storage

Every failure of the library is a RuntimeFailure with its status and text.
"""

import contextlib
import ctypes
import dataclasses
import os
import pathlib

import numpy as np

from scanweft.storage import STORAGE, itemsize

MAX_RANK = 8
ABI = 1
TYPES = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")


class RuntimeFailure(RuntimeError):
    """A call of the library that failed: `status`, its name and its text."""

    def __init__(self, status, name, text):
        super().__init__(f"{name}: {text}")
        self.status, self.name, self.text = status, name, text


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("sizes", ctypes.c_int64 * MAX_RANK), ("strides", ctypes.c_int64 * MAX_RANK)]


class _Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("is_scalar", ctypes.c_int32), ("reserved", ctypes.c_int32), ("sizes", ctypes.c_int64 * MAX_RANK)]


class _EntryInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("num_arguments", ctypes.c_int32), ("num_results", ctypes.c_int32),
                ("num_launches", ctypes.c_int32), ("workspace_zeroed", ctypes.c_int32)]


class _KernelInfo(ctypes.Structure):
    _fields_ = [("symbol", ctypes.c_char_p), ("threads", ctypes.c_int32), ("registers", ctypes.c_int32),
                ("local_bytes", ctypes.c_int32), ("static_shared", ctypes.c_int32), ("dynamic_shared", ctypes.c_int32),
                ("spill_bytes", ctypes.c_int32), ("code_bytes", ctypes.c_int64), ("resident_programs", ctypes.c_int32),
                ("reserved", ctypes.c_int32)]


class _Launched(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("variant", ctypes.c_char_p), ("variant_index", ctypes.c_int32),
                ("num_variants", ctypes.c_int32), ("programs", ctypes.c_int64)]


class _DeviceInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 128), ("major", ctypes.c_int32), ("minor", ctypes.c_int32),
                ("driver_version", ctypes.c_int32), ("multiprocessors", ctypes.c_int32),
                ("shared_bytes_per_block", ctypes.c_int32), ("l2_cache_bytes", ctypes.c_int32),
                ("total_bytes", ctypes.c_uint64), ("free_bytes", ctypes.c_uint64)]


class _Captured(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_int32), ("memsets", ctypes.c_int32), ("copies", ctypes.c_int32),
                ("others", ctypes.c_int32)]


class _Call(ctypes.Structure):
    _fields_ = [("entry", ctypes.c_void_p), ("arguments", ctypes.POINTER(_Tensor)), ("results", ctypes.POINTER(_Tensor)),
                ("num_arguments", ctypes.c_int32), ("num_results", ctypes.c_int32), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_uint64)]


def _fields(structure):
    """A ctypes structure as a dict, text decoded."""
    values = {name: getattr(structure, name) for name, _ in structure._fields_ if name != "reserved"}
    return {name: x.decode() if isinstance(x, bytes) else x for name, x in values.items()}


_POINTER, _INT, _SIZE = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint64
_SIGNATURES = {
    "context_current": [_POINTER], "context_primary": [_INT, _POINTER],
    "artifact_load_file": [_POINTER, ctypes.c_char_p, _POINTER],
    "artifact_load": [_POINTER, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, _POINTER],
    "artifact_kernel": [_POINTER, _INT, _POINTER], "artifact_entry": [_POINTER, _INT, _POINTER],
    "artifact_find_entry": [_POINTER, ctypes.c_char_p, _POINTER],
    "entry_describe": [_POINTER, _POINTER], "entry_argument": [_POINTER, _INT, _POINTER],
    "entry_result": [_POINTER, _INT, _POINTER],
    "entry_query": [_POINTER, _POINTER, _INT, _POINTER, _INT, _POINTER],
    "entry_launch": [_POINTER, _POINTER, _INT, _POINTER, _INT, _POINTER, _SIZE, _POINTER, _POINTER, _INT],
    "device_describe": [_POINTER, _POINTER], "device_allocate": [_POINTER, _SIZE, _POINTER],
    "device_free": [_POINTER, _POINTER], "device_upload": [_POINTER, _POINTER, _POINTER, _SIZE],
    "device_download": [_POINTER, _POINTER, _POINTER, _SIZE],
    "device_fill": [_POINTER, _POINTER, ctypes.c_uint32, _SIZE, _POINTER],
    "device_copy": [_POINTER, _POINTER, _POINTER, _SIZE, _POINTER],
    "stream_create": [_POINTER, _POINTER], "stream_destroy": [_POINTER, _POINTER],
    "stream_synchronize": [_POINTER, _POINTER], "capture_begin": [_POINTER, _POINTER],
    "capture_end": [_POINTER, _POINTER, _POINTER],
    "call_time": [_POINTER, _POINTER, _POINTER, _INT, _INT, _POINTER],
    "call_host_time": [_POINTER, _POINTER, _POINTER, _INT, _POINTER],
}


def find_library():
    """The runtime library: SCANWEFT_RUNTIME, or the one of the build or the packed folder beside this package."""
    named = os.environ.get("SCANWEFT_RUNTIME")
    root = pathlib.Path(__file__).resolve().parents[2]
    for path in [named] if named else [root / "lib" / "libscanweft_runtime.so", root / "build" / "lib" / "libscanweft_runtime.so"]:
        if os.path.exists(path):
            return str(path)
    raise FileNotFoundError("libscanweft_runtime.so is not there: build it, or set SCANWEFT_RUNTIME")


class Library:
    """The loaded library; `call(name, ...)` raises RuntimeFailure where the status is not 0."""

    def __init__(self, path=None):
        self.handle = ctypes.CDLL(path or find_library(), mode=ctypes.RTLD_LOCAL)
        self.handle.scanweft_error_text.restype = ctypes.c_char_p
        self.handle.scanweft_status_name.restype = ctypes.c_char_p
        for name, arguments in _SIGNATURES.items():
            getattr(self.handle, f"scanweft_{name}").argtypes = arguments
        for name in ("context_release", "artifact_release"):
            function = getattr(self.handle, f"scanweft_{name}")
            function.argtypes, function.restype = [_POINTER], None
        for name in ("artifact_num_kernels", "artifact_num_entries"):
            getattr(self.handle, f"scanweft_{name}").argtypes = [_POINTER]
        abi = self.handle.scanweft_runtime_abi()
        if abi != ABI:
            raise ImportError(f"the runtime library has interface {abi}, this package {ABI}")

    def call(self, name, *arguments):
        status = getattr(self.handle, f"scanweft_{name}")(*arguments)
        if status:
            raise RuntimeFailure(status, self.handle.scanweft_status_name(status).decode(),
                                 self.handle.scanweft_error_text().decode(errors="replace"))

    def make(self, name, *arguments):
        """A call whose last argument takes a pointer."""
        result = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(result))
        return result


class Context:
    """The primary context of a device, with one stream of its own."""

    def __init__(self, library=None, device=0):
        self.library = library or Library()
        self.handle = self.library.make("context_primary", device)
        self.stream = self.library.make("stream_create", self.handle)

    def close(self):
        """Gives the stream and the context back; what was loaded must be closed before."""
        if self.handle:
            self.library.call("stream_destroy", self.handle, self.stream)
            self.library.handle.scanweft_context_release(self.handle)
            self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def describe(self):
        """name, major, minor, driver_version, multiprocessors, memory and cache sizes."""
        info = _DeviceInfo()
        self.library.call("device_describe", self.handle, ctypes.byref(info))
        return _fields(info)

    def allocate(self, num_bytes):
        return Memory(self, num_bytes)

    def load(self, path):
        """The artifact of a manifest file."""
        return Artifact(self, self.library.make("artifact_load_file", self.handle, os.fsencode(path)))

    def load_bytes(self, manifest, code):
        """The artifact of a manifest's text or bytes and its code."""
        text = manifest.encode() if isinstance(manifest, str) else manifest
        return Artifact(self, self.library.make("artifact_load", self.handle, text, len(text), code, len(code)))

    def synchronize(self):
        self.library.call("stream_synchronize", self.handle, self.stream)

    @contextlib.contextmanager
    def capture(self):
        """Counts what is put on the stream inside: a dict of kernels, memsets, copies, others. Nothing is run."""
        counts = {}
        self.library.call("capture_begin", self.handle, self.stream)
        captured = _Captured()
        try:
            yield counts
        finally:
            self.library.call("capture_end", self.handle, self.stream, ctypes.byref(captured))
        counts.update(_fields(captured))


class Memory:
    """Bytes of the device."""

    def __init__(self, context, num_bytes):
        self.context, self.num_bytes = context, num_bytes
        self.address = context.library.make("device_allocate", context.handle, num_bytes).value or 0

    def free(self):
        if self.address:
            self.context.library.call("device_free", self.context.handle, self.address)
            self.address = 0

    def upload(self, array, offset=0):
        """Copies a contiguous numpy array to byte `offset`, after what is on the stream."""
        self.context.synchronize()
        array = np.ascontiguousarray(array)
        if offset < 0 or offset + array.nbytes > self.num_bytes:
            raise ValueError(f"{array.nbytes} bytes at {offset} leave the {self.num_bytes} of the memory")
        self.context.library.call("device_upload", self.context.handle, self.address + offset, array.ctypes.data, array.nbytes)

    def download(self):
        """All bytes, as uint8, after what is on the stream."""
        self.context.synchronize()
        array = np.empty(self.num_bytes, np.uint8)
        self.context.library.call("device_download", self.context.handle, array.ctypes.data, self.address, self.num_bytes)
        return array

    def fill(self, word):
        """Fills with a 32-bit word, on the context's stream; the size must be a multiple of 4."""
        if self.num_bytes % 4:
            raise ValueError(f"{self.num_bytes} bytes are no whole number of words")
        self.context.library.call("device_fill", self.context.handle, self.address, word, self.num_bytes // 4, self.context.stream)

    def copy_from(self, other):
        """The same bytes as `other`, on the context's stream."""
        self.context.library.call("device_copy", self.context.handle, self.address, other.address, self.num_bytes, self.context.stream)


@dataclasses.dataclass
class Tensor:
    """A view of device memory: `offset` in bytes, sizes and strides in elements."""

    memory: Memory
    kind: str
    sizes: tuple
    strides: tuple
    offset: int = 0

    @property
    def address(self):
        return self.memory.address + self.offset

    def read(self):
        """The view as a contiguous array of its storage."""
        return np.ascontiguousarray(self.view(self.memory.download()))

    def view(self, data):
        """The same view of the memory's bytes on the host."""
        size = itemsize(self.kind)
        if 0 in self.sizes:
            return np.empty(self.sizes, STORAGE[self.kind])
        return np.lib.stride_tricks.as_strided(data[self.offset:].view(np.uint8)[:(data.size - self.offset) // size * size].view(STORAGE[self.kind]),
                                               self.sizes, [s * size for s in self.strides])

    def describe(self):
        return _describe(self.address, self.kind, self.sizes, self.strides)


@dataclasses.dataclass
class Scalar:
    """A scalar argument: `value` an int or a float."""

    kind: str
    value: float

    def describe(self):
        self.storage = np.array(self.value, STORAGE[self.kind])
        return _describe(self.storage.ctypes.data, self.kind, (), ())


def _describe(address, kind, sizes, strides):
    described = _Tensor(address, TYPES.index(kind), len(sizes))
    described.sizes[:len(sizes)] = sizes
    described.strides[:len(strides)] = strides
    return described


def _describe_all(tensors):
    return (_Tensor * max(len(tensors), 1))(*[x.describe() for x in tensors])


def contiguous_strides(sizes):
    """Strides in elements of a contiguous tensor."""
    strides, stride = [], 1
    for size in reversed(sizes):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))


class Artifact:
    """A loaded artifact."""

    def __init__(self, context, handle):
        self.context, self.library, self.handle = context, context.library, handle

    def close(self):
        self.library.handle.scanweft_artifact_release(self.handle)
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def kernels(self):
        """A dict for each kernel: symbol, threads, registers, local_bytes, shared memory, spills, code."""
        infos = []
        for index in range(self.library.handle.scanweft_artifact_num_kernels(self.handle)):
            info = _KernelInfo()
            self.library.call("artifact_kernel", self.handle, index, ctypes.byref(info))
            infos.append(_fields(info))
        return infos

    def entries(self):
        number = self.library.handle.scanweft_artifact_num_entries(self.handle)
        return [Entry(self, self.library.make("artifact_entry", self.handle, i)) for i in range(number)]

    def entry(self, name):
        return Entry(self, self.library.make("artifact_find_entry", self.handle, name.encode()))


@dataclasses.dataclass(frozen=True)
class Parameter:
    """An argument or a result: sizes are -1 where they are known at launch."""

    name: str
    kind: str
    sizes: tuple
    is_scalar: bool


class Entry:
    """One function of an artifact."""

    def __init__(self, artifact, handle):
        self.artifact, self.library, self.handle = artifact, artifact.library, handle
        info = _EntryInfo()
        self.library.call("entry_describe", handle, ctypes.byref(info))
        self.name, self.num_launches = info.name.decode(), info.num_launches
        self.workspace_zeroed = bool(info.workspace_zeroed)
        self.arguments = [self._parameter("argument", i) for i in range(info.num_arguments)]
        self.results = [self._parameter("result", i) for i in range(info.num_results)]

    def _parameter(self, what, index):
        info = _Parameter()
        self.library.call(f"entry_{what}", self.handle, index, ctypes.byref(info))
        return Parameter(info.name.decode(), TYPES[info.type], tuple(info.sizes[:info.rank]), bool(info.is_scalar))

    def query(self, arguments):
        """The results' sizes and the bytes of workspace for these arguments (Tensors and Scalars)."""
        results = (_Tensor * max(len(self.results), 1))()
        workspace = ctypes.c_uint64()
        self.library.call("entry_query", self.handle, _describe_all(arguments), len(arguments), results, len(self.results),
                          ctypes.byref(workspace))
        return [tuple(x.sizes[:x.rank]) for x in results[:len(self.results)]], workspace.value

    def launch(self, arguments, results, workspace=0, workspace_bytes=0, stream=None):
        """Launches; returns a dict for each launch: kernel, variant, variant_index, num_variants, programs."""
        launched = (_Launched * max(self.num_launches, 1))()
        self.library.call("entry_launch", self.handle, _describe_all(arguments), len(arguments), _describe_all(results),
                          len(results), workspace, workspace_bytes, stream or self.artifact.context.stream, launched,
                          self.num_launches)
        return [_fields(x) for x in launched[:self.num_launches]]

    def time(self, arguments, results, workspace=0, workspace_bytes=0, number=20, flush=True):
        """Milliseconds of each of `number` calls on the device."""
        times = (ctypes.c_float * number)()
        call = self._call(arguments, results, workspace, workspace_bytes)
        context = self.artifact.context
        self.library.call("call_time", context.handle, ctypes.byref(call), context.stream, int(flush), number, times)
        return list(times)

    def host_time(self, arguments, results, workspace=0, workspace_bytes=0, number=1000):
        """Microseconds of each of `number` launches on the host."""
        times = (ctypes.c_int64 * number)()
        call = self._call(arguments, results, workspace, workspace_bytes)
        context = self.artifact.context
        self.library.call("call_host_time", context.handle, ctypes.byref(call), context.stream, number, times)
        return [x * 1e-3 for x in times]

    def _call(self, arguments, results, workspace, workspace_bytes):
        return _Call(self.handle, _describe_all(arguments), _describe_all(results), len(arguments), len(results), workspace,
                     workspace_bytes)
