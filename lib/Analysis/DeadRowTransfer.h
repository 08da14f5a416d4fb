// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Transfer functions of DeadRows.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_ANALYSIS_DEADROWTRANSFER_H
#define SCANWEFT_LIB_ANALYSIS_DEADROWTRANSFER_H

#include "scanweft/Analysis/DeadRows.h"

namespace scanweft {

/// The fact of an elementwise op's result from its operands' facts. A number
/// for every operand is computed with, by the op's own folder.
RowFact transferElementwise(mlir::Operation *op,
                            llvm::ArrayRef<RowFact> operands);

/// The fact of result `result` along its dim `dim`, of any op of a body.
RowFact transfer(mlir::Operation *op, unsigned result, unsigned dim,
                 const DeadRows &facts);

} // namespace scanweft

#endif // SCANWEFT_LIB_ANALYSIS_DEADROWTRANSFER_H
