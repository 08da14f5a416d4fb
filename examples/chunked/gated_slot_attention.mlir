// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gated slot attention at the chunked stage: a bounded memory of slots, read by a softmax between
// two gated linear recurrences.
//
//   K_t = d_t K_{t-1} + (1 - d_t) k_t^T     V_t = d_t V_{t-1} + (1 - d_t) v_t^T     d_t = exp(g_t), one gate per slot
//   o_t = V_t^T softmax(K_t q_t / sqrt(D))
//
// Source: Zhang et al., "Gated Slot Attention", arXiv 2409.07146. Query heads share the slots of
// their group; the first head of a group places the final slots.
// Two affine carries with the same decay per slot; neither element reads a carry: one phase in a
// schedule parallel in time. The key slots are read through decayed_matmul, the value slots through
// decayed_dot. Log gates are clamped at -87 as they are loaded; a dead row's gate is open (0) and writes 1 - 1.

#bf = #weft.numerics<in = bf16, acc = f32>
#f32 = #weft.numerics<in = f32, acc = f32>

func.func @gated_slot_attention(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "HQ", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %g: tensor<?x?x?x32xf32> {weft.name = "g", weft.dims = ["B", "T", "H", "M"], weft.input = "logsigmoid"},
    %k0: tensor<?x?x32x64xf32> {weft.name = "k0", weft.dims = ["B", "H", "M", "K"], weft.input = "normal"},
    %v0: tensor<?x?x32x64xf32> {weft.name = "v0", weft.dims = ["B", "H", "M", "V"], weft.input = "normal"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x32x64xf32> {weft.name = "kt"},
        tensor<?x?x32x64xf32> {weft.name = "vt"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %B = tensor.dim %q, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %q, %c1 : tensor<?x?x?x64xbf16>
  %HQ = tensor.dim %q, %c2 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %k, %c2 : tensor<?x?x?x64xbf16>
  %o_init = tensor.empty(%B, %T, %HQ) : tensor<?x?x?x64xbf16>
  %k_init = tensor.empty(%B, %H) : tensor<?x?x32x64xf32>
  %v_init = tensor.empty(%B, %H) : tensor<?x?x32x64xf32>
  %o, %kt, %vt = weft.kernel @gated_slot_attention programs(%B, %HQ)
      outs(%o_init, %k_init, %v_init : tensor<?x?x?x64xbf16>, tensor<?x?x32x64xf32>, tensor<?x?x32x64xf32>) {
  ^program(%b: index, %hq: index):
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
    %gs = tensor.extract_slice %g[%b, 0, %h, 0] [1, %T, 1, 32] [1, 1, 1, 1]
        : tensor<?x?x?x32xf32> to tensor<?x32xf32>
    %kb = tensor.extract_slice %k0[%b, %h, 0, 0] [1, 1, 32, 64] [1, 1, 1, 1]
        : tensor<?x?x32x64xf32> to tensor<32x64xf32>
    %vb = tensor.extract_slice %v0[%b, %h, 0, 0] [1, 1, 32, 64] [1, 1, 1, 1]
        : tensor<?x?x32x64xf32> to tensor<32x64xf32>
    // 1 / sqrt(D), from the key's own width.
    %width = tensor.dim %k, %c3 : tensor<?x?x?x64xbf16>
    %width_int = arith.index_cast %width : index to i32
    %width_float = arith.sitofp %width_int : i32 to f32
    %scale = math.rsqrt %width_float : f32
    %scale_tensor = tensor.from_elements %scale : tensor<f32>
    %rows = tensor.empty(%T) : tensor<?x64xbf16>
    %out, %k1, %v1 = weft.chunked rows %c0 to %T by 64
        slices(%qs, %ks, %vs, %gs : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x32xf32>)
        carries(%kb, %vb : tensor<32x64xf32>, tensor<32x64xf32>) as [#weft.affine, #weft.affine]
        outs(%rows : tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<64x64xbf16>, %kc: tensor<64x64xbf16>,
           %vc: tensor<64x64xbf16>, %gc: tensor<64x32xf32>, %keys: tensor<32x64xf32>, %values: tensor<32x64xf32>):
      %floor = arith.constant dense<-87.0> : tensor<64x32xf32>
      %one = arith.constant dense<1.0> : tensor<64x32xf32>
      %gl = arith.maximumf %gc, %floor : tensor<64x32xf32>
      %gt = weft.cumsum %gl over 0 : tensor<64x32xf32>
      %total = weft.sum %gl over 0 : tensor<64x32xf32> -> tensor<32xf32>
      %from_start = math.exp %gt : tensor<64x32xf32>
      %totals = weft.broadcast %total to [1] : tensor<32xf32> -> tensor<64x32xf32>
      %remaining = arith.subf %totals, %gt : tensor<64x32xf32>
      %to_end = math.exp %remaining : tensor<64x32xf32>
      %gate = math.exp %gl : tensor<64x32xf32>
      %complement = arith.subf %one, %gate : tensor<64x32xf32>
      %write = weft.keep_live %complement over 0 from %lo to %hi else 0.0 : tensor<64x32xf32>
      // Softmax over slots of K_t q_t / sqrt(D).
      %QK = weft.dot %qc, %kc over [1, 1] numerics#bf : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %s_inside = weft.decayed_matmul %QK, %write decay(%gt, %gt : tensor<64x32xf32>) numerics#f32
          : tensor<64x64xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
      %QS = weft.dot %qc, %keys over [1, 1] numerics#bf : tensor<64x64xbf16>, tensor<32x64xf32> -> tensor<64x32xf32>
      %s_before = arith.mulf %QS, %from_start : tensor<64x32xf32>
      %s = arith.addf %s_inside, %s_before : tensor<64x32xf32>
      %scales = weft.broadcast %scale_tensor to [] : tensor<f32> -> tensor<64x32xf32>
      %logits = arith.mulf %s, %scales : tensor<64x32xf32>
      %p = weft.softmax %logits over 1 : tensor<64x32xf32> -> tensor<64x32xf32>
      // Outputs: the value slots read by those weights.
      %pairs = weft.decayed_dot %p, %write decay(%gt, %gt : tensor<64x32xf32>) numerics#bf
          : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
      %inside = weft.dot %pairs, %vc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %pe = arith.mulf %p, %from_start : tensor<64x32xf32>
      %before = weft.dot %pe, %values over [1, 0] numerics#bf
          : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
      %sum = arith.addf %inside, %before : tensor<64x64xf32>
      %oc = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
      %we = arith.mulf %write, %to_end : tensor<64x32xf32>
      %decay = math.exp %total : tensor<32xf32>
      %ek = weft.affine_element decay(%decay : tensor<32xf32>)
          term(write(%we : tensor<64x32xf32>) value(%kc : tensor<64x64xbf16>)) numerics#bf
      %ev = weft.affine_element decay(%decay : tensor<32xf32>)
          term(write(%we : tensor<64x32xf32>) value(%vc : tensor<64x64xbf16>)) numerics#bf
      weft.next out(%oc : tensor<64x64xbf16>) carry(%ek, %ev : !weft.element<#weft.affine>, !weft.element<#weft.affine>)
    }
    weft.place %out into [%b, *, %hq, *],
               %k1 into [%b, %h, *, *] if %first,
               %v1 into [%b, %h, *, *] if %first : tensor<?x64xbf16>, tensor<32x64xf32>, tensor<32x64xf32>
  }
  return %o, %kt, %vt : tensor<?x?x?x64xbf16>, tensor<?x?x32x64xf32>, tensor<?x?x32x64xf32>
}
