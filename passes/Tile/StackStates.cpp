// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// With n the chunk's number and r the trailing zeros of n + 1, chunk n
//
//   reads      every slot b whose bit is set in n
//   decays     the same slots
//   merges     x = contribution + slots 0 .. r - 1, all live, into slot r,
//   which
//              is dead: afterwards bits 0 .. r - 1 are clear and bit r is set,
//              as in n + 1
//
// so that liveness needs no storage. Slot by slot, with x as a value:
//
//   live(b), bits below all set     x += decayed slot b
//   live(b), else                   slot b = decayed slot b
//   dead(b), bits below all set     slot b = x            (b is r)
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Tile/ExpandBody.h"
#include "passes/Tile/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_STACKSTATES
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;
using arith::CmpIPredicate;

namespace {
/// One carried stack.
class StackConversion {
public:
  StackConversion(scf::ForOp loop, unsigned index, Value stack)
      : loop(loop), index(index), stack(stack), builder(loop),
        argument(loop.getRegionIterArg(index)),
        numSlots(TileBuilder::getType(argument).getDimSize(0)) {}

  LogicalResult run();

private:
  RankedTensorType getSlotType() {
    RankedTensorType type = TileBuilder::getType(argument);
    return RankedTensorType::get(type.getShape().drop_front(),
                                 type.getElementType());
  }
  Value isSet(Value number, int64_t bit);
  Value areSetBelow(Value number, int64_t bit);
  LogicalResult storeInitial();
  LogicalResult storeFinal();
  void storeFinal(wtile::StoreOp op);
  LogicalResult convertReads();
  void convertRead(FenwickReadOp op);
  LogicalResult convertMerge(FenwickMergeOp op);
  Value mergeSlot(FenwickMergeOp op, int64_t slot, Value sum);
  /// The state that an insertion leaves in a slot, from what was in it.
  Value applyTransition(int64_t slot, Value before);
  LogicalResult collectTransitions(Value chain);

  scf::ForOp loop;
  unsigned index;
  Value stack;
  OpBuilder builder;
  BlockArgument argument;
  int64_t numSlots;
  /// Per slot, what reads it and what writes it in one chunk; null where
  /// nothing happens to it.
  DenseMap<int64_t, std::pair<tensor::ExtractSliceOp, tensor::InsertSliceOp>>
      transitions;
};
} // namespace

Value StackConversion::isSet(Value number, int64_t bit) {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value bits =
      arith::AndIOp::create(builder, loc, number, constant(int64_t(1) << bit));
  return arith::CmpIOp::create(builder, loc, CmpIPredicate::ne, bits,
                               constant(0));
}

Value StackConversion::areSetBelow(Value number, int64_t bit) {
  Location loc = loop.getLoc();
  Value mask =
      arith::ConstantIndexOp::create(builder, loc, (int64_t(1) << bit) - 1);
  Value bits = arith::AndIOp::create(builder, loc, number, mask);
  return arith::CmpIOp::create(builder, loc, CmpIPredicate::eq, bits, mask);
}

//===----------------------------------------------------------------------===//
// The ends
//===----------------------------------------------------------------------===//

/// The slots of a window of global memory.
static Value getSlotOfView(OpBuilder &builder, Location loc, Value view,
                           int64_t slot) {
  auto type = cast<MemRefType>(view.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      sizes, strides(type.getRank(), builder.getIndexAttr(1));
  offsets[0] = builder.getIndexAttr(slot);
  sizes.push_back(builder.getIndexAttr(1));
  for (int64_t size : type.getShape().drop_front())
    sizes.push_back(builder.getIndexAttr(size));
  auto part = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, part, view, offsets, sizes,
                                   strides);
}

