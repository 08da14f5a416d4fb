// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Reading signatures. Every attribute is checked here, with the author's line.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace scanweft;

static constexpr llvm::StringLiteral kName("weft.name");
static constexpr llvm::StringLiteral kDims("weft.dims");
static constexpr llvm::StringLiteral kInput("weft.input");

std::optional<ElementType> scanweft::getElementType(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isIndex())
    return ElementType::I64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return ElementType::I1;
  case 8:
    return ElementType::I8;
  case 16:
    return ElementType::I16;
  case 32:
    return ElementType::I32;
  case 64:
    return ElementType::I64;
  default:
    return std::nullopt;
  }
}

/// A name that can stand on the command line and in a file: letters, digits,
/// '_' and '.', with a letter first.
static bool isName(StringRef text) {
  return !text.empty() && llvm::isAlpha(text.front()) &&
         llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.';
         });
}

static LogicalResult readName(DictionaryAttr attributes, Parameter &parameter) {
  Attribute attribute = attributes ? attributes.get(kName) : Attribute();
  if (!attribute)
    return success();
  auto name = dyn_cast<StringAttr>(attribute);
  if (!name || !isName(name.getValue()))
    return emitError(parameter.loc) << "weft.name is " << attribute
                                    << ": a name is a string of letters, "
                                       "digits, '_' and '.' that starts "
                                       "with a letter";
  parameter.name = name.str();
  return success();
}

static LogicalResult readDims(DictionaryAttr attributes, Parameter &parameter) {
  for (auto [dim, size] : llvm::enumerate(parameter.shape))
    parameter.dims.push_back(ShapedType::isDynamic(size)
                                 ? parameter.name + "." + std::to_string(dim)
                                 : "");
  Attribute attribute = attributes ? attributes.get(kDims) : Attribute();
  if (!attribute)
    return success();
  auto dims = dyn_cast<ArrayAttr>(attribute);
  if (!dims || dims.size() != parameter.shape.size())
    return emitError(parameter.loc)
           << "weft.dims of '" << parameter.name << "' is " << attribute
           << " and the argument has " << parameter.shape.size()
           << " dims: one string names each dim";
  for (auto [dim, attr] : llvm::enumerate(dims)) {
    auto name = dyn_cast<StringAttr>(attr);
    if (!name || (!name.empty() && !isName(name.getValue())))
      return emitError(parameter.loc)
             << "weft.dims of '" << parameter.name << "' has " << attr
             << ": the name of a dim is empty or starts with a letter, with "
                "letters, digits, '_' and '.'";
    if (!name.empty())
      parameter.dims[dim] = name.str();
  }
  return success();
}

static LogicalResult readInput(DictionaryAttr attributes,
                               Parameter &parameter) {
  Attribute attribute = attributes ? attributes.get(kInput) : Attribute();
  if (!attribute) {
    if (isFloat(parameter.type))
      parameter.distribution = Distribution::Normal;
    return success();
  }
  if (auto name = dyn_cast<StringAttr>(attribute))
    parameter.distribution = parseDistribution(name.getValue());
  if (!parameter.distribution)
    return emitError(parameter.loc)
           << "weft.input of '" << parameter.name << "' is " << attribute
           << ": known inputs are " << distributionNames();
  return success();
}

/// What the type alone says.
static FailureOr<Parameter> readType(Type type, Location loc, StringRef kind) {
  Type scalar = type;
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    scalar = tensor.getElementType();
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    if (tensor.getEncoding())
      return emitError(loc) << kind << " of type " << type
                            << ": the runner takes tensors without an encoding";
  }
  std::optional<ElementType> element = getElementType(scalar);
  if (!element)
    return emitError(loc) << kind << " of type " << type
                          << ": the runner takes ranked tensors and scalars of "
                             "f16, bf16, f32, "
                             "f64, index, i1, i8, i16, i32 and i64";
  return Parameter{"",    loc, *element, isa<RankedTensorType>(type),
                   shape, {},  {}};
}

/// Reads one argument or result into `parameters`.
static LogicalResult readParameter(Type type, Location loc, StringRef kind,
                                   DictionaryAttr attributes,
                                   SmallVectorImpl<Parameter> &parameters) {
  FailureOr<Parameter> parameter = readType(type, loc, kind);
  if (failed(parameter))
    return failure();
  parameter->name = (kind + llvm::Twine(parameters.size())).str();
  if (failed(readName(attributes, *parameter)) ||
      failed(readDims(attributes, *parameter)) ||
      failed(readInput(attributes, *parameter)))
    return failure();
  parameters.push_back(std::move(*parameter));
  return success();
}

static LogicalResult verifyUnique(ArrayRef<Parameter> parameters,
                                  StringRef kind) {
  llvm::StringSet<> names;
  for (const Parameter &parameter : parameters)
    if (!names.insert(parameter.name).second)
      return emitError(parameter.loc)
             << "two " << kind << "s are named '" << parameter.name
             << "': names are unique";
  return success();
}

FailureOr<Signature> scanweft::readSignature(func::FuncOp function) {
  Signature signature{function.getLoc(), function.getName().str(), {}, {}};
  for (BlockArgument argument : function.getArguments())
    if (failed(readParameter(argument.getType(), argument.getLoc(), "argument",
                             function.getArgAttrDict(argument.getArgNumber()),
                             signature.arguments)))
      return failure();
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(readParameter(type, function.getLoc(), "result",
                             function.getResultAttrDict(number),
                             signature.results)))
      return failure();
  if (failed(verifyUnique(signature.arguments, "argument")) ||
      failed(verifyUnique(signature.results, "result")))
    return failure();
  return signature;
}

FailureOr<func::FuncOp> scanweft::findFunction(ModuleOp module,
                                               StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      candidates.push_back(function);
  auto names = [&] {
    return llvm::join(llvm::map_range(candidates,
                                      [](func::FuncOp function) {
                                        return "'" + function.getName().str() +
                                               "'";
                                      }),
                      ", ");
  };
  if (candidates.empty())
    return emitError(module.getLoc())
           << "the file has no public function with a body";
  if (name.empty()) {
    if (candidates.size() == 1)
      return candidates.front();
    return emitError(module.getLoc())
           << "the file has " << candidates.size()
           << " public functions: choose with --function one of " << names();
  }
  for (func::FuncOp function : candidates)
    if (function.getName() == name)
      return function;
  return emitError(module.getLoc())
         << "no public function '" << name << "' with a body: the file has "
         << names();
}
