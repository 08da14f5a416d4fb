// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --wtile-assign-layouts --split-input-file --verify-diagnostics
// RUN: not weft-opt %s --wtile-assign-layouts=warps=3 --split-input-file 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not weft-opt %s --wtile-assign-layouts=warps=32 --split-input-file 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not weft-opt %s --wtile-assign-layouts=warps=-4 --split-input-file 2>&1 | FileCheck %s --check-prefix=FEW

// THREE: error: wtile-assign-layouts has warps = 3: a block has 1, 2, 4, 8 or 16 warps
// MANY: error: wtile-assign-layouts has warps = 32: a block has 1, 2, 4, 8 or 16 warps
// FEW: error: wtile-assign-layouts has warps = -4: a block has 1, 2, 4, 8 or 16 warps

wtile.kernel @reshaped axes 0 {
^program(%x: memref<16x16xf32>, %y: memref<256xf32>):
  %t = wtile.load %x : memref<16x16xf32> -> tensor<16x16xf32>
  // expected-error @below {{'tensor.collapse_shape' op has no layout rule: a tile is made by ops of the tile stage}}
  %c = tensor.collapse_shape %t [[0, 1]] : tensor<16x16xf32> into tensor<256xf32>
  wtile.store %c, %y : tensor<256xf32>, memref<256xf32>
}

// -----

wtile.kernel @numbers axes 0 {
^program(%y: memref<4xf32>):
  // expected-error @below {{'arith.constant' op of 'tensor<4xf32>' has more than one number: on tiles a constant is one number in every element}}
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  wtile.store %c, %y : tensor<4xf32>, memref<4xf32>
}

// -----

wtile.kernel @elements axes 0 {
^program(%a: f32, %b: f32, %y: memref<2xf32>):
  // expected-error @below {{'tensor.from_elements' op of 'tensor<2xf32>' has more than one number: on tiles a constant is one number in every element}}
  %c = tensor.from_elements %a, %b : tensor<2xf32>
  wtile.store %c, %y : tensor<2xf32>, memref<2xf32>
}

// -----

wtile.kernel @three_by_three axes 0 {
^program(%x: memref<3x3xf32>, %y: memref<3x3xf32>):
  // expected-error @below {{'wtile.load' op has a tile of shape [3, 3] of which register 0 has coordinate 3 in a dim of size 3: a register lies inside the tile}}
  %t = wtile.load %x : memref<3x3xf32> -> tensor<3x3xf32>
  wtile.store %t, %y : tensor<3x3xf32>, memref<3x3xf32>
}
