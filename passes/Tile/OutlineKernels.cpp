// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A kernel's parameters: the tensors it captures, then its results; scalars
// that sizes alone decide are not passed but computed again.
//===----------------------------------------------------------------------===//

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/ProgramTranslation.h"
#include "llvm/ADT/SetVector.h"

namespace scanweft {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Tile/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

/// Global memory of a tensor: any strides, the last dim contiguous.
static MemRefType getMemoryType(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  if (!strides.empty())
    strides.back() = 1;
  auto layout = StridedLayoutAttr::get(type.getContext(), 0, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

namespace {
/// One kernel on its way out of its function.
class Outlining {
public:
  explicit Outlining(KernelOp kernel) : kernel(kernel), builder(kernel) {}
  LogicalResult run();

private:
  /// Whether the captured value is computed again inside: a constant, or an
  /// index made of sizes.
  bool isRecomputed(Value value);
  void collect(Value value);
  wtile::KernelOp createKernel();
  IRMapping mapParameters(Block &entry);
  Value recompute(Value value, IRMapping &mapping);

  KernelOp kernel;
  OpBuilder builder;
  llvm::SetVector<Value> tensors; ///< captured, passed as memory
  llvm::SetVector<Value> scalars; ///< captured, passed as they are
  llvm::SetVector<Value> copied;  ///< captured, computed again
};
} // namespace

bool Outlining::isRecomputed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  bool scalar = value.getType().isIntOrIndexOrFloat();
  return scalar && op->getNumRegions() == 0 && isPure(op) &&
         (isa<tensor::DimOp>(op) ||
          llvm::all_of(op->getOperandTypes(),
                       [](Type type) { return type.isIntOrIndexOrFloat(); }));
}

void Outlining::collect(Value value) {
  if (isRecomputed(value)) {
    copied.insert(value);
    // What an empty tensor's size is made of, nothing needs: it has no memory.
    if (!value.getDefiningOp<tensor::EmptyOp>())
      for (Value operand : value.getDefiningOp()->getOperands())
        collect(operand);
    return;
  }
  if (isa<RankedTensorType>(value.getType()))
    tensors.insert(value);
  else
    scalars.insert(value);
}

Value Outlining::recompute(Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    Value index = recompute(dim.getIndex(), mapping);
    Value size = memref::DimOp::create(builder, dim.getLoc(),
                                       mapping.lookup(dim.getSource()), index);
    mapping.map(value, size);
    return size;
  }
  for (Value operand : op->getOperands())
    recompute(operand, mapping);
  mapping.map(op->getResults(), builder.clone(*op, mapping)->getResults());
  return mapping.lookup(value);
}

wtile::KernelOp Outlining::createKernel() {
  auto module = kernel->getParentOfType<ModuleOp>();
  OpBuilder outer(kernel.getContext());
  auto created = wtile::KernelOp::create(
      outer, kernel.getLoc(), (kernel.getName() + "_kernel").str(),
      kernel.getPrograms().size(), IntegerAttr(), IntegerAttr());
  SymbolTable(module).insert(
      created, kernel->getParentOfType<func::FuncOp>()->getIterator());
  Block &entry = created.getBody().emplaceBlock();
  Location loc = kernel.getLoc();
  for (size_t i = 0; i < kernel.getPrograms().size(); ++i)
    entry.addArgument(builder.getIndexType(), loc);
  for (Value tensor : tensors)
    entry.addArgument(getMemoryType(cast<RankedTensorType>(tensor.getType())),
                      tensor.getLoc());
  for (Value scalar : scalars)
    entry.addArgument(scalar.getType(), scalar.getLoc());
  for (Value init : kernel.getInits())
    entry.addArgument(getMemoryType(cast<RankedTensorType>(init.getType())),
                      init.getLoc());
  return created;
}

IRMapping Outlining::mapParameters(Block &entry) {
  IRMapping mapping;
  auto arguments = entry.getArguments().drop_front(kernel.getPrograms().size());
  size_t next = 0;
  for (Value tensor : tensors)
    mapping.map(tensor, arguments[next++]);
  for (Value scalar : scalars)
    mapping.map(scalar, arguments[next++]);
  for (Value value : copied)
    if (!value.getDefiningOp<tensor::EmptyOp>())
      recompute(value, mapping);
  return mapping;
}

LogicalResult Outlining::run() {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(kernel.getBody(), captured);
  for (Value value : captured)
    collect(value);
  wtile::KernelOp created = createKernel();
  Block &entry = created.getBody().front();
  builder.setInsertionPointToEnd(&entry);
  IRMapping mapping = mapParameters(entry);
  size_t numOutputs = kernel.getInits().size();
  ProgramTranslation translation(builder, std::move(mapping),
                                 entry.getArguments().take_back(numOutputs));
  if (failed(translation.run(kernel, created.getCoordinates())))
    return failure();
  wtile::ReturnOp::create(builder, kernel.getLoc());

  builder.setInsertionPoint(kernel);
  SmallVector<Value> ins = llvm::to_vector(tensors.getArrayRef());
  llvm::append_range(ins, scalars);
  auto launch =
      wtile::LaunchOp::create(builder, kernel.getLoc(), kernel.getResultTypes(),
                              FlatSymbolRefAttr::get(created.getSymNameAttr()),
                              kernel.getPrograms(), ins, kernel.getInits());
  kernel.replaceAllUsesWith(launch.getResults());
  kernel.erase();
  return success();
}

namespace {
struct OutlineKernelsPass
    : scanweft::impl::OutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp kernel : kernels)
      if (failed(Outlining(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
