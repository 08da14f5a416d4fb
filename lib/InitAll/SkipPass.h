// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The switch that turns one pass off.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_INITALL_SKIPPASS_H
#define SCANWEFT_LIB_INITALL_SKIPPASS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace scanweft {

/// Makes contexts leave out the pass that SCANWEFT_SKIP_PASS names, if any.
void registerSkippedPass(mlir::DialectRegistry &registry);

} // namespace scanweft

#endif // SCANWEFT_LIB_INITALL_SKIPPASS_H
