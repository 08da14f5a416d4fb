// RUN: weft-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @broadcast_to_itself
func.func @broadcast_to_itself(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %{{.*}} : tensor<4x8xf32>
  %y = weft.broadcast %x to [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_of_a_splat
func.func @broadcast_of_a_splat() -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.500000e+00> : tensor<4x8xf32>
  // CHECK-NEXT: return %[[C]]
  %c = arith.constant dense<2.5> : tensor<8xf32>
  %y = weft.broadcast %c to [1] : tensor<8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_twice
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @broadcast_twice(%x: tensor<8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: weft.broadcast %[[X]] to [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %y = weft.broadcast %x to [1] : tensor<8xf32> -> tensor<4x8xf32>
  %z = weft.broadcast %y to [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32>
  return %z : tensor<2x4x8xf32>
}

// -----

// CHECK-LABEL: func.func @triangle_of_a_triangle
// CHECK-COUNT-1: weft.tril
// CHECK-NOT: weft.tril
func.func @triangle_of_a_triangle(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = weft.tril %x diagonal -1 : tensor<8x8xf32>
  %z = weft.tril %y : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// The outer triangle is smaller, or runs the other way: both stay.
// CHECK-LABEL: func.func @other_triangles
// CHECK-COUNT-4: weft.tril
func.func @other_triangles(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %y = weft.tril %x : tensor<8x8xf32>
  %z = weft.tril %y diagonal -1 : tensor<8x8xf32>
  %u = weft.tril %x diagonal -1 reverse : tensor<8x8xf32>
  %w = weft.tril %u : tensor<8x8xf32>
  return %z, %w : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @live_rows_kept_twice
// CHECK-COUNT-1: weft.keep_live
// CHECK-NOT: weft.keep_live
func.func @live_rows_kept_twice(%x: tensor<8x8xf32>, %lo: index, %hi: index) -> tensor<8x8xf32> {
  %y = weft.keep_live %x over 0 from %lo to %hi else 0.0 : tensor<8x8xf32>
  %z = weft.keep_live %y over 0 from %lo to %hi else 0.0 : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @one_part
func.func @one_part(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: return
  %y = weft.concat %x over 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
