// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the translation to LLVM IR does not say of a GPU's code.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_TARGET_INLINEASM_H
#define SCANWEFT_LIB_TARGET_INLINEASM_H

namespace llvm {
class Module;
} // namespace llvm

namespace scanweft {

/// Marks every inline assembly, every function and every call as convergent:
/// none may be copied into the branches of a condition that threads of a warp
/// answer differently. LLVM takes the mark off functions that prove innocent.
///
/// Assembly that orders memory also clobbers it, and stays where it is.
void markConvergent(llvm::Module &module);

} // namespace scanweft

#endif // SCANWEFT_LIB_TARGET_INLINEASM_H
