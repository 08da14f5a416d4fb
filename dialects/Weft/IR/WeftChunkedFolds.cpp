// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Canonical forms of kernels and loops over chunks: nothing that nobody reads,
// no slice twice, no loop or launch over nothing.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

namespace {
/// Without programs the results are what they were.
struct FoldEmptyKernel : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = [](Value extent) { return matchPattern(extent, m_Zero()); };
    if (llvm::none_of(op.getPrograms(), isZero))
      return failure();
    rewriter.replaceOp(op, op.getInits());
    return success();
  }
};

/// Results that nobody reads are not placed.
struct DropUnusedResults : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    auto isUsed = [](Value result) { return !result.use_empty(); };
    if (llvm::all_of(op.getResults(), isUsed))
      return failure();
    SmallVector<Value> inits;
    for (auto [init, result] : llvm::zip(op.getInits(), op.getResults()))
      if (isUsed(result))
        inits.push_back(init);
    dropPlacements(op, rewriter);
    auto kernel = KernelOp::create(rewriter, op.getLoc(), TypeRange(inits),
                                   op.getNameAttr(), op.getPrograms(), inits);
    kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(),
                                kernel.getBody().end());
    auto next = kernel.getResults().begin();
    for (Value result : op.getResults())
      if (isUsed(result))
        rewriter.replaceAllUsesWith(result, *next++);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Replaces the terminator by one that places what is read.
  static void dropPlacements(KernelOp op, PatternRewriter &rewriter) {
    auto place = cast<PlaceOp>(op.getBody().front().getTerminator());
    SmallVector<Value> values, indices, rows, live, conditions;
    SmallVector<Attribute> spans;
    SmallVector<bool> hasRows, hasCondition;
    for (auto [i, placement] : llvm::enumerate(place.getPlacements())) {
      if (op.getResult(i).use_empty())
        continue;
      values.push_back(placement.value);
      spans.push_back(place.getSpans()[i]);
      llvm::copy_if(placement.indices, std::back_inserter(indices),
                    [](Value index) { return static_cast<bool>(index); });
      hasRows.push_back(static_cast<bool>(placement.rows));
      if (placement.rows) {
        rows.push_back(placement.rows);
        live.append({placement.from, placement.to});
      }
      hasCondition.push_back(static_cast<bool>(placement.condition));
      if (placement.condition)
        conditions.push_back(placement.condition);
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(place);
    rewriter.replaceOpWithNewOp<PlaceOp>(
        place, values, indices, rows, live, conditions,
        rewriter.getArrayAttr(spans), rewriter.getDenseBoolArrayAttr(hasRows),
        rewriter.getDenseBoolArrayAttr(hasCondition));
  }
};
} // namespace

void KernelOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FoldEmptyKernel, DropUnusedResults>(context);
}

//===----------------------------------------------------------------------===//
// ChunkedOp
//===----------------------------------------------------------------------===//

namespace {
/// What of a loop over chunks stays.
struct LoopParts {
  SmallVector<unsigned> slices, carries, outs; ///< numbers, in order
};

/// Without rows the outs and states stay as they are.
struct FoldEmptyLoop : OpRewritePattern<ChunkedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ChunkedOp op,
                                PatternRewriter &rewriter) const override {
    APInt from, to;
    bool isConstant = matchPattern(op.getFrom(), m_ConstantInt(&from)) &&
                      matchPattern(op.getTo(), m_ConstantInt(&to));
    if (op.getFrom() != op.getTo() && (!isConstant || from.slt(to)))
      return failure();
    SmallVector<Value> results = llvm::to_vector(op.getOuts());
    llvm::append_range(results, op.getCarries());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Slices that the body does not read, carries that neither the body nor anyone
/// after the loop reads, and outputs that nobody reads go. An element never
/// reads its own carry, so a carry that nobody else reads is read by nobody.
struct DropUnusedParts : OpRewritePattern<ChunkedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ChunkedOp op,
                                PatternRewriter &rewriter) const override {
    LoopParts parts = getUsedParts(op);
    if (parts.slices.size() == op.getSlices().size() &&
        parts.carries.size() == op.getNumCarries() &&
        parts.outs.size() == op.getOuts().size())
      return failure();
    rebuild(op, parts, rewriter);
    return success();
  }

