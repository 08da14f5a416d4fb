// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Linear attention with a decay per head and token, from an initial state to a final one.
//
//   S_t = exp(g_t) S_{t-1} + k_t v_t^T
//   o_t = S_t^T q_t / 8
//
// Sources: Yang et al., "Gated Linear Attention Transformers with Hardware-Efficient
// Training", arXiv 2312.06635; Dao and Gu, "Transformers are SSMs", arXiv 2405.21060, whose
// decay is one number per head.
// The final state is right at every length: a chunk's rows after the last step decay
// nothing and write nothing.

func.func @decayed_linear_attention(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "HQ", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %g: tensor<?x?x?xf32> {weft.name = "g", weft.dims = ["B", "T", "H"], weft.input = "logsigmoid"},
    %s0: tensor<?x?x64x64xf32> {weft.name = "s0", weft.dims = ["B", "H", "K", "V"], weft.input = "normal"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o", weft.dims = ["B", "T", "HQ", "V"]},
        tensor<?x?x64x64xf32> {weft.name = "s", weft.dims = ["B", "HQ", "K", "V"]}) {
  %o, %s = weft.affine_scan over 1
      decay(%g in log : tensor<?x?x?xf32>)
      write(%k, %v : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
      read(%q scale 0.125 : tensor<?x?x?x64xbf16>)
      init(%s0 : tensor<?x?x64x64xf32>)
      -> tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>
  return %o, %s : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>
}
