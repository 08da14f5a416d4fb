// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One host function on its way to an entry: which value is which argument,
// buffer or expression.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_MANIFEST_HOSTFUNCTION_H
#define SCANWEFT_LIB_MANIFEST_HOSTFUNCTION_H

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "scanweft/Manifest/DescribeHost.h"
#include "llvm/ADT/MapVector.h"

namespace scanweft::manifest {

/// Memory that a launch writes: a result where it is returned, else a
/// temporary.
struct Buffer {
  mlir::RankedTensorType type;
  llvm::SmallVector<int64_t> sizes; ///< expressions
  mlir::Location loc;
  std::optional<int64_t> result;
};

class HostFunction {
public:
  HostFunction(mlir::func::FuncOp function, Program &program,
               FindVariants findVariants)
      : function(function), program(program), findVariants(findVariants) {}

  mlir::FailureOr<Entry> describe();

private:
  // Signatures and buffers; DescribeHost.cpp.
  mlir::LogicalResult describeSignature();
  mlir::LogicalResult describeLaunches();
  mlir::LogicalResult describeReturn(mlir::func::ReturnOp op);
  /// Numbers for results and temporaries, once it is known which is which.
  void placeBuffers();

  // Launches; HostLaunches.cpp.
  mlir::LogicalResult describeLaunch(wtile::LaunchOp op);
  mlir::FailureOr<int64_t> assignOut(wtile::LaunchOp op, mlir::Value init);
  mlir::FailureOr<Term> describeGuard(wtile::LaunchOp op,
                                      const OperandGuard &guard);
  mlir::LogicalResult describeParameters(wtile::LaunchOp op,
                                         llvm::SmallVectorImpl<Term> &terms);
  int64_t addKernel(const KernelVariant &variant);

  // Sizes; HostSizes.cpp.
  mlir::FailureOr<int64_t> getExpression(mlir::Value value);
  mlir::FailureOr<int64_t> makeExpression(mlir::Value value);
  mlir::FailureOr<int64_t> makeSize(mlir::tensor::DimOp op);
  /// The sizes of a tensor, one expression a dim.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getSizes(mlir::Value tensor);

  bool isArgument(int64_t buffer) const {
    return buffer < static_cast<int64_t>(entry.arguments.size());
  }

  mlir::func::FuncOp function;
  Program &program;
  FindVariants findVariants;
  Entry entry;
  llvm::DenseMap<mlir::Value, int64_t> expressions;
  /// The memory of tensors: arguments by number, then `buffers` by number.
  llvm::DenseMap<mlir::Value, int64_t> memory;
  llvm::SmallVector<Buffer> buffers;
};

} // namespace scanweft::manifest

#endif // SCANWEFT_LIB_MANIFEST_HOSTFUNCTION_H
