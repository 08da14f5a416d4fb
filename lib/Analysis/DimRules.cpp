// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The table of DimClasses: what each op says of dims. An op that is not in it
// fixes every static dim of its operands and results.
//===----------------------------------------------------------------------===//

#include "DimRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

static RankedTensorType getTensorType(Value value) {
  return dyn_cast_if_present<RankedTensorType>(value ? value.getType()
                                                     : Type());
}

static unsigned getRank(Value value) { return getTensorType(value).getRank(); }

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

DimClasses::Class DimRules::dim(Value value, unsigned dim) {
  return classes.firstDims.lookup(value) + dim;
}

void DimRules::same(Value first, unsigned firstDim, Value second,
                    unsigned secondDim) {
  classes.unify(dim(first, firstDim), dim(second, secondDim));
}

void DimRules::sameDims(Value first, Value second, unsigned start) {
  RankedTensorType type = getTensorType(first), other = getTensorType(second);
  if (!type || !other || type.getRank() != other.getRank())
    return;
  for (unsigned i = start; i < type.getRank(); ++i)
    same(first, i, second, i);
}

void DimRules::sameDims(ValueRange first, ValueRange second) {
  for (auto [value, other] : llvm::zip(first, second))
    sameDims(value, other);
}

void DimRules::bind(Value value, unsigned i) {
  classes.nodes[classes.find(dim(value, i))].isBound = true;
}

void DimRules::bindAll(Value value) {
  for (unsigned i : llvm::seq(getRank(value)))
    bind(value, i);
}

void DimRules::fix(Value value, unsigned i, Operation *by) {
  DimClasses::Node &node = classes.nodes[classes.find(dim(value, i))];
  if (!node.fixedBy && !getTensorType(value).isDynamicDim(i))
    node.fixedBy = by;
}

void DimRules::fixAll(Value value, Operation *by) {
  if (RankedTensorType type = getTensorType(value))
    for (unsigned i : llvm::seq<unsigned>(type.getRank()))
      fix(value, i, by);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void DimRules::visit(Operation *op) {
  if (visitChunked(op) || visitBody(op) || visitSquares(op) ||
      visitDecayed(op) || visitFenwick(op) || visitTensor(op) || visitOther(op))
    return;
  for (Value value : op->getOperands())
    fixAll(value, op);
  for (Value value : op->getResults())
    fixAll(value, op);
}

bool DimRules::visitOther(Operation *op) {
  if (isa<FunctionOpInterface>(op)) {
    visitNames(op);
    return true;
  }
  if (isa<RegionBranchOpInterface>(op)) {
    visitBranches(op);
    return true;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isa<SplatElementsAttr>(constant.getValue()))
      fixAll(constant.getResult(), op);
    return true;
  }
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    SmallVector<Value> tensors = llvm::to_vector(op->getOperands());
    llvm::append_range(tensors, op->getResults());
    llvm::erase_if(tensors, [](Value value) { return !getTensorType(value); });
    for (Value value : tensors)
      sameDims(tensors.front(), value);
    return true;
  }
  // Terminators are read by what they end.
  return op->hasTrait<OpTrait::IsTerminator>() || isa<ModuleOp>(op);
}

void DimRules::visitBranches(Operation *op) {
  RegionBranchSuccessorMapping mapping;
  cast<RegionBranchOpInterface>(op).getSuccessorOperandInputMapping(mapping);
  auto visitOperands = [&](Operation *from) {
    for (OpOperand &operand : from->getOpOperands())
      for (Value input : mapping.lookup(&operand))
        sameDims(operand.get(), input);
  };
  visitOperands(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visitOperands(block.getTerminator());
}

/// Names of arguments' dims, and of results' by what is returned.
void DimRules::visitNames(Operation *op) {
  auto function = cast<FunctionOpInterface>(op);
  auto name = [&](Value value, ArrayAttr names) {
    RankedTensorType type = getTensorType(value);
    if (!names || !type || names.size() != static_cast<size_t>(type.getRank()))
      return;
    for (auto [i, entry] : llvm::enumerate(names))
      if (auto text = dyn_cast<StringAttr>(entry)) {
        auto &known = classes.nodes[classes.find(dim(value, i))].names;
        if (!llvm::is_contained(known, text))
          known.push_back(text);
      }
  };
  for (BlockArgument argument : function.getArguments())
    name(argument, function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                        kDimNames));
  for (Block &block : function.getFunctionBody()) {
    Operation *terminator = block.getTerminator();
    if (!terminator->hasTrait<OpTrait::ReturnLike>())
      continue;
    for (OpOperand &operand : terminator->getOpOperands())
      name(operand.get(), dyn_cast_if_present<ArrayAttr>(function.getResultAttr(
                              operand.getOperandNumber(), kDimNames)));
  }
}

