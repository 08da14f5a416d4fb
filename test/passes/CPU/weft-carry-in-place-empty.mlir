// RUN: %weft_opt_both --pass-pipeline="builtin.module(weft-carry-in-place)" %s | FileCheck %s

// Two carried tensors that start from one tensor.empty get one each: bufferization would let
// them share a buffer, since contents of a tensor.empty count as undefined.

// CHECK-LABEL: func.func @both
// CHECK-DAG: %[[E0:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-DAG: %[[E1:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[E1]], %{{.*}} = %[[E0]])
func.func @both(%n: index, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %b = %e) -> (tensor<4xf32>, tensor<4xf32>) {
    %y = arith.addf %x, %x : f32
    %p = tensor.insert %x into %a[%i] : tensor<4xf32>
    %q = tensor.insert %y into %b[%i] : tensor<4xf32>
    scf.yield %p, %q : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A tensor.empty with one use stays where it is.

// CHECK-LABEL: func.func @one
// CHECK: tensor.empty()
// CHECK-NOT: tensor.empty()
// CHECK: return
func.func @one(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> tensor<4xf32> {
    %p = tensor.insert %x into %a[%i] : tensor<4xf32>
    scf.yield %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
