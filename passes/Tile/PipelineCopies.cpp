// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/SharedAccesses.h"
#include "scanweft/Target/Target.h"
#include "llvm/ADT/SetVector.h"

namespace scanweft {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

namespace {
/// The copies of one loop.
class LoopCopies {
public:
  explicit LoopCopies(scf::ForOp loop) : loop(loop), builder(loop) {
    for (CopyAsyncOp copy : loop.getBody()->getOps<CopyAsyncOp>())
      if (dependsOnTurnOnly(copy))
        copies.push_back(copy);
  }

  bool empty() const { return copies.empty(); }
  void serialize();
  void pipeline();

private:
  /// Whether a copy's operands are made of the turn's number and of what stands
  /// outside the loop, by ops without effects.
  bool dependsOnTurnOnly(CopyAsyncOp copy);
  bool dependsOnTurnOnly(Value value);
  void makeRings();
  void issue(Value turn);

  scf::ForOp loop;
  OpBuilder builder;
  SmallVector<CopyAsyncOp> copies;
  /// In their order, what computes the copies' operands.
  llvm::SetVector<Operation *> address;
};
} // namespace

bool LoopCopies::dependsOnTurnOnly(Value value) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == loop.getBody() && op->getNumRegions() == 0 &&
         isPure(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return dependsOnTurnOnly(operand);
         });
}

bool LoopCopies::dependsOnTurnOnly(CopyAsyncOp copy) {
  return llvm::all_of(copy->getOperands(), [&](Value operand) {
    return dependsOnTurnOnly(operand);
  });
}

static void collectAddress(Operation *op, scf::ForOp loop,
                           llvm::SetVector<Operation *> &address) {
  for (Value operand : op->getOperands()) {
    Operation *maker = operand.getDefiningOp();
    if (!maker || maker->getBlock() != loop.getBody() ||
        address.contains(maker))
      continue;
    collectAddress(maker, loop, address);
    address.insert(maker);
  }
}

/// Each buffer becomes a ring of two; the turn's own stage stands in its place.
void LoopCopies::makeRings() {
  builder.setInsertionPointToStart(loop.getBody());
  for (CopyAsyncOp copy : copies) {
    AllocOp allocation = getAllocation(copy.getBuffer());
    Value buffer = allocation.getBuffer();
    auto type = cast<SharedType>(buffer.getType());
    SmallVector<int64_t> shape{2};
    llvm::append_range(shape, type.getShape());
    auto stage = StageOp::create(builder, copy.getLoc(), type, buffer,
                                 loop.getInductionVar());
    buffer.replaceAllUsesExcept(stage.getResult(), stage);
    buffer.setType(
        SharedType::get(type.getContext(), shape, type.getElementType()));
  }
}

/// The copies of a turn, into its stages.
void LoopCopies::issue(Value turn) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), turn);
  for (Operation *op : address)
    builder.clone(*op, mapping);
  for (CopyAsyncOp copy : copies)
    builder.clone(*copy, mapping);
}

void LoopCopies::pipeline() {
  Location loc = loop.getLoc();
  makeRings();
  for (CopyAsyncOp copy : copies)
    collectAddress(copy, loop, address);
  auto issueIf = [&](Value condition, Value turn) {
    auto conditional = scf::IfOp::create(builder, loc, condition);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(conditional.thenBlock());
    issue(turn);
  };
  builder.setInsertionPoint(loop);
  Value some =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  issueIf(some, loop.getLowerBound());

  builder.setInsertionPointToStart(loop.getBody());
  CopyWaitOp::create(builder, loc);
  BarrierOp::create(builder, loc);
  Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                     loop.getStep());
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     next, loop.getUpperBound());
  issueIf(more, next);
  for (CopyAsyncOp copy : copies)
    copy.erase();
}

void LoopCopies::serialize() {
  builder.setInsertionPointAfter(copies.back());
  CopyWaitOp::create(builder, loop.getLoc());
}

/// Copies outside of pipelines are waited for where they are issued.
static void waitAtOnce(CopyAsyncOp copy) {
  if (isa_and_present<CopyWaitOp>(copy->getNextNode()) ||
      isRing(getAllocation(copy.getBuffer())))
    return;
  Operation *last = copy;
  while (isa_and_present<CopyAsyncOp>(last->getNextNode()))
    last = last->getNextNode();
  if (isa_and_present<CopyWaitOp>(last->getNextNode()))
    return;
  OpBuilder builder(copy.getContext());
  builder.setInsertionPointAfter(last);
  CopyWaitOp::create(builder, copy.getLoc());
}

static void pipelineCopies(KernelOp kernel, int64_t stages) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    LoopCopies copies(loop);
    if (copies.empty())
      continue;
    if (stages == 1)
      copies.serialize();
    else
      copies.pipeline();
  }
  SmallVector<CopyAsyncOp> rest;
  kernel.walk([&](CopyAsyncOp copy) { rest.push_back(copy); });
  for (CopyAsyncOp copy : rest)
    waitAtOnce(copy);
}

/// Whether the kernel fits the target with rings of two: tried on a copy.
static bool fitsTwoStages(KernelOp kernel, const Target &target) {
  OwningOpRef<KernelOp> copy = kernel.clone();
  pipelineCopies(*copy, 2);
  return placeBuffers(*copy) <= target.sharedBytesPerBlock;
}

namespace {
struct PipelineCopiesPass
    : scanweft::impl::PipelineCopiesBase<PipelineCopiesPass> {
  using PipelineCopiesBase::PipelineCopiesBase;

  void runOnOperation() override {
    if (stages < 0 || stages > 2) {
      getOperation().emitError("wtile-pipeline-copies has stages = ")
          << stages.getValue()
          << ": a ring has 1 or 2 buffers, 0 leaves it open";
      return signalPassFailure();
    }
    auto chip = findTarget(target, [&] {
      return getOperation().emitError("wtile-pipeline-copies: ");
    });
    if (failed(chip))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (kernel.getSharedBytes())
        continue;
      bool two = stages == 2 || (stages == 0 && fitsTwoStages(kernel, **chip));
      pipelineCopies(kernel, two ? 2 : 1);
    }
  }
};
} // namespace
