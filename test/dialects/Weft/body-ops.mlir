// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --mlir-print-op-generic | weft-opt | FileCheck %s

// Every body op with every clause, on tensors of static and of dynamic sizes.

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<64x32xbf16>, %b: tensor<3x32x16xf32>, %x: tensor<32xf64>) {
  // CHECK: weft.dot %{{.*}}, %{{.*}} over [1, 1] numerics<in = bf16, acc = f32> : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
  %0 = weft.dot %a, %a over [1, 1] numerics<in = bf16, acc = f32> : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
  // CHECK: weft.dot %{{.*}}, %{{.*}} over [1, 1] numerics<in = tf32x3, acc = f32> : tensor<64x32xbf16>, tensor<3x32x16xf32> -> tensor<64x3x16xf32>
  %1 = weft.dot %a, %b over [1, 1] numerics<in = tf32x3, acc = f32> : tensor<64x32xbf16>, tensor<3x32x16xf32> -> tensor<64x3x16xf32>
  // CHECK: weft.dot %{{.*}}, %{{.*}} over [0, 0] numerics<in = f64, acc = f64> : tensor<32xf64>, tensor<32xf64> -> tensor<f64>
  %2 = weft.dot %x, %x over [0, 0] numerics<in = f64, acc = f64> : tensor<32xf64>, tensor<32xf64> -> tensor<f64>
  return
}

// CHECK-LABEL: func.func @dynamic_products
func.func @dynamic_products(%a: tensor<?x32xf16>, %b: tensor<32x?xf16>) {
  // CHECK: weft.dot %{{.*}}, %{{.*}} over [1, 0] numerics<in = f16x2, acc = f32> : tensor<?x32xf16>, tensor<32x?xf16> -> tensor<?x?xf32>
  %0 = weft.dot %a, %b over [1, 0] numerics<in = f16x2, acc = f32> : tensor<?x32xf16>, tensor<32x?xf16> -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<?x4x?x8xf16>, %y: tensor<1xf64>) {
  // CHECK: weft.sum %{{.*}} over 3 : tensor<?x4x?x8xf16> -> tensor<?x4x?xf16>
  %0 = weft.sum %x over 3 : tensor<?x4x?x8xf16> -> tensor<?x4x?xf16>
  // CHECK: weft.max %{{.*}} over 0 : tensor<?x4x?x8xf16> -> tensor<4x?x8xf16>
  %1 = weft.max %x over 0 : tensor<?x4x?x8xf16> -> tensor<4x?x8xf16>
  // CHECK: weft.sum %{{.*}} over 0 : tensor<1xf64> -> tensor<f64>
  %2 = weft.sum %y over 0 : tensor<1xf64> -> tensor<f64>
  return
}

// CHECK-LABEL: func.func @running_sums
func.func @running_sums(%x: tensor<?x8xf32>) {
  // CHECK: weft.cumsum %{{.*}} over 0 : tensor<?x8xf32>
  %0 = weft.cumsum %x over 0 : tensor<?x8xf32>
  // CHECK: weft.cumsum %{{.*}} over 1 exclusive : tensor<?x8xf32>
  %1 = weft.cumsum %x over 1 exclusive : tensor<?x8xf32>
  // CHECK: weft.cumsum %{{.*}} over 0 reverse : tensor<?x8xf32>
  %2 = weft.cumsum %x over 0 reverse : tensor<?x8xf32>
  // CHECK: weft.cumsum %{{.*}} over 0 exclusive reverse : tensor<?x8xf32>
  %3 = weft.cumsum %x over 0 exclusive reverse : tensor<?x8xf32>
  return
}

