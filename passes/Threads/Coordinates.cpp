// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Questions to layouts, answered in code: the only place that takes lane and
// warp numbers apart.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Threads/ThreadLowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;

/// Steps along `dim` of an input's bits.
static SmallVector<uint32_t> getSteps(const LinearLayout &layout,
                                      LayoutInput input, unsigned dim) {
  return llvm::map_to_vector(layout.getBases(input),
                             [&](const Coordinates &basis) {
                               return static_cast<uint32_t>(basis[dim]);
                             });
}

/// The XOR of the steps of the bits that are set in `number`: a shift and a
/// mask for each run of bits whose steps double.
static Value buildSteps(OpBuilder &builder, Location loc, Value number,
                        ArrayRef<uint32_t> steps) {
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Value sum;
  for (size_t first = 0; first < steps.size();) {
    size_t last = first;
    while (last + 1 < steps.size() && steps[first] &&
           steps[last + 1] == 2 * steps[last])
      ++last;
    if (steps[first] && llvm::isPowerOf2_32(steps[first])) {
      uint32_t mask = ((1u << (last - first + 1)) - 1) << first;
      Value bits = arith::AndIOp::create(builder, loc, number, constant(mask));
      int shift = static_cast<int>(llvm::Log2_32(steps[first])) -
                  static_cast<int>(first);
      if (shift > 0)
        bits = arith::ShLIOp::create(builder, loc, bits, constant(shift));
      if (shift < 0)
        bits = arith::ShRUIOp::create(builder, loc, bits, constant(-shift));
      sum = sum ? Value(arith::XOrIOp::create(builder, loc, sum, bits)) : bits;
    } else if (steps[first]) {
      last = first; // a step of several bits
      Value bit = arith::ShRUIOp::create(builder, loc, number, constant(first));
      Value one = arith::AndIOp::create(builder, loc, bit, constant(1));
      Value all = arith::SubIOp::create(builder, loc, constant(0), one);
      Value part =
          arith::AndIOp::create(builder, loc, all, constant(steps[first]));
      sum = sum ? Value(arith::XOrIOp::create(builder, loc, sum, part)) : part;
    }
    first = last + 1;
  }
  return sum;
}

ThreadPart ThreadLowering::getThreadPart(const LinearLayout &layout,
                                         unsigned dim) {
  ThreadPart part;
  for (auto [input, number] : {std::pair(LayoutInput::Lane, lane),
                               std::pair(LayoutInput::Warp, warp)}) {
    SmallVector<uint32_t> steps = getSteps(layout, input, dim);
    for (uint32_t step : steps)
      part.bits |= step;
    Value own = buildSteps(builder, loc, number, steps);
    if (own && part.value)
      own = arith::XOrIOp::create(builder, loc, part.value, own);
    if (own)
      part.value = own;
  }
  return part;
}

Value ThreadLowering::addConstant(const ThreadPart &part, uint32_t value) {
  if (!part.value)
    return i32(value);
  if (value == 0)
    return part.value;
  if (value & part.bits)
    return arith::XOrIOp::create(builder, loc, part.value, i32(value));
  return arith::AddIOp::create(builder, loc, part.value, i32(value),
                               arith::IntegerOverflowFlags::nsw |
                                   arith::IntegerOverflowFlags::nuw);
}

Value ThreadLowering::getCoordinate(const LinearLayout &layout, unsigned reg,
                                    unsigned dim) {
  return addConstant(getThreadPart(layout, dim), layout.at(reg)[dim]);
}

void ThreadLowering::when(Value condition, Thunk act) {
  auto conditional = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(conditional.thenBlock());
  act();
}

void ThreadLowering::onOneCopy(const LinearLayout &layout, Thunk act) {
  Value condition;
  for (auto [input, number] : {std::pair(LayoutInput::Lane, lane),
                               std::pair(LayoutInput::Warp, warp)}) {
    unsigned mask = layout.getReplicationMask(input);
    if (!mask)
      continue;
    Value bits = arith::AndIOp::create(builder, loc, number, i32(mask));
    Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        bits, i32(0));
    condition =
        condition ? Value(arith::AndIOp::create(builder, loc, condition, first))
                  : first;
  }
  if (condition)
    when(condition, act);
  else
    act();
}
