// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Which ops are expanded, which stay because LLVM has their instruction, and
// which are refused.
//===----------------------------------------------------------------------===//

#include "FloatFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/NVVM/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace scanweft {
#define GEN_PASS_DEF_MATHTONVVM
#include "passes/NVVM/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;

/// Ops of the math dialect that LLVM's backend selects as they are.
static constexpr llvm::StringLiteral kNative[] = {
    "math.absf",     "math.absi",     "math.ceil",      "math.copysign",
    "math.ctlz",     "math.ctpop",    "math.cttz",      "math.floor",
    "math.fma",      "math.isfinite", "math.isinf",     "math.isnan",
    "math.isnormal", "math.round",    "math.roundeven", "math.trunc",
};

static const NamedFunction *findFunction(Operation *op) {
  for (const NamedFunction &function : getFloatFunctions())
    if (function.op == op->getName().getStringRef())
      return &function;
  return nullptr;
}

/// Every float that a kernel computes in, or nothing where `op` keeps to these.
static Type findForeignFloat(Operation *op) {
  auto isForeign = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isa<FloatType>(element) && !element.isF32() && !element.isF16() &&
           !element.isBF16();
  };
  for (Type type : op->getOperandTypes())
    if (isForeign(type))
      return type;
  for (Type type : op->getResultTypes())
    if (isForeign(type))
      return type;
  return {};
}

static LogicalResult check(Operation *op) {
  if (Type type = findForeignFloat(op))
    return op->emitOpError("on ")
           << type << ": kernels compute in f32, f16 and bf16";
  StringRef name = op->getName().getStringRef();
  const NamedFunction *function = findFunction(op);
  if (!function) {
    if (isa<arith::ArithDialect>(op->getDialect()) ||
        llvm::is_contained(kNative, name))
      return success();
    auto names = llvm::map_range(getFloatFunctions(),
                                 [](const NamedFunction &f) { return f.op; });
    return op->emitOpError("has no form on a GPU: expanded are ")
           << llvm::join(names, ", ");
  }
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  if (isa<FloatType>(type) ||
      (vector && vector.getRank() == 1 && !vector.isScalable()))
    return success();
  return op->emitOpError("on ")
         << type
         << ": a thread computes on scalars and on vectors of one "
            "dimension";
}

/// `function` of scalars, through f32.
static Value expandScalar(ImplicitLocOpBuilder &builder,
                          const NamedFunction &function, ValueRange operands,
                          FloatMode mode) {
  Type type = operands[0].getType(), f32 = builder.getF32Type();
  if (type == f32)
    return function.expand(builder, operands, mode);
  mode.roundedTo16Bits = true;
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(arith::ExtFOp::create(builder, f32, operand));
  return arith::TruncFOp::create(builder, type,
                                 function.expand(builder, wide, mode));
}

static Value expandVector(ImplicitLocOpBuilder &builder,
                          const NamedFunction &function, ValueRange operands,
                          VectorType type, FloatMode mode) {
  Value result = LLVM::PoisonOp::create(builder, type);
  for (int64_t i : llvm::seq(type.getNumElements())) {
    Value index = LLVM::ConstantOp::create(builder, builder.getI64Type(), i);
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(
          LLVM::ExtractElementOp::create(builder, operand, index));
    Value element = expandScalar(builder, function, elements, mode);
    result = LLVM::InsertElementOp::create(builder, result, element, index);
  }
  return result;
}

static void expand(IRRewriter &rewriter, Operation *op,
                   const NamedFunction &function, FloatMode mode) {
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder builder(op->getLoc(), rewriter);
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  rewriter.replaceOp(
      op, vector
              ? expandVector(builder, function, op->getOperands(), vector, mode)
              : expandScalar(builder, function, op->getOperands(), mode));
}

namespace {

struct MathToNvvmPass : scanweft::impl::MathToNvvmBase<MathToNvvmPass> {
  using MathToNvvmBase::MathToNvvmBase;

  void runOnOperation() override {
    SmallVector<std::pair<Operation *, const NamedFunction *>> work;
    bool valid = true;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
              op->getDialect()))
        return;
      if (failed(check(op)))
        valid = false;
      else if (const NamedFunction *function = findFunction(op))
        work.emplace_back(op, function);
    });
    if (!valid)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (auto [op, function] : work)
      expand(rewriter, op, *function, {precise, false});
  }
};

} // namespace
