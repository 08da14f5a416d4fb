// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The two eliminations on blocks of 16 x 16 that are no products.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Threads/ThreadLowering.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

static constexpr unsigned blockSize = 16;

namespace {
/// Float arithmetic without ceremony.
struct FloatBuilder {
  OpBuilder &builder;
  Location loc;

  Value constant(float value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  /// c - a b, fused.
  Value subtractProduct(Value c, Value a, Value b) {
    Value negative = arith::NegFOp::create(builder, loc, a);
    return math::FmaOp::create(builder, loc, negative, b, c);
  }
  Value divide(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  /// Four numbers at an address of 16 bytes' alignment.
  SmallVector<Value> loadFour(Value address) {
    Value loaded = LLVM::LoadOp::create(
        builder, loc, VectorType::get(4, builder.getF32Type()), address, 16);
    SmallVector<Value> values;
    for (int64_t i = 0; i < 4; ++i)
      values.push_back(buildElement(builder, loc, loaded, i));
    return values;
  }
  void storeFour(ValueRange values, Value address) {
    Value whole = buildVector(builder, loc, values);
    LLVM::StoreOp::create(builder, loc, whole, address, 16);
  }
};
} // namespace

/// Lanes 0 to 15 hold the rows of the block and eliminate; lanes 16 to 31 start
/// from the identity and do the same to it. Afterwards the former hold the
/// columns of the factor, the latter the rows of its inverse. Pivot rows go
/// through shared memory: shuffled, each column's would wait for the last.
void ThreadLowering::lowerFactor(FactorSharedOp op) {
  FloatBuilder f{builder, loc};
  SharedBuffer source = getBuffer(op.getSource());
  Value row = arith::AndIOp::create(builder, loc, lane, i32(15));
  Value half = arith::AndIOp::create(builder, loc, lane, i32(16));
  Value first = f.compare(arith::CmpIPredicate::eq, half, i32(0));
  Value zero = f.constant(0.0f), one = f.constant(1.0f);
  Elements x;
  for (unsigned j = 0; j < blockSize; ++j) {
    // Of the symmetric block the lower triangle is read.
    Value line = arith::MaxSIOp::create(builder, loc, row, i32(j));
    Value column = arith::MinSIOp::create(builder, loc, row, i32(j));
    Value entry =
        LLVM::LoadOp::create(builder, loc, builder.getF32Type(),
                             getElementAddress(source, line, column), 4);
    Value diagonal = f.compare(arith::CmpIPredicate::eq, row, i32(j));
    x.push_back(f.select(first, entry, f.select(diagonal, one, zero)));
  }
  Value strip = getBuffer(op.getStrips()).base;
  Value ownStrip = offsetBytes(
      strip, arith::MulIOp::create(builder, loc, warp, i32(64 * 4)));
  Value scale = one;
  for (unsigned j = 0; j < blockSize; ++j) {
    Value pivots = offsetBytes(ownStrip, i32((j & 1) * 32 * 4));
    Value own =
        offsetBytes(pivots, arith::MulIOp::create(builder, loc, half, i32(4)));
    Value isPivot = f.compare(arith::CmpIPredicate::eq, row, i32(j));
    when(isPivot, [&] {
      for (unsigned q = 0; q < blockSize; q += 4)
        f.storeFour(ValueRange(x).slice(q, 4), offsetBytes(own, i32(4 * q)));
    });
    buildWarpBarrier(builder, loc);
    Value pivot = LLVM::LoadOp::create(builder, loc, builder.getF32Type(),
                                       offsetBytes(pivots, i32(4 * j)), 4);
    Value column = buildShuffle(builder, loc, ShuffleKind::Index, x[j], row);
    scale =
        f.select(isPivot, math::RsqrtOp::create(builder, loc, pivot), scale);
    Value below = f.compare(arith::CmpIPredicate::sgt, row, i32(j));
    Value factor = f.select(below, f.divide(column, pivot), zero);
    for (unsigned q = 0; q < blockSize; q += 4)
      for (auto [i, entry] :
           llvm::enumerate(f.loadFour(offsetBytes(own, i32(4 * q)))))
        x[q + i] = f.subtractProduct(x[q + i], factor, entry);
  }
  SharedBuffer lower = getBuffer(op.getFactor());
  SharedBuffer inverse = getBuffer(op.getInverse());
  Value storing = f.compare(arith::CmpIPredicate::eq, warp, i32(0));
  when(storing, [&] {
    for (unsigned k = 0; k < blockSize; ++k) {
      Value scaled = f.multiply(x[k], scale);
      Value inColumn = f.compare(arith::CmpIPredicate::sle, row, i32(k));
      Value inRow = f.compare(arith::CmpIPredicate::sge, row, i32(k));
      Value kept =
          arith::SelectOp::create(builder, loc, first, inColumn, inRow);
      Value value = f.select(kept, scaled, zero);
      auto conditional = scf::IfOp::create(builder, loc, first, true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(conditional.thenBlock());
      LLVM::StoreOp::create(builder, loc, value,
                            getElementAddress(lower, i32(k), row), 4);
      builder.setInsertionPointToStart(conditional.elseBlock());
      LLVM::StoreOp::create(builder, loc, value,
                            getElementAddress(inverse, row, i32(k)), 4);
    }
  });
}

/// A warp per block, a lane per column of the inverse, by forward substitution:
/// rows of the triangle are read by all lanes at once, nothing is exchanged.
void ThreadLowering::lowerInvert(InvertSharedOp op) {
  FloatBuilder f{builder, loc};
  SharedBuffer source = getBuffer(op.getSource());
  SharedBuffer inverses = getBuffer(op.getInverses());
  int64_t numBlocks = op.getSource().getType().getShape()[0] / blockSize;
  int64_t numWarps = *kernel.getWarps();
  Value column = arith::AndIOp::create(builder, loc, lane, i32(15));
  Value zero = f.constant(0.0f), one = f.constant(1.0f);
  auto invert = [&](Value block) {
    Value start = arith::MulIOp::create(builder, loc, block, i32(blockSize));
    Elements x;
    for (unsigned i = 0; i < blockSize; ++i) {
      Value line = arith::AddIOp::create(builder, loc, start, i32(i));
      Value sum = f.select(f.compare(arith::CmpIPredicate::eq, column, i32(i)),
                           one, zero);
      Elements entries;
      for (unsigned q = 0; q <= i; q += 4) {
        Value at = arith::AddIOp::create(builder, loc, start, i32(q));
        llvm::append_range(entries,
                           f.loadFour(getElementAddress(source, line, at)));
      }
      for (unsigned j = 0; j < i; ++j)
        sum = f.subtractProduct(sum, entries[j], x[j]);
      x.push_back(op.getUnit() ? sum : f.divide(sum, entries[i]));
    }
    Value storing = f.compare(arith::CmpIPredicate::slt, lane, i32(16));
    when(storing, [&] {
      for (unsigned i = 0; i < blockSize; ++i) {
        Value line = arith::AddIOp::create(builder, loc, start, i32(i));
        LLVM::StoreOp::create(builder, loc, x[i],
                              getElementAddress(inverses, line, column), 4);
      }
    });
  };
  for (int64_t firstBlock = 0; firstBlock < numBlocks; firstBlock += numWarps) {
    Value block = arith::AddIOp::create(builder, loc, warp, i32(firstBlock));
    when(f.compare(arith::CmpIPredicate::slt, block, i32(numBlocks)),
         [&] { invert(block); });
  }
}
