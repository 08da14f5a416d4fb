// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Variational linear attention at the chunked stage: a delta rule whose write direction is
// preconditioned by the inverse of a growing penalty.
//
//   A_t = (A_{t-1}^-1 + us us^T)^-1     a_t = unit(A_t kn)     us = unit(u_t) / sqrt(K), kn = unit(fk)
//   h_t = h_{t-1} + a_t (v_t - h_{t-1}^T kn)^T     z_t = z_{t-1} + fk     fq, fk = elu(q_t) + 1, elu(k_t) + 1
//   o_t = h_t^T fq / max(z_t . fq, 1e-6)
//
// Source: arXiv 2605.11196. Value heads share the queries, keys, penalty and normaliser of their
// group; the first head of a group places its final A and z.
// Three coupled carries: the memory's element reads A, the carry before it, so that a schedule
// parallel in time has two phases (A and z, then h) and a replay. Products of the penalty are f16, whose
// operands are bounded by 1 / lambda_0; those of the memory whose result cancels are tf32, as are the solves
// (diagonal blocks of the factorisation and the solves are f32). The body forms the downdate rows Ut
// and the errors E that the acts form as well: common subexpressions leave one Cholesky a chunk.

#bf = #weft.numerics<in = bf16, acc = f32>
#tf = #weft.numerics<in = tf32, acc = f32>
#half = #weft.numerics<in = f16, acc = f32>

