// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Axes and rules of the algebra ops, but for `weft.affine_scan`.
//===----------------------------------------------------------------------===//

#include "dialects/Weft/IR/AlgebraRules.h"
#include "dialects/Weft/IR/WeftNumerics.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft::weft;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult scanweft::weft::verifyTimeAxis(Operation *op, int64_t axis) {
  if (axis == 1)
    return success();
  return op->emitOpError("runs over axis ") << axis << rule::A1;
}

LogicalResult scanweft::weft::verifyChunkSize(Operation *op,
                                              std::optional<int64_t> chunk) {
  if (!chunk || (*chunk > 0 && llvm::isPowerOf2_64(*chunk)))
    return success();
  return op->emitOpError("has chunk ") << *chunk << rule::A8;
}

SmallVector<Axis> scanweft::weft::toAxes(StringRef letters) {
  return llvm::map_to_vector(
      letters, [](char letter) { return static_cast<Axis>(letter); });
}

SmallVector<Axis> scanweft::weft::leadingAxes(unsigned rank, bool hasTime) {
  SmallVector<Axis> axes = toAxes(hasTime ? "bth" : "bh");
  axes.resize(rank, Axis::Feature);
  return axes;
}

LogicalResult SharedSizes::note(Axis axis, int64_t size, StringRef role) {
  if (ShapedType::isDynamic(size))
    return success();
  auto *entry = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.axis == axis; });
  if (entry == entries.end()) {
    entries.push_back({axis, size, role});
    return success();
  }
  if (entry->size == size)
    return success();
  char letter = static_cast<char>(axis);
  return op->emitOpError(role)
         << " has size " << size << " along '" << StringRef(&letter, 1)
         << "' but " << entry->role << " has " << entry->size << rule;
}

/// Whether `shape` is `steps` without the time axis, where both are static.
static bool isShapeWithoutTime(ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> steps) {
  SmallVector<int64_t> expected(steps);
  expected.erase(expected.begin() + 1);
  return succeeded(verifyCompatibleShape(shape, expected));
}

/// Whether `shape` is [B, T, H, feature...] with static feature sizes.
static bool isStepShape(ArrayRef<int64_t> shape) {
  return shape.size() >= 3 && !ShapedType::isDynamicShape(shape.drop_front(3));
}

//===----------------------------------------------------------------------===//
// PrefixSumOp
//===----------------------------------------------------------------------===//

SmallVector<Axis> PrefixSumOp::getOperandAxes(unsigned operand) {
  return leadingAxes(typeOf(getOperand(operand)).getRank(), operand == 0);
}
SmallVector<Axis> PrefixSumOp::getResultAxes(unsigned result) {
  return leadingAxes(typeOf(getResult(result)).getRank(), result == 0);
}
StringRef PrefixSumOp::getOperandRole(unsigned operand) {
  return operand == 0 ? "the source" : "clause 'init'";
}

LogicalResult PrefixSumOp::verify() {
  if (failed(verifyTimeAxis(*this, getAxis())) ||
      failed(verifyChunkSize(*this, getChunk())))
    return failure();
  RankedTensorType source = typeOf(getSource()), out = typeOf(getOut());
  if (!isStepShape(source.getShape()))
    return emitOpError("the source is ") << source << rule::A12;
  if (failed(verifyCompatibleShape(source.getShape(), out.getShape())))
    return emitOpError("the output is ")
           << out << " but the source is " << source << rule::A12;
  Type element = source.getElementType(), acc = getAccumulatorType(element);
  if (!isTokenFloat(element))
    return emitOpError("the source is of ") << element << rule::A13;
  if (out.getElementType() != element && out.getElementType() != acc)
    return emitOpError("the output is of ")
           << out.getElementType() << " but the source is of " << element
           << rule::A13;
  auto verifySum = [&](Value sum, StringRef name) -> LogicalResult {
    if (!sum)
      return success();
    if (!isShapeWithoutTime(typeOf(sum).getShape(), source.getShape()))
      return emitOpError(name) << " is " << typeOf(sum) << " but the source is "
                               << source << rule::A12;
    if (typeOf(sum).getElementType() != acc)
      return emitOpError(name)
             << " is of " << typeOf(sum).getElementType()
             << " but the accumulator is " << acc << rule::A13;
    return success();
  };
  return failure(failed(verifySum(getInit(), "clause 'init'")) ||
                 failed(verifySum(getTotal(), "the total")));
}

