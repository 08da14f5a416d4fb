// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Canonical forms of the algebra ops: nothing is written that says nothing (a
// scale of 1, a decay of 1, axes that are all there), no initial state that is
// the default, no result that nobody uses.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The number that every entry of `value` is, where it is known: a splat
/// constant, or a `tensor.splat` of a constant.
static std::optional<APFloat> getSplat(Value value) {
  FloatAttr number;
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    if (matchPattern(splat.getInput(), m_Constant(&number)))
      return number.getValue();
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<APFloat>();
  return std::nullopt;
}

static bool isSplatOf(Value value, double number) {
  std::optional<APFloat> splat = getSplat(value);
  return splat && splat->isExactlyValue(number);
}

/// Both zeros count: nothing that is added tells them apart.
static bool isZero(Value value) {
  std::optional<APFloat> splat = getSplat(value);
  return splat && splat->isZero();
}

/// Replaces `op` by one that has only the first `kept[i]` results of each
/// group.
template <typename OpTy>
static void keepResults(PatternRewriter &rewriter, OpTy op,
                        ArrayRef<int32_t> kept) {
  SmallVector<Value> results;
  for (auto [group, count] : llvm::enumerate(kept))
    llvm::append_range(results, op.getODSResults(group).take_front(count));
  OperationState state(op.getLoc(), op->getName(), op->getOperands(),
                       TypeRange(ValueRange(results)),
                       llvm::to_vector(op->getDiscardableAttrs()));
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  properties = op.getProperties();
  if constexpr (OpTy::template hasTrait<OpTrait::AttrSizedResultSegments>())
    llvm::copy(kept, properties.resultSegmentSizes.begin());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *fewer = rewriter.create(state);
  for (auto [result, replacement] : llvm::zip(results, fewer->getResults()))
    rewriter.replaceAllUsesWith(result, replacement);
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// AffineScanOp
//===----------------------------------------------------------------------===//

/// read(%q scale 1.0) is read(%q).
static LogicalResult dropUnitScale(AffineScanOp op, PatternRewriter &rewriter) {
  FloatAttr scale = op.getScaleAttr();
  if (!scale || !scale.getValue().isExactlyValue(1.0))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
  return success();
}

/// A decay that is 1 throughout is none.
static LogicalResult dropUnitDecay(AffineScanOp op, PatternRewriter &rewriter) {
  if (!op.getDecay())
    return failure();
  bool isLinear = op.getDecaySpace() == DecaySpace::Linear;
  if (isLinear ? !isSplatOf(op.getDecay(), 1.0) : !isZero(op.getDecay()))
    return failure();
  // The decay may be the only operand with an axis of the output.
  unsigned decay = op.getDecayMutable().begin()->getOperandNumber();
  SmallVector<Axis> held;
  for (Value operand : {op.getKey(), op.getValue(), op.getQuery()}) {
    auto *use = llvm::find_if(op->getOpOperands(), [&](OpOperand &candidate) {
      return candidate.get() == operand &&
             candidate.getOperandNumber() != decay;
    });
    llvm::append_range(held, op.getOperandAxes(use->getOperandNumber()));
  }
  if (!llvm::is_contained(held, Axis::Batch) ||
      !llvm::is_contained(held, Axis::Time))
    return failure();
  SmallVector<Attribute> order(
      llvm::make_filter_range(op.getOrder(), [](Attribute clause) {
        return cast<ScanClauseAttr>(clause).getValue() != ScanClause::Decay;
      }));
  rewriter.modifyOpInPlace(op, [&] {
    op.getDecayMutable().clear();
    op.removeDecayAxesAttr();
    op.setDecaySpace(DecaySpace::Linear);
    op.setOrderAttr(rewriter.getArrayAttr(order));
  });
  return success();
}

/// An initial state of zeros is the default.
static LogicalResult dropZeroInit(AffineScanOp op, PatternRewriter &rewriter) {
  if (!op.getInit() || !isZero(op.getInit()) ||
      (op.getNormalizerInit() && !isZero(op.getNormalizerInit())))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getNormalizerInitMutable().clear();
    op.getInitMutable().clear();
    op.removeInitAxesAttr();
    op.removeNormalizerInitAxesAttr();
  });
  return success();
}

/// Final states that nobody uses are not kept.
static LogicalResult dropUnusedStates(AffineScanOp op,
                                      PatternRewriter &rewriter) {
  auto isUsed = [](Value state) { return state && !state.use_empty(); };
  bool keepNormalizer = isUsed(op.getFinalNormalizer());
  bool keepState = keepNormalizer || isUsed(op.getFinalState());
  if (keepState == static_cast<bool>(op.getFinalState()) &&
      keepNormalizer == static_cast<bool>(op.getFinalNormalizer()))
    return failure();
  keepResults(rewriter, op, {1, keepState, keepNormalizer});
  return success();
}

