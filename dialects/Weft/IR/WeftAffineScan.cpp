// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// `weft.affine_scan`: the axes of its operands and its rules A1 to A11.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/AlgebraRules.h"
#include "dialects/Weft/IR/WeftNumerics.h"
#include <cmath>

using namespace mlir;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Operands by role
//===----------------------------------------------------------------------===//

namespace {

/// Operand groups, in the order in which the op declares them.
enum Role {
  DecayRole,
  KeyRole,
  ValueRole,
  QueryRole,
  InitRole,
  NormalizerInitRole,
  NumRoles
};

struct RoleInfo {
  StringLiteral name;
  StringLiteral axes; ///< all the axes that it can have
};

} // namespace

static constexpr RoleInfo kRoles[NumRoles] = {
    {"clause 'decay'", "bthk"},         {"clause 'write' (key)", "bthk"},
    {"clause 'write' (value)", "bthv"}, {"clause 'read'", "bthk"},
    {"clause 'init' (state)", "bhkv"},  {"clause 'init' (normaliser)", "bhk"}};

static constexpr RoleInfo kResults[] = {{"the output", "bthv"},
                                        {"the final state", "bhkv"},
                                        {"the final normaliser", "bhk"}};

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value getOperandOf(AffineScanOp op, Role role) {
  auto operands = op.getODSOperands(role);
  return operands.empty() ? Value() : Value(operands.front());
}

static std::optional<StringRef> getWrittenAxes(AffineScanOp op, Role role) {
  switch (role) {
  case DecayRole:
    return op.getDecayAxes();
  case KeyRole:
    return op.getKeyAxes();
  case ValueRole:
    return op.getValueAxes();
  case QueryRole:
    return op.getQueryAxes();
  case InitRole:
    return op.getInitAxes();
  default:
    return op.getNormalizerInitAxes();
  }
}

/// The letters of an operand's axes. A decay of rank 3 has no features.
static StringRef getLetters(AffineScanOp op, Role role) {
  if (std::optional<StringRef> written = getWrittenAxes(op, role))
    return *written;
  StringRef all = kRoles[role].axes;
  bool isPerHead = role == DecayRole && typeOf(op.getDecay()).getRank() == 3;
  return isPerHead ? all.drop_back() : all;
}

/// The role of operand number `operand`, and of result number `result`.
static Role getRole(AffineScanOp op, unsigned operand) {
  for (unsigned role = 0; role < NumRoles; ++role) {
    auto [first, count] = op.getODSOperandIndexAndLength(role);
    if (operand >= first && operand < first + count)
      return static_cast<Role>(role);
  }
  llvm_unreachable("every operand has a role");
}

SmallVector<Axis> AffineScanOp::getOperandAxes(unsigned operand) {
  return toAxes(getLetters(*this, getRole(*this, operand)));
}

SmallVector<Axis> AffineScanOp::getResultAxes(unsigned result) {
  return toAxes(kResults[result].axes);
}

StringRef AffineScanOp::getOperandRole(unsigned operand) {
  return kRoles[getRole(*this, operand)].name;
}

SmallVector<ScanClause> AffineScanOp::getClauses() {
  return llvm::map_to_vector(getOrder(), [](Attribute clause) {
    return cast<ScanClauseAttr>(clause).getValue();
  });
}

NumericsAttr AffineScanOp::getResolvedNumerics() {
  if (NumericsAttr numerics = getNumericsAttr())
    return numerics;
  return getDefaultNumerics(typeOf(getValue()).getElementType());
}

