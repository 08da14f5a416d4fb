// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// `weft.affine_scan` token by token, its clauses in the order written. This is
// the op's reference meaning: it shares nothing with its chunk rule.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/WeftNumerics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/CPU/LowerAlgebra.h"
#include "passes/CPU/LowerBody.h"
#include "passes/CPU/ScanLoops.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {

/// Operand groups in the op's order.
enum Group {
  DecayGroup,
  KeyGroup,
  ValueGroup,
  QueryGroup,
  InitGroup,
  NormalizerInitGroup
};

class AffineScanLowering {
public:
  AffineScanLowering(OpBuilder &builder, AffineScanOp op)
      : op(op), entries(builder, op.getLoc()), scan(builder, op),
        numerics(op.getResolvedNumerics()), acc(numerics.getAcc()) {}

  SmallVector<Value> emit();

private:
  using Place = ScanLoops::Place;

  SmallVector<Value> start(const Place &place);
  void step(const Place &place, MutableArrayRef<Value> outs,
            MutableArrayRef<Value> states);
  void decay(const Place &place, MutableArrayRef<Value> states);
  void write(const Place &place, MutableArrayRef<Value> states);
  Value read(const Place &place, ArrayRef<Value> states);

  Value get(Group group, const Place &place) {
    return scan.extractOperand(op.getODSOperandIndexAndLength(group).first,
                               place);
  }
  bool has(Group group) {
    return op.getODSOperandIndexAndLength(group).second != 0;
  }
  /// Sum over key channels of the state's entries, as they are, times the
  /// query.
  Value contract(Value state, Value query);
  Value divide(OpBuilder &builder, Location loc, Value entry, Value normalizer);

  AffineScanOp op;
  EntryLoops entries;
  ScanLoops scan;
  NumericsAttr numerics;
  Type acc;
};

} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

SmallVector<Value> AffineScanLowering::start(const Place &place) {
  auto startOf = [&](Group init, ArrayRef<int64_t> shape) {
    if (has(init))
      return get(init, place);
    return entries.filled(RankedTensorType::get(shape, acc), {}, 0.0);
  };
  SmallVector<Value> states{
      startOf(InitGroup, {op.getKeySize(), op.getValueSize()})};
  if (op.isNormalized())
    states.push_back(startOf(NormalizerInitGroup, {op.getKeySize()}));
  return states;
}

/// The factor that a stored decay stands for, in the accumulator's type.
static Value createFactor(OpBuilder &builder, Location loc, Value stored,
                          DecaySpace space, Type acc) {
  Value decay = castFloat(builder, loc, stored, acc);
  if (space == DecaySpace::Linear)
    return decay;
  if (space == DecaySpace::Log2) {
    constexpr double ln2 = 0.693147180559945309417232121458;
    decay = arith::MulFOp::create(builder, loc, decay,
                                  createFloat(builder, loc, acc, ln2));
  }
  Value clamped = arith::MaximumFOp::create(
      builder, loc, decay, createFloat(builder, loc, acc, kSmallestLogDecay));
  return math::ExpOp::create(builder, loc, clamped);
}

void AffineScanLowering::decay(const Place &place,
                               MutableArrayRef<Value> states) {
  Value stored = get(DecayGroup, place);
  int64_t rank = typeOf(stored).getRank();
  // One exponential a step and channel, not one an entry of the state.
  Value factors = entries.map(
      RankedTensorType::get(typeOf(stored).getShape(), acc), {},
      EntryLoops::Operand{stored, EntryLoops::dimsFrom(0, rank)},
      [&](OpBuilder &builder, Location loc, ValueRange entry) {
        return createFactor(builder, loc, entry[0], op.getDecaySpace(), acc);
      });
  for (Value &state : states)
    state = entries.fold(
        state, 0, EntryLoops::Operand{factors, EntryLoops::dimsFrom(0, rank)},
        [](OpBuilder &builder, Location loc, ValueRange entry) -> Value {
          return arith::MulFOp::create(builder, loc, entry[0], entry[1]);
        });
}

