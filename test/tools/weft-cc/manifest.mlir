// A manifest of two launches with a temporary between them, and what the runtime makes of it.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: weft-cc %s --target=sm_90a --emit=manifest -o %t/norms.json 2>&1 | count 0
// RUN: FileCheck %s < %t/norms.json
// RUN: weft-cc %s --target=sm_90a --emit=cubin -o %t/again.cubin
// RUN: cmp %t/norms.cubin %t/again.cubin
// RUN: weft-cc %s --target=sm_90a --emit=manifest -o %t/norms.json && weft-cc %s --target=sm_90a --emit=manifest > %t/plain.json
// RUN: not grep -q '"file"' %t/plain.json
// RUN: env SCANWEFT_LIBCUDA=%fake_cuda %python %S/Inputs/load_manifest.py %t/norms.json | FileCheck %s --check-prefix=LOAD
// PTX instead, which needs no ptxas.
// RUN: env SCANWEFT_PTXAS=/nowhere weft-cc %s --target=sm_80 --emit=manifest --code=ptx -o %t/ptx.json
// RUN: env SCANWEFT_LIBCUDA=%fake_cuda %python %S/Inputs/load_manifest.py %t/ptx.json | FileCheck %s --check-prefix=LOAD
// RUN: FileCheck %s --check-prefix=PTX < %t/ptx.json
// RUN: not weft-cc %s --target=sm_80 --emit=manifest -o %t/x.cubin 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not weft-cc %s --target=sm_80 --emit=manifest --code=elf 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not ls %t/x.cubin

// CHECK: {"scanweft_manifest": 1,
// CHECK-NEXT: "producer": "scanweft",
// CHECK-NEXT: "target": "sm_90a",
// CHECK-NEXT: "code": {"kind": "cubin", "file": "norms.cubin", "bytes": {{[0-9]+}}, "sha256": "{{[0-9a-f]+}}"},
// CHECK-NEXT: "kernels": [
// CHECK-NEXT: {"symbol": "squares", "threads": 128, "dynamic_shared": 4096,
// CHECK-NEXT:   "report": {"registers": {{[0-9]+}}, "spill_stores": 0, "spill_loads": 0, "stack": 0, "static_shared": 0, "barriers": 0, "code_bytes": {{[0-9]+}}}},
// CHECK-NEXT: {"symbol": "scale", "threads": 64, "dynamic_shared": 0,
// CHECK-NEXT:   "report"
// CHECK-NEXT: "entries": [
// CHECK-NEXT: {"name": "norms",
// CHECK-NEXT:   "arguments": [
// CHECK-NEXT:     {"name": "x", "kind": "tensor", "type": "f32", "sizes": [null, null, 64], "dims": ["T", "H", ""]},
// CHECK-NEXT:     {"name": "order", "kind": "tensor", "type": "i32", "sizes": [null], "dims": ["T"]},
// CHECK-NEXT:     {"name": "factor", "kind": "scalar", "type": "f32"},
// CHECK-NEXT:     {"name": "rows", "kind": "scalar", "type": "index"}],
// CHECK:       "results": [
// CHECK-NEXT:     {"name": "y", "type": "f32", "sizes": [
// CHECK-NEXT:   "workspace": {"bytes": {{[0-9]+}}, "zeroed": false},
// CHECK-NEXT:   "temporaries": [
// CHECK-NEXT:     {"type": "f32", "sizes": [{{[0-9]+, [0-9]+}}], "offset": {{[0-9]+}}}],
// CHECK-NEXT:   "checks": [
// CHECK-NEXT:     {"holds": {{[0-9]+}}, "message": "rows is positive"}],
// CHECK-NEXT:   "launches": [
// CHECK-NEXT:     {"variants": [
// CHECK-NEXT:      {"name": "plain", "kernel": 0, "programs": [{{[0-9]+, [0-9]+}}],
// CHECK-NEXT:       "parameters": {{\[\["pointer", 0\], \["size", 0, 0\], \["size", 0, 1\], \["stride", 0, 0\], \["stride", 0, 1\], \["pointer", 1\], \["size", 1, 0\], \["pointer", 5\], \["size", 5, 0\], \["size", 5, 1\], \["stride", 5, 0\], \["extent", 0\], \["extent", 1\]\]}}}]},
// CHECK:       "parameters": {{\[\["pointer", 5\], \["size", 5, 0\], \["size", 5, 1\], \["stride", 5, 0\], \["scalar", 2\], \["scalar", 3\], \["pointer", 4\], \["size", 4, 0\], \["extent", 0\]\]}}}]}]}],
// CHECK-NEXT: "digest": "{{[0-9a-f]+}}"}

// PTX: "code": {"kind": "ptx", "file": "ptx.ptx"
// PTX: {"symbol": "squares", "threads": 128, "dynamic_shared": 4096},

// T = 130, H = 3, rows = 64: the kernels' parameters are those of the PTX.
// LOAD: results y [130]
// LOAD-NEXT: workspace 1792
// LOAD-NEXT: squares plain 9 programs, 104 bytes of parameters
// LOAD-NEXT: scale plain 3 programs, 72 bytes of parameters
// LOAD-NEXT: refused: bad argument: 'norms': argument 1 'order': dim 0, 'T', is 129, but 130 in argument 0 'x'
// LOAD-NEXT: refused: bad argument: 'norms': rows is positive

// SAME: weft-cc: error: cannot write '{{.*}}x.cubin': the manifest's code goes there, the manifest needs another name
// CODE: weft-cc: error: '--code' does not take 'elf': it takes cubin or ptx

func.func @norms(
    %x: tensor<?x?x64xf32> {weft.name = "x", weft.dims = ["T", "H", ""]},
    %order: tensor<?xi32> {weft.name = "order", weft.dims = ["T"], weft.input = "permutation"},
    %factor: f32 {weft.name = "factor"}, %rows: index {weft.name = "rows"})
    -> (tensor<?xf32> {weft.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %H = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %positive = arith.cmpi sgt, %rows, %c0 : index
  cf.assert %positive, "rows is positive"
  %blocks = arith.ceildivui %T, %rows : index
  %partial = tensor.empty(%T, %H) : tensor<?x?xf32>
  %s = wtile.launch @kernels::@squares programs(%blocks, %H) ins(%x, %order : tensor<?x?x64xf32>, tensor<?xi32>)
      outs(%partial : tensor<?x?xf32>)
  %Ts = tensor.dim %s, %c0 : tensor<?x?xf32>
  %init = tensor.empty(%Ts) : tensor<?xf32>
  %y = wtile.launch @kernels::@scale programs(%blocks) ins(%s, %factor, %rows : tensor<?x?xf32>, f32, index)
      outs(%init : tensor<?xf32>)
  return %y : tensor<?xf32>
}

gpu.module @kernels {
  llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  llvm.func @squares(%x: !llvm.ptr<1>, %T: i64, %H: i64, %sT: i64, %sH: i64, %order: !llvm.ptr<1>, %n: i64,
                     %y: !llvm.ptr<1>, %yT: i64, %yH: i64, %ys: i64, %b: i64, %h: i64)
      attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128>, wtile.shared_bytes = 4096 : i64} {
    %v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    llvm.store %v, %y {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @scale(%s: !llvm.ptr<1>, %T: i64, %H: i64, %sT: i64, %factor: f32, %rows: i64, %y: !llvm.ptr<1>, %n: i64, %b: i64)
      attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 64>} {
    llvm.store %factor, %y {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
