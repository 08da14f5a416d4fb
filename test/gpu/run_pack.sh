#!/usr/bin/env bash
# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The GPU's checks and timings of a packed build, of which this script is the
# `gpu`. Builds nothing; needs python3 with numpy and the NVIDIA driver.
#
# usage: gpu [--out=FOLDER] [--sanitize] [options of test/gpu/gpu_check.py]
#
#   --out=FOLDER   results.json and logs (.)
#   --sanitize     each kernel at three short lengths under compute-sanitizer's
#                  memcheck and racecheck instead, where it is on PATH

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export SCANWEFT_RUNTIME=$here/lib/libscanweft_runtime.so PYTHONDONTWRITEBYTECODE=1
out=. sanitize=no options=()
for option in "$@"; do
  case "$option" in
    --out=*) out=${option#--out=} ;;
    --sanitize) sanitize=yes ;;
    *) options+=("$option") ;;
  esac
done
mkdir -p "$out"

say() { printf '== %s\n' "$*"; }

if [ "$sanitize" = yes ]; then
  command -v compute-sanitizer >/dev/null || {
    echo "compute-sanitizer is not on PATH: not run" >&2
    exit 1
  }
  status=0
  for tool in memcheck racecheck; do
    say "compute-sanitizer $tool"
    python3 "$here/test/gpu/gpu_check.py" "$here/kernels" --sanitizer="$tool" --modes=accuracy \
      --out="$out/$tool.json" "${options[@]}" || status=$?
  done
  exit $status
fi

status=0
say "the runtime"
python3 "$here/test/gpu/scale_on_gpu.py" "$here"/kernels/runtime/*.json || status=$?
[ $status != 77 ] || exit 77
say "the kernels"
python3 "$here/test/gpu/gpu_check.py" "$here/kernels" --out="$out/results.json" "${options[@]}" || status=$?
exit $status
