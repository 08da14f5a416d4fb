// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --verify-roundtrip | FileCheck %s
// RUN: weft-opt %s --mlir-print-op-generic | weft-opt | FileCheck %s

// Clauses print in the order written, the other ones after them.
// CHECK-LABEL: func @every_clause
// CHECK:      weft.affine_scan over 1 reverse chunk 64 numerics<in = tf32, acc = f32>{{$}}
// CHECK-NEXT: decay(%arg3 in log : tensor<?x?x?xf32>){{$}}
// CHECK-NEXT: write(%arg1, %arg2 : tensor<?x?x?x64xf32>, tensor<?x?x?x32xf32>){{$}}
// CHECK-NEXT: read(%arg0 scale 1.250000e-01 : tensor<?x?x?x64xf32>){{$}}
// CHECK-NEXT: normalize(added 5.000000e-01){{$}}
// CHECK-NEXT: init(%arg4, %arg5 : tensor<?x?x64x32xf32>, tensor<?x?x64xf32>){{$}}
// CHECK-NEXT: attributes {note = "kept"}
// CHECK-NEXT: -> tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>, tensor<?x?x64xf32>{{$}}
func.func @every_clause(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x32xf32>, %g: tensor<?x?x?xf32>,
    %s0: tensor<?x?x64x32xf32>, %z0: tensor<?x?x64xf32>) -> (tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>, tensor<?x?x64xf32>) {
  %o, %s, %z = weft.affine_scan over 1 numerics<in = tf32, acc = f32> chunk 64 reverse
      normalize(added 0.5)
      init(%s0, %z0 : tensor<?x?x64x32xf32>, tensor<?x?x64xf32>)
      decay(%g in log : tensor<?x?x?xf32>)
      write(%k, %v : tensor<?x?x?x64xf32>, tensor<?x?x?x32xf32>)
      read(%q scale 0.125 : tensor<?x?x?x64xf32>)
      attributes {note = "kept"}
      -> tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>, tensor<?x?x64xf32>
  return %o, %s, %z : tensor<?x?x?x32xf32>, tensor<?x?x64x32xf32>, tensor<?x?x64xf32>
}

// A read before the write sees the state of the step before.
// CHECK-LABEL: func @read_first
// CHECK:      weft.affine_scan over 1{{$}}
// CHECK-NEXT: read(%arg0 : tensor<2x9x4x8xbf16>)
// CHECK-NEXT: write(%arg1, %arg1 : tensor<2x9x2x8xbf16>, tensor<2x9x2x8xbf16>)
// CHECK-NEXT: -> tensor<2x9x4x8xf32>
func.func @read_first(%q: tensor<2x9x4x8xbf16>, %k: tensor<2x9x2x8xbf16>) -> tensor<2x9x4x8xf32> {
  %o = weft.affine_scan over 1
      read(%q : tensor<2x9x4x8xbf16>) write(%k, %k : tensor<2x9x2x8xbf16>, tensor<2x9x2x8xbf16>)
      -> tensor<2x9x4x8xf32>
  return %o : tensor<2x9x4x8xf32>
}

// Operands that lack axes, one decay per head and key channel.
// CHECK-LABEL: func @lacking_axes
// CHECK:      decay(%arg3 in log2 along [h, k] : tensor<?x8xf32>)
// CHECK-NEXT: write(%arg1 along [h, k], %arg2 : tensor<?x8xf32>, tensor<?x?x?x4xf32>)
// CHECK-NEXT: read(%arg0 scale -2.000000e+00 along [t, k] : tensor<?x8xf32>)
// CHECK-NEXT: init(%arg4 along [h, k, v] : tensor<?x8x4xf32>)
func.func @lacking_axes(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x?x?x4xf32>, %g: tensor<?x8xf32>,
    %s0: tensor<?x8x4xf32>) -> tensor<?x?x?x4xf32> {
  %o = weft.affine_scan over 1
      decay(%g along [h, k] in log2 : tensor<?x8xf32>)
      write(%k along [h, k], %v : tensor<?x8xf32>, tensor<?x?x?x4xf32>)
      read(%q along [t, k] scale -2.0 : tensor<?x8xf32>)
      init(%s0 along [h, k, v] : tensor<?x8x4xf32>)
      -> tensor<?x?x?x4xf32>
  return %o : tensor<?x?x?x4xf32>
}

// CHECK-LABEL: func @normaliser_init_axes
// CHECK: init(%arg1 along [h, k, v], %arg2 along [k] : tensor<?x8x8xf64>, tensor<8xf64>)
func.func @normaliser_init_axes(%x: tensor<?x?x?x8xf64>, %s0: tensor<?x8x8xf64>, %z0: tensor<8xf64>) -> tensor<?x?x?x8xf64> {
  %o = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf64>, tensor<?x?x?x8xf64>)
      read(%x : tensor<?x?x?x8xf64>)
      normalize(clamped 1.0)
      init(%s0 along [h, k, v], %z0 along [k] : tensor<?x8x8xf64>, tensor<8xf64>)
      -> tensor<?x?x?x8xf64>
  return %o : tensor<?x?x?x8xf64>
}

// CHECK-LABEL: func @sums
// CHECK: weft.prefix_sum %arg0 over 1 exclusive reverse chunk 16 init(%arg1 : tensor<?x?x8x2xf32>) : tensor<?x?x?x8x2xbf16> -> tensor<?x?x?x8x2xbf16>, tensor<?x?x8x2xf32>
// CHECK: weft.prefix_sum %arg2 over 1 : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
func.func @sums(%x: tensor<?x?x?x8x2xbf16>, %s0: tensor<?x?x8x2xf32>, %g: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x8x2xbf16>, tensor<?x?x8x2xf32>, tensor<?x?x?xf32>) {
  %y, %all = weft.prefix_sum %x over 1 exclusive reverse chunk 16 init(%s0 : tensor<?x?x8x2xf32>)
      : tensor<?x?x?x8x2xbf16> -> tensor<?x?x?x8x2xbf16>, tensor<?x?x8x2xf32>
  %h = weft.prefix_sum %g over 1 : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y, %all, %h : tensor<?x?x?x8x2xbf16>, tensor<?x?x8x2xf32>, tensor<?x?x?xf32>
}

