// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole dialect, for TableGen.

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILEOPS_TD
#define SCANWEFT_DIALECTS_WTILE_IR_WTILEOPS_TD

include "dialects/WTile/IR/WTileKernelOps.td"
include "dialects/WTile/IR/WTileSharedOps.td"
include "dialects/WTile/IR/WTileTileOps.td"

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILEOPS_TD