/// What lives before the first chunk comes from where the initial state lies.
/// Zeros are not stored: of a stack of zeros no slot counts that is not live.
LogicalResult StackConversion::storeInitial() {
  Value init = loop.getInitArgs()[index];
  Location loc = loop.getLoc();
  auto load = init.getDefiningOp<wtile::LoadOp>();
  DenseElementsAttr constant;
  bool isConstant = matchPattern(init, m_Constant(&constant));
  if (!load && !(isConstant && constant.isSplat()))
    return loop.emitOpError(
        "carries a stack of states that starts as a computed value: it starts "
        "from global memory or from one number");
  if (load && load.getFirst())
    return loop.emitOpError("carries a stack of states that starts as rows of "
                            "a longer tensor: it starts as a whole one");
  builder.setInsertionPoint(loop);
  for (int64_t slot = 0; slot < numSlots; ++slot) {
    Value live = isSet(loop.getLowerBound(), slot);
    scf::IfOp::create(builder, loc, live, [&](OpBuilder &inner, Location) {
      Value value;
      if (load)
        value = wtile::LoadOp::create(
            inner, loc, getSlotType(),
            getSlotOfView(inner, loc, load.getView(), slot), Value(), Value(),
            Value(), Value());
      else
        value = arith::ConstantOp::create(
            inner, loc,
            DenseElementsAttr::get(getSlotType(),
                                   constant.getSplatValue<Attribute>()));
      wtile::StoreSlotOp::create(inner, loc, value, stack, slot);
      scf::YieldOp::create(inner, loc);
    });
  }
  return success();
}

void StackConversion::storeFinal(wtile::StoreOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  for (int64_t slot = 0; slot < numSlots; ++slot) {
    Value view = getSlotOfView(builder, loc, op.getView(), slot);
    Value live = isSet(loop.getUpperBound(), slot);
    auto store = [&](Value value, OpBuilder &inner) {
      wtile::StoreOp::create(inner, loc, value, view, Value(), Value(),
                             Value());
      scf::YieldOp::create(inner, loc);
    };
    scf::IfOp::create(
        builder, loc, live,
        [&](OpBuilder &inner, Location) {
          store(
              wtile::LoadSlotOp::create(inner, loc, getSlotType(), stack, slot),
              inner);
        },
        [&](OpBuilder &inner, Location) {
          store(TileBuilder(inner, loc).splat(getSlotType(), 0.0), inner);
        });
  }
  op.erase();
}

