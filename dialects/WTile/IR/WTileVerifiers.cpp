// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What is checked of each op: shapes, element types, and that an op's layouts
// fit each other. Layouts themselves are checked where they are parsed.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// Shape and element type of a tile or a shared buffer.
static ArrayRef<int64_t> getShape(Type type) {
  if (auto shared = dyn_cast<SharedType>(type))
    return shared.getShape();
  if (auto stack = dyn_cast<StackType>(type))
    return stack.getShape();
  return cast<ShapedType>(type).getShape();
}
static Type getElementType(Type type) {
  if (auto shared = dyn_cast<SharedType>(type))
    return shared.getElementType();
  if (auto stack = dyn_cast<StackType>(type))
    return stack.getElementType();
  return cast<ShapedType>(type).getElementType();
}

static SmallVector<int64_t> dropDim(ArrayRef<int64_t> shape, unsigned dim) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + dim);
  return rest;
}

static LogicalResult verifyDim(Operation *op, int64_t dim, Type type) {
  int64_t rank = getShape(type).size();
  if (dim < rank)
    return success();
  return op->emitOpError() << "over dim " << dim << " of " << type
                           << ": a dim is one of the tile's";
}

//===----------------------------------------------------------------------===//
// Kernels and launches
//===----------------------------------------------------------------------===//

Block::BlockArgListType KernelOp::getCoordinates() {
  return getBody().front().getArguments().take_front(getAxes());
}

Block::BlockArgListType KernelOp::getParameters() {
  return getBody().front().getArguments().drop_front(getAxes());
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
    if (!isa<MemRefType>(parameter.getType()) &&
        !parameter.getType().isIntOrIndexOrFloat())
      return emitOpError() << "has a parameter of type " << parameter.getType()
                           << ": parameters are memrefs and scalars";
  std::optional<int64_t> warps = getWarps();
  if (warps && (*warps < 1 || *warps > 32 || !llvm::isPowerOf2_64(*warps)))
    return emitOpError() << "has " << *warps
                         << " warps: a block has 1, 2, 4, 8, 16 or 32 warps";
  return success();
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
  if (failed(verifyAccess(*this, getResult().getType(), getView().getType(),
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
  if (failed(verifyRowNumbers(*this, getTile().getType(), getRows().getType())))
    return failure();
  return verifyAccess(*this, getTile().getType(), getView().getType(), true);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult CoordinateOp::verify() {
  return verifyDim(*this, getDim(), getResult().getType());
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  ArrayRef<int64_t> dims = getDims();
  bool fits = source.getElementType() == result.getElementType() &&
              static_cast<int64_t>(dims.size()) == source.getRank();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = dims[i] >= 0 && dims[i] < result.getRank() &&
           (i == 0 || dims[i - 1] < dims[i]) &&
           source.getDimSize(i) == result.getDimSize(dims[i]);
  if (fits)
    return success();
  return emitOpError() << "of " << source << " to dims " << dims << " of "
                       << result
                       << ": dims are increasing and of the source's sizes";
}

/// The region of a reduction or scan: (earlier..., later...) -> results, all
/// scalars of the sources' element types.
static LogicalResult verifyCombine(Operation *op, Region &region,
                                   ValueRange sources) {
  if (sources.empty())
    return op->emitOpError() << "has no source: there is one at least";
  SmallVector<Type> scalars;
  for (Value source : sources) {
    if (getShape(source.getType()) != getShape(sources[0].getType()))
      return op->emitOpError()
             << "has sources " << sources[0].getType() << " and "
             << source.getType() << ": sources have one shape";
    scalars.push_back(getElementType(source.getType()));
  }
  SmallVector<Type> arguments(scalars);
  llvm::append_range(arguments, scalars);
  Block &block = region.front();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (llvm::equal(block.getArgumentTypes(), arguments) && yield &&
      llvm::equal(yield.getValues().getTypes(), scalars))
    return success();
  return op->emitOpError() << "combines " << block.getArgumentTypes()
                           << " for sources of element types " << scalars
                           << ": the region maps earlier and later scalars "
                              "to combined ones";
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getCombine(), getSources())) ||
      failed(verifyDim(*this, getDim(), getSources()[0].getType())))
    return failure();
  if (getResults().size() != getSources().size())
    return emitOpError() << "has " << getResults().size() << " results of "
                         << getSources().size()
                         << " sources: there is one per source";
  SmallVector<int64_t> shape =
      dropDim(getShape(getSources()[0].getType()), getDim());
  if (std::optional<int64_t> parts = getParts()) {
    int64_t size = getShape(getSources()[0].getType())[getDim()];
    if (*parts <= 0 || size % *parts != 0)
      return emitOpError() << "in " << *parts << " parts of a dim of size "
                           << size << ": parts are equal";
    shape.insert(shape.begin(), *parts);
  }
  for (auto [source, result] : llvm::zip_equal(getSources(), getResults()))
    if (ArrayRef<int64_t>(shape) != getShape(result.getType()) ||
        getElementType(source.getType()) != getElementType(result.getType()))
      return emitOpError() << "of " << source.getType() << " is "
                           << result.getType()
                           << ": a result is its source without the dim, its "
                              "parts in front";
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this, getCombine(), getSources())) ||
      failed(verifyDim(*this, getDim(), getSources()[0].getType())))
    return failure();
  if (getSources().getTypes() != getResults().getTypes())
    return emitOpError() << "of " << getSources().getTypes() << " is "
                         << getResults().getTypes()
                         << ": results have the sources' types";
  if (getIdentity().size() != getSources().size())
    return emitOpError() << "has " << getIdentity().size() << " identities of "
                         << getSources().size()
                         << " sources: there is one per source";
  for (auto [entry, source] : llvm::zip_equal(getIdentity(), getSources())) {
    auto typed = dyn_cast<TypedAttr>(entry);
    if (!typed || typed.getType() != getElementType(source.getType()))
      return emitOpError() << "has identity " << entry << " of "
                           << source.getType()
                           << ": an identity is an element of its source";
  }
  return success();
}

