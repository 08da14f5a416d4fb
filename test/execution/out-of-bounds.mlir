// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows, slices and placements outside their tensors end a run with a diagnostic.
// RUN: weft-run %s --function=rows --size=t=32 | FileCheck %s --check-prefix=FITS
// RUN: not weft-run %s --function=rows --size=t=31 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not weft-run %s --function=place --size=t=3 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not weft-run %s --function=sizes --size=t=3,u=4 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: weft-run %s --function=product --size=t=3,u=3 | FileCheck %s --check-prefix=PRODUCT
// RUN: not weft-run %s --function=product --size=t=3,u=4000000 2>&1 | FileCheck %s --check-prefix=CONTRACTED
// RUN: not weft-run %s --function=outer --size=t=3,u=2 2>&1 | FileCheck %s --check-prefix=OUTER

// FITS: result s:
// ROWS: out-of-bounds.mlir:{{.*}}: error: 'rows' was stopped by slice #0 of 'weft.chunked' at {{.*}}out-of-bounds.mlir:[[@LINE+5]]:8: it takes 32 entries from 0 on, of 31
func.func @rows(%x: tensor<?x8xf32> {weft.name = "x", weft.dims = ["t", ""]}) -> (tensor<8xf32> {weft.name = "s"}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %s = weft.chunked rows %c0 to %c32 by 16 slices(%x : tensor<?x8xf32>) carries(%zero : tensor<8xf32>) as [#weft.sum] {
  ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>, %sc: tensor<8xf32>):
    %all = weft.sum %xc over 0 : tensor<16x8xf32> -> tensor<8xf32>
    %e = weft.sum_element %all : tensor<8xf32>
    weft.next carry(%e : !weft.element<#weft.sum>)
  }
  return %s : tensor<8xf32>
}

// PLACE: error: 'place' was stopped by dim 0 of value #0 of 'weft.place' at {{.*}}: it takes 1 entries from 3 on, of 3
func.func @place(%x: tensor<?x8xf32> {weft.name = "x", weft.dims = ["t", ""]}) -> (tensor<?x8xf32> {weft.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %init = tensor.empty(%t) : tensor<?x8xf32>
  %y = weft.kernel @place programs(%t) outs(%init : tensor<?x8xf32>) {
  ^program(%p: index):
    %row = tensor.extract_slice %x[%p, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
    %next = arith.addi %p, %c1 : index
    weft.place %row into [%next, *] : tensor<8xf32>
  }
  return %y : tensor<?x8xf32>
}

// SIZES: error: 'sizes' was stopped by dim 0 of 'arith.addf' at {{.*}}: sizes 3 and 4 differ
func.func @sizes(%x: tensor<?x8xf32> {weft.name = "x", weft.dims = ["t", ""]}, %y: tensor<?x8xf32> {weft.name = "y", weft.dims = ["u", ""]})
    -> (tensor<?x8xf32> {weft.name = "z"}) {
  %z = arith.addf %x, %y : tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// PRODUCT: result z:
// CONTRACTED: error: 'product' was stopped by dim 0 of an operand of 'weft.dot' at {{.*}}: sizes 3 and 4000000 differ
func.func @product(%x: tensor<8x?xf32> {weft.name = "x", weft.dims = ["", "t"]}, %y: tensor<?x8xf32> {weft.name = "y", weft.dims = ["u", ""]})
    -> (tensor<8x8xf32> {weft.name = "z"}) {
  %z = weft.dot %x, %y over [1, 0] numerics<in = f32, acc = f32> : tensor<8x?xf32>, tensor<?x8xf32> -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// OUTER: error: 'outer' was stopped by dim 0 of operand #1 of 'weft.outer' at {{.*}}: sizes 3 and 2 differ
func.func @outer(%x: tensor<?x4xf32> {weft.name = "x", weft.dims = ["t", ""]}, %y: tensor<?x8xf32> {weft.name = "y", weft.dims = ["u", ""]})
    -> (tensor<?x4x8xf32> {weft.name = "z"}) {
  %z = weft.outer %x, %y : tensor<?x4xf32>, tensor<?x8xf32> -> tensor<?x4x8xf32>
  return %z : tensor<?x4x8xf32>
}
