// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: weft-opt %s --wtile-outline-kernels --split-input-file --verify-diagnostics

func.func @rows_used_again(%x: tensor<?x8xf32>, %T: index, %y0: tensor<?x8xf32>, %z0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %y, %z = weft.kernel @k programs() outs(%y0, %z0 : tensor<?x8xf32>, tensor<16x8xf32>) {
    // expected-error @below {{the tensor of 'weft.chunked' has no place in global memory: row outputs of a loop are placed as they are}}
    %rows = weft.chunked rows %c0 to %T by 16 slices(%x : tensor<?x8xf32>) as [] outs(%y0 : tensor<?x8xf32>) {
    ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>):
      weft.next out(%xc : tensor<16x8xf32>)
    }
    %first = tensor.extract_slice %rows[0, 0] [16, 8] [1, 1] : tensor<?x8xf32> to tensor<16x8xf32>
    weft.place %rows into [*, *], %first into [*, *] : tensor<?x8xf32>, tensor<16x8xf32>
  }
  return %z : tensor<16x8xf32>
}

// -----

func.func @empty_used(%T: index, %z0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %z = weft.kernel @k programs() outs(%z0 : tensor<16x8xf32>) {
    // expected-error @below {{the tensor of 'tensor.empty' has no place in global memory: row outputs of a loop are placed as they are}}
    %none = tensor.empty() : tensor<16x8xf32>
    %more = arith.addf %none, %none : tensor<16x8xf32>
    weft.place %more into [*, *] : tensor<16x8xf32>
  }
  return %z : tensor<16x8xf32>
}

// -----

func.func @whole(%x: tensor<?x8xf32>, %n: index, %z0: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %z = weft.kernel @k programs() outs(%z0 : tensor<?x8xf32>) {
    // expected-error @below {{a tensor of type 'tensor<?x8xf32>' is used whole by a program: what a program computes with has static sizes, longer tensors are cut into chunks}}
    %part = tensor.extract_slice %x[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %more = arith.addf %part, %part : tensor<?x8xf32>
    weft.place %more into [*, *] : tensor<?x8xf32>
  }
  return %z : tensor<?x8xf32>
}

// -----

func.func @computed_rows(%x: tensor<16x8xf32>, %rows: tensor<4xi32>, %z0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %z = weft.kernel @k programs() outs(%z0 : tensor<4x8xf32>) {
    %more = arith.addf %x, %x : tensor<16x8xf32>
    // expected-error @below {{'weft.gather_rows' op reads a tensor that the program computes, of type 'tensor<16x8xf32>': rows are read from global memory}}
    %taken = weft.gather_rows %more[%rows] : tensor<16x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
    weft.place %taken into [*, *] : tensor<4x8xf32>
  }
  return %z : tensor<4x8xf32>
}

// -----

func.func @computed_slices(%x: tensor<16x8xf32>, %z0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %z = weft.kernel @k programs() outs(%z0 : tensor<16x8xf32>) {
    %more = arith.addf %x, %x : tensor<16x8xf32>
    // expected-error @below {{'weft.chunked' op reads a tensor that the program computes, of type 'tensor<16x8xf32>': rows are read from global memory}}
    %rows = weft.chunked rows %c0 to %c16 by 4 slices(%more : tensor<16x8xf32>) as [] outs(%z0 : tensor<16x8xf32>) {
    ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<4x8xf32>):
      weft.next out(%xc : tensor<4x8xf32>)
    }
    weft.place %rows into [*, *] : tensor<16x8xf32>
  }
  return %z : tensor<16x8xf32>
}

// -----

func.func @region(%x: tensor<8xf32>, %flag: i1, %z0: tensor<8xf32>) -> tensor<8xf32> {
  %z = weft.kernel @k programs() outs(%z0 : tensor<8xf32>) {
    // expected-error @below {{'scf.if' op stands in a program: a program of the tile stage is straight code around loops over chunks}}
    %either = scf.if %flag -> tensor<8xf32> {
      %more = arith.addf %x, %x : tensor<8xf32>
      scf.yield %more : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    weft.place %either into [*] : tensor<8xf32>
  }
  return %z : tensor<8xf32>
}

// -----

func.func @pad_before(%x: tensor<?xf32>, %n: index, %z0: tensor<8xf32>) -> tensor<8xf32> {
  %z = weft.kernel @k programs() outs(%z0 : tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{'tensor.pad' op stands in a program: padding there appends rows of one value, up to a static number}}
    %padded = tensor.pad %x low[%n] high[0] {
    ^pad(%slot: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<8xf32>
    weft.place %padded into [*] : tensor<8xf32>
  }
  return %z : tensor<8xf32>
}

// -----

func.func @pad_columns(%x: tensor<?x4xf32>, %n: index, %z0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = weft.kernel @k programs() outs(%z0 : tensor<8x8xf32>) {
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{'tensor.pad' op stands in a program: padding there appends rows of one value, up to a static number}}
    %padded = tensor.pad %x low[0, 0] high[%n, 4] {
    ^pad(%slot: index, %column: index):
      tensor.yield %zero : f32
    } : tensor<?x4xf32> to tensor<8x8xf32>
    weft.place %padded into [*, *] : tensor<8x8xf32>
  }
  return %z : tensor<8x8xf32>
}

// -----

func.func @scattered_rows(%x: tensor<?x8xf32>, %T: index, %order: tensor<16xi32>, %y0: tensor<16x8xf32>, %o0: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %y = weft.kernel @k programs() outs(%o0 : tensor<?x8xf32>) {
    %rows = weft.chunked rows %c0 to %c16 by 16 slices(%x : tensor<?x8xf32>) as [] outs(%y0 : tensor<16x8xf32>) {
    ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<16x8xf32>):
      weft.next out(%xc : tensor<16x8xf32>)
    }
    // expected-error @below {{'weft.place' op places rows of a loop over chunks by index: they are placed in order, and rows by index are made of a final state}}
    weft.place %rows into [*, *] rows(%order live %c0 to %c16 : tensor<16xi32>) : tensor<16x8xf32>
  }
  return %y : tensor<?x8xf32>
}
