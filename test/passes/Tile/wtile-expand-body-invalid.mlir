// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --wtile-expand-body --split-input-file --verify-diagnostics

wtile.kernel @rows axes 0 {
^program(%x: memref<48x48xf32>):
  %a = wtile.load %x : memref<48x48xf32> -> tensor<48x48xf32>
  // expected-error @below {{'weft.cholesky' op on 'tensor<48x48xf32>': on tiles a triangle has 16 rows times a power of two}}
  %l = weft.cholesky %a numerics<in = f32, acc = f32> : tensor<48x48xf32>
  wtile.store %l, %x : tensor<48x48xf32>, memref<48x48xf32>
}

// -----

wtile.kernel @few_rows axes 0 {
^program(%x: memref<8x8xf32>):
  %a = wtile.load %x : memref<8x8xf32> -> tensor<8x8xf32>
  // expected-error @below {{'weft.solve_tril' op on 'tensor<8x8xf32>': on tiles a triangle has 16 rows times a power of two}}
  %y = weft.solve_tril %a, %a numerics<in = bf16, acc = f32> : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  wtile.store %y, %x : tensor<8x8xf32>, memref<8x8xf32>
}

// -----

wtile.kernel @upper axes 0 {
^program(%x: memref<16x16xf32>):
  %a = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
  // expected-error @below {{'weft.cholesky' op is in reverse: on tiles a Cholesky factor is lower triangular}}
  %l = weft.cholesky %a reverse numerics<in = f32, acc = f32> : tensor<16x16xf32>
  wtile.store %l, %x : tensor<16x16xf32>, memref<16x16xf32>
}

// -----

wtile.kernel @vector axes 0 {
^program(%x: memref<16x16xf32>, %v: memref<16xf32>):
  %a = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
  %b = wtile.load %v : memref<16xf32> -> tensor<16xf32>
  // expected-error @below {{'weft.solve_tril' op has a right side 'tensor<16xf32>': on tiles a right side is a matrix}}
  %y = weft.solve_tril %a, %b numerics<in = f32, acc = f32> : tensor<16x16xf32>, tensor<16xf32> -> tensor<16xf32>
  wtile.store %y, %v : tensor<16xf32>, memref<16xf32>
}

// -----

wtile.kernel @doubles axes 0 {
^program(%x: memref<16x16xf64>):
  %a = wtile.load %x : memref<16x16xf64> -> tensor<16x16xf64>
  // expected-error @below {{'weft.dot' op has no form on tiles for the types 'tensor<16x16xf64>', 'tensor<16x16xf64>' -> 'tensor<16x16xf64>'}}
  %p = weft.dot %a, %a over [1, 0] numerics<in = f64, acc = f64> : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  wtile.store %p, %x : tensor<16x16xf64>, memref<16x16xf64>
}

// -----

wtile.kernel @rank_three axes 0 {
^program(%x: memref<4x16x16xf32>, %y: memref<4x16x4x16xf32>):
  %a = wtile.load %x : memref<4x16x16xf32> -> tensor<4x16x16xf32>
  // expected-error @below {{'weft.dot' op has no form on tiles for the types 'tensor<4x16x16xf32>', 'tensor<4x16x16xf32>' -> 'tensor<4x16x4x16xf32>'}}
  %p = weft.dot %a, %a over [1, 1] numerics<in = f32, acc = f32> : tensor<4x16x16xf32>, tensor<4x16x16xf32> -> tensor<4x16x4x16xf32>
  wtile.store %p, %y : tensor<4x16x4x16xf32>, memref<4x16x4x16xf32>
}

// -----

wtile.kernel @three axes 0 {
^program(%x: memref<16x16xf32>, %y: memref<48x16xf32>):
  %a = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
  // expected-error @below {{'weft.concat' op has no form on tiles for the types 'tensor<16x16xf32>', 'tensor<16x16xf32>', 'tensor<16x16xf32>' -> 'tensor<48x16xf32>'}}
  %c = weft.concat %a, %a, %a over 0 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<48x16xf32>
  wtile.store %c, %y : tensor<48x16xf32>, memref<48x16xf32>
}

// -----

wtile.kernel @different axes 0 {
^program(%x: memref<16x16xf32>, %v: memref<32x16xf32>, %y: memref<48x16xf32>):
  %a = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
  %b = wtile.load %v : memref<32x16xf32> -> tensor<32x16xf32>
  // expected-error @below {{'weft.concat' op has no form on tiles for the types 'tensor<16x16xf32>', 'tensor<32x16xf32>' -> 'tensor<48x16xf32>'}}
  %c = weft.concat %a, %b over 0 : tensor<16x16xf32>, tensor<32x16xf32> -> tensor<48x16xf32>
  wtile.store %c, %y : tensor<48x16xf32>, memref<48x16xf32>
}
