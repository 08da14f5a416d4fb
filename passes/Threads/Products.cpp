// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Products on the matrix unit, k step by k step. Which register of which
// fragment an instruction takes is asked of the layouts by coordinate.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Threads/ThreadLowering.h"
#include "passes/Tile/MatrixFragments.h"
#include <functional>

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

namespace {
/// The registers of one factor, loaded from shared memory when they are asked
/// for: pairs along k of 16-bit types, single ones else.
class FactorReader {
public:
  using Loader = std::function<SmallVector<Value>(unsigned group)>;

  /// `groupSize` values stand behind one load.
  FactorReader(const LinearLayout &layout, unsigned contracted, bool paired,
               SmallVector<Value> values, unsigned groupSize, Loader load)
      : layout(layout), contracted(contracted), paired(paired),
        values(std::move(values)), groupSize(groupSize), load(std::move(load)) {
  }

  Coordinates at(int32_t free, int32_t k) const {
    return contracted == 1 ? Coordinates{free, k} : Coordinates{k, free};
  }
  Value get(OpBuilder &builder, Location loc, int32_t free, int32_t k) {
    unsigned reg = *layout.findRegister(at(free, k));
    if (!paired)
      return fetch(reg);
    unsigned next = *layout.findRegister(at(free, k + 1));
    if (reg % 2 == 0 && next == reg + 1)
      return fetch(reg / 2);
    auto half = [&](unsigned which) -> Value {
      return buildElement(builder, loc, fetch(which / 2), which % 2);
    };
    Value low = half(reg), high = half(next);
    return buildVector(builder, loc, ValueRange{low, high});
  }

private:
  Value fetch(unsigned position) {
    if (!values[position]) {
      unsigned group = position / groupSize;
      for (auto [i, value] : llvm::enumerate(load(group)))
        values[group * groupSize + i] = value;
    }
    return values[position];
  }

  const LinearLayout layout;
  unsigned contracted;
  bool paired;
  SmallVector<Value> values;
  unsigned groupSize;
  Loader load;
};
} // namespace

/// Matrices of 16-bit pairs by ldmatrix, whatever dim is contiguous.
static FactorReader::Loader
getMatrixLoader(OpBuilder &builder, Location loc, unsigned count,
                bool transposed, std::function<Value(unsigned)> address) {
  return [=, &builder](unsigned group) {
    return buildMatrixLoad(builder, loc, address(group), count, transposed);
  };
}

static FactorReader::Loader
getVectorLoader(OpBuilder &builder, Location loc, unsigned count, Type type,
                std::function<Value(unsigned)> address) {
  return [=, &builder](unsigned group) {
    SmallVector<Value> values;
    Type whole = count == 1 ? type : VectorType::get(count, type);
    Value loaded =
        LLVM::LoadOp::create(builder, loc, whole, address(group), count * 4);
    for (unsigned i = 0; i < count; ++i)
      values.push_back(
          count == 1 ? loaded : Value(buildElement(builder, loc, loaded, i)));
    return values;
  };
}

/// -a of packed halves or of an element.
static Value negate(OpBuilder &builder, Location loc, Value factor,
                    bool paired) {
  if (!paired)
    return arith::NegFOp::create(builder, loc, factor);
  Type i32 = builder.getI32Type();
  Value bits = factor.getType() == i32
                   ? factor
                   : Value(LLVM::BitcastOp::create(builder, loc, i32, factor));
  Value signs = arith::ConstantOp::create(
      builder, loc,
      builder.getI32IntegerAttr(static_cast<int32_t>(0x80008000u)));
  return arith::XOrIOp::create(builder, loc, bits, signs);
}

static Type getFactorElement(Value factor) {
  if (auto buffer = dyn_cast<SharedType>(factor.getType()))
    return buffer.getElementType();
  return cast<RankedTensorType>(factor.getType()).getElementType();
}

void ThreadLowering::lowerMma(MmaOp op) {
  MatrixFragments fragments = getMatrixFragments(op, *kernel.getWarps());
  bool paired = fragments.step == 16;
  auto makeReader = [&](Value factor, const LinearLayout &fragment,
                        unsigned contracted) {
    if (getLayout(factor))
      return FactorReader(layoutOf(factor), contracted, paired,
                          tiles.lookup(factor), 1, {});
    SharedBuffer buffer = getBuffer(factor);
    unsigned registers = fragment.getNumRegisters();
    if (paired) {
      unsigned count = std::min(4u, registers / 2);
      bool transposed = buffer.layout.contiguous != contracted;
      LinearLayout rows =
          getMatrixRows(fragment, contracted, count, transposed);
      auto address = [=](unsigned group) {
        return getSharedAddress(buffer, rows, group);
      };
      return FactorReader(
          fragment, contracted, paired, SmallVector<Value>(registers / 2),
          count, getMatrixLoader(builder, loc, count, transposed, address));
    }
    unsigned count =
        1u << getVectorBits(composeWithShared(fragment, buffer.layout),
                            buffer.layout.width);
    auto address = [=](unsigned group) {
      return getSharedAddress(buffer, fragment, group * count);
    };
    return FactorReader(
        fragment, contracted, paired, SmallVector<Value>(registers), count,
        getVectorLoader(builder, loc, count, buffer.elementType, address));
  };
  FactorReader lhs = makeReader(op.getLhs(), fragments.first, op.getLhsDim());
  FactorReader rhs = makeReader(op.getRhs(), fragments.second, op.getRhsDim());

  Type element = getFactorElement(op.getRhs());
  FactorType type = element.isBF16()  ? FactorType::BF16
                    : element.isF16() ? FactorType::F16
                                      : FactorType::TF32;
  ArrayRef<int64_t> shape = fragments.accumulator.getShape();
  int64_t depth = fragments.first.getShape()[op.getLhsDim()];
  int64_t columns = shape[1] / fragments.grid.columns;
  Elements sums = getElements(op.getAccumulator());
  // The second half of a fragment's k: 8 further on, or in tf32 the odd ones.
  int32_t half = paired ? 8 : 1;
  for (int64_t k = 0; k < depth; k += fragments.step)
    for (int64_t m = 0; m < shape[0]; m += 16 * fragments.grid.rows) {
      Elements a;
      for (auto [row, step] : {std::pair(0, 0), std::pair(8, 0),
                               std::pair(0, half), std::pair(8, half)})
        a.push_back(lhs.get(builder, loc, m + row, k + step));
      if (op.getSubtract())
        for (Value &factor : a)
          factor = negate(builder, loc, factor, paired);
      for (int64_t n = 0; n < columns; n += 8) {
        Elements b{rhs.get(builder, loc, n, k),
                   rhs.get(builder, loc, n, k + half)};
        if (op.getRound())
          for (Value &factor : b)
            factor = buildRoundToTF32(builder, loc, factor);
        SmallVector<unsigned> registers;
        for (auto [row, column] : {std::pair(0, 0), std::pair(0, 1),
                                   std::pair(8, 0), std::pair(8, 1)})
          registers.push_back(*fragments.accumulator.findRegister(
              {static_cast<int32_t>(m + row),
               static_cast<int32_t>(n + column)}));
        auto own = llvm::map_to_vector(registers,
                                       [&](unsigned reg) { return sums[reg]; });
        for (auto [reg, sum] : llvm::zip_equal(
                 registers, buildMatrixProduct(builder, loc, type, a, b, own)))
          sums[reg] = sum;
      }
    }
  setElements(op.getResult(), sums);
}
