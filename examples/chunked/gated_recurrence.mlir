// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The real-gated linear recurrent unit at the chunked stage: every channel has its own decay, from
// a gate.
//
//   h_t = a_t h_{t-1} + sqrt(1 - a_t^2) sigmoid(i_t) x_t     a_t = exp(-8 softplus(decay) sigmoid(r_t))
//
// Source: De et al., "Griffin", arXiv 2402.19427 (the RG-LRU layer between its projections).
// Each state entry decays by its own factor, which no rows of keys and values express: the carry is
// an author's monoid, the function @then on pairs (a, b) that stand for h -> a h + b, combined entry by
// entry. Dead rows take its identity in scan_rows. softplus(decay) depends on no token: once a program.

#region = #weft.region<@then identity [1.0 : f32, 0.0 : f32]>

func.func private @then(%a1: f32, %b1: f32, %a2: f32, %b2: f32) -> (f32, f32) {
  %a = arith.mulf %a2, %a1 : f32
  %carried = arith.mulf %a2, %b1 : f32
  %b = arith.addf %carried, %b2 : f32
  return %a, %b : f32, f32
}

func.func @gated_recurrence(
    %x: tensor<?x?x?x64xbf16> {weft.name = "x", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %r: tensor<?x?x?x64xbf16> {weft.name = "r", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %i: tensor<?x?x?x64xbf16> {weft.name = "i", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %decay: tensor<?x64xf32> {weft.name = "decay", weft.dims = ["H", "K"], weft.input = "normal"},
    %h0: tensor<?x?x64xf32> {weft.name = "h0", weft.dims = ["B", "H", "K"], weft.input = "normal"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x64xf32> {weft.name = "h"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %B = tensor.dim %x, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %x, %c1 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %x, %c2 : tensor<?x?x?x64xbf16>
  %o_init = tensor.empty(%B, %T, %H) : tensor<?x?x?x64xbf16>
  %h_init = tensor.empty(%B, %H) : tensor<?x?x64xf32>
  %o, %hT = weft.kernel @gated_recurrence programs(%B, %H)
      outs(%o_init, %h_init : tensor<?x?x?x64xbf16>, tensor<?x?x64xf32>) {
  ^program(%b: index, %h: index):
    %xs = tensor.extract_slice %x[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %rs = tensor.extract_slice %r[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %is = tensor.extract_slice %i[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %hb = tensor.extract_slice %h0[%b, %h, 0] [1, 1, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<64xf32>
    // -8 softplus(decay), as -8 (max(x, 0) + log(1 + exp(-|x|))).
    %parameter = tensor.extract_slice %decay[%h, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %factor = arith.constant dense<-8.0> : tensor<64xf32>
    %positive = arith.maximumf %parameter, %zero : tensor<64xf32>
    %size = math.absf %parameter : tensor<64xf32>
    %minus = arith.negf %size : tensor<64xf32>
    %small = math.exp %minus : tensor<64xf32>
    %log = math.log1p %small : tensor<64xf32>
    %softplus = arith.addf %positive, %log : tensor<64xf32>
    %rate = arith.mulf %softplus, %factor : tensor<64xf32>
    %one_state = arith.constant dense<1.0> : tensor<64xf32>
    %rows = tensor.empty(%T) : tensor<?x64xbf16>
    %out, %a1, %h1 = weft.chunked rows %c0 to %T by 64
        slices(%xs, %rs, %is : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
        carries(%one_state, %hb : tensor<64xf32>, tensor<64xf32>) as [#region] outs(%rows : tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %xc: tensor<64x64xbf16>, %rc: tensor<64x64xbf16>,
           %ic: tensor<64x64xbf16>, %ac: tensor<64xf32>, %hc: tensor<64xf32>):
      %one = arith.constant dense<1.0> : tensor<64x64xf32>
      %two = arith.constant dense<2.0> : tensor<64x64xf32>
      %rf = arith.extf %rc : tensor<64x64xbf16> to tensor<64x64xf32>
      %r_minus = arith.negf %rf : tensor<64x64xf32>
      %r_exp = math.exp %r_minus : tensor<64x64xf32>
      %r_sum = arith.addf %one, %r_exp : tensor<64x64xf32>
      %r_gate = arith.divf %one, %r_sum : tensor<64x64xf32>
      %if = arith.extf %ic : tensor<64x64xbf16> to tensor<64x64xf32>
      %i_minus = arith.negf %if : tensor<64x64xf32>
      %i_exp = math.exp %i_minus : tensor<64x64xf32>
      %i_sum = arith.addf %one, %i_exp : tensor<64x64xf32>
      %i_gate = arith.divf %one, %i_sum : tensor<64x64xf32>
      %rates = weft.broadcast %rate to [1] : tensor<64xf32> -> tensor<64x64xf32>
      %log_a = arith.mulf %rates, %r_gate : tensor<64x64xf32>
      %a = math.exp %log_a : tensor<64x64xf32>
      // sqrt(1 - a^2) without cancellation for a near 1.
      %log_a2 = arith.mulf %log_a, %two : tensor<64x64xf32>
      %minus_rest = math.expm1 %log_a2 : tensor<64x64xf32>
      %rest = arith.negf %minus_rest : tensor<64x64xf32>
      %norm = math.sqrt %rest : tensor<64x64xf32>
      %xf = arith.extf %xc : tensor<64x64xbf16> to tensor<64x64xf32>
      %gated = arith.mulf %i_gate, %xf : tensor<64x64xf32>
      %added = arith.mulf %norm, %gated : tensor<64x64xf32>
      %a_run, %b_run, %a_all, %b_all = weft.scan_rows (%a, %added : tensor<64x64xf32>, tensor<64x64xf32>)
          by @then identity [1.0 : f32, 0.0 : f32] from %lo to %hi
          -> (tensor<64x64xf32>, tensor<64x64xf32>), (tensor<64xf32>, tensor<64xf32>)
      %state = weft.broadcast %hc to [1] : tensor<64xf32> -> tensor<64x64xf32>
      %carried = arith.mulf %a_run, %state : tensor<64x64xf32>
      %sum = arith.addf %carried, %b_run : tensor<64x64xf32>
      %oc = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
      %e = weft.region_element %a_all, %b_all : tensor<64xf32>, tensor<64xf32> -> !weft.element<#region>
      weft.next out(%oc : tensor<64x64xbf16>) carry(%e : !weft.element<#region>)
    }
    weft.place %out into [%b, *, %h, *], %h1 into [%b, %h, *] : tensor<?x64xbf16>, tensor<64xf32>
  }
  return %o, %hT : tensor<?x?x?x64xbf16>, tensor<?x?x64xf32>
}
