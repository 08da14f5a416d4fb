// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Calls by which a lowered program counts what it does. Private to the family.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_STATISTICSCALLS_H
#define SCANWEFT_PASSES_CPU_STATISTICSCALLS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "scanweft/Execution/Statistics.h"

namespace scanweft {

/// Emits counting calls, or nothing where counting is off.
class StatisticsCalls {
public:
  StatisticsCalls(mlir::ModuleOp module, bool enabled)
      : module(module), enabled(enabled) {}

  /// Adds `amount` to `counter` each time control passes here.
  void count(mlir::OpBuilder &builder, mlir::Location loc, Counter counter,
             int64_t amount = 1) {
    if (!enabled)
      return;
    mlir::Type i64 = builder.getI64Type();
    if (!module.lookupSymbol(kCountFunction)) {
      auto declaration =
          mlir::func::FuncOp::create(builder.getUnknownLoc(), kCountFunction,
                                     builder.getFunctionType({i64, i64}, {}));
      declaration.setPrivate();
      module.push_back(declaration);
    }
    mlir::Value arguments[] = {
        mlir::arith::ConstantOp::create(
            builder, loc,
            builder.getI64IntegerAttr(static_cast<int64_t>(counter))),
        mlir::arith::ConstantOp::create(builder, loc,
                                        builder.getI64IntegerAttr(amount))};
    mlir::func::CallOp::create(builder, loc, kCountFunction, mlir::TypeRange(),
                               arguments);
  }

private:
  mlir::ModuleOp module;
  bool enabled;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_STATISTICSCALLS_H
