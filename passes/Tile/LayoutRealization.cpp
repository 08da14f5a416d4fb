// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Op by op: operands in the form that the op needs, results in their layouts.
//===----------------------------------------------------------------------===//

#include "passes/Tile/LayoutRealization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

static RankedTensorType getTile(Value value) {
  return cast<RankedTensorType>(value.getType());
}

void LayoutRealization::setLayout(Value value, const LinearLayout &layout) {
  value.setType(withLayout(getTile(value), layout));
}

LinearLayout LayoutRealization::getPieces(Value tile) {
  RankedTensorType type = getTile(tile);
  return makeRowPieces(type.getShape(), type.getElementTypeBitWidth() / 8,
                       assignment.getNumWarps());
}

void LayoutRealization::setOperand(OpOperand &operand,
                                   const LinearLayout &layout) {
  operand.set(getRegisters(operand.get(), layout, operand.getOwner()));
}

void LayoutRealization::rewriteElementwise(Operation *op) {
  Value result = op->getResult(0);
  const LinearLayout layout = assignment.get(result);
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      setOperand(operand, layout);
  setLayout(result, layout);
}

/// Warps that share a line of the dim.
static unsigned countPartsOverWarps(const LinearLayout &layout, unsigned dim) {
  unsigned parts = 1;
  for (const Coordinates &basis : layout.getBases(LayoutInput::Warp))
    if (basis[dim])
      parts *= 2;
  return parts;
}

/// `layout` behind a leading dim of `parts`: in the warp bits that `whole` has
/// along its reduced dim, or in the first registers.
static LinearLayout addParts(const LinearLayout &layout,
                             const LinearLayout &whole, unsigned dim,
                             unsigned parts, bool inWarps) {
  SmallVector<int64_t> shape{parts};
  llvm::append_range(shape, layout.getShape());
  std::array<Bases, 3> bases;
  int64_t stretch = whole.getShape()[dim] / parts;
  for (LayoutInput input : layoutInputs) {
    Bases &group = bases[static_cast<unsigned>(input)];
    for (auto [bit, basis] : llvm::enumerate(layout.getBases(input))) {
      Coordinates longer{0};
      llvm::append_range(longer, basis);
      if (inWarps && input == LayoutInput::Warp)
        longer[0] = whole.getBases(input)[bit][dim] / stretch;
      group.push_back(longer);
    }
  }
  Bases registers;
  for (unsigned part = 1; !inWarps && part < parts; part *= 2) {
    Coordinates basis(shape.size(), 0);
    basis[0] = part;
    registers.push_back(basis);
  }
  registers.append(bases[0]);
  return LinearLayout(shape, registers, bases[1], bases[2]);
}

/// Each warp combines its own stretch of the dim; the parts meet in shared
/// memory, and every warp combines them all.
void LayoutRealization::reduceAcrossWarps(ReduceOp op,
                                          const LinearLayout &layout,
                                          unsigned numParts) {
  unsigned dim = op.getDim();
  LinearLayout rest = layout.dropDim(dim);
  LinearLayout spread = addParts(rest, layout, dim, numParts, true);
  LinearLayout gathered = addParts(rest, layout, dim, numParts, false);
  auto addLeadingDim = [&](Value result, const LinearLayout &to) {
    return withLayout(
        RankedTensorType::get(to.getShape(), getTile(result).getElementType()),
        to);
  };
  builder.setInsertionPoint(op);
  auto partial = cast<ReduceOp>(builder.clone(*op));
  partial.setParts(numParts);
  SmallVector<Value> parts;
  for (auto [part, result] :
       llvm::zip_equal(partial.getResults(), op.getResults())) {
    part.setType(addLeadingDim(result, spread));
    Value buffer = createBuffer(part.getType());
    builder.setInsertionPoint(op);
    StoreSharedOp::create(builder, op.getLoc(), part, buffer);
    parts.push_back(LoadSharedOp::create(
        builder, op.getLoc(), addLeadingDim(result, gathered), buffer));
  }
  op->setOperands(parts);
  op.setDim(0);
}

void LayoutRealization::rewriteReduce(ReduceOp op) {
  LinearLayout layout = assignment.estimate(op.getSources()[0]);
  for (OpOperand &operand : op->getOpOperands())
    setOperand(operand, layout);
  unsigned numParts = countPartsOverWarps(layout, op.getDim());
  if (numParts > 1)
    reduceAcrossWarps(op, layout, numParts);
  for (Value result : op.getResults())
    setLayout(result, assignment.get(result));
}

