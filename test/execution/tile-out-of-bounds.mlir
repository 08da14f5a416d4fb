// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses of the tile stage to rows that are not there end the run with their place.

// RUN: weft-run %s --function=load --size=N=16 --input x=normal | FileCheck %s --check-prefix=INSIDE
// INSIDE: y
// RUN: not weft-run %s --function=load --size=N=15 --input x=normal 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: rows of 'wtile.load' at {{.*}}tile-out-of-bounds.mlir:[[#@LINE+9]]:8: it takes 16 entries from 0 on, of 15
// RUN: not weft-run %s --function=take --input x=normal --input columns=4 2>&1 | FileCheck %s --check-prefix=TAKE
// TAKE: a column of 'wtile.take' at {{.*}}tile-out-of-bounds.mlir:[[#@LINE+19]]:8: it takes 1 entries from 4 on, of 4
// RUN: not weft-run %s --function=view --size=N=3 --input x=normal 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: dim 0 of 'memref.subview' at {{.*}}tile-out-of-bounds.mlir:[[#@LINE+23]]:8: it takes 4 entries from 0 on, of 3
wtile.kernel @copy axes 0 {
^program(%x: memref<?x4xf32, strided<[?, 1]>>, %y: memref<16x4xf32, strided<[?, 1]>>):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %t = wtile.load %x[%c0] live(%c0, %c16) : memref<?x4xf32, strided<[?, 1]>> -> tensor<16x4xf32>
  wtile.store %t, %y : tensor<16x4xf32>, memref<16x4xf32, strided<[?, 1]>>
}

func.func @load(%x: tensor<?x4xf32> {weft.name = "x", weft.dims = ["N", "D"]}) -> (tensor<16x4xf32> {weft.name = "y"}) {
  %init = tensor.empty() : tensor<16x4xf32>
  %y = wtile.launch @copy programs() ins(%x : tensor<?x4xf32>) outs(%init : tensor<16x4xf32>)
  return %y : tensor<16x4xf32>
}

func.func @take(%x: tensor<2x4xf32> {weft.name = "x"}, %columns: tensor<2x2xi32> {weft.name = "columns"})
    -> (tensor<2x2xf32> {weft.name = "y"}) {
  %y = wtile.take %x[%columns] : tensor<2x4xf32>, tensor<2x2xi32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

wtile.kernel @part axes 0 {
^program(%x: memref<?x4xf32, strided<[?, 1]>>, %y: memref<4x4xf32, strided<[?, 1]>>):
  %v = memref.subview %x[0, 0] [4, 4] [1, 1] : memref<?x4xf32, strided<[?, 1]>> to memref<4x4xf32, strided<[?, 1]>>
  %t = wtile.load %v : memref<4x4xf32, strided<[?, 1]>> -> tensor<4x4xf32>
  wtile.store %t, %y : tensor<4x4xf32>, memref<4x4xf32, strided<[?, 1]>>
}

func.func @view(%x: tensor<?x4xf32> {weft.name = "x", weft.dims = ["N", "D"]}) -> (tensor<4x4xf32> {weft.name = "y"}) {
  %init = tensor.empty() : tensor<4x4xf32>
  %y = wtile.launch @part programs() ins(%x : tensor<?x4xf32>) outs(%init : tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
