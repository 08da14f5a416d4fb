// Every function that is expanded to PTX: its instructions by count, and no branch.
// RUN: weft-cc %s --target=sm_80 | FileCheck %s --check-prefixes=CHECK,FAST,SM80 --implicit-check-not='{{bra |call}}'
// RUN: weft-cc %s --target=sm_90a | FileCheck %s --check-prefixes=CHECK,FAST,SM90 --implicit-check-not='{{bra |call}}'
// RUN: weft-cc %s --target=sm_100a | FileCheck %s --check-prefixes=CHECK,FAST,SM90 --implicit-check-not='{{bra |call}}'
// RUN: weft-cc %s --target=sm_120a --precise | FileCheck %s --check-prefixes=CHECK,PRECISE,SM90 --implicit-check-not='{{bra |call}}'
// RUN: %if ptxas %{ weft-cc %s --target=sm_80 --emit=cubin -o %t.80 2>&1 | count 0 %}
// RUN: %if ptxas %{ weft-cc %s --target=sm_90a --emit=cubin -o %t.90 2>&1 | count 0 %}
// RUN: %if ptxas %{ weft-cc %s --target=sm_100a --emit=cubin -o %t.100 2>&1 | count 0 %}
// RUN: %if ptxas %{ weft-cc %s --target=sm_120a --emit=cubin --precise -o %t.120 2>&1 | count 0 %}

gpu.module @kernels {
  // CHECK-LABEL: .entry exp(
  // FAST: mul.f32
  // FAST-NEXT: ex2.approx.ftz.f32
  // FAST-NEXT: st.global
  // PRECISE: max.NaN.f32
  // PRECISE: min.NaN.f32
  // PRECISE-COUNT-3: fma.rn.f32
  // PRECISE: ex2.approx.ftz.f32
  llvm.func @exp(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %r = math.exp %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry exp_bf16(
  // CHECK: ex2.approx.ftz.f32
  // CHECK: cvt.rn.bf16.f32
  llvm.func @exp_bf16(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
    %r = math.exp %x : bf16
    llvm.store %r, %p {alignment = 2 : i64} : bf16, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry expm1(
  // CHECK-COUNT-9: fma.rn.f32
  // CHECK-NOT: ex2
  // CHECK: st.global
  llvm.func @expm1(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %r = math.expm1 %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry log(
  // FAST: lg2.approx.ftz.f32
  // FAST-NEXT: mul.f32
  // FAST-NEXT: st.global
  // PRECISE-COUNT-10: fma.rn.f32
  // PRECISE: selp
  llvm.func @log(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %r = math.log %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry log1p(
  // CHECK-COUNT-12: fma.rn.f32
  // CHECK: lg2.approx.ftz.f32
  // CHECK: selp
  llvm.func @log1p(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %r = math.log1p %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry softplus(
  // CHECK: abs.f32
  // CHECK: ex2.approx.ftz.f32
  // CHECK: max.NaN.f32
  llvm.func @softplus(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %n = math.absf %x : f32
    %m = arith.negf %n : f32
    %e = math.exp %m : f32
    %l = math.log1p %e : f32
    %zero = arith.constant 0.0 : f32
    %h = arith.maximumf %x, %zero : f32
    %r = arith.addf %h, %l : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry sigmoid(
  // FAST: ex2.approx.ftz.f32
  // FAST-NEXT: add.f32
  // FAST-NEXT: rcp.approx.ftz.f32
  // FAST-NEXT: st.global
  // PRECISE: {{rcp|div}}.rn.f32
  llvm.func @sigmoid(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %one = arith.constant 1.0 : f32
    %m = arith.negf %x : f32
    %e = math.exp %m : f32
    %d = arith.addf %one, %e : f32
    %r = arith.divf %one, %d : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry quotient(
  // FAST: div.full.ftz.f32
  // PRECISE: div.rn.f32
  llvm.func @quotient(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %two = arith.constant 2.0 : f32
    %r = arith.divf %two, %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry roots(
  // FAST: sqrt.approx.ftz.f32
  // FAST: rsqrt.approx.ftz.f32
  // PRECISE: sqrt.rn.f32
  // PRECISE: rsqrt.approx.f32
  llvm.func @roots(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %s = math.sqrt %x : f32
    %q = math.rsqrt %s : f32
    %r = arith.addf %s, %q : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry tanh(
  // CHECK: ex2.approx.ftz.f32
  // CHECK: rcp.approx.ftz.f32
  // CHECK: copysign.f32
  // CHECK: selp.f32
  llvm.func @tanh(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %r = math.tanh %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry tanh_f16(
  // CHECK: tanh.approx.f32
  // CHECK: cvt.rn.f16.f32
  llvm.func @tanh_f16(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr<1> -> f16
    %r = math.tanh %x : f16
    llvm.store %r, %p {alignment = 2 : i64} : f16, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry extremes(
  // CHECK: max.NaN.f32
  // CHECK: min.f32
  // CHECK: min.NaN.f32
  llvm.func @extremes(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %c = arith.constant 0.5 : f32
    %a = arith.maximumf %x, %c : f32
    %d = arith.constant -0.5 : f32
    %b = arith.minnumf %a, %d : f32
    %r = arith.minimumf %b, %x : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry extremes_bf16(
  // CHECK: max.NaN.bf16
  llvm.func @extremes_bf16(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
    %c = arith.constant 0.5 : bf16
    %r = arith.maximumf %x, %c : bf16
    llvm.store %r, %p {alignment = 2 : i64} : bf16, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry rounding(
  // CHECK-DAG: cvt.rmi.f32.f32
  // CHECK-DAG: cvt.rpi.f32.f32
  // CHECK-DAG: cvt.rni.f32.f32
  // CHECK-DAG: cvt.rzi.f32.f32
  llvm.func @rounding(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %a = math.floor %x : f32
    %b = math.ceil %x : f32
    %c = math.roundeven %x : f32
    %d = math.trunc %x : f32
    %e = arith.addf %a, %b : f32
    %f = arith.addf %c, %d : f32
    %r = math.copysign %e, %f : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry sum_bf16(
  // SM80: fma.rn.bf16
  // SM90: add{{(.rn)?}}.bf16
  llvm.func @sum_bf16(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
    %r = arith.addf %x, %x : bf16
    llvm.store %r, %p {alignment = 2 : i64} : bf16, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: .entry contraction(
  // CHECK: fma.rn.f32
  llvm.func @contraction(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %c = arith.constant 3.0 : f32
    %a = arith.mulf %x, %x : f32
    %r = arith.addf %a, %c : f32
    llvm.store %r, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