func.func private @then(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  %a = arith.mulf %a2, %a1 : f32
  %c = arith.mulf %a2, %b1 : f32
  %b = arith.addf %c, %b2 : f32
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @running_combinations
func.func @running_combinations(%x: tensor<16x8xf32>, %y: tensor<16xf32>, %lo: index, %hi: index) {
  // CHECK: weft.scan_rows(%{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<16x8xf32>) by @then identity [1.000000e+00 : f32, 0.000000e+00 : f32] from %{{.*}} to %{{.*}} -> (tensor<16x8xf32>, tensor<16x8xf32>), (tensor<8xf32>, tensor<8xf32>)
  %0:4 = weft.scan_rows (%x, %x : tensor<16x8xf32>, tensor<16x8xf32>) by @then identity [1.0 : f32, 0.0 : f32] from %lo to %hi
      -> (tensor<16x8xf32>, tensor<16x8xf32>), (tensor<8xf32>, tensor<8xf32>)
  // CHECK: weft.scan_rows(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16xf32>) by @then identity [1.000000e+00 : f32, 0.000000e+00 : f32] from %{{.*}} to %{{.*}} exclusive reverse -> (tensor<16xf32>, tensor<16xf32>), (tensor<f32>, tensor<f32>)
  %1:4 = weft.scan_rows (%y, %y : tensor<16xf32>, tensor<16xf32>) by @then identity [1.0 : f32, 0.0 : f32] from %lo to %hi exclusive reverse
      -> (tensor<16xf32>, tensor<16xf32>), (tensor<f32>, tensor<f32>)
  return
}

// CHECK-LABEL: func.func @products_that_decay
func.func @products_that_decay(%a: tensor<16x8xbf16>, %g: tensor<16x8xf32>, %p: tensor<16x16xf32>) {
  // CHECK: weft.decayed_dot %{{.*}}, %{{.*}} decay(%{{.*}}, %{{.*}} : tensor<16x8xf32>) numerics<in = f32, acc = f32> : tensor<16x8xbf16>, tensor<16x8xbf16> -> tensor<16x16xf32>
  %0 = weft.decayed_dot %a, %a decay(%g, %g : tensor<16x8xf32>) numerics<in = f32, acc = f32> : tensor<16x8xbf16>, tensor<16x8xbf16> -> tensor<16x16xf32>
  // CHECK: weft.decayed_dot %{{.*}}, %{{.*}} decay(%{{.*}}, %{{.*}} : tensor<16x8xf32>) strict reverse numerics<in = bf16x3, acc = f32> : tensor<16x8xbf16>, tensor<16x8xbf16> -> tensor<16x16xf32>
  %1 = weft.decayed_dot %a, %a decay(%g, %g : tensor<16x8xf32>) strict reverse numerics<in = bf16x3, acc = f32> : tensor<16x8xbf16>, tensor<16x8xbf16> -> tensor<16x16xf32>
  // CHECK: weft.decayed_matmul %{{.*}}, %{{.*}} decay(%{{.*}}, %{{.*}} : tensor<16x8xf32>) numerics<in = f32, acc = f32> : tensor<16x16xf32>, tensor<16x8xbf16> -> tensor<16x8xf32>
  %2 = weft.decayed_matmul %p, %a decay(%g, %g : tensor<16x8xf32>) numerics<in = f32, acc = f32> : tensor<16x16xf32>, tensor<16x8xbf16> -> tensor<16x8xf32>
  // CHECK: weft.decayed_matmul %{{.*}}, %{{.*}} decay(%{{.*}}, %{{.*}} : tensor<16x8xf32>) strict reverse numerics<in = f32, acc = f32>
  %3 = weft.decayed_matmul %p, %a decay(%g, %g : tensor<16x8xf32>) strict reverse numerics<in = f32, acc = f32> : tensor<16x16xf32>, tensor<16x8xbf16> -> tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @triangles
func.func @triangles(%m: tensor<16x16xf32>, %w: tensor<16x8xbf16>, %x: tensor<16xf32>, %d: tensor<?x?xf64>) {
  // CHECK: weft.eye : tensor<1x1xf64>
  %0 = weft.eye : tensor<1x1xf64>
  // CHECK: weft.tril %{{.*}} : tensor<16x8xbf16>
  %1 = weft.tril %w : tensor<16x8xbf16>
  // CHECK: weft.tril %{{.*}} diagonal -1 reverse : tensor<?x?xf64>
  %2 = weft.tril %d diagonal -1 reverse : tensor<?x?xf64>
  // CHECK: weft.solve_tril %{{.*}}, %{{.*}} unit numerics<in = tf32, acc = f32> : tensor<16x16xf32>, tensor<16x8xbf16> -> tensor<16x8xf32>
  %3 = weft.solve_tril %m, %w unit numerics<in = tf32, acc = f32> : tensor<16x16xf32>, tensor<16x8xbf16> -> tensor<16x8xf32>
  // CHECK: weft.solve_tril %{{.*}}, %{{.*}} reverse numerics<in = f32, acc = f32> : tensor<16x16xf32>, tensor<16xf32> -> tensor<16xf32>
  %4 = weft.solve_tril %m, %x reverse numerics<in = f32, acc = f32> : tensor<16x16xf32>, tensor<16xf32> -> tensor<16xf32>
  // CHECK: weft.cholesky %{{.*}} numerics<in = f32, acc = f32> : tensor<16x16xf32>
  %5 = weft.cholesky %m numerics<in = f32, acc = f32> : tensor<16x16xf32>
  // CHECK: weft.cholesky %{{.*}} reverse numerics<in = f64, acc = f64> : tensor<?x?xf64>
  %6 = weft.cholesky %d reverse numerics<in = f64, acc = f64> : tensor<?x?xf64>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>, %s: tensor<f32>, %i: tensor<8xi32>, %like: tensor<?x?x8xf16>) {
  // CHECK: weft.broadcast %{{.*}} to [] : tensor<f32> -> tensor<4x8xf32>
  %0 = weft.broadcast %s to [] : tensor<f32> -> tensor<4x8xf32>
  // CHECK: weft.broadcast %{{.*}} to [1, 2] like(%{{.*}} : tensor<?x?x8xf16>) : tensor<?x8xf32> -> tensor<?x?x8xf32>
  %1 = weft.broadcast %x to [1, 2] like(%like : tensor<?x?x8xf16>) : tensor<?x8xf32> -> tensor<?x?x8xf32>
  // CHECK: weft.broadcast %{{.*}} to [1] : tensor<8xi32> -> tensor<3x8xi32>
  %2 = weft.broadcast %i to [1] : tensor<8xi32> -> tensor<3x8xi32>
  // CHECK: weft.concat %{{.*}}, %{{.*}}, %{{.*}} over 1 : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x16xf32>
  %3 = weft.concat %x, %y, %y over 1 : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x16xf32>
  // CHECK: weft.concat %{{.*}}, %{{.*}} over 0 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %4 = weft.concat %x, %x over 0 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  // CHECK: weft.outer %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?x4xf32> -> tensor<?x8x4xf64>
  %5 = weft.outer %x, %y : tensor<?x8xf32>, tensor<?x4xf32> -> tensor<?x8x4xf64>
  return
}

// CHECK-LABEL: func.func @maps
func.func @maps(%x: tensor<?x?x4x8xbf16>) {
  // CHECK: weft.softmax %{{.*}} over 3 : tensor<?x?x4x8xbf16> -> tensor<?x?x4x8xf32>
  %0 = weft.softmax %x over 3 : tensor<?x?x4x8xbf16> -> tensor<?x?x4x8xf32>
  // CHECK: weft.l2_normalize %{{.*}} over 0 eps 9.765625E-4 : tensor<?x?x4x8xbf16> -> tensor<?x?x4x8xbf16>
  %1 = weft.l2_normalize %x over 0 eps 9.765625E-4 : tensor<?x?x4x8xbf16> -> tensor<?x?x4x8xbf16>
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%k: tensor<?x8xbf16>, %n: tensor<?xi64>, %r: tensor<16xi32>, %lo: index, %hi: index) {
  // CHECK: weft.keep_live %{{.*}} over 1 from %{{.*}} to %{{.*}} else 0xFFF0000000000000 : tensor<?x8xbf16>
  %0 = weft.keep_live %k over 1 from %lo to %hi else 0xFFF0000000000000 : tensor<?x8xbf16>
  // CHECK: weft.gather_rows %{{.*}}[%{{.*}}] : tensor<?x8xbf16>, tensor<16xi32> -> tensor<16x8xbf16>
  %1 = weft.gather_rows %k[%r] : tensor<?x8xbf16>, tensor<16xi32> -> tensor<16x8xbf16>
  // CHECK: weft.gather_rows %{{.*}}[%{{.*}}] : tensor<16xi32>, tensor<?xi64> -> tensor<?xi32>
  %2 = weft.gather_rows %r[%n] : tensor<16xi32>, tensor<?xi64> -> tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%s: tensor<16x8xf32>, %p: index, %i: tensor<16xi32>, %j: tensor<8xi64>) {
  // CHECK: weft.mask_window %{{.*}} window [*, 0] rows %{{.*}} cols %{{.*}} : tensor<16x8xf32>
  %0 = weft.mask_window %s window [*, 0] rows %p cols %p : tensor<16x8xf32>
  // CHECK: weft.mask_window %{{.*}} window [4, *] rows %{{.*}} cols %{{.*}} causal(%{{.*}}, %{{.*}} : tensor<16xi32>, tensor<8xi64>) : tensor<16x8xf32>
  %1 = weft.mask_window %s window [4, *] rows %p cols %p causal(%i, %j : tensor<16xi32>, tensor<8xi64>) : tensor<16x8xf32>
  return
}

// CHECK-LABEL: func.func @levels
func.func @levels(%l: tensor<16x9xf32>, %s: tensor<4x8x6xf32>, %z: tensor<4x8xf32>, %q: tensor<16x8xbf16>, %g: tensor<8xf32>, %n: index, %m: index) {
  // CHECK: weft.level_weights %{{.*}} : tensor<16x9xf32> -> tensor<16x16xf32>
  %0 = weft.level_weights %l : tensor<16x9xf32> -> tensor<16x16xf32>
  // CHECK: weft.fenwick_read %{{.*}} at %{{.*}} query %{{.*}} levels %{{.*}} from 5 numerics<in = bf16, acc = f32> : tensor<4x8x6xf32>, tensor<16x8xbf16>, tensor<16x9xf32> -> tensor<16x6xf32>
  %1 = weft.fenwick_read %s at %n query %q levels %l from 5 numerics<in = bf16, acc = f32> : tensor<4x8x6xf32>, tensor<16x8xbf16>, tensor<16x9xf32> -> tensor<16x6xf32>
  // CHECK: weft.fenwick_read %{{.*}} -> tensor<16xf32>
  %2 = weft.fenwick_read %z at %n query %q levels %l from 5 numerics<in = bf16, acc = f32> : tensor<4x8xf32>, tensor<16x8xbf16>, tensor<16x9xf32> -> tensor<16xf32>
  // CHECK: weft.fenwick_merge %{{.*}}, %{{.*}} at %{{.*}} level %{{.*}} : tensor<4x8xf32>, tensor<8xf32>
  %3 = weft.fenwick_merge %z, %g at %n level %m : tensor<4x8xf32>, tensor<8xf32>
  return
}