LogicalResult MmaOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  if (getDims().size() != 2 || getShape(lhs).size() != 2 ||
      getShape(rhs).size() != 2 || getDims()[0] < 0 || getDims()[0] > 1 ||
      getDims()[1] < 0 || getDims()[1] > 1)
    return emitOpError() << "over " << getDims() << " of " << lhs << " and "
                         << rhs
                         << ": one of the two dims of each factor is "
                            "contracted";
  if (getElementType(lhs) != getElementType(rhs) ||
      !(getElementType(lhs).isBF16() || getElementType(lhs).isF16() ||
        getElementType(lhs).isF32()) ||
      !accumulator.getElementType().isF32())
    return emitOpError() << "of " << lhs << " and " << rhs << " into "
                         << accumulator
                         << ": factors are both bf16, f16 or f32, and sums "
                            "f32";
  int64_t rows = getShape(lhs)[1 - getLhsDim()];
  int64_t columns = getShape(rhs)[1 - getRhsDim()];
  if (getShape(lhs)[getLhsDim()] == getShape(rhs)[getRhsDim()] &&
      accumulator.getShape() == ArrayRef<int64_t>{rows, columns})
    return success();
  return emitOpError() << "over " << getDims() << " of " << lhs << " and "
                       << rhs << " into " << accumulator
                       << ": contracted dims have one size, and the free ones "
                          "are the result's";
}

LogicalResult RoundOp::verify() {
  if (getElementType(getSource().getType()).isF32())
    return success();
  return emitOpError() << "of " << getSource().getType()
                       << ": tf32 values are f32";
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> source = getShape(getSource().getType());
  ArrayRef<int64_t> result = getShape(getResult().getType());
  if (source.size() == 2 && result.size() == 2 && source[0] == result[1] &&
      source[1] == result[0] &&
      getElementType(getSource().getType()) ==
          getElementType(getResult().getType()))
    return success();
  return emitOpError() << "of " << getSource().getType() << " is "
                       << getResult().getType()
                       << ": the dims of a matrix are swapped";
}

/// `part` at `offsets` inside `whole`, aligned to its own sizes.
static LogicalResult verifyBlock(Operation *op, Type whole, Type part,
                                 ArrayRef<int64_t> offsets) {
  ArrayRef<int64_t> outer = getShape(whole), inner = getShape(part);
  bool fits = outer.size() == inner.size() && outer.size() == offsets.size() &&
              getElementType(whole) == getElementType(part);
  for (size_t i = 0; fits && i < offsets.size(); ++i)
    fits = offsets[i] >= 0 && offsets[i] % inner[i] == 0 &&
           offsets[i] + inner[i] <= outer[i];
  if (fits)
    return success();
  return op->emitOpError() << "of " << whole << " at " << offsets << " is "
                           << part
                           << ": a block lies inside, at multiples of its "
                              "sizes";
}

LogicalResult ExtractOp::verify() {
  return verifyBlock(*this, getSource().getType(), getResult().getType(),
                     getOffsets());
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty() || !llvm::isPowerOf2_64(getSources().size()) ||
      !llvm::all_equal(getSources().getTypes()))
    return emitOpError() << "of " << getSources().getTypes()
                         << ": a power of two of tiles of one type";
  if (failed(verifyDim(*this, getDim(), getSources()[0].getType())))
    return failure();
  SmallVector<int64_t> shape(getShape(getSources()[0].getType()));
  shape[getDim()] *= getSources().size();
  if (getShape(getResult().getType()) == ArrayRef<int64_t>(shape) &&
      getElementType(getResult().getType()) ==
          getElementType(getSources()[0].getType()))
    return success();
  return emitOpError() << "of " << getSources().size() << " tiles "
                       << getSources()[0].getType() << " over dim " << getDim()
                       << " is " << getResult().getType()
                       << ": sizes along the dim add up";
}

