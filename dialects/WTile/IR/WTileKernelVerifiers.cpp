// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What is checked of kernels, of launches and of accesses to global memory.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "dialects/WTile/IR/WTileVerifiers.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

//===----------------------------------------------------------------------===//
// Kernels and launches
//===----------------------------------------------------------------------===//

Block::BlockArgListType KernelOp::getCoordinates() {
  return getBody().front().getArguments().take_front(getAxes());
}

Block::BlockArgListType KernelOp::getParameters() {
  return getBody().front().getArguments().drop_front(getAxes());
}

/// Memory arrives as a pointer to its first element, sizes and strides.
static LogicalResult verifyParameter(KernelOp op, Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  if (!memory && type.isIntOrIndexOrFloat())
    return success();
  if (!memory)
    return op.emitOpError() << "has a parameter of type " << type
                            << ": parameters are memrefs and scalars";
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(memory.getStridesAndOffset(strides, offset)) ||
      (!strides.empty() && strides.back() != 1) ||
      (offset != 0 && !ShapedType::isDynamic(offset)))
    return op.emitOpError() << "has a parameter of type " << type
                            << ": memory has strides, the last of them 1, and "
                               "starts at its pointer";
  return success();
}

LogicalResult KernelOp::verify() {
  Block &entry = getBody().front();
  if (entry.getNumArguments() < getAxes())
    return emitOpError() << "has " << getAxes() << " axes and "
                         << entry.getNumArguments()
                         << " block arguments: one index per axis comes first";
  for (BlockArgument coordinate : getCoordinates())
    if (!coordinate.getType().isIndex())
      return emitOpError() << "has a coordinate of type "
                           << coordinate.getType() << ": coordinates are index";
  for (BlockArgument parameter : getParameters())
    if (failed(verifyParameter(*this, parameter.getType())))
      return failure();
  std::optional<int64_t> warps = getWarps();
  if (warps && (*warps < 1 || *warps > 32 || !llvm::isPowerOf2_64(*warps)))
    return emitOpError() << "has " << *warps
                         << " warps: a block has 1, 2, 4, 8, 16 or 32 warps";
  std::optional<int64_t> bytes = getSharedBytes();
  if (bytes && (*bytes < 0 || *bytes > std::numeric_limits<int32_t>::max()))
    return emitOpError() << "has " << *bytes
                         << " bytes of shared memory: an address has 32 bits";
  return success();
}

/// What an op's own verifier does not know: its block's warps, and, of ops of
/// other dialects, layouts.
static LogicalResult verifyTiles(Operation *op,
                                 std::optional<int64_t> numWarps) {
  const LinearLayout *first = nullptr;
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    const LinearLayout *layout = getLayout(type);
    if (layout && numWarps && layout->getNumWarps() != *numWarps)
      return op->emitOpError() << "has a tile of " << layout->getNumWarps()
                               << " warps in a kernel of " << *numWarps
                               << ": the warps of a block hold its tiles";
    auto outside = layout ? findOutside(*layout) : std::nullopt;
    if (outside)
      return op->emitOpError()
             << "has a tile of shape " << toText(getShape(type)) << " of which "
             << *outside;
    if (!isElementwise || !isa<RankedTensorType>(type))
      continue;
    const LinearLayout *known = first ? first : layout;
    if ((layout == nullptr) != (known == nullptr) ||
        (layout && *layout != *known))
      return op->emitOpError() << "has layouts that differ: elementwise ops "
                                  "work on tiles of one layout";
    first = known;
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  std::optional<int64_t> numWarps = getWarps();
  WalkResult result = getBody().walk(
      [&](Operation *op) { return WalkResult(verifyTiles(op, numWarps)); });
  return failure(result.wasInterrupted());
}

/// Whether a launch's operand can arrive as the parameter.
static bool fits(Type operand, Type parameter) {
  auto tensor = dyn_cast<RankedTensorType>(operand);
  auto memory = dyn_cast<MemRefType>(parameter);
  if (tensor && memory)
    return tensor.getShape() == memory.getShape() &&
           tensor.getElementType() == memory.getElementType();
  return operand == parameter;
}

