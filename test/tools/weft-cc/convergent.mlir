// Inline assembly stays where it is: not copied into the branches of a condition that threads answer differently, not moved over memory accesses that it orders, not dropped where nobody reads its result.
// RUN: weft-cc %s --target=sm_90a | FileCheck %s

gpu.module @kernels {
  // Both branches end in the same barrier, and the code behind depends on the branch: LLVM would put a copy of the barrier into each.
  // CHECK-LABEL: .entry one_barrier(
  // CHECK: bar.sync 1, 64;
  // CHECK-NOT: bar.sync
  // CHECK: ret;
  llvm.func @one_barrier(%x: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %inside = arith.cmpi slt, %thread, %n : i32
    llvm.cond_br %inside, ^low, ^high
  ^low:
    %a = llvm.load %x {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    llvm.br ^meet(%a : f32)
  ^high:
    %zero = arith.constant 0.0 : f32
    llvm.br ^meet(%zero : f32)
  ^meet(%v: f32):
    llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 1, 64;", "" : () -> ()
    llvm.cond_br %inside, ^more, ^end
  ^more:
    %b = math.exp %v : f32
    llvm.store %b, %x {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // The second load of the flag stays behind the barrier, although the assembly does not say that it orders memory.
  // CHECK-LABEL: .entry two_loads(
  // CHECK: ld.global.b32
  // CHECK: barrier.sync.aligned 0;
  // CHECK: ld.global.b32
  // CHECK: ret;
  llvm.func @two_loads(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %a = llvm.load %x {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.inline_asm has_side_effects asm_dialect = att "barrier.sync.aligned 0;", "" : () -> ()
    %b = llvm.load %x {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %sum = arith.addi %a, %b : i32
    llvm.store %sum, %y {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }

  // A vote in a function that is inlined into both branches stays two votes; hoisted or merged it would ask other threads.
  // CHECK-LABEL: .entry votes(
  // CHECK: bra
  // CHECK: activemask.b32
  // CHECK: activemask.b32
  // CHECK: ret;
  llvm.func internal @active() -> i32 {
    %mask = llvm.inline_asm asm_dialect = att "activemask.b32 $0;", "=r" : () -> i32
    llvm.return %mask : i32
  }
  llvm.func @votes(%x: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %inside = arith.cmpi slt, %thread, %n : i32
    %r = scf.if %inside -> i32 {
      %a = llvm.call @active() : () -> i32
      %two = arith.constant 2 : i32
      %b = arith.muli %a, %two : i32
      scf.yield %b : i32
    } else {
      %a = llvm.call @active() : () -> i32
      scf.yield %a : i32
    }
    llvm.store %r, %x {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }
}
