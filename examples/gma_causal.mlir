// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Causal attention by mixture responsibilities: queries and keys meet in the posterior of
// one mixture of M diagonal Gaussians per key head.
//
//   sigma2 = softplus(omega) + 1e-4     pi = softmax(prior)
//   s_m(x) = log pi_m - 1/2 sum_d log sigma2_md - 1/2 sum_d (x_d - mu_md)^2 / sigma2_md
//   g(x) = softmax over m of s(x)
//   R_t = R_{t-1} + g(k_t) v_t^T     Z_t = Z_{t-1} + g(k_t)
//   o_t = R_t^T g(q_t) / (Z_t . g(q_t) + 1e-6)
//
// Source: "Gaussian Mixture Attention", arXiv 2606.18283.
// The scores are one product: with p = 1 / sigma2, and x and mu relative to the mean c of
// the components' means, which takes their common offset out of the cancellation,
//
//   s(x) = [x x, x] . [-p / 2, mu p] + bias,
//   bias = log pi - 1/2 sum log sigma2 - 1/2 sum mu^2 p.
//
// Weights, bias and c depend on parameters alone. Responsibilities need more than bf16: the
// product splits its operands in two halves.

!tok = tensor<?x?x?x64xbf16>
!wide = tensor<?x?x?x64xf32>
!twice = tensor<?x?x?x128xf32>
!score = tensor<?x?x?x128xf32>
!component = tensor<?x128x64xf32>
!prior = tensor<?x128xf32>
!mean = tensor<?x64xf32>

func.func @gma_causal(
    %q: !tok {weft.name = "q", weft.dims = ["B", "T", "HQ", "D"], weft.input = "normal"},
    %k: !tok {weft.name = "k", weft.dims = ["B", "T", "H", "D"], weft.input = "normal"},
    %v: !tok {weft.name = "v", weft.dims = ["B", "T", "H", "V"], weft.input = "normal"},
    %mu: !component {weft.name = "mu", weft.dims = ["H", "M", "D"], weft.input = "normal"},
    %omega: !component {weft.name = "omega", weft.dims = ["H", "M", "D"], weft.input = "normal"},
    %prior: !prior {weft.name = "prior", weft.dims = ["H", "M"], weft.input = "normal"})
    -> (!tok {weft.name = "o", weft.dims = ["B", "T", "HQ", "V"]}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %count = arith.constant dense<128.0> : tensor<f32>
  // 1e-4 is no f32: instantiated in float64 the cast is none and the number is exact.
  %exact = arith.constant dense<1.0e-4> : tensor<f64>
  %floor = arith.truncf %exact : tensor<f64> to tensor<f32>

  // Variances: softplus(x) = max(x, 0) + log(1 + exp(-|x|)), and a floor.
  %zeros = weft.broadcast %zero to [] like(%omega : !component) : tensor<f32> -> !component
  %positive = arith.maximumf %omega, %zeros : !component
  %size = math.absf %omega : !component
  %negated = arith.negf %size : !component
  %tail = math.exp %negated : !component
  %rest = math.log1p %tail : !component
  %softplus = arith.addf %positive, %rest : !component
  %floors = weft.broadcast %floor to [] like(%omega : !component) : tensor<f32> -> !component
  %variance = arith.addf %softplus, %floors : !component
  %ones = weft.broadcast %one to [] like(%omega : !component) : tensor<f32> -> !component
  %precision = arith.divf %ones, %variance : !component

  // The components' means relative to their own mean, per head.
  %sum = weft.sum %mu over 1 : !component -> !mean
  %counts = weft.broadcast %count to [] like(%sum : !mean) : tensor<f32> -> !mean
  %centre = arith.divf %sum, %counts : !mean
  %centres = weft.broadcast %centre to [0, 2] : !mean -> !component
  %apart = arith.subf %mu, %centres : !component

  // Weights [-p / 2, mu p].
  %halves = weft.broadcast %half to [] like(%omega : !component) : tensor<f32> -> !component
  %scaled = arith.mulf %precision, %halves : !component
  %quadratic = arith.negf %scaled : !component
  %linear = arith.mulf %apart, %precision : !component
  %weights = weft.concat %quadratic, %linear over 2 : !component, !component -> tensor<?x128x128xf32>

  // Bias: log pi - 1/2 (sum log sigma2 + sum mu^2 p).
  %largest = weft.max %prior over 1 : !prior -> tensor<?xf32>
  %largests = weft.broadcast %largest to [0] : tensor<?xf32> -> !prior
  %shifted = arith.subf %prior, %largests : !prior
  %exponential = math.exp %shifted : !prior
  %mass = weft.sum %exponential over 1 : !prior -> tensor<?xf32>
  %logmass = math.log %mass : tensor<?xf32>
  %logmasses = weft.broadcast %logmass to [0] : tensor<?xf32> -> !prior
  %logprior = arith.subf %shifted, %logmasses : !prior
  %logvariance = math.log %variance : !component
  %square = arith.mulf %apart, %linear : !component
  %terms = arith.addf %logvariance, %square : !component
  %volume = weft.sum %terms over 2 : !component -> !prior
  %biashalf = weft.broadcast %half to [] like(%prior : !prior) : tensor<f32> -> !prior
  %penalty = arith.mulf %volume, %biashalf : !prior
  %bias = arith.subf %logprior, %penalty : !prior

  // Responsibilities of the queries. Query head i uses the mixture of key head i * H / HQ.
  %qw = arith.extf %q : !tok to !wide
  %qm = weft.token_broadcast %centre like(%q : !tok) : !mean -> !wide
  %qx = arith.subf %qw, %qm : !wide
  %qxx = arith.mulf %qx, %qx : !wide
  %qf = weft.concat %qxx, %qx over 3 : !wide, !wide -> !twice
  %qp = weft.token_matmul %qf, %weights transposed numerics<in = bf16x3, acc = f32> : !twice, tensor<?x128x128xf32> -> !score
  %qb = weft.token_broadcast %bias like(%q : !tok) : !prior -> !score
  %qs = arith.addf %qp, %qb : !score
  %gq = weft.softmax %qs over 3 : !score -> !score

  // Responsibilities of the keys.
  %kw = arith.extf %k : !tok to !wide
  %km = weft.token_broadcast %centre like(%k : !tok) : !mean -> !wide
  %kx = arith.subf %kw, %km : !wide
  %kxx = arith.mulf %kx, %kx : !wide
  %kf = weft.concat %kxx, %kx over 3 : !wide, !wide -> !twice
  %kp = weft.token_matmul %kf, %weights transposed numerics<in = bf16x3, acc = f32> : !twice, tensor<?x128x128xf32> -> !score
  %kb = weft.token_broadcast %bias like(%k : !tok) : !prior -> !score
  %ks = arith.addf %kp, %kb : !score
  %gk = weft.softmax %ks over 3 : !score -> !score

  %o = weft.affine_scan over 1
      write(%gk, %v : !score, !tok)
      read(%gq : !score)
      normalize(added 1.0e-6)
      -> !tok
  return %o : !tok
}
