// A file begins at any stage and ends at any later one; the text of a stage goes on from there.
// RUN: weft-cc %root/examples/linear_attention.mlir --emit=input | FileCheck %s --check-prefix=INPUT
// RUN: weft-cc %root/examples/linear_attention.mlir --emit=chunked -o %t.chunked
// RUN: FileCheck %s --check-prefix=CHUNKED < %t.chunked
// RUN: weft-cc %t.chunked --emit=chunked | diff - %t.chunked
// RUN: weft-cc %root/examples/linear_attention.mlir --emit=chunked --remarks -o %t.remarks 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: weft-cc %root/examples/linear_attention.mlir --emit=chunked --locations | FileCheck %s --check-prefix=LOCATIONS
// RUN: weft-cc %S/add.mlir --emit=llvm --target=sm_90a -o %t.llvm
// RUN: FileCheck %s --check-prefix=LLVM < %t.llvm
// RUN: weft-cc %S/add.mlir --target=sm_90a -o %t.one
// RUN: weft-cc %t.llvm --target=sm_90a | cmp - %t.one

// INPUT: func.func @linear_attention
// CHUNKED: weft.kernel
// CHUNKED: weft.chunked
// REMARKS: linear_attention.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: [Passed]
// LOCATIONS: weft.kernel
// LOCATIONS: loc({{.*}}linear_attention.mlir":{{[0-9]+}}:
// LLVM: gpu.module @kernels
// LLVM: llvm.cond_br

// An option reaches the pipeline that takes it.
// RUN: weft-cc %s --target=sm_90a | FileCheck %s --check-prefix=FAST
// RUN: weft-cc %s --target=sm_90a --precise | FileCheck %s --check-prefix=PRECISE
// FAST: div.full.ftz.f32
// PRECISE: div.rn.f32

// RUN: weft-cc --help | FileCheck %s --check-prefix=HELP
// HELP: usage: weft-cc FILE.mlir --target=NAME
// HELP: --emit=WHAT
// HELP: -o=FILE
// HELP: chunked
// HELP: cubin
// RUN: weft-cc %s --target=sm_90a --timing -o %t.timed 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: timing: input = {{[0-9.]+}} ms
// TIMING: timing: llvm = {{[0-9.]+}} ms
// TIMING: timing: ptx = {{[0-9.]+}} ms

gpu.module @kernels {
  llvm.func @quotient(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %three = arith.constant 3.0 : f32
    %r = arith.divf %three, %v : f32
    llvm.store %r, %x {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
