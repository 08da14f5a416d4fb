// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What one chunk of a `weft.chunked` costs one program, from its body.
//
// For a chunk of C rows the body is read op by op: FLOPs of products, entries
// of maps and reductions, exponentials and their kin, bytes of rows in and out,
// bytes of tiles alive at once, and the longest chain of dependent ops. With
// the rates of one multiprocessor,
//
//     cycles per chunk = max(products, maps, exponentials, memory) + chain / n
//
// where n is 2 if two programs fit side by side, so that one works while the
// other waits, else 1; and per token that divided by C. Masked scores and what they weigh cost
// 2 C (K + V) FLOPs a token, so small chunks do less; the chain and the decay
// of the state are paid once a chunk, so large chunks amortise them; tiles grow
// with C and must fit. For a state [K, V] with scores of keys of size K the
// products come to 4 K V + 2 C (K + V) FLOPs a token.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_ANALYSIS_COSTMODEL_H
#define SCANWEFT_ANALYSIS_COSTMODEL_H

#include "dialects/Weft/IR/Weft.h"

namespace scanweft {

/// Rates of one multiprocessor, per cycle.
struct MachineRates {
  llvm::StringLiteral name;
  double halfFlops;   ///< products of bf16 or f16
  double tf32Flops;   ///< products of tf32
  double floatFlops;  ///< products of f32
  double doubleFlops; ///< products of f64
  double maps;        ///< entries of elementwise ops and reductions
  double specials;    ///< exponentials, logarithms, divisions
  double bytes;       ///< its share of the memory's bandwidth
  double tileBytes;   ///< on chip, for tiles of one program
};

/// One of 132 multiprocessors at 1.83 GHz: 989 TFLOP/s of bf16, 494 of tf32, 67
/// of f32 and of f64, 4.8 TB/s. Tiles have its 227 KB of shared memory and half
/// of its 256 KB of registers.
inline constexpr MachineRates kHopper{llvm::StringLiteral("sm_90a"),
                                      4096,
                                      2048,
                                      256,
                                      256,
                                      128,
                                      16,
                                      20,
                                      (227 + 128) * 1024};

struct ChunkCost {
  int64_t chunk = 0;
  double flops = 0;       ///< per token
  double bytes = 0;       ///< per token, of rows in and out
  double tileBytes = 0;   ///< most bytes of tiles alive at once
  double chainCycles = 0; ///< per chunk
  double cyclesPerToken = 0;

  bool fits(const MachineRates &rates) const {
    return tileBytes <= rates.tileBytes;
  }
};

/// The cost of a loop's chunk. The acts of the loop's elements are expanded in
/// its body, so that they count: the loop is one to be thrown away.
ChunkCost estimateChunk(weft::ChunkedOp loop, const MachineRates &rates);

} // namespace scanweft

#endif // SCANWEFT_ANALYSIS_COSTMODEL_H
