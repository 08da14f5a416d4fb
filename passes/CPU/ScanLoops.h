// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The loops of a scan over whole tensors: batch entries, heads, steps, with the
// states of one sequence and the outputs of all threaded as tensors. Private to
// the family.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_CPU_SCANLOOPS_H
#define SCANWEFT_PASSES_CPU_SCANLOOPS_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Builders.h"

namespace scanweft {

class ScanLoops {
public:
  /// Where a loop's turn is; `step` is null outside the loop over steps.
  struct Place {
    mlir::Value batch, step, head;
  };
  /// The states before a sequence's first step.
  using Start =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const Place &)>;
  /// Updates outputs and states by one step.
  using Step = llvm::function_ref<void(
      const Place &, llvm::MutableArrayRef<mlir::Value> outs,
      llvm::MutableArrayRef<mlir::Value> states)>;

  /// Loops over the axes of `op`'s results, whose sizes come from its operands.
  ScanLoops(mlir::OpBuilder &builder, weft::AlgebraOpInterface op);

  /// Emits the loops. Results: the op's outputs, then the states after the last
  /// step of every sequence where the op has them as results.
  llvm::SmallVector<mlir::Value> emit(unsigned numOuts, Start start, Step step);

  /// What an operand or result holds at `place`: its features, as a tensor of
  /// their own. Heads are read at head * heads / the output's heads.
  mlir::Value extract(mlir::Value tensor, llvm::ArrayRef<weft::Axis> axes,
                      const Place &place);
  mlir::Value extractOperand(unsigned operand, const Place &place);
  /// `tensor` with `features` at `place`.
  mlir::Value insert(mlir::Value features, mlir::Value tensor,
                     llvm::ArrayRef<weft::Axis> axes, const Place &place);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value index(int64_t value);
  /// The size of the results along an axis.
  mlir::Value findSize(weft::Axis axis);
  mlir::Value findHeads();
  mlir::Value getHead(mlir::Value heads, const Place &place);
  llvm::SmallVector<mlir::Value> createResults();
  /// `for i in [0, size) iter_args(carried)`, the body's results yielded.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value size, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);

  weft::AlgebraOpInterface op;
  mlir::Value batches, steps, heads;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_CPU_SCANLOOPS_H
