// RUN: weft-opt %s --canonicalize | FileCheck %s

// A kernel that nobody reads is dead.
// CHECK-LABEL: func @dead_kernel
// CHECK-NEXT: return
func.func @dead_kernel(%x: tensor<8xf32>, %init: tensor<?x8xf32>, %B: index) {
  %r = weft.kernel @k programs(%B) outs(%init : tensor<?x8xf32>) {
  ^program(%b: index):
    weft.place %x into [%b, *] : tensor<8xf32>
  }
  return
}

// CHECK-LABEL: func @kernel_without_programs
// CHECK-SAME: %{{.*}}: tensor<8xf32>, %[[INIT:.*]]: tensor<?x8xf32>
// CHECK-NEXT: return %[[INIT]]
func.func @kernel_without_programs(%x: tensor<8xf32>, %init: tensor<?x8xf32>, %B: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %r = weft.kernel @k programs(%B, %c0) outs(%init : tensor<?x8xf32>) {
  ^program(%b: index, %h: index):
    weft.place %x into [%b, *] : tensor<8xf32>
  }
  return %r : tensor<?x8xf32>
}

// The second of three results is not placed; the ops that made it are gone.
// CHECK-LABEL: func @unused_result
// CHECK-NEXT: %[[R:.*]]:2 = weft.kernel @k programs(%{{.*}}) outs(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<?x16x8xf32>, tensor<8x?xf32>) {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK-NEXT: weft.place %{{[a-z0-9]+}} into [%[[B]], *, *] rows(%{{.*}} live %[[B]] to %{{.*}} : tensor<16xi32>), %{{[a-z0-9]+}} into [*, %[[B]]] if %{{.*}} : tensor<16x8xf32>, tensor<8xf32>
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @unused_result(%x: tensor<8xf32>, %m: tensor<16x8xf32>, %rows: tensor<16xi32>, %c: i1, %i0: tensor<?x16x8xf32>, %i1: tensor<?x8xf32>,
                         %i2: tensor<8x?xf32>, %B: index) -> (tensor<?x16x8xf32>, tensor<8x?xf32>) {
  %r:3 = weft.kernel @k programs(%B) outs(%i0, %i1, %i2 : tensor<?x16x8xf32>, tensor<?x8xf32>, tensor<8x?xf32>) {
  ^program(%b: index):
    %y = arith.addf %x, %x : tensor<8xf32>
    weft.place %m into [%b, *, *] rows(%rows live %b to %B : tensor<16xi32>), %y into [%b, *] if %c, %x into [*, %b] if %c
        : tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#2 : tensor<?x16x8xf32>, tensor<8x?xf32>
}

// CHECK-LABEL: func @loop_over_nothing
// CHECK-SAME: %{{.*}}: tensor<?x8xf32>, %[[Y:.*]]: tensor<?x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[T:.*]]: index
// CHECK-NOT: weft.chunked
// CHECK: return %[[Y]], %[[S]], %[[S]]
func.func @loop_over_nothing(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %s: tensor<8xf32>, %T: index) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %r, %t = weft.chunked rows %T to %T by 16 slices(%x : tensor<?x8xf32>) carries(%s : tensor<8xf32>) as [#weft.sum] outs(%y : tensor<?x8xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %sc: tensor<8xf32>):
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next out(%xc : tensor<16x8xf32>) carry(%e : !weft.element<#weft.sum>)
  }
  %u = weft.chunked rows %c5 to %c4 by 16 slices(%x : tensor<?x8xf32>) carries(%s : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %sc: tensor<8xf32>):
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %r, %t, %u : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// One row is a row.
// CHECK-LABEL: func @loop_over_a_row
// CHECK: weft.chunked
func.func @loop_over_a_row(%x: tensor<?x8xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %u = weft.chunked rows %c4 to %c5 by 16 slices(%x : tensor<?x8xf32>) carries(%s : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %sc: tensor<8xf32>):
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %u : tensor<8xf32>
}

// Of three carries the body reads the first and the caller the third; the second goes with the slice that made its
// element, and the output that nobody reads. The slice written twice is cut once.
// CHECK-LABEL: func @unused_parts
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[Z:.*]]: tensor<?x8xf32>, %[[Y:.*]]: tensor<?x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[H:.*]]: tensor<8x8xf32>
// CHECK: %[[R:.*]]:3 = weft.chunked rows %{{.*}} to %{{.*}} by 16 descending slices(%[[X]] : tensor<?x8xf32>)
// CHECK-SAME: carries(%[[S]], %[[H]] : tensor<8xf32>, tensor<8x8xf32>) as [#weft.sum, #weft.affine] outs(%[[Y]] : tensor<?x8xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[ROWS:.*]]: tensor<16x8xf32>, %[[STATE:.*]]: tensor<8xf32>, %{{.*}}: tensor<8x8xf32>):
// CHECK-NOT: math.exp
// CHECK: arith.mulf %[[ROWS]], %[[ROWS]]
// CHECK: weft.next out(%{{[0-9]+}} : tensor<16x8xf32>) carry(%{{[0-9]+}}, %{{[0-9]+}} : !weft.element<#weft.sum>, !weft.element<#weft.affine>)
// CHECK: return %[[R]]#0, %[[R]]#2
func.func @unused_parts(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %y: tensor<?x8xf32>, %s: tensor<8xf32>, %h: tensor<8x8xf32>, %T: index)
    -> (tensor<?x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %r:5 = weft.chunked rows %c0 to %T by 16 descending slices(%x, %z, %x : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
      carries(%s, %s, %h : tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>) as [#weft.sum, #weft.sum, #weft.affine]
      outs(%y, %y : tensor<?x8xf32>, tensor<?x8xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %zc: tensor<16x8xf32>, %xd: tensor<16x8xf32>, %s0: tensor<8xf32>,
         %s1: tensor<8xf32>, %hc: tensor<8x8xf32>):
    %square = arith.mulf %xc, %xd : tensor<16x8xf32>
    %all = weft.sum %square over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %exp = math.exp %zc : tensor<16x8xf32>
    %other = weft.sum %exp over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %before = weft.broadcast %s0 to [1] : tensor<8xf32> -> tensor<16x8xf32>
    %sum = arith.addf %before, %xd : tensor<16x8xf32>
    %e0 = weft.sum_element %all : tensor<8xf32>
    %e1 = weft.sum_element %other : tensor<8xf32>
    %e2 = weft.affine_element term(write(%xc : tensor<16x8xf32>) value(%sum : tensor<16x8xf32>)) numerics<in = f32, acc = f32>
    weft.next out(%exp, %sum : tensor<16x8xf32>, tensor<16x8xf32>) carry(%e0, %e1, %e2 : !weft.element<#weft.sum>, !weft.element<#weft.sum>, !weft.element<#weft.affine>)
  }
  return %r#1, %r#4 : tensor<?x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func @size_is_known
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: arith.muli %{{.*}}, %[[C16]]
func.func @size_is_known(%s: tensor<16x16xf32>, %y: tensor<?x16xf32>, %T: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %r = weft.chunked rows %c0 to %T by 16 as [] outs(%y : tensor<?x16xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index):
    %C = weft.chunk_size
    %first = arith.muli %n, %C : index
    %m = weft.mask_window %s window [*, 0] rows %first cols %c0 : tensor<16x16xf32>
    weft.next out(%m : tensor<16x16xf32>)
  }
  return %r : tensor<?x16xf32>
}