//===----------------------------------------------------------------------===//
// AssociativeScanOp
//===----------------------------------------------------------------------===//

SmallVector<Axis> AssociativeScanOp::getOperandAxes(unsigned operand) {
  return leadingAxes(typeOf(getOperand(operand)).getRank(),
                     operand < getSources().size());
}
SmallVector<Axis> AssociativeScanOp::getResultAxes(unsigned result) {
  return leadingAxes(typeOf(getResult(result)).getRank(),
                     result < getOuts().size());
}
StringRef AssociativeScanOp::getOperandRole(unsigned operand) {
  return operand < getSources().size() ? "a source" : "clause 'init'";
}

SmallVector<Type> AssociativeScanOp::getCombinedTypes() {
  return llvm::map_to_vector(getSources(), [](Value source) {
    return getAccumulatorType(typeOf(source).getElementType());
  });
}

/// A16: how many tensors of each sort there are.
static LogicalResult verifyCounts(AssociativeScanOp op) {
  size_t sources = op.getSources().size();
  auto verifyCount = [&](size_t count, bool optional,
                         StringRef what) -> LogicalResult {
    if (count == sources || (optional && count == 0))
      return success();
    return op.emitOpError("has ")
           << sources << " sources but " << count << ' ' << what << rule::A16;
  };
  return failure(failed(verifyCount(op.getOuts().size(), false, "outputs")) ||
                 failed(verifyCount(op.getInits().size(), true, "inits")) ||
                 failed(verifyCount(op.getTotals().size(), true, "totals")));
}

/// A14 and A15 of the tensors that belong to source `i`.
static LogicalResult verifyTensors(AssociativeScanOp op, unsigned i) {
  RankedTensorType first = typeOf(op.getSources().front());
  RankedTensorType source = typeOf(op.getSources()[i]);
  RankedTensorType out = typeOf(op.getOuts()[i]);
  Type element = source.getElementType(), acc = getAccumulatorType(element);
  if (!isStepShape(source.getShape()))
    return op.emitOpError("source #") << i << " is " << source << rule::A14;
  if (failed(verifyCompatibleShape(source.getShape(), first.getShape())))
    return op.emitOpError("source #")
           << i << " is " << source << " but source #0 is " << first
           << rule::A14;
  if (failed(verifyCompatibleShape(out.getShape(), source.getShape())))
    return op.emitOpError("output #") << i << " is " << out << " but source #"
                                      << i << " is " << source << rule::A14;
  if (!isTokenFloat(element))
    return op.emitOpError("source #") << i << " is of " << element << rule::A15;
  if (out.getElementType() != element && out.getElementType() != acc)
    return op.emitOpError("output #")
           << i << " is of " << out.getElementType() << " but source #" << i
           << " is of " << element << rule::A15;
  auto verifyState = [&](ValueRange states, StringRef name) -> LogicalResult {
    if (states.empty())
      return success();
    RankedTensorType state = typeOf(states[i]);
    if (!isShapeWithoutTime(state.getShape(), source.getShape()))
      return op.emitOpError(name)
             << " #" << i << " is " << state << " but source #" << i << " is "
             << source << rule::A14;
    if (state.getElementType() != acc)
      return op.emitOpError(name)
             << " #" << i << " is of " << state.getElementType()
             << " but the accumulator is " << acc << rule::A15;
    return success();
  };
  return failure(failed(verifyState(op.getInits(), "init")) ||
                 failed(verifyState(op.getTotals(), "total")));
}