func.func @vla(
    %q: tensor<?x?x?x64xbf16> {weft.name = "q", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %k: tensor<?x?x?x64xbf16> {weft.name = "k", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %u: tensor<?x?x?x64xbf16> {weft.name = "u", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"},
    %v: tensor<?x?x?x64xbf16> {weft.name = "v", weft.dims = ["B", "T", "HV", "V"], weft.input = "normal"},
    %a0: tensor<?x?x64x64xf32> {weft.name = "a0", weft.dims = ["B", "H", "K", "K"], weft.input = "spd"},
    %h0: tensor<?x?x64x64xf32> {weft.name = "h0", weft.dims = ["B", "HV", "K", "V"], weft.input = "normal"},
    %z0: tensor<?x?x64xf32> {weft.name = "z0", weft.dims = ["B", "H", "K"], weft.input = "positive"})
    -> (tensor<?x?x?x64xbf16> {weft.name = "o"}, tensor<?x?x64x64xf32> {weft.name = "a"},
        tensor<?x?x64x64xf32> {weft.name = "h"}, tensor<?x?x64xf32> {weft.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %B = tensor.dim %v, %c0 : tensor<?x?x?x64xbf16>
  %T = tensor.dim %v, %c1 : tensor<?x?x?x64xbf16>
  %HV = tensor.dim %v, %c2 : tensor<?x?x?x64xbf16>
  %H = tensor.dim %k, %c2 : tensor<?x?x?x64xbf16>
  %o_init = tensor.empty(%B, %T, %HV) : tensor<?x?x?x64xbf16>
  %a_init = tensor.empty(%B, %H) : tensor<?x?x64x64xf32>
  %h_init = tensor.empty(%B, %HV) : tensor<?x?x64x64xf32>
  %z_init = tensor.empty(%B, %H) : tensor<?x?x64xf32>
  %o, %a, %h, %z = weft.kernel @vla programs(%B, %HV)
      outs(%o_init, %a_init, %h_init, %z_init
           : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>, tensor<?x?x64x64xf32>, tensor<?x?x64xf32>) {
  ^program(%b: index, %hv: index):
    %scaled = arith.muli %hv, %H : index
    %hk = arith.divui %scaled, %HV : index
    %rest = arith.remui %scaled, %HV : index
    %first = arith.cmpi eq, %rest, %c0 : index
    %qs = tensor.extract_slice %q[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ks = tensor.extract_slice %k[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %us = tensor.extract_slice %u[%b, 0, %hk, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %vs = tensor.extract_slice %v[%b, 0, %hv, 0] [1, %T, 1, 64] [1, 1, 1, 1]
        : tensor<?x?x?x64xbf16> to tensor<?x64xbf16>
    %ab = tensor.extract_slice %a0[%b, %hk, 0, 0] [1, 1, 64, 64] [1, 1, 1, 1]
        : tensor<?x?x64x64xf32> to tensor<64x64xf32>
    %hb = tensor.extract_slice %h0[%b, %hv, 0, 0] [1, 1, 64, 64] [1, 1, 1, 1]
        : tensor<?x?x64x64xf32> to tensor<64x64xf32>
    %zb = tensor.extract_slice %z0[%b, %hk, 0] [1, 1, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<64xf32>
    // 1 / sqrt(K), from the key's own width.
    %width = tensor.dim %k, %c3 : tensor<?x?x?x64xbf16>
    %width_int = arith.index_cast %width : index to i32
    %width_float = arith.sitofp %width_int : i32 to f32
    %scale = math.rsqrt %width_float : f32
    %scale_tensor = tensor.from_elements %scale : tensor<f32>
    %rows = tensor.empty(%T) : tensor<?x64xbf16>
    %out, %a1, %h1, %z1 = weft.chunked rows %c0 to %T by 64
        slices(%qs, %ks, %us, %vs : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
        carries(%ab, %hb, %zb : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>)
        as [#weft.inverse_gram, #weft.affine, #weft.sum] outs(%rows : tensor<?x64xbf16>) {
    ^chunk(%n: index, %lo: index, %hi: index, %qc: tensor<64x64xbf16>, %kc: tensor<64x64xbf16>,
           %uc: tensor<64x64xbf16>, %vc: tensor<64x64xbf16>, %ac: tensor<64x64xf32>, %hc: tensor<64x64xf32>,
           %zc: tensor<64xf32>):
      // Features: elu(x) + 1 = max(x, 0) + exp(min(x, 0)), which is 1 on dead rows.
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %qf = arith.extf %qc : tensor<64x64xbf16> to tensor<64x64xf32>
      %q_high = arith.maximumf %qf, %zero : tensor<64x64xf32>
      %q_low = arith.minimumf %qf, %zero : tensor<64x64xf32>
      %q_exp = math.exp %q_low : tensor<64x64xf32>
      %fq = arith.addf %q_high, %q_exp : tensor<64x64xf32>
      %kf = arith.extf %kc : tensor<64x64xbf16> to tensor<64x64xf32>
      %k_high = arith.maximumf %kf, %zero : tensor<64x64xf32>
      %k_low = arith.minimumf %kf, %zero : tensor<64x64xf32>
      %k_exp = math.exp %k_low : tensor<64x64xf32>
      %k_elu = arith.addf %k_high, %k_exp : tensor<64x64xf32>
      %fk = weft.keep_live %k_elu over 0 from %lo to %hi else 0.0 : tensor<64x64xf32>
      %kn = weft.l2_normalize %fk over 1 eps 1.0e-12 : tensor<64x64xf32> -> tensor<64x64xf32>
      %un = weft.l2_normalize %uc over 1 eps 1.0e-12 : tensor<64x64xbf16> -> tensor<64x64xf32>
      %scales = weft.broadcast %scale_tensor to [] : tensor<f32> -> tensor<64x64xf32>
      %uw = arith.mulf %un, %scales : tensor<64x64xf32>
      // Ut with A_t = A_0 - sum of its rows' outer products up to t; al = rows A_t kn.
      %P = weft.dot %uw, %ac over [1, 0] numerics#half : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %G = weft.dot %P, %uw over [1, 1] numerics#half : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %I = weft.eye : tensor<64x64xf32>
      %IG = arith.addf %G, %I : tensor<64x64xf32>
      %L = weft.cholesky %IG numerics#tf : tensor<64x64xf32>
      %Ut = weft.solve_tril %L, %P numerics#tf : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %KA = weft.dot %kn, %ac over [1, 0] numerics#half : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %KU = weft.dot %kn, %Ut over [1, 1] numerics#half : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %KU_past = weft.tril %KU : tensor<64x64xf32>
      %downdate = weft.dot %KU_past, %Ut over [1, 0] numerics#half
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %al = arith.subf %KA, %downdate : tensor<64x64xf32>
      %a_rows = weft.l2_normalize %al over 1 eps 1.0e-12 : tensor<64x64xf32> -> tensor<64x64xf32>
      // The memory: erase rows and values of the whole chunk, then its errors E.
      %N = weft.dot %kn, %a_rows over [1, 1] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %N_past = weft.tril %N diagonal -1 : tensor<64x64xf32>
      %erase = weft.solve_tril %N_past, %kn unit numerics#tf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %value = weft.solve_tril %N_past, %vc unit numerics#tf
          : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %erased = weft.dot %erase, %hc over [1, 0] numerics#tf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %E = arith.subf %value, %erased : tensor<64x64xf32>
      %S = weft.dot %fq, %a_rows over [1, 1] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %S_past = weft.tril %S : tensor<64x64xf32>
      %before = weft.dot %fq, %hc over [1, 0] numerics#bf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %inside = weft.dot %S_past, %E over [1, 0] numerics#tf
          : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %numerator = arith.addf %before, %inside : tensor<64x64xf32>
      // The normaliser.
      %QK = weft.dot %fq, %fk over [1, 1] numerics#bf : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %QK_past = weft.tril %QK : tensor<64x64xf32>
      %d_inside = weft.sum %QK_past over 1 : tensor<64x64xf32> -> tensor<64xf32>
      %d_before = weft.dot %fq, %zc over [1, 0] numerics#bf : tensor<64x64xf32>, tensor<64xf32> -> tensor<64xf32>
      %sum = arith.addf %d_inside, %d_before : tensor<64xf32>
      %epsilon = arith.constant dense<1.0e-6> : tensor<64xf32>
      %denominator = arith.maximumf %sum, %epsilon : tensor<64xf32>
      %divisor = weft.broadcast %denominator to [0] : tensor<64xf32> -> tensor<64x64xf32>
      %quotient = arith.divf %numerator, %divisor : tensor<64x64xf32>
      %oc = arith.truncf %quotient : tensor<64x64xf32> to tensor<64x64xbf16>
      %keys = weft.sum %fk over 0 : tensor<64x64xf32> -> tensor<64xf32>
      %ea = weft.gram_element %uw numerics#half : tensor<64x64xf32>
      %eh = weft.affine_element term(write(%a_rows : tensor<64x64xf32>) erase(%erase : tensor<64x64xf32>)
                                     value(%value : tensor<64x64xf32>)) numerics#tf
      %ez = weft.sum_element %keys : tensor<64xf32>
      weft.next out(%oc : tensor<64x64xbf16>)
          carry(%ea, %eh, %ez : !weft.element<#weft.inverse_gram>, !weft.element<#weft.affine>, !weft.element<#weft.sum>)
    }
    weft.place %out into [%b, *, %hv, *],
               %a1 into [%b, %hk, *, *] if %first,
               %h1 into [%b, %hv, *, *],
               %z1 into [%b, %hk, *] if %first
        : tensor<?x64xbf16>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>
  }
  return %o, %a, %h, %z
      : tensor<?x?x?x64xbf16>, tensor<?x?x64x64xf32>, tensor<?x?x64x64xf32>, tensor<?x?x64xf32>
}