// Two sources of different types; the region computes in the accumulators'.
// CHECK-LABEL: func @first_order
// CHECK:      weft.associative_scan over 1(%arg0, %arg1 : tensor<?x?x?x8xbf16>, tensor<?x?x?x8xf64>) identity [1.000000e+00 : f32, 0.000000e+00] exclusive reverse chunk 2 init(%arg2, %arg3 : tensor<?x?x8xf32>, tensor<?x?x8xf64>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf64>), (tensor<?x?x8xf32>, tensor<?x?x8xf64>) {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f64, %{{.*}}: f32, %{{.*}}: f64):
// CHECK:        weft.yield %{{.*}}, %{{.*}} : f32, f64
func.func @first_order(%a: tensor<?x?x?x8xbf16>, %b: tensor<?x?x?x8xf64>, %a0: tensor<?x?x8xf32>, %b0: tensor<?x?x8xf64>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf64>, tensor<?x?x8xf32>, tensor<?x?x8xf64>) {
  %p, %h, %pT, %hT = weft.associative_scan over 1 (%a, %b : tensor<?x?x?x8xbf16>, tensor<?x?x?x8xf64>)
      identity [1.0 : f32, 0.0 : f64] exclusive reverse chunk 2 init(%a0, %b0 : tensor<?x?x8xf32>, tensor<?x?x8xf64>)
      -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf64>), (tensor<?x?x8xf32>, tensor<?x?x8xf64>) {
  ^combine(%a1: f32, %b1: f64, %a2: f32, %b2: f64):
    %a12 = arith.mulf %a1, %a2 : f32
    %a2d = arith.extf %a2 : f32 to f64
    %ab = arith.mulf %a2d, %b1 : f64
    %b12 = arith.addf %ab, %b2 : f64
    weft.yield %a12, %b12 : f32, f64
  }
  return %p, %h, %pT, %hT : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf64>, tensor<?x?x8xf32>, tensor<?x?x8xf64>
}

// CHECK-LABEL: func @projections
// CHECK: weft.token_matmul %arg0, %arg1 numerics<in = bf16, acc = f32> : tensor<?x?x?x8xbf16>, tensor<?x8x3xf32> -> tensor<?x?x?x3xf32>
// CHECK: weft.token_matmul %arg0, %arg2 transposed numerics<in = f64, acc = f64> : tensor<?x?x?x8xbf16>, tensor<3x8xf32> -> tensor<?x?x?x3xf64>
func.func @projections(%x: tensor<?x?x?x8xbf16>, %w: tensor<?x8x3xf32>, %u: tensor<3x8xf32>) -> (tensor<?x?x?x3xf32>, tensor<?x?x?x3xf64>) {
  %y = weft.token_matmul %x, %w numerics<in = bf16, acc = f32> : tensor<?x?x?x8xbf16>, tensor<?x8x3xf32> -> tensor<?x?x?x3xf32>
  %z = weft.token_matmul %x, %u transposed numerics<in = f64, acc = f64> : tensor<?x?x?x8xbf16>, tensor<3x8xf32> -> tensor<?x?x?x3xf64>
  return %y, %z : tensor<?x?x?x3xf32>, tensor<?x?x?x3xf64>
}

// CHECK-LABEL: func @parameters
// CHECK: weft.token_broadcast %arg1 like(%arg0 : tensor<?x?x4x8xbf16>) : tensor<?x3x2xf32> -> tensor<?x?x4x3x2xf32>
// CHECK: weft.token_broadcast %arg2 like(%arg0 : tensor<?x?x4x8xbf16>) : tensor<f32> -> tensor<?x?x?xf32>
func.func @parameters(%x: tensor<?x?x4x8xbf16>, %p: tensor<?x3x2xf32>, %c: tensor<f32>) -> (tensor<?x?x4x3x2xf32>, tensor<?x?x?xf32>) {
  %y = weft.token_broadcast %p like(%x : tensor<?x?x4x8xbf16>) : tensor<?x3x2xf32> -> tensor<?x?x4x3x2xf32>
  %z = weft.token_broadcast %c like(%x : tensor<?x?x4x8xbf16>) : tensor<f32> -> tensor<?x?x?xf32>
  return %y, %z : tensor<?x?x4x3x2xf32>, tensor<?x?x?xf32>
}

// CHECK-LABEL: func @sizes
// CHECK: weft.check %arg0 equals %arg1, "{0} and {1}"
// CHECK: weft.check %arg0 divides %arg1, "{0} heads for {1}" {note = 1 : i64}
func.func @sizes(%a: index, %b: index) {
  weft.check %a equals %b, "{0} and {1}"
  weft.check %a divides %b, "{0} heads for {1}" {note = 1}
  return
}

// CHECK-LABEL: func @groups
// CHECK:      weft.group @fused -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> {
// CHECK:        weft.yield %{{.*}}, %arg0 : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
// CHECK:      weft.group @nothing attributes {note = 1 : i64} {
// CHECK-NEXT:   weft.yield
func.func @groups(%x: tensor<?x?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %y, %z = weft.group @fused -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> {
    %e = math.exp %x : tensor<?x?x?x8xf32>
    weft.yield %e, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  }
  weft.group @nothing attributes {note = 1 : i64} {
    weft.yield
  }
  return %y, %z : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}
