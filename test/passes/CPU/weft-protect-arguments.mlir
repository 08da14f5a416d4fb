// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-protect-arguments)" | FileCheck %s
// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-protect-arguments,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map})" | FileCheck %s --check-prefix=BUFFERS

// An argument of a public function is not written: the update works on a copy.
// CHECK-LABEL: func.func @updated(
// CHECK-SAME:    tensor<8xf32> {bufferization.writable = false}
// BUFFERS-LABEL: func.func @updated(
// BUFFERS-SAME:    %[[X:.+]]: memref<8xf32>
// BUFFERS:         %[[COPY:.+]] = memref.alloc()
// BUFFERS:         memref.copy %[[X]], %[[COPY]]
// BUFFERS:         memref.store {{.*}}, %[[COPY]]
func.func @updated(%x: tensor<8xf32>, %i: index, %v: f32) -> tensor<8xf32> {
  %y = tensor.insert %v into %x[%i] : tensor<8xf32>
  return %y : tensor<8xf32>
}

// Scalars have no buffer; callers of a private function are all in sight.
// CHECK-LABEL: func.func private @inner(
// CHECK-NOT:     writable
// BUFFERS-LABEL: func.func private @inner(
// BUFFERS-SAME:    %[[X:.+]]: memref<8xf32>
// BUFFERS-NOT:     memref.alloc
// BUFFERS:         memref.store {{.*}}, %[[X]]
func.func private @inner(%x: tensor<8xf32>, %i: index, %v: f32) -> tensor<8xf32> {
  %y = tensor.insert %v into %x[%i] : tensor<8xf32>
  return %y : tensor<8xf32>
}
