// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --canonicalize | FileCheck %s

// A scale of 1 and axes that are all there are not written.
// CHECK-LABEL: func @nothing_said
// CHECK:      decay(%arg1 in log : tensor<?x?x?xf32>)
// CHECK-NEXT: write(%arg0, %arg0 : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
// CHECK-NEXT: read(%arg0 : tensor<?x?x?x8xf32>)
// CHECK-NEXT: init(%arg2 : tensor<?x?x8x8xf32>)
func.func @nothing_said(%x: tensor<?x?x?x8xf32>, %g: tensor<?x?x?xf32>, %s: tensor<?x?x8x8xf32>) -> tensor<?x?x?x8xf32> {
  %o = weft.affine_scan over 1
      decay(%g in log along [b, t, h] : tensor<?x?x?xf32>)
      write(%x along [b, t, h, k], %x along [b, t, h, v] : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%x scale 1.0 along [b, t, h, k] : tensor<?x?x?x8xf32>)
      init(%s along [b, h, k, v] : tensor<?x?x8x8xf32>)
      -> tensor<?x?x?x8xf32>
  return %o : tensor<?x?x?x8xf32>
}

// Another scale and axes that are not all there stay.
// CHECK-LABEL: func @something_said
// CHECK: read(%arg1 scale 5.000000e-01 along [t, k] : tensor<?x8xf32>)
func.func @something_said(%x: tensor<?x?x?x8xf32>, %q: tensor<?x8xf32>) -> tensor<?x?x?x8xf32> {
  %o = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      read(%q scale 0.5 along [t, k] : tensor<?x8xf32>)
      -> tensor<?x?x?x8xf32>
  return %o : tensor<?x?x?x8xf32>
}

// Final states that nobody uses are not kept; a final normaliser keeps the
// state before it.
// CHECK-LABEL: func @final_states
// CHECK:     %[[O:.+]] = weft.affine_scan
// CHECK:     -> tensor<?x?x?x8xf32>{{$}}
// CHECK:     %{{.+}}, %[[S:.+]] = weft.affine_scan
// CHECK:     -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>{{$}}
// CHECK:     %{{.+}}, %{{.+}}, %[[Z:.+]] = weft.affine_scan
// CHECK:     -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>{{$}}
// CHECK:     return %[[O]], %[[S]], %[[Z]]
func.func @final_states(%x: tensor<?x?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>) {
  %o0, %s0, %z0 = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) read(%x : tensor<?x?x?x8xf32>) normalize(added 1.0)
      -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>
  %o1, %s1, %z1 = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) read(%x : tensor<?x?x?x8xf32>) normalize(added 2.0)
      -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>
  %o2, %s2, %z2 = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) read(%x : tensor<?x?x?x8xf32>) normalize(added 3.0)
      -> tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>
  return %o0, %s1, %z2 : tensor<?x?x?x8xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8xf32>
}

// An initial state of zeros is the default; with a normaliser both must be zero.
// CHECK-LABEL: func @zero_init
// CHECK:     weft.affine_scan
// CHECK-NOT: init
// CHECK:     weft.affine_scan
// CHECK:     init(
func.func @zero_init(%x: tensor<?x?x?x8xf32>, %B: index, %H: index, %z: tensor<?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = tensor.splat %zero[%B, %H] : tensor<?x?x8x8xf32>
  %z0 = tensor.splat %zero[%B, %H] : tensor<?x?x8xf32>
  %o0 = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) read(%x : tensor<?x?x?x8xf32>)
      normalize(added 1.0) init(%s, %z0 : tensor<?x?x8x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %o1 = weft.affine_scan over 1
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) read(%x : tensor<?x?x?x8xf32>)
      normalize(added 1.0) init(%s, %z : tensor<?x?x8x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return %o0, %o1 : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}

// A decay of 1, in either space, is none.
// CHECK-LABEL: func @unit_decay
// CHECK-NOT: decay
// CHECK:     return
func.func @unit_decay(%x: tensor<?x?x4x8xf32>) -> (tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<2x8xf32>
  %o0 = weft.affine_scan over 1
      decay(%one in linear along [h] : tensor<4xf32>)
      write(%x, %x : tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>) read(%x : tensor<?x?x4x8xf32>) -> tensor<?x?x4x8xf32>
  %o1 = weft.affine_scan over 1
      decay(%zero in log2 along [h, k] : tensor<2x8xf32>)
      write(%x, %x : tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>) read(%x : tensor<?x?x4x8xf32>) -> tensor<?x?x4x8xf32>
  return %o0, %o1 : tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>
}

