// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Launches: the kernel's parameters in order, its variants and their guards.
// Memory of a kernel is a pointer, the dynamic sizes, and the strides of all
// dims but the last, as `wtile.kernel`'s memrefs say.
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::manifest;

static constexpr int64_t kThreadsPerWarp = 32;
static constexpr llvm::StringLiteral kSharedBytes("wtile.shared_bytes");

/// The kernel of a launch while it is a `wtile.kernel`; else null.
static wtile::KernelOp findTileKernel(Operation *launch, StringRef name) {
  return SymbolTable::lookupNearestSymbolFrom<wtile::KernelOp>(
      launch, StringAttr::get(launch->getContext(), name));
}

static LLVM::LLVMFuncOp findFunction(Operation *launch, StringRef name) {
  LLVM::LLVMFuncOp found;
  launch->getParentOfType<ModuleOp>().walk([&](LLVM::LLVMFuncOp function) {
    if (function.getName() == name && !function.isExternal())
      found = function;
  });
  return found;
}

/// The product of `nvvm.reqntid` or `nvvm.maxntid`; 0 without either.
static int64_t getThreads(LLVM::LLVMFuncOp function) {
  for (StringRef name : {"nvvm.reqntid", "nvvm.maxntid"})
    if (auto sizes = function->getAttrOfType<DenseI32ArrayAttr>(name)) {
      int64_t threads = 1;
      for (int32_t size : sizes.asArrayRef())
        threads *= size;
      return threads;
    }
  return 0;
}

FailureOr<SmallVector<KernelVariant>>
scanweft::manifest::findKernelInModule(Operation *launch, StringRef kernel) {
  KernelVariant variant;
  variant.symbol = kernel.str();
  if (wtile::KernelOp tile = findTileKernel(launch, kernel)) {
    if (!tile.getWarps() || !tile.getSharedBytes())
      return tile.emitError("a kernel's warps and shared_bytes are known once "
                            "its buffers are placed");
    variant.threads = *tile.getWarps() * kThreadsPerWarp;
    variant.dynamicSharedBytes = *tile.getSharedBytes();
    return SmallVector<KernelVariant>{variant};
  }
  LLVM::LLVMFuncOp function = findFunction(launch, kernel);
  if (!function)
    return launch->emitError() << "there is no kernel '" << kernel << "'";
  variant.threads = getThreads(function);
  if (variant.threads == 0)
    return function.emitError("a kernel's number of threads is its "
                              "nvvm.reqntid or nvvm.maxntid");
  if (auto bytes = function->getAttrOfType<IntegerAttr>(kSharedBytes))
    variant.dynamicSharedBytes = bytes.getInt();
  return SmallVector<KernelVariant>{variant};
}

int64_t HostFunction::addKernel(const KernelVariant &variant) {
  for (auto [number, known] : llvm::enumerate(program.kernels))
    if (known.symbol == variant.symbol)
      return number;
  Kernel kernel;
  kernel.symbol = variant.symbol;
  kernel.threads = variant.threads;
  kernel.dynamicSharedBytes = variant.dynamicSharedBytes;
  program.kernels.push_back(std::move(kernel));
  return program.kernels.size() - 1;
}

/// New memory for an empty tensor; a launch's result is updated in place,
/// since nothing else reads what it held.
FailureOr<int64_t> HostFunction::assignOut(wtile::LaunchOp op, Value init) {
  auto known = memory.find(init);
  if (known != memory.end() && isArgument(known->second))
    return op.emitError("a launch writes an argument of the function: "
                        "arguments are read only");
  if (known != memory.end() && !init.hasOneUse())
    return op.emitError("a launch updates a tensor that something else reads "
                        "too: what a launch writes is read by nothing else");
  if (known != memory.end())
    return known->second;
  FailureOr<SmallVector<int64_t>> sizes = getSizes(init);
  if (failed(sizes))
    return failure();
  buffers.push_back({cast<RankedTensorType>(init.getType()), *sizes,
                     op.getLoc(), std::nullopt});
  return entry.arguments.size() + buffers.size() - 1;
}

