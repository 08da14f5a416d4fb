// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Structure, scalars, and what happens inside a thread.
//===----------------------------------------------------------------------===//

#include "passes/Threads/ThreadLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Tile/LayoutAssignment.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ThreadLowering::i32(int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value ThreadLowering::i64(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

Value ThreadLowering::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value ThreadLowering::asIndex(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return index(*constant);
  return cast<Value>(value);
}

Value ThreadLowering::asI64(Value index) {
  if (index.getType().isInteger(64))
    return index;
  if (index.getType().isInteger())
    return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), index);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

Value ThreadLowering::asI32(Value index) {
  if (index.getType().isInteger(32))
    return index;
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}

Value ThreadLowering::offsetBytes(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

ThreadLowering::Elements ThreadLowering::getElements(Value tile) {
  unsigned count = layoutOf(tile).getNumRegisters();
  Elements kept = tiles.lookup(tile);
  if (!isPaired(getElementType(tile), count))
    return kept;
  Elements elements;
  for (Value pair : kept)
    for (int64_t half : {0, 1})
      elements.push_back(buildElement(builder, loc, pair, half));
  return elements;
}

void ThreadLowering::setElements(Value tile, ValueRange elements) {
  Type type = getElementType(tile);
  if (!isPaired(type, elements.size())) {
    tiles[tile] = llvm::to_vector(elements);
    return;
  }
  Elements pairs;
  for (unsigned i = 0; i < elements.size(); i += 2)
    pairs.push_back(
        buildVector(builder, loc, ValueRange{elements[i], elements[i + 1]}));
  tiles[tile] = pairs;
}

void ThreadLowering::flattenTypes(Type type, SmallVector<Type> &flat) {
  const LinearLayout *layout = getLayout(type);
  if (!layout) {
    flat.push_back(type);
    return;
  }
  Type element = cast<RankedTensorType>(type).getElementType();
  unsigned count = layout->getNumRegisters();
  if (isPaired(element, count))
    flat.append(count / 2, VectorType::get(2, element));
  else
    flat.append(count, element);
}

void ThreadLowering::flatten(Value value, Elements &flat) {
  if (getLayout(value))
    llvm::append_range(flat, tiles.lookup(value));
  else
    flat.push_back(scalar(value));
}

void ThreadLowering::bindFlat(Value value, ValueRange &flat) {
  SmallVector<Type> types;
  flattenTypes(value.getType(), types);
  ValueRange own = flat.take_front(types.size());
  flat = flat.drop_front(types.size());
  if (getLayout(value))
    tiles[value] = llvm::to_vector(own);
  else
    scalars.map(value, own[0]);
}

//===----------------------------------------------------------------------===//
// Inside a thread
//===----------------------------------------------------------------------===//

void ThreadLowering::lowerScalar(Operation &op) {
  Operation *copy = builder.clone(op, scalars);
  scalars.map(op.getResults(), copy->getResults());
}

/// The same op on one element.
static Value cloneOnElement(OpBuilder &builder, Operation &op,
                            ValueRange operands, Type type) {
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

void ThreadLowering::lowerElementwise(Operation &op) {
  Value result = op.getResult(0);
  Type type = getElementType(result);
  unsigned count = layoutOf(result).getNumRegisters();
  // A conversion to 16 bits makes both halves of a pair at once.
  if (isa<arith::TruncFOp>(op) && isPaired(type, count)) {
    Elements source = getElements(op.getOperand(0)), pairs;
    for (unsigned i = 0; i < count; i += 2) {
      Value wide =
          buildVector(builder, loc, ValueRange{source[i], source[i + 1]});
      pairs.push_back(arith::TruncFOp::create(builder, loc,
                                              VectorType::get(2, type), wide));
    }
    tiles[result] = pairs;
    return;
  }
  SmallVector<Elements> operands;
  for (Value operand : op.getOperands())
    operands.push_back(getLayout(operand) ? getElements(operand)
                                          : Elements(count, scalar(operand)));
  Elements elements;
  for (unsigned reg = 0; reg < count; ++reg) {
    auto own = llvm::map_to_vector(
        operands, [&](const Elements &list) { return list[reg]; });
    elements.push_back(cloneOnElement(builder, op, own, type));
  }
  setElements(result, elements);
}

void ThreadLowering::lowerRound(RoundOp op) {
  Elements rounded;
  for (Value element : getElements(op.getSource()))
    rounded.push_back(buildRoundToTF32(builder, loc, element));
  setElements(op.getResult(), rounded);
}

/// Splats of constants and of scalars.
void ThreadLowering::lowerConstant(Operation &op) {
  Value result = op.getResult(0);
  unsigned count = layoutOf(result).getNumRegisters();
  Value element;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    element =
        arith::ConstantOp::create(builder, loc,
                                  cast<DenseElementsAttr>(constant.getValue())
                                      .getSplatValue<TypedAttr>());
  else
    element = scalar(op.getOperand(0));
  setElements(result, Elements(count, element));
}

void ThreadLowering::lowerCoordinate(CoordinateOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  ThreadPart part = getThreadPart(layout, op.getDim());
  Elements elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg)
    elements.push_back(addConstant(part, layout.at(reg)[op.getDim()]));
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerBroadcast(BroadcastOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  const LinearLayout &narrow = layoutOf(op.getSource());
  Elements source = getElements(op.getSource()), elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Coordinates at = layout.at(reg), kept;
    for (int64_t dim : op.getDims())
      kept.push_back(at[dim]);
    elements.push_back(source[*narrow.findRegister(kept)]);
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerTranspose(TransposeOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  const LinearLayout &turned = layoutOf(op.getSource());
  Elements source = getElements(op.getSource()), elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Coordinates at = layout.at(reg);
    std::swap(at[0], at[1]);
    elements.push_back(source[*turned.findRegister(at)]);
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerExtract(ExtractOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  const LinearLayout &whole = layoutOf(op.getSource());
  Elements source = getElements(op.getSource()), elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Coordinates at = layout.at(reg);
    for (auto [coordinate, offset] : llvm::zip_equal(at, op.getOffsets()))
      coordinate += offset;
    elements.push_back(source[*whole.findRegister(at)]);
  }
  setElements(op.getResult(), elements);
}

void ThreadLowering::lowerConcat(ConcatOp op) {
  const LinearLayout &layout = layoutOf(op.getResult());
  const LinearLayout &part = layoutOf(op.getSources()[0]);
  SmallVector<Elements> sources;
  for (Value source : op.getSources())
    sources.push_back(getElements(source));
  int64_t size = part.getShape()[op.getDim()];
  Elements elements;
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Coordinates at = layout.at(reg);
    unsigned number = at[op.getDim()] / size;
    at[op.getDim()] %= size;
    elements.push_back(sources[number][*part.findRegister(at)]);
  }
  setElements(op.getResult(), elements);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

void ThreadLowering::pin() {
  lane = buildOpaque(builder, loc, lane);
  warp = buildOpaque(builder, loc, warp);
}

LogicalResult ThreadLowering::lowerLoop(scf::ForOp op) {
  Elements inits;
  for (Value init : op.getInitArgs())
    flatten(init, inits);
  auto loop = scf::ForOp::create(
      builder, op.getLoc(), scalar(op.getLowerBound()),
      scalar(op.getUpperBound()), scalar(op.getStep()), inits);
  if (inits.empty())
    loop.getBody()->getTerminator()->erase();
  {
    OpBuilder::InsertionGuard guard(builder);
    auto outside = std::pair(lane, warp);
    builder.setInsertionPointToEnd(loop.getBody());
    pin();
    scalars.map(op.getInductionVar(), loop.getInductionVar());
    ValueRange flat = loop.getRegionIterArgs();
    for (Value argument : op.getRegionIterArgs())
      bindFlat(argument, flat);
    if (failed(lowerBlock(*op.getBody())))
      return failure();
    Elements yielded;
    for (Value value : op.getYieldedValues())
      flatten(value, yielded);
    scf::YieldOp::create(builder, op.getLoc(), yielded);
    std::tie(lane, warp) = outside;
  }
  ValueRange results = loop.getResults();
  for (Value result : op.getResults())
    bindFlat(result, results);
  return success();
}

LogicalResult ThreadLowering::lowerConditional(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    flattenTypes(type, types);
  bool hasElse = !op.getElseRegion().empty();
  auto conditional =
      scf::IfOp::create(builder, op.getLoc(), types, scalar(op.getCondition()),
                        /*addThenBlock=*/true, hasElse);
  auto fill = [&](Block &from, Block &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    auto outside = std::pair(lane, warp);
    builder.setInsertionPointToEnd(&to);
    if (failed(lowerBlock(from)))
      return failure();
    Elements yielded;
    for (Value value : from.getTerminator()->getOperands())
      flatten(value, yielded);
    scf::YieldOp::create(builder, op.getLoc(), yielded);
    std::tie(lane, warp) = outside;
    return success();
  };
  if (failed(fill(*op.thenBlock(), *conditional.thenBlock())) ||
      (hasElse && failed(fill(*op.elseBlock(), *conditional.elseBlock()))))
    return failure();
  ValueRange results = conditional.getResults();
  for (Value result : op.getResults())
    bindFlat(result, results);
  return success();
}

LogicalResult ThreadLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(op)))
      return failure();
  return success();
}

