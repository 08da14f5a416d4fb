// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Values of an entry's expressions. All are computed once, in order; one that
// overflows or divides by zero is undefined, and only its use is a failure: a
// select may guard it.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_EVALUATE_H
#define SCANWEFT_LIB_RUNTIME_EVALUATE_H

#include "Manifest.h"
#include "Scratch.h"

namespace scanweft::runtime {

class Values {
public:
  Values(const Entry &entry, const scanweft_tensor *arguments)
      : entry(entry), arguments(arguments) {}

  /// Computes all; fails where there is no memory.
  Status evaluate();

  const char *entryName() const { return entry.name.c_str(); }
  bool isDefined(int32_t expression) const { return defined[expression]; }
  int64_t operator[](int32_t expression) const { return values[expression]; }

  /// The value, or a failure that says why there is none. `what` names its use.
  Status get(int32_t expression, const char *what, int64_t &value) const;
  /// A value that is a size: not negative.
  Status getSize(int32_t expression, const char *what, int64_t &value) const;

private:
  bool compute(const Expression &expression, int64_t &value) const;
  bool combine(const Expression &expression, int64_t &value) const;
  Status explain(int32_t expression, const char *what) const;

  const Entry &entry;
  const scanweft_tensor *arguments;
  Scratch<int64_t, 256> values;
  Scratch<bool, 256> defined;
};

/// The value of an integer scalar argument.
int64_t readInteger(const scanweft_tensor &scalar);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_EVALUATE_H
