// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole dialect, for TableGen.

#ifndef SCANWEFT_DIALECTS_WEFT_IR_WEFTOPS_TD
#define SCANWEFT_DIALECTS_WEFT_IR_WEFTOPS_TD

include "dialects/Weft/IR/WeftAlgebraOps.td"
include "dialects/Weft/IR/WeftBodyOps.td"
include "dialects/Weft/IR/WeftChunkedOps.td"

#endif // SCANWEFT_DIALECTS_WEFT_IR_WEFTOPS_TD
