// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The tile stage before layouts are assigned, as an ordinary program:
//
//   kernel       ->  a function on memrefs
//   launch       ->  a nest of loops over the programs, that calls it
//   load, store  ->  copies of the live rows
//   ops on tiles ->  linalg on tensors
//
// Body ops may still be among them: they have their own pass.
//===----------------------------------------------------------------------===//

#include "passes/CPU/LowerToLoops.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/CPU/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_LOWERTOLOOPS
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// What threads and shared memory make of a tile is not for the CPU.
static LogicalResult checkBeforeLayouts(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isa<SharedType>(type) || getLayout(type))
        return op->emitOpError()
               << "has a value of type " << type
               << ": the CPU executes the tile stage before layouts are "
                  "assigned";
  if (isa<BarrierOp, CopyWaitOp>(op))
    return op->emitOpError("orders threads: the CPU executes the tile stage "
                           "before layouts are assigned");
  return success();
}

/// A stack is memory of its program; only its slots go anywhere.
static LogicalResult checkStack(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<StackType>(operand.getType()) &&
        (!operand.getDefiningOp<NewStackOp>() ||
         !isa<LoadSlotOp, StoreSlotOp>(op)))
      return op->emitOpError() << "uses " << operand.getType()
                               << ": a stack's slots are loaded and stored "
                                  "where the stack is made";
  return success();
}

static LogicalResult checkLaunch(LaunchOp op) {
  if (op.getKernel().getNestedReferences().empty())
    return success();
  return op.emitOpError() << "of " << op.getKernel()
                          << ": the CPU executes kernels of the tile stage, "
                             "not those of a GPU module";
}

static LogicalResult checkExecutable(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    auto launch = dyn_cast<LaunchOp>(op);
    if (failed(checkBeforeLayouts(op)) || failed(checkStack(op)) ||
        (launch && failed(checkLaunch(launch))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct LowerToLoopsPass : scanweft::impl::LowerToLoopsBase<LowerToLoopsPass> {
  void runOnOperation() override {
    if (failed(checkExecutable(getOperation())))
      return signalPassFailure();
    Checks checks(getOperation());
    lowerTileMemory(getOperation(), checks);
    lowerTileOps(getOperation(), checks);
    lowerTileKernels(getOperation());
  }
};
} // namespace
