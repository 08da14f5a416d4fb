// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// 64-bit arithmetic with every overflow noticed.
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include <algorithm>
#include <cstring>

using namespace scanweft::runtime;

template <typename T> static int64_t readAs(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

int64_t scanweft::runtime::readInteger(const scanweft_tensor &scalar) {
  switch (scalar.type) {
  case SCANWEFT_BOOL:
    return readAs<uint8_t>(scalar.data) != 0;
  case SCANWEFT_I8:
    return readAs<int8_t>(scalar.data);
  case SCANWEFT_I16:
    return readAs<int16_t>(scalar.data);
  case SCANWEFT_I32:
    return readAs<int32_t>(scalar.data);
  default:
    return readAs<int64_t>(scalar.data);
  }
}

/// Division rounded down; false where it is undefined.
static bool divideDown(int64_t x, int64_t y, int64_t &quotient) {
  if (y == 0 || (x == INT64_MIN && y == -1))
    return false;
  quotient = x / y;
  if (x % y != 0 && (x < 0) != (y < 0))
    --quotient;
  return true;
}

static bool divideUp(int64_t x, int64_t y, int64_t &quotient) {
  if (!divideDown(x, y, quotient))
    return false;
  quotient += x % y != 0;
  return true;
}

/// An operation of two values.
bool Values::combine(const Expression &expression, int64_t &value) const {
  int64_t x = values[expression.a], y = values[expression.b];
  switch (expression.opcode) {
  case Opcode::Add:
    return !__builtin_add_overflow(x, y, &value);
  case Opcode::Sub:
    return !__builtin_sub_overflow(x, y, &value);
  case Opcode::Mul:
    return !__builtin_mul_overflow(x, y, &value);
  case Opcode::CeilDiv:
    return divideUp(x, y, value);
  case Opcode::FloorDiv:
    return divideDown(x, y, value);
  case Opcode::Div:
  case Opcode::Rem:
    if (y == 0 || (x == INT64_MIN && y == -1))
      return false;
    value = expression.opcode == Opcode::Div ? x / y : x % y;
    return true;
  case Opcode::Min:
    value = std::min(x, y);
    return true;
  case Opcode::Max:
    value = std::max(x, y);
    return true;
  case Opcode::Equal:
    value = x == y;
    return true;
  case Opcode::NotEqual:
    value = x != y;
    return true;
  case Opcode::Less:
    value = x < y;
    return true;
  case Opcode::LessEqual:
    value = x <= y;
    return true;
  default:
    return false;
  }
}

bool Values::compute(const Expression &expression, int64_t &value) const {
  switch (expression.opcode) {
  case Opcode::Const:
    value = expression.constant;
    return true;
  case Opcode::Dim:
    value = arguments[expression.a].sizes[expression.b];
    return true;
  case Opcode::Value:
    value = readInteger(arguments[expression.a]);
    return true;
  case Opcode::Select: {
    if (!defined[expression.a])
      return false;
    int32_t chosen = values[expression.a] ? expression.b : expression.c;
    value = values[chosen];
    return defined[chosen];
  }
  default:
    return defined[expression.a] && defined[expression.b] &&
           combine(expression, value);
  }
}

Status Values::evaluate() {
  size_t size = entry.expressions.size();
  if (!values.allocate(size) || !defined.allocate(size))
    return fail(SCANWEFT_OUT_OF_MEMORY, "'%s': no memory for its sizes",
                entry.name.c_str());
  for (size_t i = 0; i < size; ++i) {
    values[i] = 0;
    defined[i] = compute(entry.expressions[i], values[i]);
  }
  return SCANWEFT_OK;
}

/// Follows an undefined value to the operation that made it so.
Status Values::explain(int32_t number, const char *what) const {
  while (true) {
    const Expression &expression = entry.expressions[number];
    bool isSelect = expression.opcode == Opcode::Select;
    if (isSelect && defined[expression.a]) {
      number = values[expression.a] ? expression.b : expression.c;
    } else if (!defined[expression.a]) {
      number = expression.a;
    } else if (!defined[expression.b]) {
      number = expression.b;
    } else {
      return fail(SCANWEFT_TOO_LARGE,
                  "'%s': %s needs expression %d, %s of %lld and %lld, which "
                  "has no 64-bit value",
                  entry.name.c_str(), what, number,
                  opcodeName(expression.opcode),
                  static_cast<long long>(values[expression.a]),
                  static_cast<long long>(values[expression.b]));
    }
  }
}

Status Values::get(int32_t expression, const char *what, int64_t &value) const {
  if (!defined[expression])
    return explain(expression, what);
  value = values[expression];
  return SCANWEFT_OK;
}

Status Values::getSize(int32_t expression, const char *what,
                       int64_t &value) const {
  if (Status status = get(expression, what, value))
    return status;
  if (value >= 0)
    return SCANWEFT_OK;
  return fail(SCANWEFT_BAD_ARGUMENT, "'%s': %s is %lld: a size is not negative",
              entry.name.c_str(), what, static_cast<long long>(value));
}
