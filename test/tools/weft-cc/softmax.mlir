// A row's softmax by one warp: shuffles for its maximum and its sum, 2^x and 1/x from the instructions of the GPU.
// RUN: weft-cc %s --target=sm_80 | FileCheck %s
// RUN: weft-cc %s --target=sm_90a | FileCheck %s

// The loads of f32 are whole, wherever they are.
// RUN: weft-cc %s --target=sm_90a | FileCheck %s --check-prefix=BYTES --implicit-check-not='{{(ld|st).*\.b8}}'

// CHECK: .visible .entry softmax(
// CHECK: max.NaN.f32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: mul.f32 %{{.*}}, 0f3FB8AA3B
// CHECK: ex2.approx.ftz.f32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: rcp.approx.ftz.f32
// CHECK: mul.f32
// CHECK: st.global.b32
// BYTES: ret;

gpu.module @kernels {
  llvm.func @softmax(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %lane = nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
    %row = nvvm.read.ptx.sreg.ctaid.x : i32
    %row64 = arith.extui %row : i32 to i64
    %lane64 = arith.extui %lane : i32 to i64
    %width = arith.constant 32 : i64
    %offset = arith.muli %row64, %width : i64
    %i = arith.addi %offset, %lane64 : i64
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %px {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %floor = arith.constant -1.0e30 : f32
    %m0 = arith.maximumf %v, %floor : f32

    %all = arith.constant -1 : i32
    %clamp = arith.constant 31 : i32
    %d16 = arith.constant 16 : i32
    %d8 = arith.constant 8 : i32
    %d4 = arith.constant 4 : i32
    %d2 = arith.constant 2 : i32
    %d1 = arith.constant 1 : i32
    %s0 = nvvm.shfl.sync bfly %all, %m0, %d16, %clamp : f32 -> f32
    %m1 = arith.maximumf %m0, %s0 : f32
    %s1 = nvvm.shfl.sync bfly %all, %m1, %d8, %clamp : f32 -> f32
    %m2 = arith.maximumf %m1, %s1 : f32
    %s2 = nvvm.shfl.sync bfly %all, %m2, %d4, %clamp : f32 -> f32
    %m3 = arith.maximumf %m2, %s2 : f32
    %s3 = nvvm.shfl.sync bfly %all, %m3, %d2, %clamp : f32 -> f32
    %m4 = arith.maximumf %m3, %s3 : f32
    %s4 = nvvm.shfl.sync bfly %all, %m4, %d1, %clamp : f32 -> f32
    %m5 = arith.maximumf %m4, %s4 : f32

    %shifted = arith.subf %v, %m5 : f32
    %e = math.exp %shifted : f32
    %t0 = nvvm.shfl.sync bfly %all, %e, %d16, %clamp : f32 -> f32
    %l0 = arith.addf %e, %t0 : f32
    %t1 = nvvm.shfl.sync bfly %all, %l0, %d8, %clamp : f32 -> f32
    %l1 = arith.addf %l0, %t1 : f32
    %t2 = nvvm.shfl.sync bfly %all, %l1, %d4, %clamp : f32 -> f32
    %l2 = arith.addf %l1, %t2 : f32
    %t3 = nvvm.shfl.sync bfly %all, %l2, %d2, %clamp : f32 -> f32
    %l3 = arith.addf %l2, %t3 : f32
    %t4 = nvvm.shfl.sync bfly %all, %l3, %d1, %clamp : f32 -> f32
    %l4 = arith.addf %l3, %t4 : f32
    %one = arith.constant 1.0 : f32
    %inverse = arith.divf %one, %l4 : f32
    %r = arith.mulf %e, %inverse : f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %r, %py {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
