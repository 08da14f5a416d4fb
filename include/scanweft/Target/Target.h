// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The GPUs that kernels are compiled for: one row a target. Whatever differs
// between them is asked here, and nowhere is a target known by its name.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TARGET_TARGET_H
#define SCANWEFT_TARGET_TARGET_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir {
class InFlightDiagnostic;
} // namespace mlir

namespace scanweft {

/// Instructions that not every target has. All have mma.sync on bf16, fp16 and
/// tf32, ldmatrix, cp.async and named barriers.
enum class Instruction : uint32_t {
  /// Arithmetic on bf16 without a detour through f32, tanh on bf16.
  BFloat16Arithmetic = 1 << 0,
  /// stmatrix: fragments to shared memory.
  StoreMatrix = 1 << 1,
  /// cp.async.bulk and its tensor forms, with mbarrier.try_wait.
  BulkCopy = 1 << 2,
  /// Clusters of CTAs with shared memory across them.
  Cluster = 1 << 3,
  /// griddepcontrol: a launch overlaps its predecessor's end.
  DependentLaunch = 1 << 4,
  /// setmaxnreg: warpgroups trade registers.
  RegisterReallocation = 1 << 5,
  /// wgmma: products of a warpgroup.
  WarpgroupMatrix = 1 << 6,
  /// tcgen05: products of a CTA, with tensor memory.
  TensorMemoryMatrix = 1 << 7,
};

struct Target {
  /// The name users give, LLVM's chip and ptxas's architecture.
  llvm::StringLiteral name;
  /// LLVM's feature for the PTX version, as `+ptx83`.
  llvm::StringLiteral ptxFeature;
  /// What a block can have at most, static and dynamic together, and what a
  /// multiprocessor has for all its blocks. A block costs 1 KB beside its own.
  int64_t sharedBytesPerBlock;
  int64_t sharedBytesPerMultiprocessor;
  int64_t threadsPerMultiprocessor;
  int64_t blocksPerMultiprocessor;
  uint32_t instructions;

  static constexpr int64_t kThreadsPerWarp = 32;
  static constexpr int64_t kThreadsPerBlock = 1024;
  static constexpr int64_t kRegistersPerThread = 255;
  static constexpr int64_t kRegistersPerMultiprocessor = 65536;
  static constexpr int64_t kReservedSharedBytesPerBlock = 1024;

  constexpr bool has(Instruction instruction) const {
    return instructions & static_cast<uint32_t>(instruction);
  }
};

/// All targets, oldest first.
llvm::ArrayRef<Target> getTargets();

/// All instructions that not every target has, by the name of their PTX.
llvm::ArrayRef<std::pair<Instruction, llvm::StringLiteral>>
getOptionalInstructions();

/// "sm_80, sm_90a, ..."
std::string listTargetNames();

/// The target called `name`. Where there is none, reports the known ones.
mlir::FailureOr<const Target *>
findTarget(llvm::StringRef name,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace scanweft

#endif // SCANWEFT_TARGET_TARGET_H