LogicalResult TakeOp::verify() {
  ArrayRef<int64_t> source = getShape(getSource().getType());
  ArrayRef<int64_t> columns = getShape(getColumns().getType());
  ArrayRef<int64_t> result = getShape(getResult().getType());
  if (source.size() == 2 && (columns.size() == 1 || columns.size() == 2) &&
      result == columns && source[0] == columns[0] &&
      getElementType(getSource().getType()) ==
          getElementType(getResult().getType()))
    return success();
  return emitOpError() << "from " << getSource().getType() << " by "
                       << getColumns().getType() << " is "
                       << getResult().getType()
                       << ": an index per element, and one row of the source "
                          "per row";
}

LogicalResult FactorBlockOp::verify() {
  Type type = getSource().getType();
  if (getShape(type) == ArrayRef<int64_t>{16, 16} &&
      getElementType(type).isF32() &&
      getShape(getFactor().getType()) == getShape(type) &&
      getShape(getInverse().getType()) == getShape(type))
    return success();
  return emitOpError() << "of " << type << ": a block is 16x16xf32";
}

LogicalResult InvertBlocksOp::verify() {
  ArrayRef<int64_t> source = getShape(getSource().getType());
  ArrayRef<int64_t> result = getShape(getResult().getType());
  if (source.size() == 2 && source[0] == source[1] && source[0] % 16 == 0 &&
      result == ArrayRef<int64_t>{source[0], 16} &&
      getElementType(getSource().getType()).isF32() &&
      getElementType(getResult().getType()).isF32())
    return success();
  return emitOpError() << "of " << getSource().getType() << " is "
                       << getResult().getType()
                       << ": f32 blocks of 16 rows, one below the other";
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult StageOp::verify() {
  ArrayRef<int64_t> ring = getRing().getType().getShape();
  if (!ring.empty() && llvm::isPowerOf2_64(ring[0]) &&
      ring.drop_front() == getResult().getType().getShape() &&
      getRing().getType().getElementType() ==
          getResult().getType().getElementType())
    return success();
  return emitOpError() << "of " << getRing().getType() << " is "
                       << getResult().getType()
                       << ": a ring has a power of two of stages";
}

LogicalResult SubviewOp::verify() {
  return verifyBlock(*this, getSource().getType(), getResult().getType(),
                     getOffsets());
}

static LogicalResult verifySameTile(Operation *op, Type tile, Type buffer) {
  if (getShape(tile) == getShape(buffer) &&
      getElementType(tile) == getElementType(buffer))
    return success();
  return op->emitOpError() << "moves " << tile << " and " << buffer
                           << ": tile and buffer have one shape and element "
                              "type";
}

LogicalResult StoreSharedOp::verify() {
  return verifySameTile(*this, getTile().getType(), getBuffer().getType());
}

LogicalResult LoadSharedOp::verify() {
  return verifySameTile(*this, getResult().getType(), getBuffer().getType());
}

LogicalResult RelayoutOp::verify() {
  return verifySameTile(*this, getSource().getType(), getResult().getType());
}

LogicalResult CopyAsyncOp::verify() {
  auto view = cast<MemRefType>(getView().getType());
  ArrayRef<int64_t> buffer = getBuffer().getType().getShape();
  bool fits = view.getRank() == static_cast<int64_t>(buffer.size()) &&
              !buffer.empty() &&
              view.getElementType() == getBuffer().getType().getElementType();
  for (size_t dim = 1; fits && dim < buffer.size(); ++dim)
    fits = !view.isDynamicDim(dim) && view.getDimSize(dim) <= buffer[dim];
  if (!fits)
    return emitOpError() << "of " << view << " to " << getBuffer().getType()
                         << ": the buffer holds rows of the memory";
  if (!getIndex())
    return success();
  Type index = getIndex().getType();
  if (getShape(index).size() == 1 && getElementType(index).isInteger())
    return success();
  return emitOpError() << "by " << index
                       << ": row numbers are a vector of integers";
}

/// A slot of a stack.
static LogicalResult verifySlot(Operation *op, Type tile, Type stack,
                                int64_t slot) {
  ArrayRef<int64_t> shape = getShape(stack);
  if (!shape.empty() && slot < shape[0] &&
      getShape(tile) == shape.drop_front() &&
      getElementType(tile) == getElementType(stack))
    return success();
  return op->emitOpError() << "moves " << tile << " and slot " << slot << " of "
                           << stack << ": the tile is one of the stack's slots";
}

LogicalResult LoadSlotOp::verify() {
  return verifySlot(*this, getResult().getType(), getStack().getType(),
                    getSlot());
}

LogicalResult StoreSlotOp::verify() {
  return verifySlot(*this, getTile().getType(), getStack().getType(),
                    getSlot());
}
