// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// LLVM IR that the NVPTX backend aborts on, or turns into PTX that does not
// assemble, is refused before it gets there.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_TARGET_SCREEN_H
#define SCANWEFT_LIB_TARGET_SCREEN_H

#include "mlir/Support/LLVM.h"

namespace llvm {
class Module;
} // namespace llvm

namespace scanweft {

class SourceLocations;

/// Reports everything in `module` that is known not to become PTX.
mlir::LogicalResult screenForPtx(const llvm::Module &module,
                                 const SourceLocations &locations);

} // namespace scanweft

#endif // SCANWEFT_LIB_TARGET_SCREEN_H
