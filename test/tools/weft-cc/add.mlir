// A kernel on scalars and pointers to PTX, for every target, the same bytes each time.
// RUN: weft-cc %s --target=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: weft-cc %s --target=sm_90a | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: weft-cc %s --target=sm_100a | FileCheck %s --check-prefixes=CHECK,SM100
// RUN: weft-cc %s --target=sm_120a | FileCheck %s --check-prefixes=CHECK,SM120
// RUN: weft-cc %s --target=sm_90a -o %t.first
// RUN: weft-cc - --target=sm_90a --emit=ptx -o %t.second < %s
// RUN: cmp %t.first %t.second

// The lines of the file, without debug information that would slow the code down.
// RUN: weft-cc %s --target=sm_90a --line-info | FileCheck %s --check-prefix=LINES
// LINES: .target sm_90a{{$}}
// LINES: .loc {{[0-9]+}} [[#@LINE+34]] {{[0-9]+}}
// LINES: add.{{.*}}f32
// LINES: .file {{[0-9]+}} "{{.*}}add.mlir"

// SM80: .version 8.0
// SM80: .target sm_80{{$}}
// SM90: .version 8.3
// SM90: .target sm_90a{{$}}
// SM100: .version 8.8
// SM100: .target sm_100a{{$}}
// SM120: .version 8.8
// SM120: .target sm_120a{{$}}
// CHECK: .visible .entry add(
// CHECK: .maxntid 256
// CHECK-NOT: .loc
// CHECK-COUNT-2: ld.global.b32
// CHECK-NOT: ld.global
// CHECK: add{{(.rn)?}}.f32
// CHECK: st.global.b32
// CHECK: ret;

gpu.module @kernels {
  llvm.func @add(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>, %n: i64) attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 256>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %width = arith.constant 256 : i32
    %base = arith.muli %block, %width : i32
    %i32 = arith.addi %base, %thread : i32
    %i = arith.extsi %i32 : i32 to i64
    %inside = arith.cmpi slt, %i, %n : i64
    scf.if %inside {
      %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %pz = llvm.getelementptr %z[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %vx = llvm.load %px {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %vy = llvm.load %py {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %sum = arith.addf %vx, %vy : f32
      llvm.store %sum, %pz {alignment = 4 : i64} : f32, !llvm.ptr<1>
    }
    llvm.return
  }
}
