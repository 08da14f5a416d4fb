// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Arrays as text.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Print.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace scanweft;

void scanweft::printSummary(raw_ostream &os, StringRef name,
                            const Array &array) {
  double square = 0.0, largest = 0.0;
  int64_t numFinite = 0;
  const int64_t number = array.getNumElements();
  for (int64_t i = 0; i < number; ++i) {
    double value = array.getDouble(i);
    if (!std::isfinite(value))
      continue;
    ++numFinite;
    square += value * value;
    largest = std::max(largest, std::fabs(value));
  }
  os << "result " << name << ": ";
  for (int64_t size : array.getShape())
    os << size << "x";
  os << elementTypeName(array.getType()) << ", rms "
     << format("%.6e", numFinite ? std::sqrt(square / numFinite) : 0.0)
     << ", max abs " << format("%.6e", largest);
  if (numFinite < number)
    os << ", " << number - numFinite << " not finite";
  os << "\n";
}

static void printElement(raw_ostream &os, const Array &array, int64_t index) {
  if (!isFloat(array.getType()))
    os << array.getInteger(index);
  else
    os << format("%.*g", array.getType() == ElementType::F64 ? 17 : 9,
                 array.getDouble(index));
}

/// Prints the elements from `index` on that axes `axis` and later span.
static void printAxis(raw_ostream &os, const Array &array, size_t axis,
                      int64_t &index) {
  ArrayRef<int64_t> shape = array.getShape();
  if (axis == shape.size())
    return printElement(os, array, index++);
  const bool isRow = axis + 1 == shape.size();
  os << "[";
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i)
      os << (isRow ? ", " : ",\n");
    if (i && !isRow)
      os.indent(axis + 1);
    printAxis(os, array, axis + 1, index);
  }
  os << "]";
}

void scanweft::printValues(raw_ostream &os, const Array &array) {
  int64_t index = 0;
  printAxis(os, array, /*axis=*/0, index);
  os << "\n";
}
