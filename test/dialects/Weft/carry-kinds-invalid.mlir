// RUN: weft-opt %s --split-input-file --verify-diagnostics

// Kinds and numerics that cannot be: found while the attribute is read.

func.func @acc_of_half_precision(%a: tensor<4x4xf32>) -> tensor<4x4xf64> {
  // expected-error @below {{numerics with in = bf16 accumulates in 'f64': acc is f64 with in = f64 and f32 with every other precision [N1]}}
  %c = weft.dot %a, %a over [1, 0] numerics<in = bf16, acc = f64> : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf64>
  return %c : tensor<4x4xf64>
}

// -----

// expected-error @below {{#weft.fenwick has inner kind #weft.online_softmax: a stack holds states of one tensor whose act is affine [C13]}}
func.func private @stack_of_softmax() attributes {kind = #weft.fenwick<#weft.online_softmax>}

// -----

// expected-error @below {{#weft.region<@f> has an empty identity: the identity holds one float number per state tensor [C15]}}
func.func private @no_identity() attributes {kind = #weft.region<@f identity []>}

// -----

// expected-error @below {{#weft.region<@f> has identity 0 : i32: the identity holds one float number per state tensor [C15]}}
func.func private @integer_identity() attributes {kind = #weft.region<@f identity [0 : i32]>}

// -----

func.func @memory_of_three_dims(%x: tensor<?x8xf32>, %T: index, %s0: tensor<2x8x4xf32>, %w: tensor<16x8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'weft.chunked' op carry #0: #weft.affine has a state of type 'tensor<2x8x4xf32>': the state of an affine memory is [K, V] or [K] [C4]}}
  %r = weft.chunked rows %c0 to %T by 16 slices(%x : tensor<?x8xf32>) carries(%s0 : tensor<2x8x4xf32>) as [#weft.affine] {
  ^chunk(%n: index, %lo: index, %hi: index, %a: tensor<16x8xf32>, %s: tensor<2x8x4xf32>):
    %e = weft.affine_element term(write(%a : tensor<16x8xf32>) erase(%a : tensor<16x8xf32>)) numerics<in = f32, acc = f32>
    weft.next carry(%e : !weft.element<#weft.affine>)
  }
  return
}

// -----

func.func private @pair(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  return %a1, %b2 : f32, f32
}
func.func @states_of_two_shapes(%T: index, %s0: tensor<8xf32>, %t0: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'weft.chunked' op carry #0: #weft.region<@pair> has a state tensor of type 'tensor<4xf32>' and identity 0.000000e+00 : f32: state tensors have one shape and the identities' types [C16]}}
  %r:2 = weft.chunked rows %c0 to %T by 16 carries(%s0, %t0 : tensor<8xf32>, tensor<4xf32>) as [#weft.region<@pair identity [0.0 : f32, 0.0 : f32]>] {
  ^chunk(%n: index, %lo: index, %hi: index, %s: tensor<8xf32>, %t: tensor<4xf32>):
    %e = weft.region_element %s, %t : tensor<8xf32>, tensor<4xf32> -> !weft.element<#weft.region<@pair identity [0.0 : f32, 0.0 : f32]>>
    weft.next carry(%e : !weft.element<#weft.region<@pair identity [0.0 : f32, 0.0 : f32]>>)
  }
  return
}
