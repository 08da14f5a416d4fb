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

// CHECK-LABEL: func.func @smaller_triangle_of_a_triangle
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf32>
func.func @smaller_triangle_of_a_triangle(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[Z:.*]] = weft.tril %[[X]] diagonal -1 : tensor<8x8xf32>
  // CHECK-NEXT: return %[[Z]]
  %y = weft.tril %x : tensor<8x8xf32>
  %z = weft.tril %y diagonal -1 : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// A triangle the other way leaves a band.
// CHECK-LABEL: func.func @other_triangle
// CHECK-COUNT-2: weft.tril
func.func @other_triangle(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = weft.tril %x diagonal -1 reverse : tensor<8x8xf32>
  %z = weft.tril %y : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
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

// -----

// CHECK-LABEL: func.func @parts_of_a_part
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x2xf32>)
func.func @parts_of_a_part(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> tensor<4x18xf32> {
  // CHECK-NEXT: weft.concat %[[X]], %[[Y]], %[[X]] over 1
  %xy = weft.concat %x, %y over 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x10xf32>
  %z = weft.concat %xy, %x over 1 : tensor<4x10xf32>, tensor<4x8xf32> -> tensor<4x18xf32>
  return %z : tensor<4x18xf32>
}

// -----

// Parts along another dim are no parts of the whole.
// CHECK-LABEL: func.func @parts_along_another_dim
// CHECK-COUNT-2: weft.concat
func.func @parts_along_another_dim(%x: tensor<4x8xf32>) -> tensor<8x16xf32> {
  %xx = weft.concat %x, %x over 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %z = weft.concat %xx, %xx over 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// -----

// A reduction along a dim of what is repeated goes first. Along the dim that
// repeats it stays: x + x + x is not 3 x in floats.
// CHECK-LABEL: func.func @reductions_of_what_repeats
// CHECK-SAME: %[[X:.*]]: tensor<8x6xf32>
func.func @reductions_of_what_repeats(%x: tensor<8x6xf32>) -> (tensor<3x6xf32>, tensor<3x8xf32>, tensor<8x6xf32>) {
  // CHECK-NEXT: %[[B:.*]] = weft.broadcast %[[X]] to [1, 2]
  // CHECK-NEXT: %[[S:.*]] = weft.sum %[[X]] over 0 : tensor<8x6xf32> -> tensor<6xf32>
  // CHECK-NEXT: %[[SB:.*]] = weft.broadcast %[[S]] to [1] : tensor<6xf32> -> tensor<3x6xf32>
  // CHECK-NEXT: %[[M:.*]] = weft.max %[[X]] over 1 : tensor<8x6xf32> -> tensor<8xf32>
  // CHECK-NEXT: %[[MB:.*]] = weft.broadcast %[[M]] to [1] : tensor<8xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: %[[R:.*]] = weft.sum %[[B]] over 0
  // CHECK-NEXT: return %[[SB]], %[[MB]], %[[R]]
  %b = weft.broadcast %x to [1, 2] : tensor<8x6xf32> -> tensor<3x8x6xf32>
  %s = weft.sum %b over 1 : tensor<3x8x6xf32> -> tensor<3x6xf32>
  %m = weft.max %b over 2 : tensor<3x8x6xf32> -> tensor<3x8xf32>
  %r = weft.sum %b over 0 : tensor<3x8x6xf32> -> tensor<8x6xf32>
  return %s, %m, %r : tensor<3x6xf32>, tensor<3x8xf32>, tensor<8x6xf32>
}

// -----

// CHECK-LABEL: func.func @running_sums_of_one_row
// CHECK-SAME: %[[X:.*]]: tensor<1x6xf32>
func.func @running_sums_of_one_row(%x: tensor<1x6xf32>) -> (tensor<1x6xf32>, tensor<1x6xf32>) {
  // CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<1x6xf32>
  // CHECK-NEXT: return %[[X]], %[[Z]]
  %s = weft.cumsum %x over 0 reverse : tensor<1x6xf32>
  %e = weft.cumsum %x over 0 exclusive : tensor<1x6xf32>
  return %s, %e : tensor<1x6xf32>, tensor<1x6xf32>
}

// -----

// CHECK-LABEL: func.func @nothing_decays
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @nothing_decays(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: %[[P:.*]] = weft.dot %[[X]], %[[X]] over [1, 1] numerics<in = tf32, acc = f32>
  // CHECK-NEXT: weft.tril %[[P]] diagonal -1 reverse : tensor<4x4xf32>
  %g = arith.constant dense<-2.0> : tensor<4x8xf32>
  %s = weft.decayed_dot %x, %x decay(%g, %g : tensor<4x8xf32>) strict reverse numerics<in = tf32, acc = f32>
      : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// Infinite decays leave nan, and different ones decay.
// CHECK-LABEL: func.func @decays_that_matter
// CHECK-COUNT-2: weft.decayed_dot
func.func @decays_that_matter(%x: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %i = arith.constant dense<0xFF800000> : tensor<4x8xf32>
  %g = arith.constant dense<-2.0> : tensor<4x8xf32>
  %h = arith.constant dense<-1.0> : tensor<4x8xf32>
  %s = weft.decayed_dot %x, %x decay(%i, %i : tensor<4x8xf32>) numerics<in = f32, acc = f32>
      : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  %t = weft.decayed_dot %x, %x decay(%g, %h : tensor<4x8xf32>) numerics<in = f32, acc = f32>
      : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  return %s, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @whole_and_empty_triangles
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @whole_and_empty_triangles(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<4x8xf32>
  // CHECK-NEXT: return %[[X]], %[[Z]], %[[X]], %[[Z]]
  %a = weft.tril %x diagonal 7 : tensor<4x8xf32>
  %b = weft.tril %x diagonal -4 : tensor<4x8xf32>
  %c = weft.tril %x diagonal 3 reverse : tensor<4x8xf32>
  %d = weft.tril %x diagonal -8 reverse : tensor<4x8xf32>
  return %a, %b, %c, %d : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// One entry short of whole, one entry more than none.
// CHECK-LABEL: func.func @nearly_whole_and_empty_triangles
// CHECK-COUNT-4: weft.tril
func.func @nearly_whole_and_empty_triangles(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = weft.tril %x diagonal 6 : tensor<4x8xf32>
  %b = weft.tril %x diagonal -3 : tensor<4x8xf32>
  %c = weft.tril %x diagonal 2 reverse : tensor<4x8xf32>
  %d = weft.tril %x diagonal -7 reverse : tensor<4x8xf32>
  return %a, %b, %c, %d : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @all_live_and_none
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @all_live_and_none(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[I:.*]] = arith.constant dense<0xFF800000> : tensor<4x8xf32>
  // CHECK-NEXT: return %[[X]], %[[I]]
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %a = weft.keep_live %x over 1 from %c0 to %c8 else 0.0 : tensor<4x8xf32>
  %b = weft.keep_live %x over 1 from %c3 to %c3 else 0xFFF0000000000000 : tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The last replacement of dead rows counts; other rows stay apart.
// CHECK-LABEL: func.func @dead_rows_replaced_twice
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>, %[[LO:.*]]: index, %[[HI:.*]]: index)
func.func @dead_rows_replaced_twice(%x: tensor<8x8xf32>, %lo: index, %hi: index) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = weft.keep_live %[[X]] over 0 from %[[LO]] to %[[HI]] else 1.000000e+00
  // CHECK-NEXT: %[[Z:.*]] = weft.keep_live %[[X]] over 0 from %[[LO]] to %[[HI]] else 2.000000e+00
  // CHECK-NEXT: %[[W:.*]] = weft.keep_live %[[Y]] over 1 from %[[LO]] to %[[HI]] else 1.000000e+00
  // CHECK-NEXT: return %[[Z]], %[[W]]
  %y = weft.keep_live %x over 0 from %lo to %hi else 1.0 : tensor<8x8xf32>
  %z = weft.keep_live %y over 0 from %lo to %hi else 2.0 : tensor<8x8xf32>
  %w = weft.keep_live %y over 1 from %lo to %hi else 1.0 : tensor<8x8xf32>
  return %z, %w : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @windows_without_bounds
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>
func.func @windows_without_bounds(%x: tensor<8x8xf32>, %p: index, %i: tensor<8xi32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[M:.*]] = weft.mask_window %[[X]] window [*, *]
  // CHECK-NEXT: return %[[X]], %[[M]]
  %a = weft.mask_window %x window [*, *] rows %p cols %p : tensor<8x8xf32>
  %b = weft.mask_window %x window [*, *] rows %p cols %p causal(%i, %i : tensor<8xi32>, tensor<8xi32>) : tensor<8x8xf32>
  return %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