private:
  static LoopParts getUsedParts(ChunkedOp op) {
    LoopParts parts;
    auto isUsed = [](Value value) { return !value.use_empty(); };
    for (unsigned i : llvm::seq<unsigned>(op.getSlices().size()))
      if (isUsed(op.getSliceArgs()[i]))
        parts.slices.push_back(i);
    for (unsigned i : llvm::seq(op.getNumCarries()))
      if (llvm::any_of(op.getCarryArgs(i), isUsed) ||
          llvm::any_of(op.getFinalStates(i), isUsed))
        parts.carries.push_back(i);
    for (unsigned i : llvm::seq<unsigned>(op.getOuts().size()))
      if (isUsed(op.getOutResults()[i]))
        parts.outs.push_back(i);
    return parts;
  }

  static void rebuild(ChunkedOp op, const LoopParts &parts,
                      PatternRewriter &rewriter) {
    SmallVector<Value> slices, carries, outs, rows, elements, results;
    SmallVector<Attribute> kinds;
    BitVector dropped(op.getBody().getNumArguments());
    for (Value argument : op.getBody().getArguments().drop_front(3))
      dropped.set(cast<BlockArgument>(argument).getArgNumber());
    auto keep = [&](Value argument) {
      dropped.reset(cast<BlockArgument>(argument).getArgNumber());
    };
    NextOp next = op.getNext();
    for (unsigned i : parts.slices) {
      slices.push_back(op.getSlices()[i]);
      keep(op.getSliceArgs()[i]);
    }
    for (unsigned i : parts.outs) {
      outs.push_back(op.getOuts()[i]);
      rows.push_back(next.getRows()[i]);
      results.push_back(op.getOutResults()[i]);
    }
    for (unsigned i : parts.carries) {
      kinds.push_back(op.getKinds()[i]);
      elements.push_back(next.getElements()[i]);
      llvm::append_range(carries, op.getCarryInits(i));
      llvm::append_range(results, op.getFinalStates(i));
      llvm::for_each(op.getCarryArgs(i), keep);
    }
    auto loop = ChunkedOp::create(
        rewriter, op.getLoc(), TypeRange(ValueRange(results)), op.getFrom(),
        op.getTo(), op.getChunk(), op.getDescending(), slices, carries,
        rewriter.getArrayAttr(kinds), outs);
    loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.modifyOpInPlace(
        op, [&] { op.getBody().front().eraseArguments(dropped); });
    rewriter.inlineRegionBefore(op.getBody(), loop.getBody(),
                                loop.getBody().end());
    for (auto [before, after] : llvm::zip(results, loop.getResults()))
      rewriter.replaceAllUsesWith(before, after);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(next);
    rewriter.replaceOpWithNewOp<NextOp>(next, rows, elements);
    rewriter.eraseOp(op);
  }
};

/// A tensor that is sliced twice is sliced once.
struct MergeEqualSlices : OpRewritePattern<ChunkedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ChunkedOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallDenseMap<Value, Value> first;
    bool changed = false;
    for (auto [slice, argument] :
         llvm::zip(op.getSlices(), op.getSliceArgs())) {
      auto [entry, isNew] = first.insert({slice, argument});
      if (isNew || argument.use_empty())
        continue;
      rewriter.replaceAllUsesWith(argument, entry->second);
      changed = true;
    }
    return success(changed);
  }
};
} // namespace

void ChunkedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<FoldEmptyLoop, DropUnusedParts, MergeEqualSlices>(context);
}
