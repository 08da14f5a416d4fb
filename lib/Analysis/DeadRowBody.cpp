// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Transfer functions and needs of body ops.
//
// A fact along a dim speaks of all entries whose index along it is a dead row,
// wherever they stand along the other dims. So along a dim that passes through,
// an op that is zero where an operand is zero stays so only if whatever that
// meets is finite everywhere.
//===----------------------------------------------------------------------===//

#include "DeadRowTransfer.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

using Kind = RowFact::Kind;

static unsigned getRank(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

static RowFact finiteIf(bool condition) {
  return condition ? Kind::Finite : Kind::Unknown;
}

/// Zero, of the element type of a value.
static RowFact getZero(Value value) {
  return RowFact::constant(
      Builder(value.getContext()).getZeroAttr(getElementTypeOrSelf(value)));
}

static RowFact getConstant(Value value, double number) {
  return RowFact::constant(FloatAttr::get(getElementTypeOrSelf(value), number));
}

//===----------------------------------------------------------------------===//
// Transfer
//===----------------------------------------------------------------------===//

namespace {
/// The fact of one result along one dim.
class BodyTransfer {
public:
  BodyTransfer(Value result, unsigned dim, const DeadRows &facts)
      : result(result), dim(dim), facts(facts) {}

  RowFact visit(Operation *op);

private:
  /// A sum of products, of which `factor` is one along this dim.
  RowFact product(RowFact factor, ValueRange all) const {
    for (Value value : all)
      if (!facts.isFinite(value))
        return Kind::Unknown;
    return factor.isZero() ? getZero(result) : RowFact(Kind::Finite);
  }
  /// Some entries of `source` and some that are a constant.
  RowFact keep(Value source, double other) const {
    return facts.getFact(source, dim).join(getConstant(result, other));
  }

  RowFact visitDot(DotOp op);
  RowFact visitSum(Value source, unsigned reduced);
  RowFact visitMax(MaxOp op);
  RowFact visitCumsum(CumsumOp op);
  RowFact visitScan(ScanRowsOp op);
  RowFact visitTril(TrilOp op);
  RowFact visitSolve(SolveTrilOp op);
  RowFact visitBroadcast(BroadcastOp op);
  RowFact visitConcat(ConcatOp op);
  RowFact visitSoftmax(SoftmaxOp op);
  RowFact visitKeepLive(KeepLiveOp op);
  RowFact visitMask(MaskWindowOp op);
  RowFact visitOuter(OuterOp op);
  RowFact visitReshape(Value source, ArrayRef<SmallVector<int64_t, 2>> groups,
                       bool isCollapse);

  Value result;
  unsigned dim;
  const DeadRows &facts;
};
} // namespace

RowFact BodyTransfer::visitDot(DotOp op) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, to] :
         llvm::enumerate(op.getResultDims(operand.getOperandNumber())))
      if (to == dim)
        return product(facts.getFact(operand.get(), i), op->getOperands());
  return Kind::Unknown;
}

RowFact BodyTransfer::visitSum(Value source, unsigned reduced) {
  RowFact fact = facts.getFact(source, dim + (dim >= reduced));
  if (fact.isZero() || fact.isMinusInfinity())
    return fact;
  if (fact.isFinite())
    return fact.isNonNegative() ? Kind::NonNegative : Kind::Finite;
  return fact.isBelowInfinity() ? Kind::BelowInfinity : Kind::Unknown;
}

RowFact BodyTransfer::visitMax(MaxOp op) {
  return facts.getFact(op.getSource(), dim + (dim >= op.getDim()));
}

/// Along the summed dim, dead rows hold sums of live ones.
RowFact BodyTransfer::visitCumsum(CumsumOp op) {
  RowFact fact = facts.getFact(op.getSource(), dim);
  if (dim == op.getDim())
    return finiteIf(fact.isFinite());
  bool isKept = fact.isZero() || (fact.isMinusInfinity() && !op.getExclusive());
  return isKept ? fact : finiteIf(fact.isFinite());
}