/// A17 of the identity.
static LogicalResult verifyIdentity(AssociativeScanOp op) {
  SmallVector<Type> types = op.getCombinedTypes();
  if (op.getIdentity().size() != types.size())
    return op.emitOpError("has ")
           << types.size() << " sources but " << op.getIdentity().size()
           << " numbers of the identity" << rule::A17;
  for (auto [i, number, type] : llvm::enumerate(op.getIdentity(), types)) {
    auto typed = dyn_cast<FloatAttr>(number);
    if (!typed || typed.getType() != type)
      return op.emitOpError("identity #")
             << i << " is " << number << " but the accumulator is " << type
             << rule::A17;
  }
  return success();
}

LogicalResult AssociativeScanOp::verify() {
  if (failed(verifyTimeAxis(*this, getAxis())) ||
      failed(verifyChunkSize(*this, getChunk())))
    return failure();
  if (getSources().empty())
    return emitOpError("has no sources") << rule::A14;
  if (failed(verifyCounts(*this)))
    return failure();
  for (unsigned i : llvm::seq<unsigned>(getSources().size()))
    if (failed(verifyTensors(*this, i)))
      return failure();
  for (Operation &op : getCombine().front())
    for (Value operand : op.getOperands())
      if (operand.getParentRegion() != &getCombine())
        return emitOpError("the region uses a value of type ")
               << operand.getType() << " from outside in '" << op.getName()
               << '\'' << rule::A18;
  return verifyIdentity(*this);
}

LogicalResult AssociativeScanOp::verifyRegions() {
  Block &block = getCombine().front();
  SmallVector<Type> yielded = getCombinedTypes();
  SmallVector<Type> taken(yielded);
  llvm::append_range(taken, yielded);
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("the region ends in '")
           << block.getTerminator()->getName() << '\'' << rule::A17;
  if (block.getArgumentTypes() != TypeRange(taken))
    return emitOpError("the region takes (")
           << block.getArgumentTypes() << "), not (" << TypeRange(taken) << ')'
           << rule::A17;
  if (yield.getOperandTypes() != TypeRange(yielded))
    return emitOpError("the region yields (")
           << yield.getOperandTypes() << "), not (" << TypeRange(yielded) << ')'
           << rule::A17;
  for (Operation &op : block.without_terminator())
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return emitOpError("the region holds '")
             << op.getName() << '\'' << rule::A18;
  return success();
}

//===----------------------------------------------------------------------===//
// TokenMatmulOp
//===----------------------------------------------------------------------===//

SmallVector<Axis> TokenMatmulOp::getOperandAxes(unsigned operand) {
  if (operand == 0)
    return toAxes("bthk");
  StringRef all = getTransposed() ? "hvk" : "hkv";
  return toAxes(typeOf(getWeights()).getRank() == 3 ? all : all.drop_front());
}
SmallVector<Axis> TokenMatmulOp::getResultAxes(unsigned) {
  return toAxes("bthv");
}
StringRef TokenMatmulOp::getOperandRole(unsigned operand) {
  return operand == 0 ? "the source" : "the weights";
}
bool TokenMatmulOp::isScan() { return false; }
bool TokenMatmulOp::runsReverse() { return false; }
std::optional<int64_t> TokenMatmulOp::getRequestedChunk() { return {}; }

LogicalResult TokenMatmulOp::verify() {
  RankedTensorType source = typeOf(getSource()), weights = typeOf(getWeights()),
                   result = typeOf(getResult());
  if (source.getRank() != 4)
    return emitOpError("the source is ") << source << rule::A19;
  if (weights.getRank() != 2 && weights.getRank() != 3)
    return emitOpError("the weights are ") << weights << rule::A19;
  SmallVector<int64_t> matrix(weights.getShape().take_back(2));
  if (getTransposed())
    std::swap(matrix[0], matrix[1]);
  if (ShapedType::isDynamicShape(matrix) || matrix[0] != source.getDimSize(3))
    return emitOpError("the source is ")
           << source << " and the weights are " << weights << rule::A19;
  SmallVector<int64_t> expected(source.getShape().drop_back());
  expected.push_back(matrix[1]);
  if (result.getRank() != 4 || result.getDimSize(3) != matrix[1] ||
      failed(verifyCompatibleShape(result.getShape(), expected)))
    return emitOpError("the result is ")
           << result << " but the source is " << source
           << " and the weights are " << weights << rule::A19;
  for (auto [type, name] : {std::pair(source, "source"), {weights, "weights"}})
    if (!isTokenFloat(type.getElementType()))
      return emitOpError("the ")
             << name << " is of " << type.getElementType() << rule::A21;
  if (result.getElementType() != getNumerics().getAcc())
    return emitOpError("the result is of ")
           << result.getElementType() << " but the accumulator is "
           << getNumerics().getAcc() << rule::A21;
  int64_t heads = weights.getRank() == 3 ? weights.getDimSize(0) : 1;
  int64_t all = source.getDimSize(2);
  bool isKnown = !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(all);
  if (isKnown && (heads == 0 ? all : all % heads))
    return emitOpError("the weights have ")
           << heads << " heads but the source has " << all << rule::A20;
  return success();
}

