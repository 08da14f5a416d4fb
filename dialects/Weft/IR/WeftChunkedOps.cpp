// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The loop over chunks: access and local rules. Rules that need the whole body
// (K3 to K6) are a pass's business.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// ChunkedOp: access
//===----------------------------------------------------------------------===//

static constexpr unsigned kNumIndexArguments = 3;

NextOp ChunkedOp::getNext() {
  return cast<NextOp>(getBody().front().getTerminator());
}
BlockArgument ChunkedOp::getChunkIndex() { return getBody().getArgument(0); }
BlockArgument ChunkedOp::getLiveFrom() { return getBody().getArgument(1); }
BlockArgument ChunkedOp::getLiveTo() { return getBody().getArgument(2); }
Block::BlockArgListType ChunkedOp::getSliceArgs() {
  return getBody().getArguments().slice(kNumIndexArguments, getSlices().size());
}
Block::BlockArgListType ChunkedOp::getCarryArgs() {
  return getBody().getArguments().drop_front(kNumIndexArguments +
                                             getSlices().size());
}
CarryKindInterface ChunkedOp::getKind(unsigned carry) {
  return cast<CarryKindInterface>(getKinds()[carry]);
}
std::pair<unsigned, unsigned> ChunkedOp::getCarryRange(unsigned carry) {
  unsigned first = 0;
  for (unsigned i = 0; i < carry; ++i)
    first += getKind(i).getNumStateTensors();
  return {first, getKind(carry).getNumStateTensors()};
}
OperandRange ChunkedOp::getCarryInits(unsigned carry) {
  auto [first, count] = getCarryRange(carry);
  return getCarries().slice(first, count);
}
Block::BlockArgListType ChunkedOp::getCarryArgs(unsigned carry) {
  auto [first, count] = getCarryRange(carry);
  return getCarryArgs().slice(first, count);
}
ResultRange ChunkedOp::getOutResults() {
  return getResults().take_front(getOuts().size());
}
ResultRange ChunkedOp::getFinalStates() {
  return getResults().drop_front(getOuts().size());
}
ResultRange ChunkedOp::getFinalStates(unsigned carry) {
  auto [first, count] = getCarryRange(carry);
  return getFinalStates().slice(first, count);
}

void ChunkedOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"n", "lo", "hi"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
  unsigned numSlices = getSlices().size();
  for (BlockArgument argument : region.getArguments().drop_front(
           std::min<unsigned>(kNumIndexArguments, region.getNumArguments())))
    setName(argument, argument.getArgNumber() - kNumIndexArguments < numSlices
                          ? "rows"
                          : "state");
}

//===----------------------------------------------------------------------===//
// ChunkedOp: operands and results
//===----------------------------------------------------------------------===//

/// Every kind is a carry kind, and together they take the carried tensors.
static LogicalResult verifyKinds(ChunkedOp op) {
  unsigned numStates = 0;
  for (auto [i, kind] : llvm::enumerate(op.getKinds())) {
    auto carryKind = dyn_cast<CarryKindInterface>(kind);
    if (!carryKind)
      return op.emitOpError("kind #") << i << " is " << kind << rule::K16;
    numStates += carryKind.getNumStateTensors();
  }
  if (numStates == op.getCarries().size())
    return success();
  return op.emitOpError("carries ")
         << op.getCarries().size() << " tensors and its kinds take "
         << numStates << rule::K16;
}

/// Chunks are a power of two of rows; what is cut into them has rows.
static LogicalResult verifyRows(ChunkedOp op) {
  if (!llvm::isPowerOf2_64(op.getChunk()))
    return op.emitOpError("chunk is ") << op.getChunk() << rule::K8;
  for (auto [i, type] : llvm::enumerate(op.getSlices().getTypes()))
    if (cast<RankedTensorType>(type).getRank() == 0)
      return op.emitOpError("slice #") << i << " has type " << type << rule::K1;
  for (auto [i, type] : llvm::enumerate(op.getOuts().getTypes()))
    if (cast<RankedTensorType>(type).getRank() == 0)
      return op.emitOpError("out #") << i << " has type " << type << rule::K17;
  return success();
}

/// The results repeat the outs' and the states' types.
static LogicalResult verifyResults(ChunkedOp op) {
  SmallVector<Type> types(op.getOuts().getTypes());
  llvm::append_range(types, op.getCarries().getTypes());
  if (op.getResultTypes() == TypeRange(types))
    return success();
  return op.emitOpError("has results of types ")
         << op.getResultTypes() << " for outs and states of types " << types
         << rule::K18;
}

/// A stack of states counts chunks from the first one up, whole ones.
static LogicalResult verifyStack(ChunkedOp op, unsigned carry) {
  if (op.getDescending())
    return op.emitOpError("carry #")
           << carry << " of kind " << op.getKind(carry)
           << " is walked descending" << rule::K7;
  APInt from;
  if (matchPattern(op.getFrom(), m_ConstantInt(&from)) &&
      from.getSExtValue() % op.getChunk() != 0)
    return op.emitOpError("carry #")
           << carry << " of kind " << op.getKind(carry) << " starts at row "
           << from.getSExtValue() << " in chunks of " << op.getChunk()
           << rule::K7a;
  return success();
}

LogicalResult ChunkedOp::verify() {
  if (failed(verifyKinds(*this)) || failed(verifyRows(*this)) ||
      failed(verifyResults(*this)))
    return failure();
  for (unsigned carry : llvm::seq(getNumCarries())) {
    auto emitCarryError = [&] {
      return emitOpError("carry #") << carry << ": ";
    };
    CarryKindInterface kind = getKind(carry);
    if (failed(
            kind.verifyState(emitCarryError, getCarryInits(carry).getTypes())))
      return failure();
    if (kind.isScannedByAction() && failed(verifyStack(*this, carry)))
      return failure();
  }
  return success();
}