void LayoutRealization::rewriteScan(ScanOp op) {
  for (OpOperand &operand : op->getOpOperands())
    setOperand(operand, assignment.getScanLayout(
                            getTile(operand.get()).getShape(), op.getDim()));
  for (Value result : op.getResults())
    setLayout(result, assignment.get(result));
}

void LayoutRealization::rewriteMma(MmaOp op) {
  MatrixFragments fragments = getMatrixFragments(op, assignment.getNumWarps());
  OpOperand &lhs = op.getLhsMutable();
  if (isReadyAs(lhs.get(), fragments.first))
    setOperand(lhs, fragments.first);
  else
    lhs.set(getBuffer(lhs.get()));
  // What lies in shared memory and is only rounded is rounded as it is read.
  auto rounded = op.getRhs().getDefiningOp<RoundOp>();
  if (rounded && getHomeNow(rounded.getSource()) == TileHome::Shared) {
    op.setRound(true);
    op.getRhsMutable().set(getBuffer(rounded.getSource()));
  } else {
    op.getRhsMutable().set(getBuffer(op.getRhs()));
  }
  setOperand(op.getAccumulatorMutable(), fragments.accumulator);
  setLayout(op.getResult(), fragments.accumulator);
}

void LayoutRealization::rewriteConcat(ConcatOp op) {
  const LinearLayout layout = assignment.get(op.getResult());
  auto block = getBlockLayout(layout, getTile(op.getSources()[0]).getShape());
  for (OpOperand &operand : op->getOpOperands())
    setOperand(operand, *block);
  setLayout(op.getResult(), layout);
}

void LayoutRealization::rewriteExtract(ExtractOp op) {
  if (!assignment.has(op.getResult()))
    return;
  setOperand(op.getSourceMutable(), assignment.estimate(op.getSource()));
  setLayout(op.getResult(), assignment.get(op.getResult()));
}

void LayoutRealization::rewriteTake(TakeOp op) {
  const LinearLayout layout = assignment.get(op.getResult());
  op.getSourceMutable().set(getBuffer(op.getSource()));
  setOperand(op.getColumnsMutable(), layout);
  setLayout(op.getResult(), layout);
}

/// Whether rows are stored from the registers that hold them: whole states, and
/// rows too short for accesses of 16 bytes.
static bool isStoredDirectly(StoreOp op) {
  RankedTensorType type = getTile(op.getTile());
  return !op.getFirst() || type.getRank() < 2;
}

void LayoutRealization::rewriteStore(StoreOp op) {
  OpOperand &tile = op.getTileMutable();
  if (isStoredDirectly(op)) {
    setOperand(tile, assignment.estimate(tile.get()));
    return;
  }
  LinearLayout pieces = getPieces(tile.get());
  setOperand(tile, pieces);
}

void LayoutRealization::rewriteScatter(ScatterOp op) {
  LinearLayout pieces = getPieces(op.getTile());
  setOperand(op.getTileMutable(), pieces);
  setOperand(op.getRowsMutable(), dropToDims(pieces, {0}));
}

void LayoutRealization::rewriteFactor(FactorBlockOp op) {
  Value source = getBuffer(op.getSource());
  Value factor = createBuffer(op.getFactor().getType());
  Value inverse = createBuffer(op.getInverse().getType());
  auto strips = RankedTensorType::get({64 * assignment.getNumWarps()},
                                      builder.getF32Type());
  Value room = createBuffer(strips);
  builder.setInsertionPoint(op);
  FactorSharedOp::create(builder, op.getLoc(), source, factor, inverse, room);
  buffers[op.getFactor()] = factor;
  buffers[op.getInverse()] = inverse;
}

void LayoutRealization::rewriteInvert(InvertBlocksOp op) {
  Value source = getBuffer(op.getSource());
  Value inverses = createBuffer(op.getResult().getType());
  builder.setInsertionPoint(op);
  InvertSharedOp::create(builder, op.getLoc(), source, inverses, op.getUnit());
  buffers[op.getResult()] = inverses;
}

