// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Causal linear attention with softmax features and a normaliser.
//
//   S_t = S_{t-1} + f(k_t) v_t^T     z_t = z_{t-1} + f(k_t)     f = softmax over features
//   o_t = S_t^T f(q_t) / (z_t . f(q_t) + 1e-6)
//
// Source: Katharopoulos et al., "Transformers are RNNs", arXiv 2006.16236.
// Query heads are a multiple of the key heads: query head i reads key head i * H / HQ.

func.func @linear_attention(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "HQ", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o", weft.dims = ["B", "T", "HQ", "V"]}) {
  %fq = weft.softmax %q over 3 : tensor<?x?x?x64xbf16> -> tensor<?x?x?x64xf32>
  %fk = weft.softmax %k over 3 : tensor<?x?x?x64xbf16> -> tensor<?x?x?x64xf32>
  %o = weft.affine_scan over 1
      write(%fk, %v : tensor<?x?x?x64xf32>, tensor<?x?x?x64xbf16>)
      read(%fq : tensor<?x?x?x64xf32>)
      normalize(added 1.0e-6)
      -> tensor<?x?x?x64xbf16>
  return %o : tensor<?x?x?x64xbf16>
}