LogicalResult ChunkedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (unsigned carry : llvm::seq(getNumCarries())) {
    auto emitCarryError = [&] {
      return emitOpError("carry #") << carry << ": ";
    };
    if (failed(getKind(carry).verifySymbols(emitCarryError, *this, symbols)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ChunkedOp: region
//===----------------------------------------------------------------------===//

/// Whether `type` is `chunk` rows of a tensor like `whole`.
static bool areRowsOf(RankedTensorType type, RankedTensorType whole,
                      int64_t chunk) {
  return type.getRank() == whole.getRank() && type.getDimSize(0) == chunk &&
         type.getShape().drop_front() == whole.getShape().drop_front() &&
         type.getElementType() == whole.getElementType();
}

/// The region takes n, lo, hi, rows of every slice, and the states.
static LogicalResult verifyArguments(ChunkedOp op) {
  Region &body = op.getBody();
  size_t expected =
      kNumIndexArguments + op.getSlices().size() + op.getCarries().size();
  if (body.getNumArguments() != expected)
    return op.emitOpError("region takes ")
           << body.getNumArguments() << " arguments for "
           << op.getSlices().size() << " slices and " << op.getCarries().size()
           << " states" << rule::K19;
  for (BlockArgument argument :
       body.getArguments().take_front(kNumIndexArguments))
    if (!argument.getType().isIndex())
      return op.emitOpError("region argument #")
             << argument.getArgNumber() << " has type " << argument.getType()
             << rule::K19;
  return success();
}

/// Slices are C rows of their operand, of static shape.
static LogicalResult verifySliceArguments(ChunkedOp op) {
  for (auto [i, slice, argument] :
       llvm::enumerate(op.getSlices(), op.getSliceArgs())) {
    auto whole = cast<RankedTensorType>(slice.getType());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !areRowsOf(type, whole, op.getChunk()))
      return op.emitOpError("slice #")
             << i << " has type " << argument.getType() << " in the region of "
             << op.getChunk() << " rows a chunk, cut from " << whole
             << rule::K1;
    if (!type.hasStaticShape())
      return op.emitOpError("slice #")
             << i << " has type " << type << rule::K8a;
  }
  return success();
}

static LogicalResult verifyStateArguments(ChunkedOp op) {
  for (auto [i, init, argument] :
       llvm::enumerate(op.getCarries(), op.getCarryArgs()))
    if (init.getType() != argument.getType())
      return op.emitOpError("state #")
             << i << " has type " << argument.getType()
             << " in the region and starts as " << init.getType() << rule::K18;
  return success();
}

/// One value of C rows per row output.
static LogicalResult verifyOutRows(ChunkedOp op, NextOp next) {
  if (next.getRows().size() != op.getOuts().size())
    return next.emitOpError("gives rows of ")
           << next.getRows().size() << " outputs for " << op.getOuts().size()
           << " outs" << rule::K17;
  for (auto [i, rows, out] : llvm::enumerate(next.getRows(), op.getOuts())) {
    auto type = cast<RankedTensorType>(rows.getType());
    auto whole = cast<RankedTensorType>(out.getType());
    if (!areRowsOf(type, whole, op.getChunk()))
      return next.emitOpError("output #")
             << i << " has type " << type << " of " << op.getChunk()
             << " rows a chunk, stored into " << whole << rule::K17;
    if (!type.hasStaticShape())
      return next.emitOpError("output #")
             << i << " has type " << type << rule::K8a;
  }
  return success();
}

/// One element per carry, of its kind, which fits the carry's state.
static LogicalResult verifyElements(ChunkedOp op, NextOp next) {
  if (next.getElements().size() != op.getNumCarries())
    return next.emitOpError("gives ")
           << next.getElements().size() << " elements for "
           << op.getNumCarries() << " carries" << rule::K2;
  for (unsigned carry : llvm::seq<unsigned>(op.getNumCarries())) {
    Value element = next.getElements()[carry];
    CarryKindInterface kind = op.getKind(carry);
    Attribute given = cast<ElementType>(element.getType()).getKind();
    if (given != kind.getElementKind())
      return next.emitOpError("element #")
             << carry << " is of kind " << given << " and carry #" << carry
             << " of kind " << kind << rule::K2;
    Operation *maker = element.getDefiningOp();
    auto emitElementError = [&]() -> InFlightDiagnostic {
      if (maker)
        return maker->emitOpError("of carry #") << carry << ": ";
      return next.emitOpError("element #") << carry << ": ";
    };
    if (failed(kind.verifyElement(emitElementError, maker,
                                  op.getCarryInits(carry).getTypes())))
      return failure();
  }
  return success();
}

LogicalResult ChunkedOp::verifyRegions() {
  auto next = dyn_cast<NextOp>(getBody().front().getTerminator());
  if (!next)
    return emitOpError("region ends in '")
           << getBody().front().getTerminator()->getName() << '\'' << rule::K2;
  return failure(failed(verifyArguments(*this)) ||
                 failed(verifySliceArguments(*this)) ||
                 failed(verifyStateArguments(*this)) ||
                 failed(verifyOutRows(*this, next)) ||
                 failed(verifyElements(*this, next)));
}

//===----------------------------------------------------------------------===//
// ChunkSizeOp
//===----------------------------------------------------------------------===//

OpFoldResult ChunkSizeOp::fold(FoldAdaptor) {
  auto loop = cast<ChunkedOp>((*this)->getParentOp());
  return IntegerAttr::get(IndexType::get(getContext()), loop.getChunk());
}
