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
