// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A first-order recurrence, channel by channel, from an initial value.
//
//   h_t = a_t h_{t-1} + b_t
//
// as an associative scan of the pairs (a, b): a step after another is
// (a1, b1), (a2, b2) -> (a1 a2, a2 b1 + b2).
//
// Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.4.
// The recurrence of minimal recurrent networks (Feng et al., arXiv 2410.01201) and of
// diagonal state spaces.

func.func @first_order_scan(
    %a: tensor<?x?x?x64xf32> {weft.name = "a", weft.dims = ["B", "T", "H", "K"], weft.input = "uniform"},
    %b: tensor<?x?x?x64xf32> {weft.name = "b", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %h0: tensor<?x?x64xf32> {weft.name = "h0", weft.dims = ["B", "H", "K"], weft.input = "normal"})
    -> (tensor<?x?x?x64xf32> {weft.name = "h", weft.dims = ["B", "T", "H", "K"]},
        tensor<?x?x64xf32> {weft.name = "last", weft.dims = ["B", "H", "K"]}) {
  // The initial value as a step: (1, h0).
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = weft.broadcast %one to [] like(%h0 : tensor<?x?x64xf32>) : tensor<f32> -> tensor<?x?x64xf32>
  %p, %h, %product, %last = weft.associative_scan over 1 (%a, %b : tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>)
      identity [1.0 : f32, 0.0 : f32] init(%ones, %h0 : tensor<?x?x64xf32>, tensor<?x?x64xf32>)
      -> (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>), (tensor<?x?x64xf32>, tensor<?x?x64xf32>) {
  ^combine(%a1: f32, %b1: f32, %a2: f32, %b2: f32):
    %a12 = arith.mulf %a1, %a2 : f32
    %scaled = arith.mulf %a2, %b1 : f32
    %b12 = arith.addf %scaled, %b2 : f32
    weft.yield %a12, %b12 : f32, f32
  }
  return %h, %last : tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
}