/// `along` that lists every axis of the role is not written.
static LogicalResult dropFullAxes(AffineScanOp op, PatternRewriter &rewriter) {
  bool changed = false;
  auto drop = [&](StringAttr axes, StringRef all,
                  function_ref<Attribute()> remove) {
    if (!axes || axes.getValue() != all)
      return;
    rewriter.modifyOpInPlace(op, [&] { remove(); });
    changed = true;
  };
  drop(op.getDecayAxesAttr(), "bth", [&] { return op.removeDecayAxesAttr(); });
  drop(op.getDecayAxesAttr(), "bthk", [&] { return op.removeDecayAxesAttr(); });
  drop(op.getKeyAxesAttr(), "bthk", [&] { return op.removeKeyAxesAttr(); });
  drop(op.getValueAxesAttr(), "bthv", [&] { return op.removeValueAxesAttr(); });
  drop(op.getQueryAxesAttr(), "bthk", [&] { return op.removeQueryAxesAttr(); });
  drop(op.getInitAxesAttr(), "bhkv", [&] { return op.removeInitAxesAttr(); });
  drop(op.getNormalizerInitAxesAttr(), "bhk",
       [&] { return op.removeNormalizerInitAxesAttr(); });
  return success(changed);
}

void AffineScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  patterns.add(dropUnitScale).add(dropUnitDecay).add(dropZeroInit);
  patterns.add(dropUnusedStates).add(dropFullAxes);
}

//===----------------------------------------------------------------------===//
// PrefixSumOp
//===----------------------------------------------------------------------===//

/// A total that nobody uses is not kept; an init of zeros is the default.
static LogicalResult dropUnusedSumParts(PrefixSumOp op,
                                        PatternRewriter &rewriter) {
  if (op.getInit() && isZero(op.getInit())) {
    rewriter.modifyOpInPlace(op, [&] { op.getInitMutable().clear(); });
    return success();
  }
  if (!op.getTotal() || !op.getTotal().use_empty())
    return failure();
  keepResults(rewriter, op, {1, 0});
  return success();
}

/// Sums of zeros are the zeros.
static LogicalResult forwardZeros(PrefixSumOp op, PatternRewriter &rewriter) {
  if (op.getInit() || op.getTotal() || !isZero(op.getSource()) ||
      op.getSource().getType() != op.getOut().getType())
    return failure();
  rewriter.replaceOp(op, op.getSource());
  return success();
}

void PrefixSumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(dropUnusedSumParts).add(forwardZeros);
}

//===----------------------------------------------------------------------===//
// AssociativeScanOp
//===----------------------------------------------------------------------===//

/// Totals that nobody uses are not kept; inits equal to the identity are the
/// default.
static LogicalResult dropUnusedParts(AssociativeScanOp op,
                                     PatternRewriter &rewriter) {
  auto isIdentity = [](auto pair) {
    auto [init, number] = pair;
    std::optional<APFloat> splat = getSplat(init);
    return splat && splat->bitwiseIsEqual(cast<FloatAttr>(number).getValue());
  };
  if (!op.getInits().empty() &&
      llvm::all_of(llvm::zip(op.getInits(), op.getIdentity()), isIdentity)) {
    rewriter.modifyOpInPlace(op, [&] { op.getInitsMutable().clear(); });
    return success();
  }
  if (op.getTotals().empty() || !llvm::all_of(op.getTotals(), [](Value total) {
        return total.use_empty();
      }))
    return failure();
  keepResults(rewriter, op, {static_cast<int32_t>(op.getOuts().size()), 0});
  return success();
}

void AssociativeScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *) {
  patterns.add(dropUnusedParts);
}

//===----------------------------------------------------------------------===//
// GroupOp
//===----------------------------------------------------------------------===//

/// Results that nobody uses, and those that the region only passes on, leave
/// the group; a group without results goes.
static LogicalResult dropPassedOnResults(GroupOp op,
                                         PatternRewriter &rewriter) {
  YieldOp yield = op.getYield();
  SmallVector<Value> kept, yielded;
  for (auto [result, value] : llvm::zip(op.getResults(), yield.getOperands())) {
    bool isInside = op.getBody().isAncestor(value.getParentRegion());
    if (!isInside)
      rewriter.replaceAllUsesWith(result, value);
    if (result.use_empty())
      continue;
    kept.push_back(result);
    yielded.push_back(value);
  }
  if (kept.size() == op.getNumResults())
    return failure();
  if (kept.empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getOperandsMutable().assign(yielded); });
  auto fewer = GroupOp::create(rewriter, op.getLoc(),
                               TypeRange(ValueRange(kept)), op.getNameAttr());
  fewer->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  fewer.getBody().takeBody(op.getBody());
  for (auto [result, replacement] : llvm::zip(kept, fewer.getResults()))
    rewriter.replaceAllUsesWith(result, replacement);
  rewriter.eraseOp(op);
  return success();
}

void GroupOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(dropPassedOnResults);
}

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

/// A check that always holds goes. One that never holds stays: it is reported
/// when the program runs.
static LogicalResult dropTrueCheck(CheckOp op, PatternRewriter &rewriter) {
  std::optional<int64_t> size = getConstantIntValue(op.getSize());
  std::optional<int64_t> expected = getConstantIntValue(op.getExpected());
  bool holds = op.getSize() == op.getExpected();
  if (op.getRelation() == SizeRelation::Divides)
    holds |=
        size == 1 || (size && expected && *size > 0 && *expected % *size == 0);
  holds |= size && size == expected;
  if (!holds)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

void CheckOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(dropTrueCheck);
}
