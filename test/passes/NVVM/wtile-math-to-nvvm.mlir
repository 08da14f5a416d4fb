// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(gpu.module(wtile-math-to-nvvm,cse))" | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(gpu.module(wtile-math-to-nvvm{precise=true},cse))" | FileCheck %s --check-prefixes=CHECK,PRECISE

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @exp(
  // CHECK-SAME: %[[X:.*]]: f32
  // FAST: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // FAST: %[[Y:.*]] = arith.mulf %[[X]], %[[LOG2E]] : f32
  // FAST: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[Y]])
  // FAST: llvm.return %[[R]]
  // PRECISE: arith.maximumf
  // PRECISE: arith.minimumf
  // PRECISE: math.fma
  // PRECISE: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  // PRECISE: arith.mulf %[[P]]
  llvm.func @exp(%x: f32) -> f32 {
    %r = math.exp %x : f32
    llvm.return %r : f32
  }

  // A 16-bit float is computed in f32, in the fast form whatever is asked for.
  // CHECK-LABEL: llvm.func @exp_bf16(
  // CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[Y:.*]] = arith.mulf %[[WIDE]]
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[Y]])
  // CHECK: arith.truncf %[[R]] : f32 to bf16
  llvm.func @exp_bf16(%x: bf16) -> bf16 {
    %r = math.exp %x : bf16
    llvm.return %r : bf16
  }

  // CHECK-LABEL: llvm.func @tanh_f16(
  // CHECK: %[[WIDE:.*]] = arith.extf
  // CHECK: llvm.call_intrinsic "llvm.tanh"(%[[WIDE]]) {fastmathFlags = #llvm.fastmath<afn>}
  llvm.func @tanh_f16(%x: f16) -> f16 {
    %r = math.tanh %x : f16
    llvm.return %r : f16
  }

  // CHECK-LABEL: llvm.func @tanh(
  // CHECK-NOT: llvm.tanh
  // CHECK: math.absf
  // CHECK: "llvm.nvvm.ex2.approx.ftz"
  // CHECK: "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK: math.copysign
  // CHECK: arith.select
  llvm.func @tanh(%x: f32) -> f32 {
    %r = math.tanh %x : f32
    llvm.return %r : f32
  }

  // CHECK-LABEL: llvm.func @quotient(
  // FAST: llvm.call_intrinsic "llvm.nvvm.div.full.ftz"
  // PRECISE: llvm.call_intrinsic "llvm.nvvm.div.rn.f"
  llvm.func @quotient(%x: f32, %y: f32) -> f32 {
    %r = arith.divf %x, %y : f32
    llvm.return %r : f32
  }

  // CHECK-LABEL: llvm.func @reciprocal(
  // FAST: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // PRECISE: llvm.call_intrinsic "llvm.nvvm.div.rn.f"
  llvm.func @reciprocal(%x: f32) -> f32 {
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %x : f32
    llvm.return %r : f32
  }

  // CHECK-LABEL: llvm.func @roots(
  // FAST: "llvm.nvvm.sqrt.approx.ftz.f"
  // FAST: "llvm.nvvm.rsqrt.approx.ftz.f"
  // PRECISE: "llvm.nvvm.sqrt.rn.f"
  // PRECISE: "llvm.nvvm.rsqrt.approx.f"
  llvm.func @roots(%x: f32) -> f32 {
    %s = math.sqrt %x : f32
    %r = math.rsqrt %x : f32
    %sum = arith.addf %s, %r : f32
    llvm.return %sum : f32
  }

  // CHECK-LABEL: llvm.func @logarithms(
  // FAST: %[[L:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
  // FAST: %[[LN2:.*]] = arith.constant 0.693147182 : f32
  // FAST: arith.mulf %[[L]], %[[LN2]]
  // FAST: llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
  // FAST: arith.constant 3.010300e-01 : f32
  // PRECISE: arith.andi
  // PRECISE-COUNT-10: math.fma
  // PRECISE: arith.cmpi ult
  // PRECISE: "llvm.nvvm.lg2.approx.ftz.f"
  // PRECISE: arith.select
  llvm.func @logarithms(%x: f32) -> f32 {
    %a = math.log %x : f32
    %b = math.log2 %x : f32
    %c = math.log10 %x : f32
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    llvm.return %e : f32
  }

  // Small arguments lose nothing, in either form.
  // CHECK-LABEL: llvm.func @log1p(
  // CHECK: arith.andi
  // CHECK-COUNT-12: math.fma
  // CHECK: arith.cmpi ult
  // CHECK: "llvm.nvvm.lg2.approx.ftz.f"
  // CHECK: arith.select
  llvm.func @log1p(%x: f32) -> f32 {
    %r = math.log1p %x : f32
    llvm.return %r : f32
  }

  // CHECK-LABEL: llvm.func @expm1(
  // CHECK: arith.maximumf
  // CHECK: arith.minimumf
  // CHECK-COUNT-8: math.fma
  // CHECK: arith.shli
  // CHECK: math.fma
  llvm.func @expm1(%x: f32) -> f32 {
    %r = math.expm1 %x : f32
    llvm.return %r : f32
  }

  // CHECK-LABEL: llvm.func @vector(
  // CHECK-COUNT-2: "llvm.nvvm.ex2.approx.ftz"
  // CHECK-NOT: "llvm.nvvm.ex2.approx.ftz"
  // CHECK: llvm.return %{{.*}} : vector<2xf32>
  llvm.func @vector(%x: vector<2xf32>) -> vector<2xf32> {
    %r = math.exp2 %x : vector<2xf32>
    llvm.return %r : vector<2xf32>
  }

  // What the GPU has stays as it is.
  // CHECK-LABEL: llvm.func @native(
  // CHECK-NEXT: math.absf
  // CHECK-NEXT: math.floor
  // CHECK-NEXT: math.copysign
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: arith.maximumf
  // CHECK-NEXT: arith.remf
  // CHECK-NEXT: llvm.return
  llvm.func @native(%x: f32, %y: f32) -> f32 {
    %0 = math.absf %x : f32
    %1 = math.floor %0 : f32
    %2 = math.copysign %1, %y : f32
    %3 = math.fma %2, %x, %y : f32
    %4 = arith.maximumf %3, %y : f32
    %5 = arith.remf %4, %y : f32
    llvm.return %5 : f32
  }
}
