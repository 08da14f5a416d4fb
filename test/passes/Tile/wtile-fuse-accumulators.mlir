// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(wtile-fuse-accumulators)" | FileCheck %s

// An addition on either side, of a chain of products: the first of them starts from the other addend. The chain goes
// to where the addend is known.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[A:.+]]: tensor<16x16xf16>, %[[X:.+]]: tensor<16x16xf32>)
// CHECK:         %[[P:.+]] = wtile.mma %[[A]], %[[A]], %[[X]] over [1, 0] :
// CHECK:         %[[Y:.+]] = math.exp %[[P]]
// CHECK:         %[[Q1:.+]] = wtile.mma %[[A]], %[[A]], %[[Y]] over [0, 0] :
// CHECK-NEXT:    %[[Q2:.+]] = wtile.mma %[[A]], %[[A]], %[[Q1]] over [0, 1] :
// CHECK-NEXT:    return %[[Q2]]
// CHECK-NOT:     arith.addf
func.func @sums(%a: tensor<16x16xf16>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %q1 = wtile.mma %a, %a, %zero over [0, 0] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %q2 = wtile.mma %a, %a, %q1 over [0, 1] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %p = wtile.mma %a, %a, %zero over [1, 0] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %x, %p : tensor<16x16xf32>
  %y = math.exp %s : tensor<16x16xf32>
  %z = arith.addf %q2, %y : tensor<16x16xf32>
  return %z : tensor<16x16xf32>
}

// x - a b subtracts the product, x - (- a b) adds it, and -0 is a zero to start from.
// CHECK-LABEL: func.func @differences(
// CHECK-SAME:    %[[A:.+]]: tensor<16x16xf16>, %[[X:.+]]: tensor<16x16xf32>)
// CHECK:         %[[P:.+]] = wtile.mma %[[A]], %[[A]], %[[X]] over [1, 0] subtract :
// CHECK-NEXT:    %[[Q:.+]] = wtile.mma %[[A]], %[[A]], %[[P]] over [0, 0] :
// CHECK-NEXT:    return %[[Q]]
func.func @differences(%a: tensor<16x16xf16>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<-0.0> : tensor<16x16xf32>
  %p = wtile.mma %a, %a, %zero over [1, 0] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %y = arith.subf %x, %p : tensor<16x16xf32>
  %q = wtile.mma %a, %a, %zero over [0, 0] subtract : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %z = arith.subf %y, %q : tensor<16x16xf32>
  return %z : tensor<16x16xf32>
}

// It declines where the product, or a part of it, has another user; where it is what is subtracted from; where it does
// not start from zero; where both addends are the product; and where the sum stands in a loop that the product does not.
// CHECK-LABEL: func.func @declined(
// CHECK-COUNT-5: arith.{{addf|subf}}
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:         return
func.func @declined(%a: tensor<16x16xf16>, %x: tensor<16x16xf32>, %n: index)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %shared = wtile.mma %a, %a, %zero over [1, 0] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %0 = arith.addf %x, %shared : tensor<16x16xf32>
  %part = wtile.mma %a, %a, %zero over [0, 0] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %whole = wtile.mma %a, %a, %part over [0, 1] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %1 = arith.addf %x, %whole : tensor<16x16xf32>
  %negative = wtile.mma %a, %a, %zero over [1, 1] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %2 = arith.subf %negative, %x : tensor<16x16xf32>
  %started = wtile.mma %a, %a, %x over [1, 1] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %3 = arith.addf %x, %started : tensor<16x16xf32>
  %twice = wtile.mma %a, %a, %zero over [1, 1] subtract : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %4 = arith.addf %twice, %twice : tensor<16x16xf32>
  %outside = wtile.mma %a, %a, %zero over [0, 1] subtract : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %5 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<16x16xf32> {
    %more = arith.addf %s, %outside : tensor<16x16xf32>
    scf.yield %more : tensor<16x16xf32>
  }
  return %0, %1, %2, %3, %4, %5, %shared, %part
      : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