void LayoutRealization::rewriteStack(NewStackOp op) {
  StackType type = op.getStack().getType();
  Value buffer = createBuffer(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  op.getStack().replaceAllUsesWith(buffer);
  op.erase();
}

LogicalResult LayoutRealization::rewriteLoop(scf::ForOp op) {
  for (auto [index, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    if (!isTile(argument))
      continue;
    const LinearLayout layout = assignment.get(argument);
    setOperand(op.getInitArgsMutable()[index], layout);
    setLayout(argument, layout);
    setLayout(op.getResult(index), layout);
  }
  if (failed(rewriteBlock(*op.getBody())))
    return failure();
  Operation *yield = op.getBody()->getTerminator();
  for (auto [index, argument] : llvm::enumerate(op.getRegionIterArgs()))
    if (isTile(argument))
      setOperand(yield->getOpOperand(index), assignment.get(argument));
  return success();
}

LogicalResult LayoutRealization::rewriteConditional(scf::IfOp op) {
  for (Value result : op.getResults())
    if (isTile(result))
      setLayout(result, assignment.get(result));
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (failed(rewriteBlock(region.front())))
      return failure();
    Operation *yield = region.front().getTerminator();
    for (auto [operand, result] :
         llvm::zip_equal(yield->getOpOperands(), op.getResults()))
      if (isTile(result))
        setOperand(operand, assignment.get(result));
  }
  return success();
}

/// Each thread makes all of a constant's elements that it holds from one
/// number.
static LogicalResult verifyOneNumber(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (constant ? !elements || elements.isSplat() : op->getNumOperands() == 1)
    return success();
  return op->emitOpError() << "of " << op->getResult(0).getType()
                           << " has more than one number: on tiles a constant "
                              "is one number in every element";
}

LogicalResult LayoutRealization::rewrite(Operation &op) {
  if (isElementwise(&op)) {
    if (getHome(op.getResult(0)) == TileHome::Registers)
      rewriteElementwise(&op);
    return success();
  }
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ReduceOp op) { return rewriteReduce(op), success(); })
      .Case([&](ScanOp op) { return rewriteScan(op), success(); })
      .Case([&](MmaOp op) { return rewriteMma(op), success(); })
      .Case([&](ConcatOp op) { return rewriteConcat(op), success(); })
      .Case([&](ExtractOp op) { return rewriteExtract(op), success(); })
      .Case([&](TakeOp op) { return rewriteTake(op), success(); })
      .Case([&](StoreOp op) { return rewriteStore(op), success(); })
      .Case([&](ScatterOp op) { return rewriteScatter(op), success(); })
      .Case([&](FactorBlockOp op) { return rewriteFactor(op), success(); })
      .Case([&](InvertBlocksOp op) { return rewriteInvert(op), success(); })
      .Case([&](NewStackOp op) { return rewriteStack(op), success(); })
      .Case([&](LoadSlotOp op) {
        return setLayout(op.getResult(), assignment.get(op.getResult())),
               success();
      })
      .Case([&](StoreSlotOp op) {
        return setOperand(op.getTileMutable(),
                          assignment.estimate(op.getTile())),
               success();
      })
      .Case([&](scf::ForOp op) { return rewriteLoop(op); })
      .Case([&](scf::IfOp op) { return rewriteConditional(op); })
      .Case<arith::ConstantOp, tensor::FromElementsOp>(
          [](auto op) { return verifyOneNumber(op); })
      .Case<LoadOp, GatherOp, BroadcastOp, TransposeOp, CoordinateOp,
            tensor::SplatOp, scf::YieldOp, ReturnOp>(
          [](auto) { return success(); })
      .Default([&](Operation *other) -> LogicalResult {
        if (llvm::none_of(other->getOperands(), isTile) &&
            llvm::none_of(other->getResults(), isTile))
          return success();
        return other->emitOpError("has no layout rule: a tile is made by ops "
                                  "of the tile stage");
      });
}

LogicalResult LayoutRealization::rewriteBlock(Block &block) {
  // What is inserted before an op is in its final form.
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(rewrite(*op)))
      return failure();
  return success();
}

/// What was made again elsewhere, and loads that became copies, are left
/// behind.
void LayoutRealization::eraseUnused() {
  SmallVector<Operation *> left;
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (llvm::any_of(op->getResults(), [](Value result) {
          return isTile(result) && !getLayout(result);
        }))
      left.push_back(op);
  });
  for (Operation *op : llvm::reverse(left))
    if (op->use_empty())
      op->erase();
}

LogicalResult LayoutRealization::run() {
  if (failed(rewriteBlock(kernel.getBody().front())))
    return failure();
  eraseUnused();
  kernel.setWarps(assignment.getNumWarps());
  return success();
}