LogicalResult StackConversion::storeFinal() {
  Value result = loop.getResult(index);
  for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
    auto store = dyn_cast<wtile::StoreOp>(user);
    if (!store || store.getFirst())
      return user->emitOpError(
          "uses the final state of a stack: it is stored whole");
    storeFinal(store);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// A chunk
//===----------------------------------------------------------------------===//

void StackConversion::convertRead(FenwickReadOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  TileBuilder build(builder, loc);
  RankedTensorType type = TileBuilder::getType(op.getResult());
  RankedTensorType query = TileBuilder::getType(op.getQuery());
  auto integers =
      RankedTensorType::get({query.getDimSize(0)}, builder.getI32Type());
  Value sum = build.splat(type, 0.0);
  for (int64_t slot = 0; slot < numSlots; ++slot) {
    Value live = isSet(op.getChunk(), slot);
    auto conditional = scf::IfOp::create(builder, loc, TypeRange(type), live,
                                         /*addThenBlock=*/true,
                                         /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(conditional.thenBlock());
    Value state =
        wtile::LoadSlotOp::create(builder, loc, getSlotType(), stack, slot);
    Value column = build.splatInteger(integers, op.getFirst() + slot);
    RankedTensorType levels = TileBuilder::getType(op.getLevels());
    Value weight = wtile::TakeOp::create(
        builder, loc,
        RankedTensorType::get({query.getDimSize(0)}, levels.getElementType()),
        op.getLevels(), column);
    weight = build.convert(weight, builder.getF32Type());
    Value scaled = build.create<arith::MulFOp>(
        build.convert(op.getQuery(), builder.getF32Type()),
        build.broadcast(weight, query.getShape(), {0}));
    Value more =
        build.product(scaled, state, sum, 1, 0, op.getNumerics().getIn());
    scf::YieldOp::create(builder, loc, more);
    builder.setInsertionPointToStart(conditional.elseBlock());
    scf::YieldOp::create(builder, loc, sum);
    sum = conditional.getResult(0);
  }
  op.getResult().replaceAllUsesWith(sum);
  op.erase();
}

LogicalResult StackConversion::convertReads() {
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    auto read = dyn_cast<FenwickReadOp>(user);
    if (!read)
      continue;
    if (TileBuilder::getType(read.getResult()).getRank() != 2)
      return read.emitOpError("reads states that are vectors: on tiles they "
                              "are matrices");
    convertRead(read);
  }
  return success();
}

/// From the merged stack back to the carried one, slot by slot.
LogicalResult StackConversion::collectTransitions(Value chain) {
  while (chain != argument) {
    auto insert = chain.getDefiningOp<tensor::InsertSliceOp>();
    auto offsets = insert ? insert.getStaticOffsets() : ArrayRef<int64_t>();
    tensor::ExtractSliceOp extract;
    if (insert)
      for (Operation *user : insert.getDest().getUsers())
        if (auto candidate = dyn_cast<tensor::ExtractSliceOp>(user))
          if (candidate.getStaticOffsets() == offsets)
            extract = candidate;
    if (!extract || ShapedType::isDynamic(offsets[0]))
      return loop.emitOpError("carries a stack of states that is updated in "
                              "an unknown way: slots are decayed one by one");
    transitions[offsets[0]] = {extract, insert};
    chain = insert.getDest();
  }
  return success();
}

Value StackConversion::applyTransition(int64_t slot, Value before) {
  auto found = transitions.find(slot);
  if (found == transitions.end())
    return before;
  tensor::ExtractSliceOp extract = found->second.first;
  tensor::InsertSliceOp insert = found->second.second;
  IRMapping mapping;
  mapping.map(extract.getResult(), before);
  // What depends on the slot, in the order of the block.
  llvm::SmallSetVector<Operation *, 8> way;
  std::function<bool(Value)> depends = [&](Value value) -> bool {
    if (value == extract.getResult())
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return false;
    if (way.contains(op))
      return true;
    bool any = false;
    for (Value operand : op->getOperands())
      any |= depends(operand);
    if (any)
      way.insert(op);
    return any;
  };
  depends(insert.getSource());
  for (Operation *op : way)
    builder.clone(*op, mapping);
  return mapping.lookupOrDefault(insert.getSource());
}

Value StackConversion::mergeSlot(FenwickMergeOp op, int64_t slot, Value sum) {
  Location loc = op.getLoc();
  Type type = sum.getType();
  Value live = isSet(op.getBlock(), slot);
  Value below = areSetBelow(op.getBlock(), slot);
  auto outer =
      scf::IfOp::create(builder, loc, TypeRange(type), live, true, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(outer.thenBlock());
  Value state = applyTransition(
      slot,
      wtile::LoadSlotOp::create(builder, loc, getSlotType(), stack, slot));
  auto inner =
      scf::IfOp::create(builder, loc, TypeRange(type), below, true, true);
  scf::YieldOp::create(builder, loc, inner.getResults());
  builder.setInsertionPointToStart(inner.thenBlock());
  Value more = arith::AddFOp::create(builder, loc, sum, state);
  scf::YieldOp::create(builder, loc, more);
  builder.setInsertionPointToStart(inner.elseBlock());
  wtile::StoreSlotOp::create(builder, loc, state, stack, slot);
  scf::YieldOp::create(builder, loc, sum);

  builder.setInsertionPointToStart(outer.elseBlock());
  auto target = scf::IfOp::create(builder, loc, below);
  scf::YieldOp::create(builder, loc, sum);
  builder.setInsertionPointToStart(target.thenBlock());
  wtile::StoreSlotOp::create(builder, loc, sum, stack, slot);
  return outer.getResult(0);
}

LogicalResult StackConversion::convertMerge(FenwickMergeOp op) {
  if (getConstantIntValue(op.getLevel()) != 0)
    return op.emitOpError("merges blocks of several chunks into a stack: on "
                          "tiles a loop merges chunk by chunk");
  if (failed(collectTransitions(op.getStack())))
    return failure();
  builder.setInsertionPoint(op);
  Value sum = op.getContribution();
  for (int64_t slot = 0; slot < numSlots; ++slot)
    sum = mergeSlot(op, slot, sum);
  return success();
}

LogicalResult StackConversion::run() {
  auto merge = loop.getYieldedValues()[index].getDefiningOp<FenwickMergeOp>();
  if (!merge)
    return loop.emitOpError("carries a state of type ")
           << argument.getType()
           << ": on tiles a state is a vector, a matrix or a stack that is "
              "merged";
  if (failed(storeInitial()) || failed(convertReads()) ||
      failed(convertMerge(merge)) || failed(storeFinal()))
    return failure();
  // The chain that is left carries the argument through: nobody reads it.
  loop.getBody()->getTerminator()->setOperand(index, argument);
  return success();
}

//===----------------------------------------------------------------------===//
// Where stacks lie
//===----------------------------------------------------------------------===//

namespace {
struct StackStatesPass : scanweft::impl::StackStatesBase<StackStatesPass> {
  using StackStatesBase::StackStatesBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    for (auto kernel : getOperation().getOps<wtile::KernelOp>())
      if (!kernel.getWarps())
        kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        if (failed(convert(loop, index)))
          return signalPassFailure();
  }

  LogicalResult convert(scf::ForOp loop, unsigned index) {
    auto type =
        dyn_cast<RankedTensorType>(loop.getRegionIterArg(index).getType());
    if (!type || type.getRank() < 3)
      return success();
    if (type.getRank() > 3)
      return loop.emitOpError("carries a state of type ")
             << type << ": on tiles a slot is a matrix";
    return StackConversion(loop, index, createStack(loop, type)).run();
  }

  /// In shared memory, or an output of the launch of its own.
  Value createStack(scf::ForOp loop, RankedTensorType type) {
    OpBuilder builder(loop);
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    if (bytes <= mostBytes)
      return wtile::NewStackOp::create(
          builder, loop.getLoc(),
          wtile::StackType::get(&getContext(), type.getShape(),
                                type.getElementType()));
    auto kernel = loop->getParentOfType<wtile::KernelOp>();
    Value whole = addOutput(kernel, type);
    builder.setInsertionPoint(loop);
    auto memory = cast<MemRefType>(whole.getType());
    SmallVector<OpFoldResult> offsets, sizes,
        strides(memory.getRank(), builder.getIndexAttr(1));
    for (Value coordinate : kernel.getCoordinates()) {
      offsets.push_back(coordinate);
      sizes.push_back(builder.getIndexAttr(1));
    }
    for (int64_t size : type.getShape()) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(builder.getIndexAttr(size));
    }
    auto own = memref::SubViewOp::inferRankReducedResultType(
        type.getShape(), memory, offsets, sizes, strides);
    return memref::SubViewOp::create(builder, loop.getLoc(), own, whole,
                                     offsets, sizes, strides);
  }

  /// A tensor per program, made by the host and read by nobody else.
  Value addOutput(wtile::KernelOp kernel, RankedTensorType type) {
    SmallVector<int64_t> shape(kernel.getAxes(), ShapedType::kDynamic);
    llvm::append_range(shape, type.getShape());
    auto whole = RankedTensorType::get(shape, type.getElementType());
    SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
    strides.back() = 1;
    auto memory =
        MemRefType::get(shape, type.getElementType(),
                        StridedLayoutAttr::get(&getContext(), 0, strides));
    Value parameter =
        kernel.getBody().front().addArgument(memory, kernel.getLoc());
    SmallVector<wtile::LaunchOp> launches;
    getOperation().walk([&](wtile::LaunchOp launch) {
      if (launch.getKernelAttr().getLeafReference() == kernel.getSymNameAttr())
        launches.push_back(launch);
    });
    for (wtile::LaunchOp launch : launches) {
      OpBuilder host(launch);
      Value room = tensor::EmptyOp::create(
          host, launch.getLoc(), shape, type.getElementType(),
          llvm::to_vector(launch.getPrograms()));
      SmallVector<Value> outs = llvm::to_vector(launch.getOuts());
      outs.push_back(room);
      SmallVector<Type> results = llvm::to_vector(launch.getResultTypes());
      results.push_back(whole);
      auto wider = wtile::LaunchOp::create(
          host, launch.getLoc(), results, launch.getKernelAttr(),
          launch.getPrograms(), launch.getIns(), outs);
      launch.replaceAllUsesWith(
          wider.getResults().take_front(launch.getNumResults()));
      launch.erase();
    }
    return parameter;
  }
};
} // namespace
