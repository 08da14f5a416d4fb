// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --weft-lower-body --split-input-file --verify-diagnostics

// Ops that are no body ops have their own passes.
func.func @dense_elements(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'weft.combine' op has no lowering to loops at this place: weft-lower-body takes body ops outside kernels}}
  %m = weft.combine #weft.sum later(%a : tensor<8xf32>) earlier(%a : tensor<8xf32>) numerics<in = f32, acc = f32>
  return %m : tensor<8xf32>
}