//===----------------------------------------------------------------------===//
// TokenBroadcastOp
//===----------------------------------------------------------------------===//

bool TokenBroadcastOp::hasHeads() {
  return typeOf(getSource()).getRank() + 2 == typeOf(getResult()).getRank();
}

SmallVector<Axis> TokenBroadcastOp::getOperandAxes(unsigned operand) {
  unsigned rank = typeOf(getOperand(operand)).getRank();
  if (operand == 1)
    return leadingAxes(rank, /*hasTime=*/true);
  SmallVector<Axis> axes(rank, Axis::Feature);
  if (hasHeads())
    axes.front() = Axis::Head;
  return axes;
}
SmallVector<Axis> TokenBroadcastOp::getResultAxes(unsigned) {
  return leadingAxes(typeOf(getResult()).getRank(), /*hasTime=*/true);
}
StringRef TokenBroadcastOp::getOperandRole(unsigned operand) {
  return operand == 0 ? "the source" : "clause 'like'";
}
bool TokenBroadcastOp::isScan() { return false; }
bool TokenBroadcastOp::runsReverse() { return false; }
std::optional<int64_t> TokenBroadcastOp::getRequestedChunk() { return {}; }

LogicalResult TokenBroadcastOp::verify() {
  RankedTensorType source = typeOf(getSource()), like = typeOf(getLike()),
                   result = typeOf(getResult());
  auto emitShapes = [&]() -> InFlightDiagnostic {
    return emitOpError("repeats ")
           << source << " like " << like << " to " << result << rule::A23;
  };
  int64_t numFeatures = result.getRank() - 3;
  if (numFeatures < 0 || like.getRank() < 3 ||
      source.getElementType() != result.getElementType())
    return emitShapes();
  bool isShared = source.getRank() == numFeatures;
  if ((!isShared && source.getRank() != numFeatures + 1) ||
      ShapedType::isDynamicShape(result.getShape().drop_front(3)) ||
      source.getShape().take_back(numFeatures) !=
          result.getShape().drop_front(3) ||
      failed(verifyCompatibleShape(like.getShape().take_front(3),
                                   result.getShape().take_front(3))))
    return emitShapes();
  int64_t own = isShared ? 1 : source.getDimSize(0);
  int64_t all = result.getDimSize(2);
  bool isKnown = !ShapedType::isDynamic(own) && !ShapedType::isDynamic(all);
  if (isKnown && (own == 0 ? all : all % own))
    return emitOpError("the source has ")
           << own << " heads but the result has " << all << rule::A24;
  return success();
}

//===----------------------------------------------------------------------===//
// GroupOp
//===----------------------------------------------------------------------===//

YieldOp GroupOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

void GroupOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}

// Runs before the checks of control flow, whose messages know no rule.
LogicalResult GroupOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 0)
    return emitOpError("the region takes ")
           << block.getNumArguments() << " arguments" << rule::A22;
  if (block.empty())
    return emitOpError("the region is empty") << rule::A22;
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("the region ends in '")
           << block.back().getName() << '\'' << rule::A22;
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("the region yields (")
           << yield.getOperandTypes() << ") but the results are ("
           << getResultTypes() << ')' << rule::A22;
  return success();
}
