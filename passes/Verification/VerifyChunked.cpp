// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The rules of the chunked stage that need whole bodies. One function a rule,
// all of them run on every loop and kernel: an author sees all errors at once.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "passes/Verification/Passes.h"
#include "scanweft/Analysis/DeadRows.h"
#include "scanweft/Analysis/DimClasses.h"
#include "scanweft/Analysis/RepeatedValues.h"

namespace scanweft {
#define GEN_PASS_DEF_VERIFYCHUNKED
#include "passes/Verification/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// K3: order of carries
//===----------------------------------------------------------------------===//

/// The carry that a region argument belongs to, if any.
static std::optional<unsigned> getCarryOf(ChunkedOp loop,
                                          BlockArgument argument) {
  for (unsigned carry : llvm::seq(loop.getNumCarries()))
    if (llvm::is_contained(loop.getCarryArgs(carry), argument))
      return carry;
  return std::nullopt;
}

/// A chain of ops from one that reads a carry from `first` on to `element`, the
/// reader first; empty where there is none.
static SmallVector<Operation *> findReader(ChunkedOp loop, Operation *element,
                                           unsigned first, unsigned &read) {
  llvm::SmallMapVector<Operation *, Operation *, 16> users;
  users.insert({element, nullptr});
  for (unsigned next = 0; next < users.size(); ++next) {
    Operation *op = users.begin()[next].first;
    for (Value operand : op->getOperands()) {
      if (Operation *maker = operand.getDefiningOp()) {
        if (maker->getBlock() == element->getBlock())
          users.insert({maker, op});
        continue;
      }
      auto argument = cast<BlockArgument>(operand);
      if (argument.getOwner() != element->getBlock())
        continue;
      std::optional<unsigned> carry = getCarryOf(loop, argument);
      if (!carry || *carry < first)
        continue;
      read = *carry;
      SmallVector<Operation *> chain;
      for (; op; op = users.lookup(op))
        chain.push_back(op);
      return chain;
    }
  }
  return {};
}

static LogicalResult verifyOrder(ChunkedOp loop) {
  bool isValid = true;
  for (unsigned i : llvm::seq(loop.getNumCarries())) {
    Operation *element = loop.getNext().getElements()[i].getDefiningOp();
    unsigned read = 0;
    SmallVector<Operation *> chain = findReader(loop, element, i, read);
    if (chain.empty())
      continue;
    isValid = false;
    InFlightDiagnostic diagnostic = element->emitOpError("of carry #")
                                    << i << " reads carry #" << read
                                    << rule::K3;
    for (auto [link, op] : llvm::enumerate(chain)) {
      if (op == element)
        break;
      diagnostic.attachNote(op->getLoc())
          << '\'' << op->getName() << "' reads "
          << (link ? "the op before" : "the carry") << " here";
    }
  }
  return success(isValid);
}

//===----------------------------------------------------------------------===//
// K4: dead rows
//===----------------------------------------------------------------------===//

static StringRef stringifyNeed(DeadRowFact fact) {
  switch (fact) {
  case DeadRowFact::Finite:
    return "finite";
  case DeadRowFact::Zero:
    return "zero";
  case DeadRowFact::MinusInfinity:
    return "-inf";
  case DeadRowFact::Diagonal:
    return "zero off the diagonal";
  case DeadRowFact::PositiveDiagonal:
    return "zero off a positive diagonal";
  }
  llvm_unreachable("facts are named above");
}

/// "operand #0 is finite, operand #1 is unknown"
static std::string describeFacts(const DeadRowViolation &violation,
                                 const DeadRows &facts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(
      violation.needs.front(), stream, [&](const DeadRowNeed &need) {
        Value operand = violation.op->getOperand(need.operand);
        stream << "operand #" << need.operand << " is "
               << describe(facts.getFact(operand, need.dim));
      });
  return text;
}

/// Notes where the operands come from, and the mend of the first that falls
/// short of what is asked of it.
static void attachMend(InFlightDiagnostic &diagnostic,
                       const DeadRowViolation &violation) {
  for (const DeadRowNeed &need : violation.needs.front()) {
    if (need.fact != DeadRowFact::Zero &&
        need.fact != DeadRowFact::MinusInfinity)
      continue;
    Value operand = violation.op->getOperand(need.operand);
    diagnostic.attachNote(operand.getLoc())
        << "operand #" << need.operand << " is made here; it is "
        << stringifyNeed(need.fact)
        << " on dead rows after: weft.keep_live over " << need.dim
        << " from lo to hi else "
        << (need.fact == DeadRowFact::Zero ? "0.0" : "0xFFF0000000000000");
    return;
  }
}

static LogicalResult verifyDeadRows(ChunkedOp loop, const DimClasses &classes) {
  DeadRows facts(loop, classes);
  for (const DeadRowViolation &violation : facts.getViolations()) {
    bool isElement = isa<ElementOpInterface>(violation.op);
    InFlightDiagnostic diagnostic =
        violation.op->emitOpError("combines the rows of chunks of ")
        << loop.getChunk() << ", and on dead rows "
        << describeFacts(violation, facts)
        << (isElement ? rule::K4a : rule::K4);
    attachMend(diagnostic, violation);
  }
  return success(facts.getViolations().empty());
}

//===----------------------------------------------------------------------===//
// K5, K6, K8: what a body holds
//===----------------------------------------------------------------------===//

static bool isBodyOp(Operation &op) {
  return op.hasTrait<ChunkBodyOp>() ||
         isa<NextOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
}

/// Reshapes and concatenations may not take the rows apart or join them.
static bool splitsRows(Operation &op, const DimClasses &classes,
                       DimClasses::Class rows) {
  if (!isa<ConcatOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return false;
  for (const DimClasses::Relation &relation : classes.getRelations())
    if (relation.op == &op &&
        (classes.getClass(relation.whole) == rows ||
         llvm::any_of(relation.parts, [&](DimClasses::Class part) {
           return classes.getClass(part) == rows;
         })))
      return true;
  return false;
}

static LogicalResult verifyBodyOps(ChunkedOp loop, const DimClasses &classes) {
  bool isValid = true;
  std::optional<DimClasses::Class> rows = classes.getRows(loop);
  for (Operation &op : loop.getBody().front()) {
    if (!isBodyOp(op)) {
      op.emitOpError("stands in the body of a loop over chunks") << rule::K5;
      isValid = false;
    } else if (rows && splitsRows(op, classes, *rows)) {
      op.emitOpError("joins or splits the rows of chunks of ")
          << loop.getChunk() << rule::K5;
      isValid = false;
    }
  }
  return success(isValid);
}

/// Follows the chunk's number through arithmetic on indices.
static LogicalResult verifyChunkNumber(ChunkedOp loop) {
  SmallVector<Value> numbers{loop.getChunkIndex()};
  bool isValid = true;
  for (unsigned next = 0; next < numbers.size(); ++next)
    for (Operation *user : numbers[next].getUsers()) {
      if (isa<FenwickReadOp, MaskWindowOp>(user))
        continue;
      bool isAddress = isa<arith::ArithDialect>(user->getDialect()) &&
                       llvm::all_of(user->getResultTypes(),
                                    [](Type type) { return type.isIndex(); });
      if (isAddress) {
        for (Value result : user->getResults())
          if (!llvm::is_contained(numbers, result))
            numbers.push_back(result);
        continue;
      }
      user->emitOpError("uses the number of the chunk") << rule::K5a;
      isValid = false;
    }
  return success(isValid);
}

/// The numerics of a product, or null.
static NumericsAttr getNumerics(Operation &op) {
  if (auto element = dyn_cast<ElementOpInterface>(op))
    return element.getElementNumerics();
  return op.getAttrOfType<NumericsAttr>("numerics");
}

static LogicalResult verifyNumerics(ChunkedOp loop) {
  bool isValid = true;
  for (Operation &op : loop.getBody().front()) {
    NumericsAttr numerics = getNumerics(op);
    if (!numerics || numerics.getIn() == Precision::F64)
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      if (!getElementTypeOrSelf(operand.get()).isF64())
        continue;
      op.emitOpError("operand #")
          << operand.getOperandNumber() << " has type "
          << operand.get().getType() << " and is multiplied in "
          << stringifyPrecision(numerics.getIn()) << rule::K6;
      isValid = false;
      break;
    }
  }
  return success(isValid);
}

static LogicalResult verifyStaticShapes(ChunkedOp loop) {
  bool isValid = true;
  for (Operation &op : loop.getBody().front())
    for (Type type : op.getResultTypes()) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (!shaped || shaped.hasStaticShape())
        continue;
      op.emitOpError("makes a value of type ") << type << rule::K8a;
      isValid = false;
    }
  return success(isValid);
}

