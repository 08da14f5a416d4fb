// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Parts of weft-lower-algebra. Private to the family.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_LOWERALGEBRA_H
#define SCANWEFT_PASSES_CPU_LOWERALGEBRA_H

#include "dialects/Weft/IR/Weft.h"

namespace scanweft {

/// Loops over the steps that compute the op's results.
llvm::SmallVector<mlir::Value> lowerAffineScan(weft::AffineScanOp op,
                                               mlir::OpBuilder &builder);

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_LOWERALGEBRA_H
