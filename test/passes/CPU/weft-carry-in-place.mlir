// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

// What an op makes in place needs no copy, unless something reads the carried tensor afterwards.

// CHECK-LABEL: func.func @before
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: %[[NEXT:.*]] = linalg.add
// CHECK-NEXT: scf.yield %[[NEXT]],
func.func @before(%n: index, %s: tensor<4xf32>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %o) -> (tensor<4xf32>, tensor<4xf32>) {
    %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %y = linalg.add ins(%o, %o : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @after
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: %[[NEXT:.*]] = linalg.add
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[A]]
// CHECK-NEXT: scf.yield %[[COPY]], %[[X]]
func.func @after(%n: index, %s: tensor<4xf32>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %o) -> (tensor<4xf32>, tensor<4xf32>) {
    %y = linalg.add ins(%o, %o : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// The reader stands in the other branch: it never runs after the update.

// CHECK-LABEL: func.func @branches
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @branches(%n: index, %c: i1, %x: f32, %s: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> tensor<4xf32> {
    %next = scf.if %c -> tensor<4xf32> {
      %p = tensor.insert %x into %a[%i] : tensor<4xf32>
      scf.yield %p : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