/// Rows outside of the live ones hold combinations of live rows, or the
/// identity.
RowFact BodyTransfer::visitScan(ScanRowsOp op) {
  unsigned number = cast<OpResult>(result).getResultNumber();
  size_t count = op.getSources().size();
  RowFact identity = RowFact::constant(op.getIdentity()[number % count]);
  return identity.join(Kind::Finite);
}

/// A triangle; strictly below, or above, the diagonal it loses that.
RowFact BodyTransfer::visitTril(TrilOp op) {
  RowFact fact = facts.getFact(op.getSource(), dim);
  if (fact.isDiagonal())
    return op.getDiagonal() < 0 ? getZero(result) : fact;
  return keep(op.getSource(), 0.0);
}

/// Row t is (rhs[t] - sum of the matrix's row t times earlier solutions) over
/// the diagonal.
RowFact BodyTransfer::visitSolve(SolveTrilOp op) {
  RowFact rhs = facts.getFact(op.getRhs(), dim);
  RowFact row = facts.getFact(op.getMatrix(), 0);
  bool hasDiagonal = op.getUnit() || row.getKind() == Kind::Diagonal;
  if (!hasDiagonal || !facts.isFinite(op.getMatrix()) ||
      !facts.isFinite(op.getRhs()))
    return Kind::Unknown;
  bool isZero = rhs.isZero() && (dim > 0 || row.isDiagonal());
  return isZero ? getZero(result) : RowFact(Kind::Finite);
}

/// Along a dim that repeats, a dead row holds what all rows hold.
RowFact BodyTransfer::visitBroadcast(BroadcastOp op) {
  for (auto [i, to] : llvm::enumerate(op.getDims()))
    if (to == dim)
      return facts.getFact(op.getSource(), i);
  Operation *maker = op.getSource().getDefiningOp();
  if (maker && maker->hasTrait<OpTrait::ConstantLike>())
    return facts.getFact(op.getSource(), 0);
  return finiteIf(facts.isFinite(op.getSource()));
}

RowFact BodyTransfer::visitConcat(ConcatOp op) {
  if (dim == op.getDim())
    return Kind::Unknown;
  RowFact fact = facts.getFact(op.getSources().front(), dim);
  for (Value source : op.getSources())
    fact = fact.join(facts.getFact(source, dim));
  return fact;
}

/// A row that is -inf throughout gives zero; so does a dead entry of -inf.
RowFact BodyTransfer::visitSoftmax(SoftmaxOp op) {
  RowFact fact = facts.getFact(op.getSource(), dim);
  if (fact.isMinusInfinity())
    return getZero(result);
  return fact.isBelowInfinity() ? Kind::NonNegative : Kind::Unknown;
}

RowFact BodyTransfer::visitKeepLive(KeepLiveOp op) {
  double other = op.getOther().convertToDouble();
  if (dim == op.getDim() && facts.isLiveRange(op.getFrom(), op.getTo()))
    return getConstant(result, other);
  return keep(op.getSource(), other);
}

RowFact BodyTransfer::visitMask(MaskWindowOp op) {
  return keep(op.getScores(), -std::numeric_limits<double>::infinity());
}

/// Entry [..., i, j] is lhs[..., i] rhs[..., j].
RowFact BodyTransfer::visitOuter(OuterOp op) {
  unsigned shared = getRank(op.getLhs()) - 1;
  if (dim < shared) {
    RowFact lhs = facts.getFact(op.getLhs(), dim);
    RowFact rhs = facts.getFact(op.getRhs(), dim);
    if (!lhs.isFinite() || !rhs.isFinite())
      return Kind::Unknown;
    return lhs.isZero() || rhs.isZero() ? getZero(result)
                                        : RowFact(Kind::Finite);
  }
  Value factor = dim == shared ? op.getLhs() : op.getRhs();
  return product(facts.getFact(factor, shared), op->getOperands());
}