/// Whether all tiles that an op reads and makes have layouts.
static bool hasLayouts(Operation &op) {
  auto isLaid = [](Type type) {
    return !isa<TensorType>(type) || getLayout(type);
  };
  return llvm::all_of(op.getOperandTypes(), isLaid) &&
         llvm::all_of(op.getResultTypes(), isLaid);
}

LogicalResult ThreadLowering::lower(Operation &op) {
  loc = op.getLoc();
  if (!hasLayouts(op))
    return op.emitOpError("has no form for a thread: layouts are assigned "
                          "before");
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp op) { return lowerLoop(op); })
      .Case([&](scf::IfOp op) { return lowerConditional(op); })
      .Case([&](memref::SubViewOp op) { return lowerSubview(op); })
      .Case([&](memref::DimOp op) { return lowerDim(op), success(); })
      .Case([&](CoordinateOp op) { return lowerCoordinate(op), success(); })
      .Case([&](BroadcastOp op) { return lowerBroadcast(op), success(); })
      .Case([&](TransposeOp op) { return lowerTranspose(op), success(); })
      .Case([&](ExtractOp op) { return lowerExtract(op), success(); })
      .Case([&](ConcatOp op) { return lowerConcat(op), success(); })
      .Case([&](RoundOp op) { return lowerRound(op), success(); })
      .Case([&](ReduceOp op) { return lowerReduce(op), success(); })
      .Case([&](ScanOp op) { return lowerScan(op), success(); })
      .Case([&](RelayoutOp op) { return lowerRelayout(op), success(); })
      .Case([&](LoadOp op) { return lowerLoad(op), success(); })
      .Case([&](StoreOp op) { return lowerStore(op), success(); })
      .Case([&](ScatterOp op) { return lowerScatter(op), success(); })
      .Case([&](CopyAsyncOp op) { return lowerCopy(op), success(); })
      .Case([&](CopyWaitOp) { return buildCopyWait(builder, loc), success(); })
      .Case([&](BarrierOp) { return lowerBarrier(), success(); })
      .Case([&](StoreSharedOp op) { return lowerStoreShared(op), success(); })
      .Case([&](LoadSharedOp op) { return lowerLoadShared(op), success(); })
      .Case([&](TakeOp op) { return lowerTake(op), success(); })
      .Case([&](LoadSlotOp op) { return lowerLoadSlot(op), success(); })
      .Case([&](StoreSlotOp op) { return lowerStoreSlot(op), success(); })
      .Case([&](MmaOp op) { return lowerMma(op), success(); })
      .Case([&](FactorSharedOp op) { return lowerFactor(op), success(); })
      .Case([&](InvertSharedOp op) { return lowerInvert(op), success(); })
      .Case<AllocOp, StageOp, SubviewOp>([](auto) { return success(); })
      .Default([&](Operation *other) -> LogicalResult {
        bool onTile = llvm::any_of(other->getResultTypes(), [](Type type) {
          return isa<TensorType>(type);
        });
        if (!onTile && other->getNumRegions() == 0 &&
            isa<arith::ArithDialect, math::MathDialect>(other->getDialect()))
          return lowerScalar(*other), success();
        if (isa<arith::ConstantOp, tensor::SplatOp, tensor::FromElementsOp>(
                other))
          return lowerConstant(*other), success();
        if (isElementwise(other))
          return lowerElementwise(*other), success();
        return other->emitOpError("has no form for a thread: a program is made "
                                  "of tiles' ops, arith, math and scf");
      });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void ThreadLowering::unpackParameters(Block &body) {
  unsigned next = 0;
  for (BlockArgument parameter : kernel.getParameters()) {
    auto memory = dyn_cast<MemRefType>(parameter.getType());
    if (!memory) {
      Value given = body.getArgument(next++);
      if (parameter.getType().isIndex())
        given = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           given);
      scalars.map(parameter, given);
      continue;
    }
    GlobalView view;
    view.elementType = memory.getElementType();
    view.base = body.getArgument(next++);
    auto take = [&]() -> OpFoldResult {
      return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        body.getArgument(next++))
          .getResult();
    };
    for (int64_t size : memory.getShape())
      view.sizes.push_back(ShapedType::isDynamic(size)
                               ? take()
                               : OpFoldResult(builder.getIndexAttr(size)));
    for (int64_t stride : memory.getStridesAndOffset().first)
      view.strides.push_back(ShapedType::isDynamic(stride)
                                 ? take()
                                 : OpFoldResult(builder.getIndexAttr(stride)));
    views[parameter] = std::move(view);
  }
}

