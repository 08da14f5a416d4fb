// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A kernel's function: per memref a pointer, its dynamic sizes, its dynamic
// strides; scalars; the extents of the program axes.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Threads/Passes.h"
#include "passes/Threads/ThreadLowering.h"

namespace scanweft {
#define GEN_PASS_DEF_LOWERTOTHREADS
#include "passes/Threads/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

/// Shared memory of a block, its size given at the launch.
static void createSharedMemory(OpBuilder &builder, Location loc) {
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, loc, bytes, /*isConstant=*/false,
                         LLVM::Linkage::External, "shared", Attribute(),
                         /*alignment=*/1024, /*addrSpace=*/3);
}

static SmallVector<Type> getParameterTypes(wtile::KernelOp kernel,
                                           OpBuilder &builder) {
  SmallVector<Type> types;
  Type i64 = builder.getI64Type();
  for (BlockArgument parameter : kernel.getParameters()) {
    auto memory = dyn_cast<MemRefType>(parameter.getType());
    if (!memory) {
      types.push_back(parameter.getType().isIndex() ? i64
                                                    : parameter.getType());
      continue;
    }
    types.push_back(LLVM::LLVMPointerType::get(builder.getContext(), 1));
    types.append(memory.getNumDynamicDims(), i64);
    for (int64_t stride : memory.getStridesAndOffset().first)
      if (ShapedType::isDynamic(stride))
        types.push_back(i64);
  }
  types.append(kernel.getAxes(), i64);
  return types;
}

static LogicalResult lowerKernel(wtile::KernelOp kernel, OpBuilder &builder) {
  if (!kernel.getWarps())
    return kernel.emitOpError("has no number of warps: layouts are assigned "
                              "before");
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  getParameterTypes(kernel, builder));
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(),
                                           kernel.getSymName(), type);
  auto threads = static_cast<int32_t>(32 * *kernel.getWarps());
  function->setAttr("gpu.kernel", builder.getUnitAttr());
  function->setAttr("nvvm.kernel", builder.getUnitAttr());
  function->setAttr("nvvm.reqntid", builder.getDenseI32ArrayAttr({threads}));
  // Without it ptxas may leave registers to a second block that never comes: a
  // kernel of 256 threads got 128 of them a thread, and spilled.
  function->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1));
  function->setAttr(
      "wtile.shared_bytes",
      builder.getI64IntegerAttr(kernel.getSharedBytes().value_or(0)));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock(builder);
  return ThreadLowering(kernel, builder).run(*body);
}

namespace {
struct LowerToThreadsPass
    : scanweft::impl::LowerToThreadsBase<LowerToThreadsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    LowerToThreadsBase::getDependentDialects(registry);
    registerInstructionDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<wtile::KernelOp>());
    if (kernels.empty())
      return;
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(module.getBody());
    auto device = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    builder.setInsertionPointToStart(device.getBody());
    createSharedMemory(builder, module.getLoc());
    for (wtile::KernelOp kernel : kernels) {
      builder.setInsertionPointToEnd(device.getBody());
      if (failed(lowerKernel(kernel, builder)))
        return signalPassFailure();
    }
    module.walk([&](wtile::LaunchOp launch) {
      auto name =
          FlatSymbolRefAttr::get(launch.getKernelAttr().getLeafReference());
      launch.setKernelAttr(SymbolRefAttr::get(device.getNameAttr(), {name}));
    });
    for (wtile::KernelOp kernel : kernels)
      kernel.erase();
  }
};
} // namespace