/// Rows that are no part of a group of dims pass through.
RowFact BodyTransfer::visitReshape(Value source,
                                   ArrayRef<SmallVector<int64_t, 2>> groups,
                                   bool isCollapse) {
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (group.size() != 1)
      continue;
    unsigned from = isCollapse ? group.front() : i;
    unsigned to = isCollapse ? i : group.front();
    if (to == dim)
      return facts.getFact(source, from);
  }
  return finiteIf(facts.isFinite(source));
}

RowFact BodyTransfer::visit(Operation *op) {
  auto allFinite = [&](Operation *op) {
    return finiteIf(llvm::all_of(op->getOperands(), [&](Value value) {
      return !isa<RankedTensorType>(value.getType()) || facts.isFinite(value);
    }));
  };
  return llvm::TypeSwitch<Operation *, RowFact>(op)
      .Case([&](DotOp op) { return visitDot(op); })
      .Case([&](SumOp op) { return visitSum(op.getSource(), op.getDim()); })
      .Case([&](MaxOp op) { return visitMax(op); })
      .Case([&](CumsumOp op) { return visitCumsum(op); })
      .Case([&](ScanRowsOp op) { return visitScan(op); })
      .Case([&](TrilOp op) { return visitTril(op); })
      .Case([&](SolveTrilOp op) { return visitSolve(op); })
      .Case([&](BroadcastOp op) { return visitBroadcast(op); })
      .Case([&](ConcatOp op) { return visitConcat(op); })
      .Case([&](SoftmaxOp op) { return visitSoftmax(op); })
      .Case([&](KeepLiveOp op) { return visitKeepLive(op); })
      .Case([&](MaskWindowOp op) { return visitMask(op); })
      .Case([&](OuterOp op) { return visitOuter(op); })
      .Case([&](L2NormalizeOp op) {
        RowFact fact = facts.getFact(op.getSource(), dim);
        return fact.isZero() ? getZero(result) : finiteIf(fact.isFinite());
      })
      .Case([&](EyeOp) { return Kind::Diagonal; })
      .Case([&](CholeskyOp op) {
        RowFact fact = facts.getFact(op.getSource(), dim);
        bool isDiagonal = fact.getKind() == Kind::Diagonal;
        return isDiagonal ? fact : RowFact(Kind::Unknown);
      })
      .Case([&](DecayedDotOp op) {
        return product(facts.getFact(dim == 0 ? op.getLhs() : op.getRhs(), 0),
                       op->getOperands());
      })
      .Case([&](DecayedMatmulOp op) {
        return product(dim == 0 ? facts.getFact(op.getWeights(), 0)
                                : facts.getFact(op.getRhs(), dim),
                       op->getOperands());
      })
      .Case([&](LevelWeightsOp op) {
        if (dim == 0)
          return keep(op.getLevels(), 0.0);
        return finiteIf(facts.isFinite(op.getLevels()));
      })
      .Case([&](FenwickReadOp op) {
        RowFact query = facts.getFact(op.getQuery(), 0);
        RowFact levels = facts.getFact(op.getLevels(), 0);
        if (dim > 0)
          return allFinite(op);
        return product(query.isZero() ? query : levels, op->getOperands());
      })
      .Case([&](tensor::CollapseShapeOp op) {
        return visitReshape(op.getSrc(), op.getReassociationIndices(), true);
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return visitReshape(op.getSrc(), op.getReassociationIndices(), false);
      })
      // A dead row's index names some row of the source.
      .Case([&](GatherRowsOp op) {
        return finiteIf(facts.isFinite(op.getSource()));
      })
      .Case([&](FenwickMergeOp op) { return allFinite(op); })
      .Default([](Operation *) { return Kind::Unknown; });
}

