// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The lattice, and one walk over a body in program order: it is a single block,
// so that a fact is final when it is first computed.
//===----------------------------------------------------------------------===//

#include "scanweft/Analysis/DeadRows.h"
#include "DeadRowTransfer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

using Kind = RowFact::Kind;

//===----------------------------------------------------------------------===//
// RowFact
//===----------------------------------------------------------------------===//

RowFact RowFact::constant(Attribute number) {
  RowFact fact(Kind::Constant);
  fact.number = number;
  return fact;
}

/// Applies `test` to the number of a constant; integers are numbers too.
static bool testNumber(const RowFact &fact,
                       function_ref<bool(const APFloat &)> test) {
  if (auto number = dyn_cast_if_present<FloatAttr>(fact.getNumber()))
    return test(number.getValue());
  if (auto number = dyn_cast_if_present<IntegerAttr>(fact.getNumber()))
    return test(APFloat(number.getValue().roundToDouble(/*isSigned=*/true)));
  return false;
}

bool RowFact::isZero() const {
  return testNumber(*this, [](const APFloat &x) { return x.isZero(); });
}

bool RowFact::isMinusInfinity() const {
  return testNumber(
      *this, [](const APFloat &x) { return x.isInfinity() && x.isNegative(); });
}

bool RowFact::isBelowInfinity() const {
  return kind == Kind::BelowInfinity || isMinusInfinity() || isFinite();
}

bool RowFact::isFinite() const {
  return kind == Kind::Finite || kind == Kind::Diagonal || isNonNegative() ||
         testNumber(*this, [](const APFloat &x) { return x.isFinite(); });
}

bool RowFact::isNonNegative() const {
  return kind == Kind::NonNegative || kind == Kind::Diagonal || isPositive() ||
         isZero();
}

bool RowFact::isPositive() const {
  return kind == Kind::Positive || testNumber(*this, [](const APFloat &x) {
           return x.isFinite() && !x.isZero() && !x.isNegative();
         });
}

RowFact RowFact::join(const RowFact &other) const {
  if (*this == other)
    return *this;
  if (isPositive() && other.isPositive())
    return Kind::Positive;
  if (isNonNegative() && other.isNonNegative())
    return Kind::NonNegative;
  if (isFinite() && other.isFinite())
    return Kind::Finite;
  if (isBelowInfinity() && other.isBelowInfinity())
    return Kind::BelowInfinity;
  return Kind::Unknown;
}

std::string scanweft::describe(const RowFact &fact) {
  switch (fact.getKind()) {
  case Kind::Unknown:
    return "unknown";
  case Kind::BelowInfinity:
    return "finite or -inf";
  case Kind::Finite:
  case Kind::NonNegative:
  case Kind::Positive:
    return "finite";
  case Kind::Diagonal:
    return "zero but for a diagonal";
  case Kind::Constant:
    break;
  }
  if (fact.isZero())
    return "zero";
  if (fact.isMinusInfinity())
    return "-inf";
  std::string text;
  llvm::raw_string_ostream stream(text);
  fact.getNumber().print(stream, /*elideType=*/true);
  return text;
}

//===----------------------------------------------------------------------===//
// DeadRows
//===----------------------------------------------------------------------===//

/// The number that a constant repeats.
static Attribute getSplat(Value value) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<Attribute>();
  return {};
}

DeadRows::DeadRows(ChunkedOp loop, const DimClasses &classes)
    : loop(loop), classes(classes), rows(classes.getRows(loop)) {
  if (!rows)
    return;
  for (Value slice : loop.getSliceArgs()) {
    auto type = cast<RankedTensorType>(slice.getType());
    TypedAttr zero =
        Builder(loop.getContext()).getZeroAttr(type.getElementType());
    facts[{slice, 0}] = zero ? RowFact::constant(zero) : RowFact();
  }
  for (Operation &op : loop.getBody().front())
    visit(&op);
}

bool DeadRows::isRowDim(Value value, unsigned dim) const {
  std::optional<DimClasses::Class> dims = classes.getClass(value, dim);
  return rows && dims && *dims == *rows;
}

RowFact DeadRows::getFact(Value value, unsigned dim) const {
  auto found = facts.find({value, dim});
  if (found != facts.end())
    return found->second;
  if (Attribute number = getSplat(value))
    return RowFact::constant(number);
  // A state, a value from outside of the loop, or one that holds no rows.
  return Kind::Finite;
}

bool DeadRows::isFinite(Value value) const {
  if (Attribute number = getSplat(value))
    return RowFact::constant(number).isFinite();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) // an index
    return true;
  return llvm::all_of(llvm::seq<unsigned>(type.getRank()), [&](unsigned dim) {
    return !isRowDim(value, dim) || getFact(value, dim).isFinite();
  });
}

bool DeadRows::isLiveRange(Value from, Value to) const {
  ChunkedOp op = loop;
  return from == op.getLiveFrom() && to == op.getLiveTo();
}

void DeadRows::visit(Operation *op) {
  verifyNeeds(op);
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
      if (isRowDim(result, dim))
        facts[{result, dim}] =
            transfer(op, result.getResultNumber(), dim, *this);
  }
}

bool DeadRows::holds(Operation *op, const DeadRowNeed &need) const {
  Value operand = op->getOperand(need.operand);
  RowFact fact = getFact(operand, need.dim);
  switch (need.fact) {
  case DeadRowFact::Finite:
    return fact.isFinite();
  case DeadRowFact::Zero:
    return fact.isZero();
  case DeadRowFact::MinusInfinity:
    return fact.isMinusInfinity();
  case DeadRowFact::Diagonal:
    return fact.isDiagonal();
  case DeadRowFact::PositiveDiagonal:
    return fact.getKind() == Kind::Diagonal;
  }
  llvm_unreachable("facts are named above");
}

void DeadRows::verifyNeeds(Operation *op) {
  for (const DeadRowAlternatives &needs : getDeadRowNeeds(op, *this)) {
    const DeadRowNeed &first = needs.front().front();
    if (!isRowDim(op->getOperand(first.operand), first.dim))
      continue;
    auto allHold = [&](ArrayRef<DeadRowNeed> all) {
      return llvm::all_of(
          all, [&](const DeadRowNeed &need) { return holds(op, need); });
    };
    if (llvm::none_of(needs, allHold))
      violations.push_back({op, needs});
  }
}
