// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Weft/IR/CarryKindBuilder.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace scanweft::weft;

Value CarryKindBuilder::dot(Value lhs, Value rhs, int64_t lhsDim,
                            int64_t rhsDim, NumericsAttr numerics) {
  return DotOp::create(builder, loc, lhs, rhs, lhsDim, rhsDim, numerics);
}

Value CarryKindBuilder::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

Value CarryKindBuilder::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}

Value CarryKindBuilder::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}

Value CarryKindBuilder::exp(Value x) {
  return math::ExpOp::create(builder, loc, x);
}

Value CarryKindBuilder::broadcastLeading(Value source, Value target) {
  if (source.getType() == target.getType())
    return source;
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(source).getRank()));
  auto type = RankedTensorType::get(tensorType(target).getShape(),
                                    tensorType(source).getElementType());
  return BroadcastOp::create(builder, loc, type, source, dims);
}

Value CarryKindBuilder::splat(Type type, double value) {
  auto tensor = tensorType(type);
  Attribute entry = builder.getFloatAttr(tensor.getElementType(), value);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(tensor, entry));
}

Value CarryKindBuilder::eye(int64_t size, Type elementType) {
  return EyeOp::create(builder, loc,
                       RankedTensorType::get({size, size}, elementType));
}

Value CarryKindBuilder::cast(Value source, Type elementType) {
  Type from = tensorType(source).getElementType();
  if (from == elementType)
    return source;
  Type type = tensorType(source).clone(elementType);
  if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, source);
  return arith::TruncFOp::create(builder, loc, type, source);
}

Value CarryKindBuilder::finiteMaximum(Value x) {
  Value infinity = splat(x.getType(), -std::numeric_limits<double>::infinity());
  Value empty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                      x, infinity);
  return arith::SelectOp::create(builder, loc, empty, splat(x.getType(), 0.0),
                                 x);
}

Value CarryKindBuilder::inverse(Value matrix, NumericsAttr numerics) {
  RankedTensorType type = tensorType(matrix);
  Value factor = CholeskyOp::create(builder, loc, type, matrix,
                                    /*reverse=*/false, numerics);
  Value unit = eye(type.getDimSize(0), type.getElementType());
  Value root = SolveTrilOp::create(builder, loc, type, factor, unit,
                                   /*unit=*/false, /*reverse=*/false, numerics);
  return dot(root, root, 0, 0, numerics);
}

/// Offsets, sizes and strides of one slot of a stack.
static std::array<SmallVector<OpFoldResult>, 3>
slotSlice(OpBuilder &builder, RankedTensorType stack, int64_t slot) {
  std::array<SmallVector<OpFoldResult>, 3> slice;
  for (auto [dim, size] : llvm::enumerate(stack.getShape())) {
    slice[0].push_back(builder.getIndexAttr(dim == 0 ? slot : 0));
    slice[1].push_back(builder.getIndexAttr(dim == 0 ? 1 : size));
    slice[2].push_back(builder.getIndexAttr(1));
  }
  return slice;
}

Value CarryKindBuilder::extractSlot(Value stack, int64_t slot) {
  RankedTensorType type = tensorType(stack);
  auto [offsets, sizes, strides] = slotSlice(builder, type, slot);
  auto state = RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, state, stack, offsets,
                                        sizes, strides);
}

Value CarryKindBuilder::insertSlot(Value state, Value stack, int64_t slot) {
  auto [offsets, sizes, strides] = slotSlice(builder, tensorType(stack), slot);
  return tensor::InsertSliceOp::create(builder, loc, state, stack, offsets,
                                       sizes, strides);
}

SmallVector<StateDimTie> scanweft::weft::tieAllDims(TypeRange states) {
  SmallVector<StateDimTie> ties;
  for (unsigned state : llvm::seq<unsigned>(states.size()))
    for (unsigned dim :
         llvm::seq<unsigned>(tensorType(states[state]).getRank()))
      ties.push_back({state, dim, state, dim});
  return ties;
}

LogicalResult
scanweft::weft::verifyStateTensors(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef kind, TypeRange states,
                                   unsigned expected) {
  if (states.size() != expected)
    return emitError() << "#weft." << kind << " has a state of "
                       << states.size() << " tensors where it takes "
                       << expected << rule::C1;
  for (Type state : states) {
    auto tensor = dyn_cast<RankedTensorType>(state);
    if (!tensor || !isa<FloatType>(tensor.getElementType()) ||
        !tensor.hasStaticShape())
      return emitError() << "#weft." << kind << " has a state of type " << state
                         << rule::C1;
  }
  return success();
}

/// Arguments are the identity's types twice, results once.
static bool hasCombineSignature(FunctionType type, ArrayAttr identity) {
  SmallVector<Type> scalars;
  for (Attribute entry : identity) {
    auto typed = dyn_cast<TypedAttr>(entry);
    if (!typed)
      return false;
    scalars.push_back(typed.getType());
  }
  size_t count = scalars.size();
  return type.getNumInputs() == 2 * count &&
         type.getInputs().take_front(count) == ArrayRef(scalars) &&
         type.getInputs().drop_front(count) == ArrayRef(scalars) &&
         type.getResults() == ArrayRef(scalars);
}

LogicalResult scanweft::weft::verifyCombineFunction(
    function_ref<InFlightDiagnostic()> emitError, Operation *user,
    FlatSymbolRefAttr combine, ArrayAttr identity,
    SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(user, combine.getAttr());
  if (!function)
    return emitError() << "combine function " << combine
                       << " is not a function of this module" << rule::D9;
  if (!hasCombineSignature(function.getFunctionType(), identity))
    return emitError() << "combine function " << combine << " has type "
                       << function.getFunctionType() << " for identity "
                       << identity << rule::D9;
  if (!function.getBody().hasOneBlock())
    return emitError() << "combine function " << combine << " has "
                       << function.getBody().getBlocks().size() << " blocks"
                       << rule::D10;
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool onScalars = llvm::all_of(op.getResultTypes(), [](Type type) {
      return type.isIntOrIndexOrFloat();
    });
    if (onScalars && (isa<arith::ConstantOp>(op) ||
                      OpTrait::hasElementwiseMappableTraits(&op)))
      continue;
    InFlightDiagnostic diagnostic = emitError()
                                    << "combine function " << combine
                                    << " holds '" << op.getName() << '\''
                                    << rule::D10;
    diagnostic.attachNote(op.getLoc()) << "which stands here";
    return diagnostic;
  }
  return success();
}