RowFact scanweft::transfer(Operation *op, unsigned result, unsigned dim,
                           const DeadRows &facts) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return facts.getFact(op->getResult(result), dim);
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return BodyTransfer(op->getResult(result), dim, facts).visit(op);
  SmallVector<RowFact> operands;
  for (Value operand : op->getOperands()) {
    bool isTensor = isa<RankedTensorType>(operand.getType());
    operands.push_back(isTensor ? facts.getFact(operand, dim)
                                : RowFact(Kind::Finite));
  }
  return transferElementwise(op, operands);
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

/// Two factors over the same rows: zero against finite.
static DeadRowAlternatives getProductNeeds(ArrayRef<DeadRowNeed> factors) {
  DeadRowAlternatives alternatives;
  for (size_t zero : llvm::seq(factors.size())) {
    auto &all = alternatives.emplace_back(factors);
    for (auto [i, need] : llvm::enumerate(all))
      need.fact = i == zero ? DeadRowFact::Zero : DeadRowFact::Finite;
  }
  return alternatives;
}

static DeadRowAlternatives getNeed(unsigned dim, DeadRowFact fact) {
  return {{{0, dim, fact}}};
}

/// Solutions on dead rows do not reach later rows if the matrix has none of
/// them in its columns, or if they are zero. The diagonal divides.
static DeadRowAlternatives getSolveNeeds(SolveTrilOp op) {
  auto square =
      op.getUnit() ? DeadRowFact::Diagonal : DeadRowFact::PositiveDiagonal;
  return {
      {{0, 1, square}, {1, 0, DeadRowFact::Finite}},
      {{0, 0, square}, {0, 1, DeadRowFact::Finite}, {1, 0, DeadRowFact::Zero}}};
}

SmallVector<DeadRowAlternatives>
scanweft::getDeadRowNeeds(Operation *op, const DeadRows &facts) {
  auto finite = DeadRowFact::Finite, zero = DeadRowFact::Zero;
  auto minusInfinity = DeadRowFact::MinusInfinity;
  using Needs = SmallVector<DeadRowAlternatives>;
  return llvm::TypeSwitch<Operation *, Needs>(op)
      .Case([&](ElementOpInterface op) { return op.getDeadRowNeeds(); })
      .Case([&](DotOp op) -> Needs {
        return {getProductNeeds(
            {{0, op.getLhsDim(), finite}, {1, op.getRhsDim(), finite}})};
      })
      .Case<SumOp, CumsumOp, L2NormalizeOp>(
          [&](auto op) -> Needs { return {getNeed(op.getDim(), zero)}; })
      .Case<MaxOp, SoftmaxOp>([&](auto op) -> Needs {
        return {getNeed(op.getDim(), minusInfinity)};
      })
      .Case([&](DecayedMatmulOp op) -> Needs {
        DeadRowAlternatives needs =
            getProductNeeds({{0, 1, finite}, {1, 0, finite}});
        for (auto &all : needs)
          all.push_back({3, 0, finite});
        return {needs};
      })
      .Case([&](SolveTrilOp op) -> Needs { return {getSolveNeeds(op)}; })
      .Case([&](CholeskyOp) -> Needs {
        return {{{{0, 0, DeadRowFact::PositiveDiagonal},
                  {0, 1, DeadRowFact::PositiveDiagonal}}}};
      })
      .Case([&](ScanRowsOp op) -> Needs {
        if (facts.isLiveRange(op.getFrom(), op.getTo()))
          return {};
        // Dead rows inside of another range are combined as they are. No need
        // names an identity that is neither zero nor -inf: it is never met.
        Needs needs;
        for (auto [i, identity] : llvm::enumerate(op.getIdentity())) {
          unsigned operand = i;
          auto &all = needs.emplace_back().emplace_back();
          RowFact neutral = RowFact::constant(identity);
          if (!neutral.isMinusInfinity())
            all.push_back({operand, 0, zero});
          if (!neutral.isZero())
            all.push_back({operand, 0, minusInfinity});
        }
        return needs;
      })
      .Default([](Operation *) { return Needs(); });
}