//===----------------------------------------------------------------------===//
// Kernels, loops and elements
//===----------------------------------------------------------------------===//

bool DimRules::visitChunked(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    visitKernel(kernel);
  else if (auto place = dyn_cast<PlaceOp>(op))
    visitPlace(place);
  else if (auto loop = dyn_cast<ChunkedOp>(op))
    visitLoop(loop);
  else if (auto element = dyn_cast<ElementOpInterface>(op))
    visitElement(element);
  else
    return false;
  return true;
}

void DimRules::visitKernel(KernelOp op) {
  sameDims(op.getInits(), op.getResults());
}

void DimRules::visitPlace(PlaceOp op) {
  auto kernel = cast<KernelOp>(op->getParentOp());
  for (auto [placement, result] :
       llvm::zip(op.getPlacements(), kernel.getResults())) {
    unsigned spanned = 0;
    for (auto [i, index] : llvm::enumerate(placement.indices)) {
      if (index)
        continue;
      if (spanned > 0 || !placement.rows)
        same(placement.value, spanned, result, i);
      ++spanned;
    }
    if (placement.rows)
      same(placement.value, 0, placement.rows, 0);
  }
}

void DimRules::visitLoop(ChunkedOp op) {
  std::optional<DimClasses::Class> rows;
  auto addRows = [&](Value value) {
    rows = rows.value_or(dim(value, 0));
    classes.unify(*rows, dim(value, 0));
  };
  for (auto [slice, argument] : llvm::zip(op.getSlices(), op.getSliceArgs())) {
    addRows(argument);
    sameDims(slice, argument, /*start=*/1);
  }
  for (auto [out, result, given] :
       llvm::zip(op.getOuts(), op.getOutResults(), op.getNext().getRows())) {
    addRows(given);
    sameDims(out, result);
    sameDims(out, given, /*start=*/1);
  }
  if (rows) {
    classes.nodes[classes.find(*rows)].isRows = true;
    classes.rows[op] = *rows;
  }
  for (unsigned carry : llvm::seq(op.getNumCarries()))
    visitCarry(op, carry);
}

void DimRules::visitCarry(ChunkedOp op, unsigned carry) {
  CarryKindInterface kind = op.getKind(carry);
  OperandRange inits = op.getCarryInits(carry);
  sameDims(inits, op.getCarryArgs(carry));
  sameDims(inits, op.getFinalStates(carry));
  Operation *element = op.getNext().getElements()[carry].getDefiningOp();
  for (const StateDimTie &tie : kind.getStateDimTies(element, inits.getTypes()))
    same(element->getOperand(tie.operand), tie.dim, inits[tie.state],
         tie.stateDim);
  auto free = kind.getFreeDims(inits.getTypes());
  for (auto [i, state] : llvm::enumerate(inits))
    for (unsigned dim : llvm::seq(getRank(state)))
      if (!llvm::is_contained(free, std::pair<unsigned, unsigned>(i, dim)))
        bind(state, dim);
}

void DimRules::visitElement(ElementOpInterface op) {
  for (const DeadRowAlternatives &alternatives : op.getDeadRowNeeds()) {
    const DeadRowNeed &first = alternatives.front().front();
    for (const DeadRowNeed &need : alternatives.front())
      same(op->getOperand(first.operand), first.dim,
           op->getOperand(need.operand), need.dim);
  }
}

//===----------------------------------------------------------------------===//
// Body ops
//===----------------------------------------------------------------------===//

void DimRules::visitDimwise(DimwiseOpInterface op) {
  Value result = op->getResult(0);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    for (auto [i, to] : llvm::enumerate(op.getResultDims(number))) {
      if (to >= 0)
        same(operand.get(), i, result, to);
      if (!op.isShapeOnly(number) && op.actsAlong(number, i))
        bind(operand.get(), i);
    }
  }
}

/// Dims along keys agree, and along values; batch and time too. Further
/// features are the last dims, in order.
void DimRules::visitAlgebra(AlgebraOpInterface op) {
  llvm::MapVector<std::pair<Axis, unsigned>, DimClasses::Class> first;
  auto visitValue = [&](Value value, ArrayRef<Axis> axes) {
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (axis == Axis::Head)
        continue;
      unsigned place = axis == Axis::Feature ? axes.size() - i : 0;
      auto entry = first.insert({{axis, place}, dim(value, i)});
      classes.unify(entry.first->second, dim(value, i));
      if (axis == Axis::Key)
        bind(value, i);
    }
  };
  for (OpOperand &operand : op->getOpOperands())
    visitValue(operand.get(), op.getOperandAxes(operand.getOperandNumber()));
  for (OpResult result : op->getResults())
    visitValue(result, op.getResultAxes(result.getResultNumber()));
}

