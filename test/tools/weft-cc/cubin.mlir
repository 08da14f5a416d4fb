// Cubins by ptxas for every target, and what its report says of each kernel.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: weft-cc %s --target=sm_80 --emit=cubin --report -o %t/80.cubin 2>&1 | FileCheck %s -DTARGET=sm_80
// RUN: weft-cc %s --target=sm_90a --emit=cubin --report -o %t/90.cubin 2>&1 | FileCheck %s -DTARGET=sm_90a
// RUN: weft-cc %s --target=sm_100a --emit=cubin --report -o %t/100.cubin 2>&1 | FileCheck %s -DTARGET=sm_100a
// RUN: weft-cc %s --target=sm_120a --emit=cubin --report -o %t/120.cubin 2>&1 | FileCheck %s -DTARGET=sm_120a
// RUN: llvm-readelf --file-headers --section-headers %t/90.cubin | FileCheck %s --check-prefix=ELF
// RUN: weft-cc %s --target=sm_90a --emit=cubin -o %t/again.cubin 2>&1 | count 0
// RUN: cmp %t/90.cubin %t/again.cubin
// RUN: weft-cc %s --target=sm_90a --emit=cubin --line-info -o %t/lines.cubin
// RUN: llvm-readelf --section-headers %t/lines.cubin | FileCheck %s --check-prefix=LINES

// CHECK: kernel exchange: target = [[TARGET]], registers = {{[1-9][0-9]*}}, spill stores = 0 bytes, spill loads = 0 bytes, stack = 0 bytes, static shared memory = 256 bytes, barriers = 1, code = {{[1-9][0-9]*}} bytes
// CHECK: kernel local: target = [[TARGET]], registers = {{[1-9][0-9]*}}, spill stores = 0 bytes, spill loads = 0 bytes, stack = 512 bytes, static shared memory = 0 bytes, barriers = 0, code = {{[1-9][0-9]*}} bytes
// ELF: Machine: NVIDIA CUDA architecture
// ELF-DAG: .text.exchange
// ELF-DAG: .text.local
// LINES: .debug_line

gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>

  // Each thread hands its value to the one at the other end, through shared memory.
  llvm.func @exchange(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %last = arith.constant 63 : i32
    %other = arith.subi %last, %thread : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %p = llvm.getelementptr %x[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %slot = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %v, %slot {alignment = 4 : i64} : f32, !llvm.ptr<3>
    nvvm.barrier0
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %w = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<3> -> f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // An index known at run time only, into an array of registers: local memory.
  llvm.func @local(%x: !llvm.ptr<1>, %i: i32, %j: i32) attributes {gpu.kernel, nvvm.kernel} {
    %size = llvm.mlir.constant(1 : i64) : i64
    %array = llvm.alloca %size x !llvm.array<128 x f32> {alignment = 16 : i64} : (i64) -> !llvm.ptr<5>
    %v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %to = llvm.getelementptr %array[%i] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, f32
    llvm.store volatile %v, %to {alignment = 4 : i64} : f32, !llvm.ptr<5>
    %from = llvm.getelementptr %array[%j] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, f32
    %w = llvm.load volatile %from {alignment = 4 : i64} : !llvm.ptr<5> -> f32
    llvm.store %w, %x {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
