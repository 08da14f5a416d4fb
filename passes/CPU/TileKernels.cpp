// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Kernels as functions, launches as loops that call them. Each out of a launch
// has memory of its own: inits that are one tensor.empty would share theirs.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/CPU/LowerToLoops.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

/// Whether bufferization leaves the tensor's memory as it is: the arguments of
/// public functions are their callers'.
static bool isNeverWritten(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && function.isPublic();
}

Value scanweft::createReadBuffer(OpBuilder &builder, Location loc, Value tensor,
                                 MemRefType type) {
  // The buffer of `tensor` itself may be written after this op, and equal
  // to_buffer ops are merged: what is read later must be a copy.
  if (!isNeverWritten(tensor))
    tensor = bufferization::AllocTensorOp::create(
        builder, loc, cast<RankedTensorType>(tensor.getType()), ValueRange(),
        tensor);
  return bufferization::ToBufferOp::create(builder, loc, type, tensor,
                                           /*read_only=*/true);
}

/// Memory of an out, with what its init holds.
static Value createOut(OpBuilder &builder, Location loc, Value init,
                       MemRefType parameter) {
  auto type = MemRefType::get(parameter.getShape(), parameter.getElementType());
  SmallVector<Value> sizes;
  for (int64_t dim : llvm::seq(type.getRank()))
    if (type.isDynamicDim(dim))
      sizes.push_back(builder.createOrFold<tensor::DimOp>(
          loc, init, builder.createOrFold<arith::ConstantIndexOp>(loc, dim)));
  Value memory = memref::AllocOp::create(builder, loc, type, sizes);
  if (!init.getDefiningOp<tensor::EmptyOp>())
    memref::CopyOp::create(builder, loc,
                           createReadBuffer(builder, loc, init, type), memory);
  return memory;
}

static void lowerLaunch(LaunchOp op, func::FuncOp kernel) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto parameters =
      kernel.getArgumentTypes().drop_front(op.getPrograms().size());
  SmallVector<Value> operands, outs;
  for (auto [value, type] : llvm::zip(op.getIns(), parameters)) {
    auto memory = dyn_cast<MemRefType>(type);
    operands.push_back(memory ? createReadBuffer(builder, loc, value, memory)
                              : value);
  }
  for (auto [init, type] :
       llvm::zip(op.getOuts(), parameters.drop_front(op.getIns().size()))) {
    auto memory = cast<MemRefType>(type);
    outs.push_back(createOut(builder, loc, init, memory));
    operands.push_back(
        memref::CastOp::create(builder, loc, memory, outs.back()));
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> zeros(op.getPrograms().size(), zero);
  SmallVector<Value> ones(op.getPrograms().size(), one);
  scf::buildLoopNest(builder, loc, zeros, llvm::to_vector(op.getPrograms()),
                     ones,
                     [&](OpBuilder &inner, Location at, ValueRange program) {
                       SmallVector<Value> arguments = llvm::to_vector(program);
                       llvm::append_range(arguments, operands);
                       func::CallOp::create(inner, at, kernel, arguments);
                     });
  SmallVector<Value> results;
  for (auto [memory, result] : llvm::zip(outs, op.getResults()))
    results.push_back(bufferization::ToTensorOp::create(
        builder, loc, result.getType(), memory, /*restrict=*/true,
        /*writable=*/true));
  op.replaceAllUsesWith(results);
  op.erase();
}

/// The kernel's region becomes the body of a function.
static func::FuncOp lowerKernel(KernelOp op) {
  OpBuilder builder(op);
  Block &entry = op.getBody().front();
  auto function = func::FuncOp::create(
      builder, op.getLoc(), op.getSymName(),
      builder.getFunctionType(entry.getArgumentTypes(), {}));
  function.setPrivate();
  Operation *end = entry.getTerminator();
  builder.setInsertionPoint(end);
  func::ReturnOp::create(builder, end->getLoc());
  end->erase();
  function.getBody().takeBody(op.getBody());
  op.erase();
  return function;
}

void scanweft::lowerTileKernels(ModuleOp module) {
  llvm::StringMap<func::FuncOp> functions;
  for (auto kernel : llvm::make_early_inc_range(module.getOps<KernelOp>())) {
    std::string name = kernel.getSymName().str();
    functions[name] = lowerKernel(kernel);
  }
  SmallVector<LaunchOp> launches;
  module.walk([&](LaunchOp op) { launches.push_back(op); });
  for (LaunchOp op : launches)
    lowerLaunch(op, functions.lookup(op.getKernel().getLeafReference()));
}