bool DimRules::visitBody(Operation *op) {
  bool isAlgebra = isa<AlgebraOpInterface>(op);
  if (auto algebra = dyn_cast<AlgebraOpInterface>(op))
    visitAlgebra(algebra);
  if (auto dot = dyn_cast<DotOp>(op))
    same(dot.getLhs(), dot.getLhsDim(), dot.getRhs(), dot.getRhsDim());
  if (auto product = dyn_cast<TokenMatmulOp>(op))
    same(product.getSource(), getRank(product.getSource()) - 1,
         product.getWeights(), getRank(product.getWeights()) - 2);
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    SmallVector<DimClasses::Class> parts;
    for (Value source : concat.getSources())
      parts.push_back(dim(source, concat.getDim()));
    bind(concat.getResult(), concat.getDim());
    classes.relations.push_back({DimClasses::Relation::Kind::Sum, op,
                                 dim(concat.getResult(), concat.getDim()),
                                 parts});
  }
  if (auto dimwise = dyn_cast<DimwiseOpInterface>(op)) {
    visitDimwise(dimwise);
    return true;
  }
  if (auto keep = dyn_cast<KeepLiveOp>(op)) {
    sameDims(keep.getSource(), keep.getResult());
    return true;
  }
  if (auto scan = dyn_cast<ScanRowsOp>(op)) {
    for (Value value : scan.getSources())
      sameDims(value, scan.getSources().front());
    sameDims(scan.getSources(), scan.getScanned());
    for (auto [source, total] : llvm::zip(scan.getSources(), scan.getTotals()))
      for (unsigned i : llvm::seq(getRank(total)))
        same(source, i + 1, total, i);
    bind(scan.getSources().front(), 0);
    return true;
  }
  return isAlgebra;
}

/// Matrices over one set of rows, masks, and gathers.
bool DimRules::visitSquares(Operation *op) {
  auto square = [&](Value matrix) {
    same(matrix, 0, matrix, 1);
    bind(matrix, 0);
  };
  if (auto eye = dyn_cast<EyeOp>(op)) {
    square(eye.getResult());
  } else if (auto tril = dyn_cast<TrilOp>(op)) {
    sameDims(tril.getSource(), tril.getResult());
    bindAll(tril.getSource());
  } else if (auto cholesky = dyn_cast<CholeskyOp>(op)) {
    sameDims(cholesky.getSource(), cholesky.getResult());
    square(cholesky.getSource());
  } else if (auto solve = dyn_cast<SolveTrilOp>(op)) {
    square(solve.getMatrix());
    same(solve.getMatrix(), 0, solve.getRhs(), 0);
    sameDims(solve.getRhs(), solve.getResult());
  } else if (auto gather = dyn_cast<GatherRowsOp>(op)) {
    same(gather.getRows(), 0, gather.getResult(), 0);
    sameDims(gather.getSource(), gather.getResult(), /*start=*/1);
    bind(gather.getSource(), 0);
  } else if (auto mask = dyn_cast<MaskWindowOp>(op)) {
    sameDims(mask.getScores(), mask.getResult());
    bindAll(mask.getScores());
    if (mask.getRowIndex()) {
      same(mask.getScores(), 0, mask.getRowIndex(), 0);
      same(mask.getScores(), 1, mask.getColIndex(), 0);
    }
  } else {
    return false;
  }
  return true;
}

bool DimRules::visitDecayed(Operation *op) {
  if (auto dot = dyn_cast<DecayedDotOp>(op)) {
    for (Value value : {dot.getRhs(), dot.getLhsDecay(), dot.getRhsDecay()})
      sameDims(dot.getLhs(), value);
    same(dot.getLhs(), 0, dot.getResult(), 0);
    same(dot.getRhs(), 0, dot.getResult(), 1);
    bindAll(dot.getLhs());
    return true;
  }
  if (auto product = dyn_cast<DecayedMatmulOp>(op)) {
    same(product.getWeights(), 0, product.getWeights(), 1);
    same(product.getWeights(), 0, product.getRhs(), 0);
    for (Value value :
         {product.getLhsDecay(), product.getRhsDecay(), product.getResult()})
      sameDims(product.getRhs(), value);
    bind(product.getWeights(), 0);
    return true;
  }
  return false;
}

