// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(func.func(weft-lower-copies))" | FileCheck %s

// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32, strided<[?, 1], offset: ?>>, %[[Y:.+]]: memref<?x8xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%[[X]] : {{.*}}) outs(%[[Y]] : {{.*}})
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      linalg.yield %[[IN]]
func.func @strided(%x: memref<?x8xf32, strided<[?, 1], offset: ?>>, %y: memref<?x8xf32>) {
  memref.copy %x, %y : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<?x8xf32>
  return
}

// Contiguous on both sides: a memcpy.
// CHECK-LABEL: func.func @contiguous(
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    return
func.func @contiguous(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
  return
}
