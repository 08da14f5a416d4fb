// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt --weft-print-dim-classes %s 2>&1 | FileCheck %s

// Dims that a product contracts are one class, rows of slices, outputs and scores another.

// CHECK-LABEL: @scores
// CHECK: 32 feature, 4 dims
// CHECK: 16 rows, 6 dims
func.func @scores(%q: tensor<?x32xf32>, %k: tensor<?x32xf32>, %T: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %init = tensor.empty(%T) : tensor<?x16xf32>
  %o = weft.chunked rows %c0 to %T by 16 slices(%q, %k : tensor<?x32xf32>, tensor<?x32xf32>) as []
      outs(%init : tensor<?x16xf32>) {
  ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<16x32xf32>, %kc: tensor<16x32xf32>):
    %s = weft.dot %qc, %kc over [1, 1] numerics<in = f32, acc = f32>
        : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<16x16xf32>
    weft.next out(%s : tensor<16x16xf32>)
  }
  return %o : tensor<?x16xf32>
}

// A function without tensors has no classes.

// CHECK-LABEL: @none
// CHECK-NOT: #
func.func @none(%n: index) -> index {
  return %n : index
}
