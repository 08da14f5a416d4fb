// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The table of expressions, and names and sizes of types.
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "scanweft/Manifest/Manifest.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft::manifest;

std::optional<llvm::StringLiteral> scanweft::manifest::getTypeName(Type type) {
  using Name = llvm::StringLiteral;
  if (type.isIndex())
    return Name("index");
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Name("i1");
    case 8:
      return Name("i8");
    case 16:
      return Name("i16");
    case 32:
      return Name("i32");
    case 64:
      return Name("i64");
    }
    return std::nullopt;
  }
  if (type.isF16())
    return Name("f16");
  if (type.isBF16())
    return Name("bf16");
  if (type.isF32())
    return Name("f32");
  if (type.isF64())
    return Name("f64");
  if (isa<Float8E4M3FNType>(type))
    return Name("f8E4M3FN");
  if (isa<Float8E5M2Type>(type))
    return Name("f8E5M2");
  return std::nullopt;
}

int64_t scanweft::manifest::getTypeBytes(Type type) {
  constexpr unsigned kByte = 8, kIndexBytes = 8;
  return type.isIndex() ? kIndexBytes
                        : llvm::divideCeil(type.getIntOrFloatBitWidth(), kByte);
}

int64_t Expressions::append(StringRef operation, ArrayRef<int64_t> operands) {
  for (auto [number, known] : llvm::enumerate(expressions))
    if (known.operation == operation && ArrayRef(known.operands) == operands)
      return number;
  expressions.push_back({operation.str(), llvm::to_vector<3>(operands)});
  return expressions.size() - 1;
}

int64_t Expressions::constant(int64_t value) {
  return append("const", {value});
}

std::optional<int64_t> Expressions::getConstant(int64_t expression) const {
  const Expression &asked = expressions[expression];
  if (asked.operation != "const")
    return std::nullopt;
  return asked.operands[0];
}

/// The value of an operation on constants, where it has one.
static std::optional<int64_t> evaluate(StringRef operation, int64_t x,
                                       int64_t y) {
  int64_t value;
  if (operation == "add" && !llvm::AddOverflow(x, y, value))
    return value;
  if (operation == "sub" && !llvm::SubOverflow(x, y, value))
    return value;
  if (operation == "mul" && !llvm::MulOverflow(x, y, value))
    return value;
  if (operation == "min")
    return std::min(x, y);
  if (operation == "max")
    return std::max(x, y);
  // Of sizes: rounded one way or the other is the same below.
  if (x < 0 || y <= 0)
    return std::nullopt;
  if (operation == "ceildiv")
    return x / y + (x % y != 0);
  if (operation == "floordiv" || operation == "div")
    return x / y;
  if (operation == "rem")
    return x % y;
  return std::nullopt;
}

/// What the operation is without a new expression: a constant, or an operand.
std::optional<int64_t> Expressions::simplify(StringRef operation,
                                             ArrayRef<int64_t> operands) {
  std::optional<int64_t> x = getConstant(operands[0]);
  std::optional<int64_t> y = getConstant(operands[1]);
  if (x && y)
    if (std::optional<int64_t> value = evaluate(operation, *x, *y))
      return constant(*value);
  if (operation == "mul" && x == 1)
    return operands[1];
  if (operation == "mul" && y == 1)
    return operands[0];
  if (operation == "add" && x == 0)
    return operands[1];
  if ((operation == "add" || operation == "sub") && y == 0)
    return operands[0];
  return std::nullopt;
}

int64_t Expressions::add(StringRef operation, ArrayRef<int64_t> operands) {
  bool ofExpressions = operation != "const" && operation != "dim" &&
                       operation != "value" && operation != "select";
  if (ofExpressions)
    if (std::optional<int64_t> known = simplify(operation, operands))
      return *known;
  return append(operation, operands);
}