//===----------------------------------------------------------------------===//
// K9: placements
//===----------------------------------------------------------------------===//

static LogicalResult verifyPlacements(KernelOp kernel) {
  auto place = cast<PlaceOp>(kernel.getBody().front().getTerminator());
  bool isValid = true;
  for (auto [i, placement] : llvm::enumerate(place.getPlacements())) {
    if (placement.rows || placement.condition)
      continue;
    for (auto [axis, coordinate] :
         llvm::enumerate(kernel.getBody().getArguments())) {
      bool isAlone = matchPattern(kernel.getPrograms()[axis], m_One());
      if (isAlone || llvm::is_contained(placement.indices, Value(coordinate)))
        continue;
      place.emitOpError("value #")
          << i << " is placed by every program along axis #" << axis
          << ", whose coordinate is not among its indices" << rule::K9;
      isValid = false;
    }
  }
  return success(isValid);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult verifyLoop(ChunkedOp loop, const DimClasses &classes) {
  LogicalResult results[] = {verifyOrder(loop),
                             verifyDeadRows(loop, classes),
                             verifyBodyOps(loop, classes),
                             verifyChunkNumber(loop),
                             verifyNumerics(loop),
                             verifyStaticShapes(loop)};
  return success(llvm::all_of(
      results, [](LogicalResult result) { return succeeded(result); }));
}

namespace {
struct VerifyChunked : public scanweft::impl::VerifyChunkedBase<VerifyChunked> {
  void runOnOperation() override {
    // On a copy, where no value serves dims that only happen to be equal.
    OwningOpRef<Operation *> copy;
    Operation *root = getOperation();
    if (isa<ModuleOp>(root)) {
      copy = root->clone();
      root = copy.get();
      separateRepeatedValues(root);
    }
    DimClasses classes(root);
    root->walk([&](Operation *op) {
      bool isValid = true;
      if (auto loop = dyn_cast<ChunkedOp>(op))
        isValid = succeeded(verifyLoop(loop, classes));
      else if (auto kernel = dyn_cast<KernelOp>(op))
        isValid = succeeded(verifyPlacements(kernel));
      if (!isValid)
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