void AffineScanLowering::write(const Place &place,
                               MutableArrayRef<Value> states) {
  EntryLoops::Operand operands[] = {{get(KeyGroup, place), {0}},
                                    {get(ValueGroup, place), {1}}};
  auto addProduct = [&](OpBuilder &builder, Location loc, ValueRange entry,
                        Value value) -> Value {
    Value product = createProduct(builder, loc, entry[0], value, numerics);
    return arith::AddFOp::create(builder, loc, entry.back(), product);
  };
  states[0] =
      entries.fold(states[0], 0, operands,
                   [&](OpBuilder &builder, Location loc, ValueRange entry) {
                     return addProduct(builder, loc, entry, entry[1]);
                   });
  if (!op.isNormalized())
    return;
  states[1] =
      entries.fold(states[1], 0, operands[0],
                   [&](OpBuilder &builder, Location loc, ValueRange entry) {
                     return addProduct(builder, loc, entry,
                                       createFloat(builder, loc, acc, 1.0));
                   });
}

Value AffineScanLowering::contract(Value state, Value query) {
  auto shape = typeOf(state).getShape().drop_front();
  int64_t rank = shape.size();
  Value zero = entries.filled(RankedTensorType::get(shape, acc), {}, 0.0);
  SmallVector<int64_t> stateDims{rank};
  llvm::append_range(stateDims, EntryLoops::dimsFrom(0, rank));
  EntryLoops::Operand operands[] = {{query, {rank}}, {state, stateDims}};
  return entries.fold(
      zero, 1, operands,
      [&](OpBuilder &builder, Location loc, ValueRange entry) -> Value {
        Value rounded = createRounded(builder, loc, entry[0], numerics);
        Value product = arith::MulFOp::create(builder, loc, rounded, entry[1]);
        return arith::AddFOp::create(builder, loc, entry[2], product);
      });
}

/// `entry` over the normaliser, kept from zero as the clause says.
Value AffineScanLowering::divide(OpBuilder &builder, Location loc, Value entry,
                                 Value normalizer) {
  Value epsilon =
      createFloat(builder, loc, acc, op.getEpsilonAttr().getValueAsDouble());
  Value divisor;
  if (op.getEpsilonMode() == EpsilonMode::Added)
    divisor = arith::AddFOp::create(builder, loc, normalizer, epsilon);
  else
    divisor = arith::MaximumFOp::create(builder, loc, normalizer, epsilon);
  return arith::DivFOp::create(builder, loc, entry, divisor);
}

Value AffineScanLowering::read(const Place &place, ArrayRef<Value> states) {
  Value query = get(QueryGroup, place);
  SmallVector<EntryLoops::Operand> operands{{contract(states[0], query), {0}}};
  if (op.isNormalized())
    operands.push_back({contract(states[1], query), {}});
  auto finish = [&](OpBuilder &builder, Location loc, ValueRange entry) {
    SmallVector<Value> values(entry.take_front(operands.size()));
    if (FloatAttr scale = op.getScaleAttr())
      for (Value &value : values)
        value = arith::MulFOp::create(
            builder, loc, value,
            createFloat(builder, loc, acc, scale.getValueAsDouble()));
    Value out = op.isNormalized() ? divide(builder, loc, values[0], values[1])
                                  : values[0];
    return castFloat(builder, loc, out, typeOf(op.getOut()).getElementType());
  };
  auto type = RankedTensorType::get({op.getValueSize()},
                                    typeOf(op.getOut()).getElementType());
  return entries.map(type, {}, operands, finish);
}

void AffineScanLowering::step(const Place &place, MutableArrayRef<Value> outs,
                              MutableArrayRef<Value> states) {
  for (ScanClause clause : op.getClauses()) {
    if (clause == ScanClause::Decay)
      decay(place, states);
    else if (clause == ScanClause::Write)
      write(place, states);
    else
      outs[0] =
          scan.insert(read(place, states), outs[0], op.getResultAxes(0), place);
  }
}

SmallVector<Value> AffineScanLowering::emit() {
  return scan.emit(
      1, [&](const Place &place) { return start(place); },
      [&](const Place &place, MutableArrayRef<Value> outs,
          MutableArrayRef<Value> states) { step(place, outs, states); });
}

SmallVector<Value> scanweft::lowerAffineScan(AffineScanOp op,
                                             OpBuilder &builder) {
  return AffineScanLowering(builder, op).emit();
}