LogicalResult LaunchOp::verify() {
  if (getOuts().getTypes() == getResults().getTypes())
    return success();
  return emitOpError() << "has outs " << getOuts().getTypes() << " and results "
                       << getResults().getTypes()
                       << ": a result is an out after the launch";
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  auto kernel = dyn_cast_if_present<KernelOp>(symbol);
  if (symbol && getKernelAttr().getNestedReferences().size() == 1)
    return success(); // lowered
  if (!kernel)
    return emitOpError() << "of " << getKernel()
                         << ", which is no kernel: a launch names one";
  if (getPrograms().size() != kernel.getAxes())
    return emitOpError() << "has " << getPrograms().size()
                         << " program axes and " << getKernel() << " has "
                         << kernel.getAxes() << ": they are the same";
  auto parameters = kernel.getParameters();
  size_t given = getIns().size() + getOuts().size();
  if (given != parameters.size())
    return emitOpError() << "has " << given << " operands and " << getKernel()
                         << " has " << parameters.size()
                         << " parameters: ins, then outs, are the parameters";
  SmallVector<Value> operands = llvm::to_vector(getIns());
  llvm::append_range(operands, getOuts());
  for (auto [index, operand] : llvm::enumerate(operands))
    if (!fits(operand.getType(), parameters[index].getType()))
      return emitOpError() << "passes " << operand.getType() << " as parameter "
                           << index << " of type "
                           << parameters[index].getType()
                           << ": a tensor arrives as a memref of its shape";
  return success();
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// A tile's first row comes with the range of its live ones.
template <typename AccessOp> static LogicalResult verifyRows(AccessOp op) {
  bool first = bool(op.getFirst());
  if (bool(op.getFrom()) == first && bool(op.getTo()) == first)
    return success();
  return op.emitOpError()
         << "has " << (first ? "a" : "no") << " first row, "
         << (op.getFrom() ? "a" : "no") << " first live row and "
         << (op.getTo() ? "an" : "no")
         << " end of the live ones: rows have all three, a whole view none";
}

/// A tile of rows of a view, or a whole view.
static LogicalResult verifyAccess(Operation *op, Type tileType, Type viewType,
                                  bool byRow) {
  auto tile = cast<RankedTensorType>(tileType);
  auto view = cast<MemRefType>(viewType);
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError() << "moves " << tile << " and " << view
                             << ": tile and memory have one element type";
  bool same = tile.getRank() == view.getRank();
  for (int64_t dim = byRow ? 1 : 0; same && dim < tile.getRank(); ++dim)
    same = tile.getDimSize(dim) == view.getDimSize(dim);
  if (same && (!byRow || tile.getRank() > 0))
    return success();
  return op->emitOpError() << "moves " << tile << " and " << view
                           << ": the tile is rows of the memory, or all of it";
}

LogicalResult LoadOp::verify() {
  bool byRow = bool(getFirst());
  if (failed(verifyRows(*this)) ||
      failed(verifyAccess(*this, getResult().getType(), getView().getType(),
                          byRow)))
    return failure();
  if (!getOther())
    return success();
  if (byRow && getOther().getType() == getElementType(getResult().getType()))
    return success();
  return emitOpError() << "has else of type " << getOther().getType()
                       << ": dead rows hold an element of the tile's type";
}

LogicalResult StoreOp::verify() {
  if (failed(verifyRows(*this)))
    return failure();
  return verifyAccess(*this, getTile().getType(), getView().getType(),
                      bool(getFirst()));
}

static LogicalResult verifyRowNumbers(Operation *op, Type tile, Type rows) {
  auto shape = getShape(rows);
  if (shape.size() == 1 && !getShape(tile).empty() &&
      shape[0] == getShape(tile)[0])
    return success();
  return op->emitOpError() << "has row numbers " << rows << " for " << tile
                           << ": there is one row number per row";
}

LogicalResult GatherOp::verify() {
  if (failed(
          verifyRowNumbers(*this, getResult().getType(), getRows().getType())))
    return failure();
  return verifyAccess(*this, getResult().getType(), getView().getType(), true);
}

LogicalResult ScatterOp::verify() {
  if (failed(
          verifyRowNumbers(*this, getTile().getType(), getRows().getType())) ||
      failed(
          verifyAccess(*this, getTile().getType(), getView().getType(), true)))
    return failure();
  return verifyLayouts(*this);
}