/// The program's coordinates from the block's number, the last axis fastest.
void ThreadLowering::buildCoordinates(Block &body, unsigned firstExtent) {
  Value rest = arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                      buildBlockIndex(builder, loc));
  for (unsigned axis = kernel.getAxes(); axis-- > 0;) {
    Value own = rest;
    if (axis > 0) {
      Value extent = body.getArgument(firstExtent + axis);
      own = arith::RemUIOp::create(builder, loc, rest, extent);
      rest = arith::DivUIOp::create(builder, loc, rest, extent);
    }
    scalars.map(
        kernel.getCoordinates()[axis],
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), own)
            .getResult());
  }
}

LogicalResult ThreadLowering::run(Block &body) {
  builder.setInsertionPointToEnd(&body);
  unpackParameters(body);
  buildCoordinates(body, body.getNumArguments() - kernel.getAxes());
  Value thread = buildThreadIndex(builder, loc);
  lane = arith::AndIOp::create(builder, loc, thread, i32(31));
  Value number = arith::ShRUIOp::create(builder, loc, thread, i32(5));
  // From lane 0: the same in all lanes, which keeps it in uniform registers.
  warp = buildShuffle(builder, loc, ShuffleKind::Index, number, i32(0));
  shared = LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 3),
      "shared");
  if (failed(lowerBlock(kernel.getBody().front())))
    return failure();
  LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());
  return success();
}
