// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A memory with a decay per key channel whose erase and write use different directions, at the
// chunked stage.
//
//   S' = exp(g_t) S_{t-1} per key channel     S_t = S' - w_t (S'^T r_t)^T + k_t v_t^T     o_t = S_t^T q_t
//
// Source: the generalised delta rule of RWKV-7, Peng et al., arXiv 2503.14456. Value heads share
// the other operands of their group.
// The element has two terms, since what the erase writes is not what the value writes. Decays per
// channel do not factor over a chunk: decayed_dot forms their scores without a positive exponent.
// Log decays are clamped at -87 as they are loaded: below, exp underflows and sums of them lose digits.

#bf = #weft.numerics<in = bf16, acc = f32>
#f32 = #weft.numerics<in = f32, acc = f32>

func.func @two_terms(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "HV", "V"], weft.input = "normal"},
    %r: tensor<?x?x?x64xbf16> {weft.name = "r", weft.dims = ["B", "T", "H", "K"], weft.input = "unit"},
    %w: tensor<?x?x?x64xbf16> {weft.name = "w", weft.dims = ["B", "T", "H", "K"], weft.input = "unit"},
    %g: tensor<?x?x?x64xf32> {weft.name = "g", weft.dims = ["B", "T", "H", "K"], weft.input = "logsigmoid"},
    %s0: tensor<?x?x64x64xf32> {weft.name = "s0", weft.dims = ["B", "HV", "K", "V"], weft.input = "normal"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x64x64xf32> {weft.name = "s"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %B = tensor.dim %v, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %v, %c1 : tensor<?x?x?x64xbf16>
  %HV = tensor.dim %v, %c2 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %k, %c2 : tensor<?x?x?x64xbf16>
  %o_init = tensor.empty(%B, %T, %HV) : tensor<?x?x?x64xbf16>
  %s_init = tensor.empty(%B, %HV) : tensor<?x?x64x64xf32>
  %o, %s = weft.kernel @two_terms programs(%B, %HV)
      outs(%o_init, %s_init : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>) {
  ^program(%b: index, %hv: index):
    %scaled = arith.muli %hv, %H : index
    %hk = arith.divui %scaled, %HV : index
    %qs = tensor.extract_slice %q[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ks = tensor.extract_slice %k[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %vs = tensor.extract_slice %v[%b, 0, %hv, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %rs = tensor.extract_slice %r[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ws = tensor.extract_slice %w[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %gs = tensor.extract_slice %g[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xf32> to tensor<?x64xf32>
    %sb = tensor.extract_slice %s0[%b, %hv, 0, 0] [1, 1, 64, 64] [1, 1, 1, 1]
        : tensor<?x?x64x64xf32> to tensor<64x64xf32>
    %rows = tensor.empty(%T) : tensor<?x64xbf16>
    %out, %s1 = weft.chunked rows %c0 to %T by 64
        slices(%qs, %ks, %vs, %rs, %ws, %gs : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>,
                                              tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xf32>)
        carries(%sb : tensor<64x64xf32>) as [#weft.affine] outs(%rows : tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<64x64xbf16>, %kc: tensor<64x64xbf16>,
           %vc: tensor<64x64xbf16>, %rc: tensor<64x64xbf16>, %wc: tensor<64x64xbf16>, %gc: tensor<64x64xf32>,
           %sc: tensor<64x64xf32>):
      %floor = arith.constant dense<-87.0> : tensor<64x64xf32>
      %gl = arith.maximumf %gc, %floor : tensor<64x64xf32>
      %gt = weft.cumsum %gl over 0 : tensor<64x64xf32>
      %total = weft.sum %gl over 0 : tensor<64x64xf32> -> tensor<64xf32>
      %from_start = math.exp %gt : tensor<64x64xf32>
      %totals = weft.broadcast %total to [1] : tensor<64xf32> -> tensor<64x64xf32>
      %remaining = arith.subf %totals, %gt : tensor<64x64xf32>
      %to_end = math.exp %remaining : tensor<64x64xf32>
      %qf = arith.extf %qc : tensor<64x64xbf16> to tensor<64x64xf32>
      %kf = arith.extf %kc : tensor<64x64xbf16> to tensor<64x64xf32>
      %rf = arith.extf %rc : tensor<64x64xbf16> to tensor<64x64xf32>
      %wf = arith.extf %wc : tensor<64x64xbf16> to tensor<64x64xf32>
      // e_t, what token t erases, from (I + N) e = (r k^T) v + (r exp(gt)) S: the state's part and the values' apart.
      %N = weft.decayed_dot %rc, %wc decay(%gt, %gt : tensor<64x64xf32>) strict numerics#f32
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %RK = weft.decayed_dot %rc, %kc decay(%gt, %gt : tensor<64x64xf32>) strict numerics#f32
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %re = arith.mulf %rf, %from_start : tensor<64x64xf32>
      %erase = weft.solve_tril %N, %re unit numerics#f32
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %RKV = weft.dot %RK, %vc over [1, 0] numerics#f32
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %from_values = weft.solve_tril %N, %RKV unit numerics#f32
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %from_state = weft.dot %erase, %sc over [1, 0] numerics#f32
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %erased = arith.addf %from_values, %from_state : tensor<64x64xf32>
      // Outputs.
      %qe = arith.mulf %qf, %from_start : tensor<64x64xf32>
      %before = weft.dot %qe, %sc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %QK = weft.decayed_dot %qc, %kc decay(%gt, %gt : tensor<64x64xf32>) numerics#bf
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %QW = weft.decayed_dot %qc, %wc decay(%gt, %gt : tensor<64x64xf32>) numerics#bf
          : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %written = weft.dot %QK, %vc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %taken = weft.dot %QW, %erased over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %sum = arith.addf %before, %written : tensor<64x64xf32>
      %difference = arith.subf %sum, %taken : tensor<64x64xf32>
      %oc = arith.truncf %difference : tensor<64x64xf32> to tensor<64x64xbf16>
      // The element: the value's term and the erase's, whose own value is minus what the values alone lose.
      %ke = arith.mulf %kf, %to_end : tensor<64x64xf32>
      %we = arith.mulf %wf, %to_end : tensor<64x64xf32>
      %lost = arith.negf %from_values : tensor<64x64xf32>
      %decay = math.exp %total : tensor<64xf32>
      %e = weft.affine_element decay(%decay : tensor<64xf32>)
          term(write(%ke : tensor<64x64xf32>) value(%vc : tensor<64x64xbf16>))
          term(write(%we : tensor<64x64xf32>) erase(%erase : tensor<64x64xf32>) value(%lost : tensor<64x64xf32>))
          numerics#f32
      weft.next out(%oc : tensor<64x64xbf16>) carry(%e : !weft.element<#weft.affine>)
    }
    weft.place %out into [%b, *, %hv, *], %s1 into [%b, %hv, *, *] : tensor<?x64xbf16>, tensor<64x64xf32>
  }
  return %o, %s : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>
}
