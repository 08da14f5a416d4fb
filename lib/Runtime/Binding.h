// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Tensors of a call against what the entry says of them. What passes can be
// handed to a kernel: types, ranks and sizes are the entry's, no byte address
// leaves 64 bits, the last axis is contiguous.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_BINDING_H
#define SCANWEFT_LIB_RUNTIME_BINDING_H

#include "Evaluate.h"

namespace scanweft::runtime {

/// Types, ranks, sizes, and the values of scalars.
Status bindArguments(const Entry &entry, const scanweft_tensor *arguments,
                     int32_t number);
/// Addresses and strides of arguments.
Status bindArgumentMemory(const Entry &entry, const scanweft_tensor *arguments);
/// All of it for results.
Status bindResults(const Entry &entry, const Values &values,
                   const scanweft_tensor *results, int32_t number);

/// The checks that the entry makes of its arguments.
Status verifyChecks(const Entry &entry, const Values &values);

/// A contiguous tensor without data. `what` and `name` are for failures.
Status makeContiguous(const Values &values, int32_t type, int32_t rank,
                      const int32_t *sizes, const char *what,
                      scanweft_tensor &tensor);

/// The offset of the last byte from the first, plus 1; 0 of an empty tensor.
/// False past 64 bits.
bool getSpan(const scanweft_tensor &tensor, int64_t &bytes);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_BINDING_H
