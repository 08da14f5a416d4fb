// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Marks the tensor arguments of public functions as not writable.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/CPU/Passes.h"

namespace scanweft {
#define GEN_PASS_DEF_PROTECTARGUMENTS
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using bufferization::BufferizationDialect;

namespace {

class ProtectArguments
    : public scanweft::impl::ProtectArgumentsBase<ProtectArguments> {
  void runOnOperation() override {
    BoolAttr readOnly = BoolAttr::get(&getContext(), false);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (BlockArgument argument : function.getArguments())
        if (isa<TensorType>(argument.getType()))
          function.setArgAttr(argument.getArgNumber(),
                              BufferizationDialect::kWritableAttrName,
                              readOnly);
    }
  }
};

} // namespace
