// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --wtile-lower-to-loops --split-input-file --verify-diagnostics

func.func @shared(%b: !wtile.shared<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'wtile.load_shared' op has a value of type '!wtile.shared<8x8xf32>': the CPU executes the tile stage before layouts are assigned}}
  %t = wtile.load_shared %b : !wtile.shared<8x8xf32> -> tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}

// -----

func.func @barrier() {
  // expected-error @below {{'wtile.barrier' op orders threads: the CPU executes the tile stage before layouts are assigned}}
  wtile.barrier
  return
}

// -----

#lanes = #wtile.layout<[32] register [] lane [[1], [2], [4], [8], [16]] warp []>
func.func @layout() {
  // expected-error-re @below {{'wtile.coordinate' op has a value of type 'tensor<32xi32, {{.+}}>': the CPU executes the tile stage before layouts are assigned}}
  %t = wtile.coordinate 0 : tensor<32xi32, #lanes>
  return
}

// -----

func.func @stack(%s: !wtile.stack<7x8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'wtile.load_slot' op uses '!wtile.stack<7x8x8xf32>': a stack's slots are loaded and stored where the stack is made}}
  %t = wtile.load_slot %s[2] : !wtile.stack<7x8x8xf32> -> tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}

// -----

gpu.module @kernels {
  llvm.func @fill()
}
func.func @lowered(%n: index, %x: tensor<?xf32>) {
  // expected-error @below {{'wtile.launch' op of @kernels::@fill: the CPU executes kernels of the tile stage, not those of a GPU module}}
  wtile.launch @kernels::@fill programs(%n) ins(%x : tensor<?xf32>)
  return
}