int64_t AffineScanOp::getKeySize() {
  return typeOf(getKey()).getShape().back();
}
int64_t AffineScanOp::getValueSize() {
  return typeOf(getValue()).getShape().back();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// A11: a permutation of the clauses that act.
static LogicalResult verifyOrder(AffineScanOp op) {
  auto count = [&](ScanClause clause) {
    return llvm::count(op.getClauses(), clause);
  };
  for (ScanClause clause :
       {ScanClause::Decay, ScanClause::Write, ScanClause::Read}) {
    int64_t expected = clause != ScanClause::Decay || op.getDecay() ? 1 : 0;
    if (count(clause) != expected)
      return op.emitOpError("order lists '")
             << stringifyScanClause(clause) << "' " << count(clause)
             << " times, not " << expected << rule::A11;
  }
  return success();
}

/// A2 of one operand: its rank and letters.
static LogicalResult verifyAxes(AffineScanOp op, Role role) {
  int64_t rank = typeOf(getOperandOf(op, role)).getRank();
  auto [name, all] = kRoles[role];
  std::optional<StringRef> written = getWrittenAxes(op, role);
  if (!written) {
    if (rank == static_cast<int64_t>(all.size()) ||
        (role == DecayRole && rank == 3))
      return success();
    return op.emitOpError(name)
           << " has rank " << rank << ", not " << all.size()
           << ", and does not say which axes it has" << rule::A2;
  }
  size_t next = 0;
  for (char letter : *written) {
    next = all.find(letter, next);
    if (next == StringRef::npos)
      return op.emitOpError(name)
             << " is along '" << *written << "' but its axes are '" << all
             << "' in this order" << rule::A2;
    ++next;
  }
  for (char letter :
       all.drop_while([](char c) { return c != 'k' && c != 'v'; }))
    if (role != DecayRole && !written->contains(letter))
      return op.emitOpError(name)
             << " is along '" << *written << "', without its features '"
             << StringRef(&letter, 1) << '\'' << rule::A2;
  if (rank != static_cast<int64_t>(written->size()))
    return op.emitOpError(name)
           << " has rank " << rank << " but " << written->size() << " axes, '"
           << *written << '\'' << rule::A2;
  return success();
}

/// A3: the output's sizes are known.
static LogicalResult verifyCommonAxes(AffineScanOp op) {
  for (char letter : {'b', 't', 'h'}) {
    auto hasLetter = [&](Role role) {
      return getOperandOf(op, role) && getLetters(op, role).contains(letter);
    };
    if (hasLetter(KeyRole) || hasLetter(ValueRole) || hasLetter(QueryRole) ||
        (letter != 'h' && hasLetter(DecayRole)))
      continue;
    return op.emitOpError("no operand has axis '")
           << StringRef(&letter, 1) << '\'' << rule::A3;
  }
  return success();
}

/// Calls `check(role, letters, type)` for every operand and result.
static LogicalResult forEachTensor(
    AffineScanOp op,
    function_ref<LogicalResult(StringRef, StringRef, RankedTensorType)> check) {
  for (unsigned role = 0; role < NumRoles; ++role)
    if (Value operand = getOperandOf(op, static_cast<Role>(role)))
      if (failed(check(kRoles[role].name,
                       getLetters(op, static_cast<Role>(role)),
                       typeOf(operand))))
        return failure();
  for (auto [info, result] : llvm::zip(kResults, op.getResults()))
    if (failed(check(info.name, info.axes, typeOf(result))))
      return failure();
  return success();
}

static LogicalResult verifyResultRanks(AffineScanOp op) {
  for (auto [info, result] : llvm::zip(kResults, op.getResults()))
    if (typeOf(result).getRank() != static_cast<int64_t>(info.axes.size()))
      return op.emitOpError(info.name)
             << " has rank " << typeOf(result).getRank() << ", not "
             << info.axes.size() << rule::A2;
  return success();
}

/// A4 and A5: sizes along b and t, and feature sizes.
static LogicalResult verifySizes(AffineScanOp op) {
  SharedSizes lengths(op, rule::A4), features(op, rule::A5);
  return forEachTensor(
      op,
      [&](StringRef role, StringRef letters,
          RankedTensorType type) -> LogicalResult {
        for (auto [letter, size] : llvm::zip(letters, type.getShape())) {
          bool isFeature = letter == 'k' || letter == 'v';
          if (isFeature && ShapedType::isDynamic(size))
            return op.emitOpError(role)
                   << " has a dynamic size along '" << StringRef(&letter, 1)
                   << '\'' << rule::A5;
          SharedSizes &sizes = isFeature ? features : lengths;
          if (letter != 'h' &&
              failed(sizes.note(static_cast<Axis>(letter), size, role)))
            return failure();
        }
        return success();
      });
}

/// The head count of an operand: 1 without the axis.
static int64_t getHeads(StringRef letters, RankedTensorType type) {
  size_t dim = letters.find('h');
  return dim == StringRef::npos ? 1 : type.getDimSize(dim);
}

/// A6, as far as sizes are static: heads divide those of the output.
static LogicalResult verifyHeads(AffineScanOp op) {
  SharedSizes outputs(op, rule::A6);
  int64_t most = 1;
  for (Role role : {KeyRole, ValueRole, QueryRole}) {
    int64_t heads =
        getHeads(getLetters(op, role), typeOf(getOperandOf(op, role)));
    bool isKnown =
        !ShapedType::isDynamic(most) && !ShapedType::isDynamic(heads);
    most = isKnown ? std::max(most, heads) : ShapedType::kDynamic;
  }
  if (failed(outputs.note(Axis::Head, most, "the query, key or value")))
    return failure();
  for (auto [info, result] : llvm::zip(kResults, op.getResults())) {
    int64_t heads = getHeads(info.axes, typeOf(result));
    if (failed(outputs.note(Axis::Head, heads, info.name)))
      return failure();
    if (ShapedType::isDynamic(most))
      most = heads;
  }
  if (ShapedType::isDynamic(most))
    return success();
  for (unsigned role = 0; role < NumRoles; ++role) {
    Value operand = getOperandOf(op, static_cast<Role>(role));
    if (!operand)
      continue;
    int64_t heads =
        getHeads(getLetters(op, static_cast<Role>(role)), typeOf(operand));
    if (!ShapedType::isDynamic(heads) && (heads == 0 ? most : most % heads))
      return op.emitOpError(kRoles[role].name)
             << " has " << heads << " heads but the output has " << most
             << rule::A6;
  }
  return success();
}

/// A7: element types.
static LogicalResult verifyTypes(AffineScanOp op) {
  Type acc = op.getResolvedNumerics().getAcc();
  for (Role role : {KeyRole, ValueRole, QueryRole}) {
    Type element = typeOf(getOperandOf(op, role)).getElementType();
    if (!isTokenFloat(element))
      return op.emitOpError(kRoles[role].name)
             << " is of " << element << rule::A7;
  }
  if (Value decay = op.getDecay()) {
    Type element = typeOf(decay).getElementType();
    if (!element.isF32() && !element.isF64())
      return op.emitOpError("clause 'decay' is of ") << element << rule::A7;
  }
  auto verifyState = [&](Value state, StringRef name) -> LogicalResult {
    if (!state || typeOf(state).getElementType() == acc)
      return success();
    return op.emitOpError(name)
           << " is of " << typeOf(state).getElementType()
           << " but the accumulator is " << acc << rule::A7;
  };
  if (failed(verifyState(op.getInit(), kRoles[InitRole].name)) ||
      failed(verifyState(op.getNormalizerInit(),
                         kRoles[NormalizerInitRole].name)) ||
      failed(verifyState(op.getFinalState(), kResults[1].name)) ||
      failed(verifyState(op.getFinalNormalizer(), kResults[2].name)))
    return failure();
  Type out = typeOf(op.getOut()).getElementType();
  Type value = typeOf(op.getValue()).getElementType();
  if (out != value && out != acc)
    return op.emitOpError("the output is of ")
           << out << " but the value is of " << value
           << " and the accumulator is " << acc << rule::A7;
  return success();
}

/// A9 and A10: the numbers, and what belongs to a normaliser.
static LogicalResult verifyNormalizer(AffineScanOp op) {
  if (FloatAttr scale = op.getScaleAttr())
    if (!std::isfinite(scale.getValueAsDouble()))
      return op.emitOpError("clause 'read' has scale ")
             << scale.getValueAsDouble() << rule::A9;
  if (FloatAttr epsilon = op.getEpsilonAttr()) {
    double value = epsilon.getValueAsDouble();
    if (!std::isfinite(value) || value <= 0)
      return op.emitOpError("clause 'normalize' has epsilon ")
             << value << rule::A9;
  }
  if (op.isNormalized() != (op.getEpsilonAttr() != nullptr))
    return op.emitOpError("has one of the attributes 'epsilonMode' and "
                          "'epsilon' without the other")
           << rule::A10;
  if (!op.isNormalized()) {
    if (op.getNormalizerInit())
      return op.emitOpError("clause 'init' has a normaliser but there is no "
                            "clause 'normalize'")
             << rule::A10;
    if (op.getFinalNormalizer())
      return op.emitOpError("has the final normaliser as a result but there is "
                            "no clause 'normalize'")
             << rule::A10;
    return success();
  }
  if (static_cast<bool>(op.getInit()) !=
      static_cast<bool>(op.getNormalizerInit()))
    return op.emitOpError("clause 'init' has only one of the state and the "
                          "normaliser")
           << rule::A10;
  if (op.getFinalNormalizer() && !op.getFinalState())
    return op.emitOpError("has the final normaliser but not the final state as "
                          "a result")
           << rule::A10;
  return success();
}

LogicalResult AffineScanOp::verify() {
  if (failed(verifyTimeAxis(*this, getAxis())) || failed(verifyOrder(*this)) ||
      failed(verifyChunkSize(*this, getChunk())) ||
      failed(verifyNormalizer(*this)))
    return failure();
  for (unsigned role = 0; role < NumRoles; ++role)
    if (getOperandOf(*this, static_cast<Role>(role)) &&
        failed(verifyAxes(*this, static_cast<Role>(role))))
      return failure();
  return failure(failed(verifyCommonAxes(*this)) ||
                 failed(verifyResultRanks(*this)) ||
                 failed(verifyTypes(*this)) || failed(verifySizes(*this)) ||
                 failed(verifyHeads(*this)));
}
