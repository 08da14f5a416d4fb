// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %weft_opt_both %s --pass-pipeline="builtin.module(weft-bufferize-to-llvm)" | FileCheck %s

// Nothing above the llvm dialect is left, no 16-bit float is converted by an instruction that the
// backend would turn into a call, and log1p is the library's.
// CHECK-LABEL: llvm.func @rounded_log(
// CHECK-NOT:     fptrunc {{.*}} to bf16
// CHECK-NOT:     fpext {{.*}}bf16
// CHECK:         llvm.call @log1pf
// CHECK-NOT:     unrealized_conversion_cast
func.func @rounded_log(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %y = math.log1p %x : tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// The state of a loop is one buffer, allocated outside it, and the results alone are not freed.
// CHECK-LABEL: llvm.func @accumulate(
// CHECK-COUNT-1: llvm.call @malloc
// CHECK-NOT:     llvm.call @malloc
// CHECK-NOT:     llvm.call @free
func.func @accumulate(%x: tensor<?x16xf32>, %n: index) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : tensor<?x16xf32> to tensor<16xf32>
    %t = arith.addf %s, %row : tensor<16xf32>
    scf.yield %t : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}
