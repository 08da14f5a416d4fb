// RUN: weft-opt %s --pass-pipeline="builtin.module(gpu.module(wtile-math-to-nvvm))" --split-input-file --verify-diagnostics

gpu.module @kernels {
  llvm.func @double(%x: f64) -> f64 {
    // expected-error@+1 {{'math.exp' op on 'f64': kernels compute in f32, f16 and bf16}}
    %r = math.exp %x : f64
    // expected-error@+1 {{'arith.addf' op on 'f64': kernels compute in f32, f16 and bf16}}
    %s = arith.addf %r, %r : f64
    llvm.return %s : f64
  }
}

// -----

gpu.module @kernels {
  llvm.func @conversion(%x: f32) -> f64 {
    // expected-error@+1 {{'arith.extf' op on 'f64': kernels compute in f32, f16 and bf16}}
    %r = arith.extf %x : f32 to f64
    llvm.return %r : f64
  }
}

// -----

gpu.module @kernels {
  llvm.func @sine(%x: f32) -> f32 {
    // expected-error@+1 {{'math.sin' op has no form on a GPU: expanded are arith.divf, math.exp, math.exp2, math.expm1, math.log, math.log10, math.log1p, math.log2, math.rsqrt, math.sqrt, math.tanh}}
    %r = math.sin %x : f32
    llvm.return %r : f32
  }
}

// -----

gpu.module @kernels {
  llvm.func @matrix() {
    %x = arith.constant dense<1.0> : vector<2x2xf32>
    // expected-error@+1 {{'math.exp' op on 'vector<2x2xf32>': a thread computes on scalars and on vectors of one dimension}}
    %r = math.exp %x : vector<2x2xf32>
    llvm.return
  }
}
