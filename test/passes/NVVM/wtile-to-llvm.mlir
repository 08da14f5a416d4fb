// Control flow and mathematics of a kernel to the llvm and nvvm dialects; an index has 64 bits. Functions outside of gpu.module stay.
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-to-llvm)" | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-to-llvm{precise=true})" | FileCheck %s --check-prefixes=CHECK,PRECISE

// CHECK: func.func @host(
// CHECK: arith.addi %{{.*}} : index
func.func @host(%x: index) -> index {
  %r = arith.addi %x, %x : index
  return %r : index
}

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @sum_of_quotients(
  // CHECK-SAME: nvvm.kernel
  // CHECK-NOT: {{scf|cf|arith|math|builtin}}.
  // CHECK: llvm.sext %{{.*}} : i32 to i64
  // CHECK: llvm.br ^[[LOOP:.*]](
  // CHECK: llvm.cond_br
  // CHECK-NOT: {{scf|cf|arith|math|builtin}}.
  // FAST: "llvm.nvvm.div.full.ftz"
  // PRECISE: "llvm.nvvm.div.rn.f"
  // CHECK: llvm.intr.maximum(
  // CHECK: llvm.br ^[[LOOP]](
  llvm.func @sum_of_quotients(%x: !llvm.ptr<1>, %n: i64) attributes {gpu.kernel, nvvm.kernel} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %first = arith.index_cast %thread : i32 to index
    %end = arith.index_cast %n : i64 to index
    %step = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %first to %end step %step iter_args(%partial = %zero) -> f32 {
      %at = arith.index_cast %i : index to i64
      %p = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %q = arith.divf %partial, %v : f32
      %m = arith.maximumf %q, %v : f32
      scf.yield %m : f32
    }
    llvm.store %sum, %x {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
