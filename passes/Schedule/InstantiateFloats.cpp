// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One replacement of attributes and types reaches everything that holds a float
// type: values, signatures, constants, identities of carry kinds, numerics.
//===----------------------------------------------------------------------===//

#include "passes/Schedule/InstantiateFloats.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

namespace {
/// What becomes of types, values and numerics.
class FloatTarget {
public:
  FloatTarget(FloatType type, Precision precision)
      : type(type), precision(precision) {}

  Type convert(FloatType from) const {
    return type.isF64() || from.getWidth() == 16 ? type : from;
  }

  APFloat convert(APFloat value) const {
    bool losesInfo = false;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  }

  NumericsAttr convert(NumericsAttr numerics) const {
    Type acc = type.isF64() ? Type(type) : numerics.getAcc();
    return NumericsAttr::get(numerics.getContext(), convert(numerics.getIn()),
                             acc);
  }

private:
  Precision convert(Precision in) const {
    bool isStorage = in == Precision::BF16 || in == Precision::F16;
    bool isThreePass = in == Precision::TF32x3 || in == Precision::F64;
    if (type.isF64() || isStorage || (type.isF32() && !isThreePass))
      return precision;
    return in;
  }

  FloatType type;
  Precision precision;
};
} // namespace

static std::optional<FloatTarget> getTarget(MLIRContext *context,
                                            StringRef in) {
  if (in == "f64")
    return FloatTarget(Float64Type::get(context), Precision::F64);
  if (in == "f32")
    return FloatTarget(Float32Type::get(context), Precision::F32);
  if (in == "bf16")
    return FloatTarget(BFloat16Type::get(context), Precision::BF16);
  if (in == "f16")
    return FloatTarget(Float16Type::get(context), Precision::F16);
  return std::nullopt;
}

using Replacement = std::optional<std::pair<Attribute, WalkResult>>;

static void addReplacements(AttrTypeReplacer &replacer,
                            const FloatTarget &target) {
  replacer.addReplacement([&](FloatType type) -> std::optional<Type> {
    return target.convert(type);
  });
  replacer.addReplacement([&](FloatAttr attr) -> Replacement {
    Type type = target.convert(cast<FloatType>(attr.getType()));
    if (type == attr.getType())
      return std::pair(Attribute(attr), WalkResult::skip());
    return std::pair(
        Attribute(FloatAttr::get(type, target.convert(attr.getValue()))),
        WalkResult::skip());
  });
  replacer.addReplacement([&](DenseFPElementsAttr attr) -> Replacement {
    Type type = target.convert(cast<FloatType>(attr.getElementType()));
    if (type == attr.getElementType())
      return std::pair(Attribute(attr), WalkResult::skip());
    Attribute converted = attr.mapValues(type, [&](const APFloat &value) {
      return target.convert(value).bitcastToAPInt();
    });
    return std::pair(converted, WalkResult::skip());
  });
  replacer.addReplacement([&](NumericsAttr attr) -> Replacement {
    return std::pair(Attribute(target.convert(attr)), WalkResult::skip());
  });
}

/// Constants held outside of the IR cannot be rewritten.
static LogicalResult verifyConstants(Operation *root) {
  WalkResult result = root->walk([](arith::ConstantOp op) {
    if (!isa<DenseResourceElementsAttr>(op.getValue()))
      return WalkResult::advance();
    op.emitOpError("holds its value outside of the IR: weft-instantiate "
                   "converts constants that are written out only");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// A cast between equal types is no op.
template <typename CastOp> static void eraseEqualCasts(Operation *root) {
  root->walk([](CastOp op) {
    if (op.getIn().getType() != op.getType())
      return;
    op.replaceAllUsesWith(op.getIn());
    op.erase();
  });
}

LogicalResult scanweft::instantiateFloats(Operation *root, StringRef in) {
  std::optional<FloatTarget> target = getTarget(root->getContext(), in);
  if (!target)
    return emitError(root->getLoc(), "weft-instantiate: in is '")
           << in << "': a program is stored in f64, f32, bf16 or f16";
  if (failed(verifyConstants(root)))
    return failure();
  AttrTypeReplacer replacer;
  addReplacements(replacer, *target);
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  eraseEqualCasts<arith::ExtFOp>(root);
  eraseEqualCasts<arith::TruncFOp>(root);
  return success();
}
