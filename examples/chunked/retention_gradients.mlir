// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of the keys, values and initial state of a decayed linear attention, at the chunked
// stage: a memory carried from the last token to the first.
//
//   forward:  S_t = d S_{t-1} + k_t v_t^T     o_t = S_t^T q_t     d = exp(decay), one per head
//   here:     G_t = q_t do_t^T + X_t     dk_t = G_t v_t     dv_t = G_t^T k_t     X_{t-1} = d G_t
//   X before the last token is the gradient of the final state; after the first, that of the initial.
//
// Source: Sun et al., "Retentive Network", arXiv 2307.08621.
// A descending walk: chunks from last to first, and rows inside by cumsum and tril in reverse. The
// decay has no time axis: each live row gets it, dead rows get a log decay of 0, so that a ragged last
// chunk does not decay the state. Two row outputs from one carry.

#bf = #weft.numerics<in = bf16, acc = f32>

func.func @retention_gradients(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %d_out: tensor<?x?x?x64xbf16> {weft.name = "do", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %decay: tensor<?xf32> {weft.name = "decay", weft.dims = ["H"], weft.input = "logsigmoid"},
    %d_state: tensor<?x?x64x64xf32> {weft.name = "ds", weft.dims = ["B", "H", "K", "V"], weft.input = "normal"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "dk"}, tensor<?x?x?x64xbf16> {weft.name = "dv"},
        tensor<?x?x64x64xf32> {weft.name = "ds0"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %B = tensor.dim %q, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %q, %c1 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %q, %c2 : tensor<?x?x?x64xbf16>
  %dk_init = tensor.empty(%B, %T, %H) : tensor<?x?x?x64xbf16>
  %dv_init = tensor.empty(%B, %T, %H) : tensor<?x?x?x64xbf16>
  %ds_init = tensor.empty(%B, %H) : tensor<?x?x64x64xf32>
  %dk, %dv, %ds0 = weft.kernel @retention_gradients programs(%B, %H)
      outs(%dk_init, %dv_init, %ds_init : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>) {
  ^program(%b: index, %h: index):
    %qs = tensor.extract_slice %q[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ks = tensor.extract_slice %k[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %vs = tensor.extract_slice %v[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ds = tensor.extract_slice %d_out[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %log = tensor.extract_slice %decay[%h] [1] [1] : tensor<?xf32> to tensor<f32>
    %floor = arith.constant dense<-87.0> : tensor<f32>
    %clamped = arith.maximumf %log, %floor : tensor<f32>
    %xb = tensor.extract_slice %d_state[%b, %h, 0, 0] [1, 1, 64, 64] [1, 1, 1, 1]
        : tensor<?x?x64x64xf32> to tensor<64x64xf32>
    %dk_rows = tensor.empty(%T) : tensor<?x64xbf16>
    %dv_rows = tensor.empty(%T) : tensor<?x64xbf16>
    %dk_all, %dv_all, %x1 = weft.chunked rows %c0 to %T by 64 descending
        slices(%qs, %ks, %vs, %ds : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
        carries(%xb : tensor<64x64xf32>) as [#weft.affine]
        outs(%dk_rows, %dv_rows : tensor<?x64xbf16>, tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<64x64xbf16>, %kc: tensor<64x64xbf16>,
           %vc: tensor<64x64xbf16>, %dc: tensor<64x64xbf16>, %xc: tensor<64x64xf32>):
      %logs = weft.broadcast %clamped to [] : tensor<f32> -> tensor<64xf32>
      %a = weft.keep_live %logs over 0 from %lo to %hi else 0.0 : tensor<64xf32>
      // at: to the chunk's end from this row on; after: from the next row on.
      %at = weft.cumsum %a over 0 reverse : tensor<64xf32>
      %after = weft.cumsum %a over 0 exclusive reverse : tensor<64xf32>
      %total = weft.sum %a over 0 : tensor<64xf32> -> tensor<f32>
      %here = weft.broadcast %at to [0] : tensor<64xf32> -> tensor<64x64xf32>
      %there = weft.broadcast %at to [1] : tensor<64xf32> -> tensor<64x64xf32>
      %difference = arith.subf %here, %there : tensor<64x64xf32>
      %future = weft.tril %difference reverse : tensor<64x64xf32>
      %decays = math.exp %future : tensor<64x64xf32>
      %after_rows = weft.broadcast %after to [0] : tensor<64xf32> -> tensor<64x64xf32>
      %to_end = math.exp %after_rows : tensor<64x64xf32>
      // dk = tril(v do^T decays) q + exp(after) v X^T.
      %VD = weft.dot %vc, %dc over [1, 1] numerics#bf : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %VD_decayed = arith.mulf %VD, %decays : tensor<64x64xf32>
      %VD_future = weft.tril %VD_decayed reverse : tensor<64x64xf32>
      %dk_inside = weft.dot %VD_future, %qc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %VX = weft.dot %vc, %xc over [1, 1] numerics#bf : tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
      %dk_after = arith.mulf %VX, %to_end : tensor<64x64xf32>
      %dk_sum = arith.addf %dk_inside, %dk_after : tensor<64x64xf32>
      %dkc = arith.truncf %dk_sum : tensor<64x64xf32> to tensor<64x64xbf16>
      // dv = tril(k q^T decays) do + exp(after) k X.
      %KQ = weft.dot %kc, %qc over [1, 1] numerics#bf : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %KQ_decayed = arith.mulf %KQ, %decays : tensor<64x64xf32>
      %KQ_future = weft.tril %KQ_decayed reverse : tensor<64x64xf32>
      %dv_inside = weft.dot %KQ_future, %dc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %KX = weft.dot %kc, %xc over [1, 0] numerics#bf : tensor<64x64xbf16>, tensor<64x64xf32> -> tensor<64x64xf32>
      %dv_after = arith.mulf %KX, %to_end : tensor<64x64xf32>
      %dv_sum = arith.addf %dv_inside, %dv_after : tensor<64x64xf32>
      %dvc = arith.truncf %dv_sum : tensor<64x64xf32> to tensor<64x64xbf16>
      // X before the chunk's first row: row s has decayed from itself back to there.
      %totals = weft.broadcast %total to [] : tensor<f32> -> tensor<64x64xf32>
      %back = arith.subf %totals, %after_rows : tensor<64x64xf32>
      %to_start = math.exp %back : tensor<64x64xf32>
      %qf = arith.extf %qc : tensor<64x64xbf16> to tensor<64x64xf32>
      %qe = arith.mulf %qf, %to_start : tensor<64x64xf32>
      %keep = math.exp %total : tensor<f32>
      %e = weft.affine_element decay(%keep : tensor<f32>)
          term(write(%qe : tensor<64x64xf32>) value(%dc : tensor<64x64xbf16>)) numerics#bf
      weft.next out(%dkc, %dvc : tensor<64x64xbf16>, tensor<64x64xbf16>) carry(%e : !weft.element<#weft.affine>)
    }
    weft.place %dk_all into [%b, *, %h, *], %dv_all into [%b, *, %h, *], %x1 into [%b, %h, *, *]
        : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64x64xf32>
  }
  return %dk, %dv, %ds0 : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>
}