// A decay that alone says how many steps there are, or one that is not 1, stays.
// CHECK-LABEL: func @needed_decay
// CHECK: decay(%{{.+}} in linear along [t] : tensor<9xf32>)
// CHECK: decay(%{{.+}} in log along [h] : tensor<1xf32>)
func.func @needed_decay(%p: tensor<?x?x8xf32>, %x: tensor<?x?x?x8xf32>) -> (tensor<?x9x?x8xf32>, tensor<?x?x?x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<9xf32>
  %other = arith.constant dense<1.0> : tensor<1xf32>
  %o0 = weft.affine_scan over 1
      decay(%one in linear along [t] : tensor<9xf32>)
      write(%p along [b, h, k], %p along [b, h, v] : tensor<?x?x8xf32>, tensor<?x?x8xf32>)
      read(%p along [b, h, k] : tensor<?x?x8xf32>) -> tensor<?x9x?x8xf32>
  %o1 = weft.affine_scan over 1
      decay(%other in log along [h] : tensor<1xf32>)
      write(%x, %x : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) read(%x : tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return %o0, %o1 : tensor<?x9x?x8xf32>, tensor<?x?x?x8xf32>
}

// CHECK-LABEL: func @sums
// CHECK: %[[Y:.+]] = weft.prefix_sum %arg0 over 1 : tensor<2x?x3xf32> -> tensor<2x?x3xf32>
// CHECK: %[[Z:.+]], %[[T:.+]] = weft.prefix_sum %arg0 over 1 init(%arg1 : tensor<2x3xf32>)
// CHECK: return %[[Y]], %[[Z]], %[[T]]
func.func @sums(%x: tensor<2x?x3xf32>, %s: tensor<2x3xf32>) -> (tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x3xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %y, %t0 = weft.prefix_sum %x over 1 init(%zero : tensor<2x3xf32>) : tensor<2x?x3xf32> -> tensor<2x?x3xf32>, tensor<2x3xf32>
  %z, %t1 = weft.prefix_sum %x over 1 init(%s : tensor<2x3xf32>) : tensor<2x?x3xf32> -> tensor<2x?x3xf32>, tensor<2x3xf32>
  return %y, %z, %t1 : tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x3xf32>
}

// Sums of zeros are the zeros, but not with something added.
// CHECK-LABEL: func @sums_of_zeros
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<2x5x3xf32>
// CHECK: %[[Z:.+]] = weft.prefix_sum %[[ZERO]] over 1 init(%arg0 : tensor<2x3xf32>)
// CHECK: return %[[ZERO]], %[[Z]]
func.func @sums_of_zeros(%s: tensor<2x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x3xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x5x3xf32>
  %y = weft.prefix_sum %zero over 1 exclusive : tensor<2x5x3xf32> -> tensor<2x5x3xf32>
  %z = weft.prefix_sum %zero over 1 init(%s : tensor<2x3xf32>) : tensor<2x5x3xf32> -> tensor<2x5x3xf32>
  return %y, %z : tensor<2x5x3xf32>, tensor<2x5x3xf32>
}

// Inits that are the identity are the default; totals that nobody uses are not
// kept, one that is used keeps them all.
// CHECK-LABEL: func @combinations
// CHECK: weft.associative_scan over 1(%arg0 : tensor<2x?x3xf32>) identity [1.000000e+00 : f32] -> (tensor<2x?x3xf32>) {
// CHECK: weft.associative_scan over 1(%arg0, %arg0 : tensor<2x?x3xf32>, tensor<2x?x3xf32>) identity [0.000000e+00 : f32, 0.000000e+00 : f32] init(%{{.+}}, %{{.+}} : tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x?x3xf32>, tensor<2x?x3xf32>), (tensor<2x3xf32>, tensor<2x3xf32>) {
func.func @combinations(%x: tensor<2x?x3xf32>) -> (tensor<2x?x3xf32>, tensor<2x3xf32>) {
  %one = arith.constant dense<1.0> : tensor<2x3xf32>
  %y, %t = weft.associative_scan over 1 (%x : tensor<2x?x3xf32>) identity [1.0 : f32] init(%one : tensor<2x3xf32>)
      -> (tensor<2x?x3xf32>), (tensor<2x3xf32>) {
  ^combine(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    weft.yield %c : f32
  }
  %z:4 = weft.associative_scan over 1 (%x, %x : tensor<2x?x3xf32>, tensor<2x?x3xf32>) identity [0.0 : f32, 0.0 : f32]
      init(%one, %one : tensor<2x3xf32>, tensor<2x3xf32>)
      -> (tensor<2x?x3xf32>, tensor<2x?x3xf32>), (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^combine(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.addf %a, %c : f32
    %f = arith.addf %b, %d : f32
    weft.yield %e, %f : f32, f32
  }
  return %y, %z#3 : tensor<2x?x3xf32>, tensor<2x3xf32>
}

// A group does not pass on what is made outside, nor what nobody uses.
// CHECK-LABEL: func @groups
// CHECK:      %[[Y:.+]] = weft.group @fused attributes {note = 1 : i64} -> tensor<?x?x?x8xf32> {
// CHECK-NEXT:   %[[E:.+]] = math.exp %arg0
// CHECK-NEXT:   weft.yield %[[E]] : tensor<?x?x?x8xf32>
// CHECK:      return %arg1, %[[Y]]
func.func @groups(%x: tensor<?x?x?x8xf32>, %y: tensor<?x?x?x8xf32>) -> (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) {
  %r:3 = weft.group @fused attributes {note = 1 : i64} -> tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32> {
    %e = math.exp %x : tensor<?x?x?x8xf32>
    %f = math.exp %y : tensor<?x?x?x8xf32>
    weft.yield %y, %e, %f : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  }
  return %r#0, %r#1 : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
}

// A group without results goes.
// CHECK-LABEL: func @empty_group
// CHECK-NOT: weft.group
// CHECK:     return %arg0
func.func @empty_group(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = weft.group @gone -> tensor<?xf32> {
    weft.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Checks that hold go, those that cannot hold stay.
// CHECK-LABEL: func @checks
// CHECK-NEXT:  %[[C3:.+]] = arith.constant 3 : index
// CHECK-NEXT:  %[[C6:.+]] = arith.constant 6 : index
// CHECK-NEXT:  weft.check %arg0 equals %arg1, "a"
// CHECK-NEXT:  weft.check %[[C6]] divides %[[C3]], "b"
// CHECK-NEXT:  weft.check %[[C3]] divides %arg0, "c"
// CHECK-NEXT:  return
func.func @checks(%a: index, %b: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  weft.check %a equals %b, "a"
  weft.check %a equals %a, "gone"
  weft.check %c3 equals %c3, "gone"
  weft.check %c3 divides %c6, "gone"
  weft.check %c1 divides %a, "gone"
  weft.check %c6 divides %c3, "b"
  weft.check %c3 divides %a, "c"
  return
}
