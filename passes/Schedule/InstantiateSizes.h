// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Other sizes for a whole program: the rows of its chunks, and dims that its
// arguments name.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_SCHEDULE_INSTANTIATESIZES_H
#define SCANWEFT_PASSES_SCHEDULE_INSTANTIATESIZES_H

#include "mlir/IR/Operation.h"

namespace scanweft {

/// Sizes that are asked for.
struct SizeRequests {
  std::optional<int64_t> rows; ///< of the chunks of every loop
  llvm::SmallVector<std::pair<std::string, int64_t>> dims; ///< by name

  bool empty() const { return !rows && dims.empty(); }
};

/// Gives dims below `root` the sizes asked for, and with each all dims that
/// must agree with it; sizes that follow from them, and numbers derived from
/// the rows of a chunk, follow. Refuses, with a diagnostic and no change, a
/// size that something else fixes.
llvm::LogicalResult instantiateSizes(mlir::Operation *root,
                                     const SizeRequests &requests);

} // namespace scanweft

#endif // SCANWEFT_PASSES_SCHEDULE_INSTANTIATESIZES_H
