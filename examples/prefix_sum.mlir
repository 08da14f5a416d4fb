// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Running sums along time, and the sum of all steps.
//
//   y_t = x_0 + ... + x_t
//
// Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.

func.func @prefix_sum(
    %x: tensor<?x?x?x64xf32> {weft.name = "x", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"})
    -> (tensor<?x?x?x64xf32> {weft.name = "y", weft.dims = ["B", "T", "H", "K"]},
        tensor<?x?x64xf32> {weft.name = "total", weft.dims = ["B", "H", "K"]}) {
  %y, %total = weft.prefix_sum %x over 1 : tensor<?x?x?x64xf32> -> tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
  return %y, %total : tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
}
