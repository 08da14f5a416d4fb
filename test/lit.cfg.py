# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit: suites, tools, substitutions and features.

Substitutions
  weft-opt, weft-run   the build's tools
  %weft_opt_both       the same arguments through weft-opt and through the
                       stock mlir-opt with the plugin; outputs must be equal
  %plugin              ScanweftPlugin.so
  %python              the Python with numpy
  %root                the source tree
  %runtime             the runtime library
  %example             the runtime's example in C
  %fake_cuda           a driver without a device, for SCANWEFT_LIBCUDA
  %llvm_tools          LLVM's folder of tools
  %llvm_include        LLVM's folder of headers

Environment
  SCANWEFT_REQUIRE=ptxas,plugin,gpu  a named feature that is missing is an error
  SCANWEFT_CHECK_ROUNDTRIP=1     every weft-opt also verifies a round trip
  SCANWEFT_SKIP_PASS=weft-...    every tool leaves this pass out
"""

import ctypes
import os
import shutil

import lit.formats

root = config.scanweft_source_root
build = config.scanweft_build_root
tools = config.llvm_tools_dir

config.name = "scanweft"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(build, "test")

environment = config.environment
environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), tools, environment["PATH"]]
)
environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"
environment["PYTHONPATH"] = os.pathsep.join([os.path.join(root, "test"), os.path.join(root, "python")])
environment["SCANWEFT_RUNTIME"] = os.path.join(build, "lib", "libscanweft_runtime.so")
environment["PYTHONDONTWRITEBYTECODE"] = "1"

plugin = os.path.join(build, "lib", "ScanweftPlugin.so")
mlir_opt = os.path.join(tools, "mlir-opt")


def has_gpu():
    """Whether the CUDA driver is there and finds a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return not driver.cuInit(0) and not driver.cuDeviceGetCount(ctypes.byref(count)) and count.value > 0


available = {
    "gpu": has_gpu(),
    "ptxas": shutil.which("ptxas", path=environment["PATH"]),
    "plugin": os.path.exists(plugin) and os.access(mlir_opt, os.X_OK),
}
for feature, present in available.items():
    if present:
        config.available_features.add(feature)
for feature in filter(None, os.environ.get("SCANWEFT_REQUIRE", "").split(",")):
    if not available.get(feature):
        lit_config.fatal(
            f"SCANWEFT_REQUIRE names '{feature}', which is not available here"
        )

both = os.path.join(root, "test", "tools", "both.py")
config.substitutions += [
    ("%weft_opt_both", f"{config.python} {both} --mlir-opt={mlir_opt} --plugin={plugin} --"),
    ("%plugin", plugin),
    ("%python", config.python),
    ("%runtime", environment["SCANWEFT_RUNTIME"]),
    ("%example", os.path.join(build, "test", "runtime", "scanweft-runtime-example")),
    ("%fake_cuda", os.path.join(build, "test", "runtime", "fake_cuda.so")),
    ("%llvm_tools", tools),
    ("%llvm_include", config.llvm_include_dir),
    ("%root", root),
]
if os.environ.get("SCANWEFT_SKIP_PASS"):
    environment["SCANWEFT_SKIP_PASS"] = os.environ["SCANWEFT_SKIP_PASS"]
if os.environ.get("SCANWEFT_CHECK_ROUNDTRIP"):
    config.substitutions.append((r"\bweft-opt\b", "weft-opt --verify-roundtrip"))
    environment["SCANWEFT_CHECK_ROUNDTRIP"] = "1"
