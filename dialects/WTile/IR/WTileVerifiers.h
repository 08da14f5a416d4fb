// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the verifiers of several ops ask. Layouts themselves are checked where
// they are parsed.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_DIALECTS_WTILE_IR_WTILEVERIFIERS_H
#define SCANWEFT_DIALECTS_WTILE_IR_WTILEVERIFIERS_H

#include "mlir/IR/Operation.h"
#include "scanweft/Layout/LinearLayout.h"
#include <optional>
#include <string>

namespace scanweft::wtile {

/// Shape and element type of a tile, of memory or of a shared buffer.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);
mlir::Type getElementType(mlir::Type type);

/// `[1, 0]`
std::string toText(llvm::ArrayRef<int64_t> list);

/// `part` at `offsets` inside `whole`, aligned to its own sizes.
mlir::LogicalResult verifyBlock(mlir::Operation *op, mlir::Type whole,
                                mlir::Type part,
                                llvm::ArrayRef<int64_t> offsets);
/// A block, its factor and the factor's inverse.
mlir::LogicalResult verifyFactor(mlir::Operation *op, mlir::Type source,
                                 mlir::Type factor, mlir::Type inverse);
/// A triangle and the inverses of its diagonal blocks.
mlir::LogicalResult verifyInverses(mlir::Operation *op, mlir::Type source,
                                   mlir::Type inverses);

/// A register that holds, in some thread, what the tile does not have.
struct Outside {
  unsigned reg;
  int32_t coordinate;
  int64_t size; ///< of the dim
};

/// Only a tile with a size that is no power of two can have one.
std::optional<Outside> findOutside(const LinearLayout &layout);

template <typename Diagnostic>
Diagnostic &&operator<<(Diagnostic &&diagnostic, const Outside &outside) {
  return std::forward<Diagnostic>(diagnostic)
         << "register " << outside.reg << " has coordinate "
         << outside.coordinate << " in a dim of size " << outside.size
         << ": a register lies inside the tile";
}

/// Tiles of an op have layouts, or none has. With layouts, what an op makes of
/// its operands stands in the same thread: exchange between threads is
/// relayouts' and reductions' own, inside a warp. The op is otherwise verified.
mlir::LogicalResult verifyLayouts(mlir::Operation *op);

} // namespace scanweft::wtile

#endif // SCANWEFT_DIALECTS_WTILE_IR_WTILEVERIFIERS_H