/// Whether each size and stride of a kernel's memory is a parameter.
static void appendMemory(Type parameter, int64_t buffer,
                         SmallVectorImpl<Term> &terms) {
  auto shaped = cast<ShapedType>(parameter);
  terms.push_back({"pointer", {buffer}});
  for (int64_t dim = 0, rank = shaped.getRank(); dim < rank; ++dim)
    if (shaped.isDynamicDim(dim))
      terms.push_back({"size", {buffer, dim}});
  SmallVector<int64_t> strides(shaped.getRank(), ShapedType::kDynamic);
  if (!strides.empty())
    strides.back() = 1;
  if (auto memref = dyn_cast<MemRefType>(parameter))
    strides = memref.getStridesAndOffset().first;
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (ShapedType::isDynamic(stride))
      terms.push_back({"stride", {buffer, static_cast<int64_t>(dim)}});
}

LogicalResult HostFunction::describeParameters(wtile::LaunchOp op,
                                               SmallVectorImpl<Term> &terms) {
  SmallVector<Value> operands = llvm::to_vector(op.getIns());
  llvm::append_range(operands, op.getResults());
  SmallVector<Type> types =
      llvm::to_vector(TypeRange(ValueRange(operands).getTypes()));
  if (wtile::KernelOp kernel =
          findTileKernel(op, op.getKernelAttr().getLeafReference().getValue()))
    types = llvm::to_vector(
        TypeRange(ValueRange(kernel.getParameters()).getTypes()));
  for (auto [operand, type] : llvm::zip_equal(operands, types)) {
    if (auto known = memory.find(operand); known != memory.end()) {
      appendMemory(type, known->second, terms);
    } else if (isa<BlockArgument>(operand) &&
               !isa<RankedTensorType>(operand.getType())) {
      int64_t number = cast<BlockArgument>(operand).getArgNumber();
      terms.push_back({"scalar", {number}});
    } else if (operand.getType().isIndex()) {
      FailureOr<int64_t> expression = getExpression(operand);
      if (failed(expression))
        return failure();
      terms.push_back({"expression", {*expression}});
    } else {
      return op.emitError() << "a launch takes a " << operand.getType()
                            << " that is computed: a kernel's scalars are "
                               "arguments of the function, or indices";
    }
  }
  for (int64_t axis = 0, e = op.getPrograms().size(); axis < e; ++axis)
    terms.push_back({"extent", {axis}});
  return success();
}

FailureOr<Term> HostFunction::describeGuard(wtile::LaunchOp op,
                                            const OperandGuard &guard) {
  int64_t numIns = op.getIns().size();
  Value operand = guard.operand < numIns
                      ? op.getIns()[guard.operand]
                      : op.getResults()[guard.operand - numIns];
  auto known = memory.find(operand);
  if (known == memory.end())
    return op.emitError() << "a guard on operand " << guard.operand
                          << ", which is no memory";
  Term term{guard.word, {known->second}};
  if (guard.word == "stride")
    term.numbers.push_back(guard.dim);
  if (guard.word != "packed")
    term.numbers.push_back(guard.value);
  return term;
}

LogicalResult HostFunction::describeLaunch(wtile::LaunchOp op) {
  for (auto [init, result] : llvm::zip_equal(op.getOuts(), op.getResults())) {
    FailureOr<int64_t> buffer = assignOut(op, init);
    if (failed(buffer))
      return failure();
    memory[result] = *buffer;
  }
  SmallVector<int64_t> programs;
  for (Value extent : op.getPrograms()) {
    FailureOr<int64_t> expression = getExpression(extent);
    if (failed(expression))
      return failure();
    programs.push_back(*expression);
  }
  SmallVector<Term> parameters;
  if (failed(describeParameters(op, parameters)))
    return failure();
  FailureOr<SmallVector<KernelVariant>> found =
      findVariants(op, op.getKernelAttr().getLeafReference().getValue());
  if (failed(found))
    return failure();
  Launch launch;
  for (const KernelVariant &each : *found) {
    Variant variant;
    variant.name = each.name;
    variant.kernel = addKernel(each);
    variant.programs = programs;
    variant.parameters = parameters;
    for (const OperandGuard &guard : each.guards) {
      FailureOr<Term> term = describeGuard(op, guard);
      if (failed(term))
        return failure();
      variant.guards.push_back(*term);
    }
    if (each.waits) {
      int64_t number = entry.expressions.constant(1);
      for (int64_t extent : programs)
        number = entry.expressions.add("mul", {number, extent});
      variant.resident = number;
    }
    launch.variants.push_back(std::move(variant));
  }
  entry.launches.push_back(std::move(launch));
  return success();
}
