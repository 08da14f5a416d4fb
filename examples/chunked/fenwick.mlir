// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Log-linear attention at the chunked stage: a decaying memory whose past is split in Fenwick
// levels, each read with its own weight.
//
//   S_t = exp(g_t) S_{t-1} + k_t v_t^T, kept as one state per level
//   o_t = sum_s lam_t[bit_length(t xor s)] exp(g_{s+1} + ... + g_t) (q_t . k_s) v_s over s <= t
//
// Source: Guo et al., "Log-linear attention", arXiv 2506.04761. Value heads share the queries and
// keys of their group. 13 levels: up to 4,096 tokens. Inside a chunk of 64 live levels 0 to 6; slot b
// of the stack is level 7 + b, the aligned block of 2^b chunks that bit b of the chunk index stands for.
// The stack starts empty, and the final stack holds one state per set bit of the number of chunks. In
// a schedule parallel in time segments are a power of two of chunks and are scanned by the stack's own act.
// Log decays are clamped at -87 as they are loaded: below, exp underflows and sums of them lose digits.

#bf = #weft.numerics<in = bf16, acc = f32>

func.func @fenwick(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "unit"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "HV", "V"], weft.input = "normal"},
    %g: tensor<?x?x?xf32> {weft.name = "g", weft.dims = ["B", "T", "HV"], weft.input = "logsigmoid"},
    %lam: tensor<?x?x?x13xf32> {weft.name = "lam", weft.dims = ["B", "T", "HV", "L"], weft.input = "softplus"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x7x64x64xf32> {weft.name = "s"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %B = tensor.dim %v, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %v, %c1 : tensor<?x?x?x64xbf16>
  %HV = tensor.dim %v, %c2 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %k, %c2 : tensor<?x?x?x64xbf16>
  %o_init = tensor.empty(%B, %T, %HV) : tensor<?x?x?x64xbf16>
  %s_init = tensor.empty(%B, %HV) : tensor<?x?x7x64x64xf32>
  %o, %s = weft.kernel @fenwick programs(%B, %HV)
      outs(%o_init, %s_init : tensor<?x?x?x64xbf16>, tensor<?x?x7x64x64xf32>) {
  ^program(%b: index, %hv: index):
    %scaled = arith.muli %hv, %H : index
    %hk = arith.divui %scaled, %HV : index
    %qs = tensor.extract_slice %q[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ks = tensor.extract_slice %k[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %vs = tensor.extract_slice %v[%b, 0, %hv, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %gs = tensor.extract_slice %g[%b, 0, %hv] [1, %T, 1] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?xf32>
    %ls = tensor.extract_slice %lam[%b, 0, %hv, 0] [1, %T, 1, 13] [1, 1, 1, 1]
        : tensor<?x?x?x13xf32> to tensor<?x13xf32>
    %empty = arith.constant dense<0.0> : tensor<7x64x64xf32>
    %rows = tensor.empty(%T) : tensor<?x64xbf16>
    %out, %stack = weft.chunked rows %c0 to %T by 64
        slices(%qs, %ks, %vs, %gs, %ls
               : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>, tensor<?x13xf32>)
        carries(%empty : tensor<7x64x64xf32>) as [#weft.fenwick<#weft.affine>] outs(%rows : tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<64x64xbf16>, %kc: tensor<64x64xbf16>,
           %vc: tensor<64x64xbf16>, %gc: tensor<64xf32>, %lc: tensor<64x13xf32>, %sc: tensor<7x64x64xf32>):
      // Decays: exp(gt[t] - gt[s]) from token s to token t; dead rows have a log decay of 0.
      %floor = arith.constant dense<-87.0> : tensor<64xf32>
      %gl = arith.maximumf %gc, %floor : tensor<64xf32>
      %gt = weft.cumsum %gl over 0 : tensor<64xf32>
      %total = weft.sum %gl over 0 : tensor<64xf32> -> tensor<f32>
      %later = weft.broadcast %gt to [0] : tensor<64xf32> -> tensor<64x64xf32>
      %earlier = weft.broadcast %gt to [1] : tensor<64xf32> -> tensor<64x64xf32>
      %difference = arith.subf %later, %earlier : tensor<64x64xf32>
      %past = weft.tril %difference : tensor<64x64xf32>
      %decays = math.exp %past : tensor<64x64xf32>
      // Inside the chunk; level weights are 0 above the diagonal.
      %products = weft.dot %qc, %kc over [1, 1] numerics#bf
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %decayed = arith.mulf %products, %decays : tensor<64x64xf32>
      %weights = weft.level_weights %lc : tensor<64x13xf32> -> tensor<64x64xf32>
      %scores = arith.mulf %decayed, %weights : tensor<64x64xf32>
      %inside = weft.dot %scores, %vc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      // Earlier chunks, through the stack.
      %gr = weft.broadcast %gt to [0] : tensor<64xf32> -> tensor<64x64xf32>
      %from_start = math.exp %gr : tensor<64x64xf32>
      %qf = arith.extf %qc : tensor<64x64xbf16> to tensor<64x64xf32>
      %qe = arith.mulf %qf, %from_start : tensor<64x64xf32>
      %before = weft.fenwick_read %sc at %n query %qe levels %lc from 7 numerics#bf
          : tensor<7x64x64xf32>, tensor<64x64xf32>, tensor<64x13xf32> -> tensor<64x64xf32>
      %sum = arith.addf %inside, %before : tensor<64x64xf32>
      %oc = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
      // The chunk's element: its writes, decayed to the chunk's end.
      %totals = weft.broadcast %total to [] : tensor<f32> -> tensor<64x64xf32>
      %remaining = arith.subf %totals, %gr : tensor<64x64xf32>
      %to_end = math.exp %remaining : tensor<64x64xf32>
      %kf = arith.extf %kc : tensor<64x64xbf16> to tensor<64x64xf32>
      %ke = arith.mulf %kf, %to_end : tensor<64x64xf32>
      %decay = math.exp %total : tensor<f32>
      %e = weft.affine_element decay(%decay : tensor<f32>)
          term(write(%ke : tensor<64x64xf32>) value(%vc : tensor<64x64xbf16>)) numerics#bf
      weft.next out(%oc : tensor<64x64xbf16>) carry(%e : !weft.element<#weft.affine>)
    }
    weft.place %out into [%b, *, %hv, *],
               %stack into [%b, %hv, *, *, *] : tensor<?x64xbf16>, tensor<7x64x64xf32>
  }
  return %o, %s : tensor<?x?x?x64xbf16>, tensor<?x?x7x64x64xf32>
}
