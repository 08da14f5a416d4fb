// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Running maximum along time, channel by channel, and the largest of all steps: -inf where
// there are none.
//
//   y_t = max(x_0, ..., x_t)
//
// Source: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990 (max-scan).

func.func @cumulative_max(
    %x: tensor<?x?x?x64xf32> {weft.name = "x", weft.dims = ["B", "T", "H", "K"], weft.input = "normal"})
    -> (tensor<?x?x?x64xf32> {weft.name = "y", weft.dims = ["B", "T", "H", "K"]},
        tensor<?x?x64xf32> {weft.name = "largest", weft.dims = ["B", "H", "K"]}) {
  %y, %largest = weft.associative_scan over 1 (%x : tensor<?x?x?x64xf32>) identity [0xFF800000 : f32]
      -> (tensor<?x?x?x64xf32>), (tensor<?x?x64xf32>) {
  ^combine(%earlier: f32, %later: f32):
    %larger = arith.maximumf %earlier, %later : f32
    weft.yield %larger : f32
  }
  return %y, %largest : tensor<?x?x?x64xf32>, tensor<?x?x64xf32>
}