bool DimRules::visitFenwick(Operation *op) {
  if (auto weights = dyn_cast<LevelWeightsOp>(op)) {
    same(weights.getLevels(), 0, weights.getResult(), 0);
    same(weights.getLevels(), 0, weights.getResult(), 1);
    bindAll(weights.getLevels());
    classes.nodes[classes.find(dim(weights.getLevels(), 1))].isLevels = true;
    return true;
  }
  if (auto read = dyn_cast<FenwickReadOp>(op)) {
    Value stack = read.getStack(), levels = read.getLevels();
    same(read.getQuery(), 0, levels, 0);
    same(read.getQuery(), 0, read.getResult(), 0);
    same(read.getQuery(), 1, stack, 1);
    if (getRank(stack) == 3)
      same(stack, 2, read.getResult(), 1);
    bind(stack, 0);
    bind(stack, 1);
    bindAll(levels);
    classes.nodes[classes.find(dim(stack, 0))].isSlots = true;
    classes.nodes[classes.find(dim(levels, 1))].isLevels = true;
    classes.relations.push_back({DimClasses::Relation::Kind::Slots,
                                 op,
                                 dim(stack, 0),
                                 {dim(levels, 1), dim(levels, 0)}});
    return true;
  }
  if (auto merge = dyn_cast<FenwickMergeOp>(op)) {
    sameDims(merge.getStack(), merge.getResult());
    for (unsigned i : llvm::seq(getRank(merge.getContribution())))
      same(merge.getStack(), i + 1, merge.getContribution(), i);
    bind(merge.getStack(), 0);
    classes.nodes[classes.find(dim(merge.getStack(), 0))].isSlots = true;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Ops on whole tensors
//===----------------------------------------------------------------------===//

void DimRules::visitPart(OffsetSizeAndStrideOpInterface op, Value whole,
                         Value part, const llvm::SmallBitVector &dropped) {
  RankedTensorType type = getTensorType(whole);
  unsigned next = 0;
  for (unsigned i : llvm::seq<unsigned>(type.getRank())) {
    if (dropped[i]) {
      bind(whole, i);
      fix(whole, i, op);
      continue;
    }
    unsigned partDim = next++;
    bool isWhole =
        isZeroInteger(op.getMixedOffsets()[i]) &&
        isOneInteger(op.getMixedStrides()[i]) &&
        isConstantIntValue(op.getMixedSizes()[i], type.getDimSize(i)) &&
        !type.isDynamicDim(i);
    if (isWhole) {
      same(whole, i, part, partDim);
      continue;
    }
    bind(whole, i);
    fix(whole, i, op);
    fix(part, partDim, op);
  }
}

void DimRules::visitReshape(Operation *op, Value expanded, Value collapsed,
                            ArrayRef<SmallVector<int64_t, 2>> groups) {
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (group.size() == 1) {
      same(expanded, group.front(), collapsed, i);
      continue;
    }
    SmallVector<DimClasses::Class> parts;
    for (int64_t part : group) {
      parts.push_back(dim(expanded, part));
      bind(expanded, part);
    }
    bind(collapsed, i);
    classes.relations.push_back(
        {DimClasses::Relation::Kind::Product, op, dim(collapsed, i), parts});
  }
}

bool DimRules::visitTensor(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    visitPart(slice, slice.getSource(), slice.getResult(),
              slice.getDroppedDims());
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    sameDims(insert.getDest(), insert.getResult());
    visitPart(insert, insert.getDest(), insert.getSource(),
              insert.getDroppedDims());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    visitReshape(op, expand.getResult(), expand.getSrc(),
                 expand.getReassociationIndices());
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    visitReshape(op, collapse.getSrc(), collapse.getResult(),
                 collapse.getReassociationIndices());
  } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    for (unsigned i : llvm::seq(getRank(pad.getResult()))) {
      if (isZeroInteger(pad.getMixedLowPad()[i]) &&
          isZeroInteger(pad.getMixedHighPad()[i])) {
        same(pad.getSource(), i, pad.getResult(), i);
        continue;
      }
      fix(pad.getSource(), i, op);
      fix(pad.getResult(), i, op);
    }
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    sameDims(cast.getSource(), cast.getDest());
  } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
    sameDims(insert.getDest(), insert.getResult());
  } else if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    fixAll(elements.getResult(), op);
  } else {
    return isa<tensor::EmptyOp, tensor::SplatOp, tensor::DimOp,
               tensor::ExtractOp, tensor::GenerateOp>(op);
  }
  return true;
}
