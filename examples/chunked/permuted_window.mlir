// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax attention over a window of a permuted order of the tokens, at the chunked stage.
//
//   o_i = sum_j softmax_j(q_i . k_j / sqrt(K)) v_j over the keys j with j <= i whose slot lies at most
//   128 slots before and 127 after the slot of i; token order[p] stands at slot p
//
// Source: "Stochastic attention", arXiv 2604.00754. Query heads share the keys and values of their
// group; one order for all heads and batch entries.
// A program is a block of 128 query slots: it gathers its queries, walks the key slots that they can
// see, and scatters its rows to their tokens. There is no output per key row: the result is made of
// the final carry. A schedule that cuts the key slots in segments is split-K.

#bf = #weft.numerics<in = bf16, acc = f32>

func.func @permuted_window(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "HQ", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %order: tensor<?xi32> {weft.name = "order", weft.dims = ["T"], weft.input = "permutation"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x?xf32> {weft.name = "lse"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %block = arith.constant 128 : index
  %left = arith.constant 128 : index
  %right = arith.constant 127 : index
  %B = tensor.dim %q, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %q, %c1 : tensor<?x?x?x64xbf16>
  %HQ = tensor.dim %q, %c2 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %k, %c2 : tensor<?x?x?x64xbf16>
  %blocks = arith.ceildivui %T, %block : index
  %o_init = tensor.empty(%B, %T, %HQ) : tensor<?x?x?x64xbf16>
  %lse_init = tensor.empty(%B, %T, %HQ) : tensor<?x?x?xf32>
  %o, %lse = weft.kernel @permuted_window programs(%blocks, %B, %HQ)
      outs(%o_init, %lse_init : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  ^program(%i: index, %b: index, %hq: index):
    %scaled = arith.muli %hq, %H : index
    %h = arith.divui %scaled, %HQ : index
    %qs = tensor.extract_slice %q[%b, 0, %hq, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ks = tensor.extract_slice %k[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %vs = tensor.extract_slice %v[%b, 0, %h, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    // The block's query slots [p0, p0 + live) and the key slots [from, to) that they see.
    %p0 = arith.muli %i, %block : index
    %left_slots = arith.subi %T, %p0 : index
    %live = arith.minsi %left_slots, %block : index
    %missing = arith.subi %block, %live : index
    %above = arith.subi %p0, %left : index
    %from = arith.maxsi %above, %c0 : index
    %last = arith.addi %p0, %live : index
    %below = arith.addi %last, %right : index
    %to = arith.minsi %below, %T : index
    // Slots past the end hold the index T: their queries are rows of zeros and are not placed.
    %tokens = tensor.extract_slice %order[%p0] [%live] [1] : tensor<?xi32> to tensor<?xi32>
    %none = arith.index_cast %T : index to i32
    %rows = tensor.pad %tokens low[0] high[%missing] {
    ^pad(%slot: index):
      tensor.yield %none : i32
    } : tensor<?xi32> to tensor<128xi32>
    %qb = weft.gather_rows %qs[%rows] : tensor<?x64xbf16>, tensor<128xi32> -> tensor<128x64xbf16>
    // 1 / sqrt(K), from the key's own width.
    %width = tensor.dim %k, %c3 : tensor<?x?x?x64xbf16>
    %width_int = arith.index_cast %width : index to i32
    %width_float = arith.sitofp %width_int : i32 to f32
    %scale = math.rsqrt %width_float : f32
    %scale_tensor = tensor.from_elements %scale : tensor<f32>
    %m0 = arith.constant dense<0xFF800000> : tensor<128xf32>
    %l0 = arith.constant dense<0.0> : tensor<128xf32>
    %acc0 = arith.constant dense<0.0> : tensor<128x64xf32>
    %m, %l, %acc = weft.chunked rows %from to %to by 64 slices(%order : tensor<?xi32>)
        carries(%m0, %l0, %acc0 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>)
        as [#weft.online_softmax] {
    ^chunk(%n: index, %lo: index, %hi: index, %cols: tensor<64xi32>, %mc: tensor<128xf32>, %lc: tensor<128xf32>,
           %accc: tensor<128x64xf32>):
      %kt = weft.gather_rows %ks[%cols] : tensor<?x64xbf16>, tensor<64xi32> -> tensor<64x64xbf16>
      %vt = weft.gather_rows %vs[%cols] : tensor<?x64xbf16>, tensor<64xi32> -> tensor<64x64xbf16>
      %products = weft.dot %qb, %kt over [1, 1] numerics#bf
          : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %scales = weft.broadcast %scale_tensor to [] : tensor<f32> -> tensor<128x64xf32>
      %scores = arith.mulf %products, %scales : tensor<128x64xf32>
      %chunk = weft.chunk_size
      %first = arith.muli %n, %chunk : index
      %seen = weft.mask_window %scores window [128, 127] rows %p0 cols %first
          causal(%rows, %cols : tensor<128xi32>, tensor<64xi32>) : tensor<128x64xf32>
      %masked = weft.keep_live %seen over 1 from %lo to %hi else 0xFFF0000000000000 : tensor<128x64xf32>
      %e = weft.softmax_element %masked, %vt numerics#bf : tensor<128x64xf32>, tensor<64x64xbf16>
      weft.next carry(%e : !weft.element<#weft.online_softmax>)
    }
    %divisor = weft.broadcast %l to [0] : tensor<128xf32> -> tensor<128x64xf32>
    %quotient = arith.divf %acc, %divisor : tensor<128x64xf32>
    %ob = arith.truncf %quotient : tensor<128x64xf32> to tensor<128x64xbf16>
    %log = math.log %l : tensor<128xf32>
    %lseb = arith.addf %m, %log : tensor<128xf32>
    weft.place %ob into [%b, *, %hq, *] rows(%rows live %c0 to %live : tensor<128xi32>),
               %lseb into [%b, *, %hq] rows(%rows live %c0 to %live : tensor<128xi32>)
        : tensor<128x64xbf16>, tensor<128xf32>
  }
  return %o, %lse : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
