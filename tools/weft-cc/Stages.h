// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What a file becomes on its way, as data: one row a stage, one row a product.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TOOLS_WEFT_CC_STAGES_H
#define SCANWEFT_TOOLS_WEFT_CC_STAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace scanweft {

struct CompileOptions;
struct Target;

/// A stage is reached from the one before by a pipeline, which leaves IR of a
/// later stage as it is: a file may begin at any stage.
struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral help;
  /// Its text; `$target` and `$precise` stand for the options' values.
  llvm::StringLiteral pipeline;
  /// Whether the pipeline depends on the target.
  bool needsTarget;
};

llvm::ArrayRef<Stage> getStages();

/// The stage's pipeline, options filled in. `target` is empty where none is
/// needed.
std::string getPipeline(const Stage &stage, const CompileOptions &options);

/// What a product is: a file, and where it has one, a second beside it.
struct Output {
  std::string bytes;
  std::string besideFile; ///< a name without folder; empty: there is none
  std::string besideBytes;
};

/// What is made of the last stage.
struct Product {
  llvm::StringLiteral name;
  llvm::StringLiteral help;
  bool isText;
  mlir::FailureOr<Output> (*make)(mlir::ModuleOp module, const Target &target,
                                  const CompileOptions &options);
};

llvm::ArrayRef<Product> getProducts();

} // namespace scanweft

#endif // SCANWEFT_TOOLS_WEFT_CC_STAGES_H
