// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Causal linear attention with softmax features and a normaliser, at the chunked stage.
//
//   S_t = S_{t-1} + f(k_t) v_t^T     z_t = z_{t-1} + f(k_t)     f = softmax over features
//   o_t = S_t^T f(q_t) / (z_t . f(q_t) + 1e-6)
//
// Source: Katharopoulos et al., "Transformers are RNNs", arXiv 2006.16236.
// Query heads share the keys and values of their group; the first head of a group
// places the group's final states. Both carries are sums that read no carry: one phase
// in a schedule parallel in time. softmax(0) is not 0, so keys need keep_live.

#bf = #weft.numerics<in = bf16, acc = f32>

func.func @linear_attention(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "HQ", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %s0: tensor<?x?x64x64xf32> {weft.name = "s0", weft.dims = ["B", "H", "K", "V"], weft.input = "normal"},
    %z0: tensor<?x?x64xf32> {weft.name = "z0", weft.dims = ["B", "H", "K"], weft.input = "positive"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x64x64xf32> {weft.name = "s"},
        tensor<?x?x64xf32> {weft.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %B = tensor.dim %q, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %q, %c1 : tensor<?x?x?x64xbf16>
  %HQ = tensor.dim %q, %c2 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %k, %c2 : tensor<?x?x?x64xbf16>
  %o_init = tensor.empty(%B, %T, %HQ) : tensor<?x?x?x64xbf16>
  %s_init = tensor.empty(%B, %H) : tensor<?x?x64x64xf32>
  %z_init = tensor.empty(%B, %H) : tensor<?x?x64xf32>
  %o, %s, %z = weft.kernel @linear_attention programs(%B, %HQ)
      outs(%o_init, %s_init, %z_init : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>, tensor<?x?x64xf32>) {
  ^program(%b: index, %hq: index):
    // Query head hq reads key head h = hq * H / HQ.
    %scaled = arith.muli %hq, %H : index
    %h = arith.divui %scaled, %HQ : index
    %rest = arith.remui %scaled, %HQ : index
    %first = arith.cmpi eq, %rest, %c0 : index
    %qs = tensor.extract_slice %q[%b, 0, %hq, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ks = tensor.extract_slice %k[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %vs = tensor.extract_slice %v[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %sb = tensor.extract_slice %s0[%b, %h, 0, 0] [1, 1, 64, 64] [1, 1, 1, 1]
        : tensor<?x?x64x64xf32> to tensor<64x64xf32>
    %zb = tensor.extract_slice %z0[%b, %h, 0] [1, 1, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<64xf32>
    %rows = tensor.empty(%T) : tensor<?x64xbf16>
    %out, %s1, %z1 = weft.chunked rows %c0 to %T by 64
        slices(%qs, %ks, %vs : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
        carries(%sb, %zb : tensor<64x64xf32>, tensor<64xf32>) as [#weft.sum, #weft.sum]
        outs(%rows : tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<64x64xbf16>, %kc: tensor<64x64xbf16>,
           %vc: tensor<64x64xbf16>, %sc: tensor<64x64xf32>, %zc: tensor<64xf32>):
      %fq = weft.softmax %qc over 1 : tensor<64x64xbf16> -> tensor<64x64xf32>
      %fa = weft.softmax %kc over 1 : tensor<64x64xbf16> -> tensor<64x64xf32>
      %fk = weft.keep_live %fa over 0 from %lo to %hi else 0.0 : tensor<64x64xf32>
      %scores = weft.dot %fq, %fk over [1, 1] numerics#bf : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %p = weft.tril %scores : tensor<64x64xf32>
      %inside = weft.dot %p, %vc over [1, 0] numerics#bf : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %before = weft.dot %fq, %sc over [1, 0] numerics#bf : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %numerator = arith.addf %inside, %before : tensor<64x64xf32>
      %d_inside = weft.sum %p over 1 : tensor<64x64xf32> -> tensor<64xf32>
      %d_before = weft.dot %fq, %zc over [1, 0] numerics#bf : tensor<64x64xf32>, tensor<64xf32> -> tensor<64xf32>
      %sum = arith.addf %d_inside, %d_before : tensor<64xf32>
      %epsilon = arith.constant dense<1.0e-6> : tensor<64xf32>
      %denominator = arith.addf %sum, %epsilon : tensor<64xf32>
      %divisor = weft.broadcast %denominator to [0] : tensor<64xf32> -> tensor<64x64xf32>
      %quotient = arith.divf %numerator, %divisor : tensor<64x64xf32>
      %oc = arith.truncf %quotient : tensor<64x64xf32> to tensor<64x64xbf16>
      %added = weft.dot %fk, %vc over [0, 0] numerics#bf : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %keys = weft.sum %fk over 0 : tensor<64x64xf32> -> tensor<64xf32>
      %es = weft.sum_element %added : tensor<64x64xf32>
      %ez = weft.sum_element %keys : tensor<64xf32>
      weft.next out(%oc : tensor<64x64xbf16>) carry(%es, %ez : !weft.element<#weft.sum>, !weft.element<#weft.sum>)
    }
    weft.place %out into [%b, *, %hq, *],
               %s1 into [%b, %h, *, *] if %first,
               %z1 into [%b, %h, *] if %first : tensor<?x64xbf16>, tensor<64x64xf32>, tensor<64xf32>
  }
  return %o, %s, %z : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>, tensor<?x?x64xf32>
}
