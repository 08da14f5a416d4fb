// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// From what the user gives (files, sizes, a seed) to one array an argument.
// Sizes bind to names: a name has one size, whether it comes from the command
// line, a file's shape or a type, and two that differ are an error.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_EXECUTION_ARGUMENTS_H
#define SCANWEFT_EXECUTION_ARGUMENTS_H

#include "scanweft/Execution/Npz.h"
#include "scanweft/Execution/Signature.h"

namespace scanweft {

/// What the user gives for one run.
struct RunInputs {
  /// `--size`, in order.
  llvm::SmallVector<std::pair<std::string, int64_t>> sizes;
  /// Arrays by argument name, with the file that each came from.
  ArrayMap arrays;
  std::map<std::string, std::string> files;
  /// Distributions that override `weft.input`, and values that fill an
  /// argument.
  std::map<std::string, Distribution> distributions;
  std::map<std::string, double> constants;
  uint64_t seed = 0;
  uint64_t memoryLimit = 0;
};

/// One array per argument of `executed`, of its element types. A generated
/// value is rounded to the element type of `written` first: the signature of
/// the file before passes changed its numerics. Reports what is missing or
/// wrong.
mlir::FailureOr<llvm::SmallVector<Array>>
bindArguments(const Signature &written, const Signature &executed,
              const RunInputs &inputs);

} // namespace scanweft

#endif // SCANWEFT_EXECUTION_ARGUMENTS_H
