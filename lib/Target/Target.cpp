// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The table of targets. A test assembles one program for each optional
// instruction and target, and compares ptxas's verdict with this table.
//===----------------------------------------------------------------------===//

#include "scanweft/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace scanweft;

static constexpr int64_t kKilobyte = 1024;

static constexpr uint32_t all(std::initializer_list<Instruction> list) {
  uint32_t bits = 0;
  for (Instruction instruction : list)
    bits |= static_cast<uint32_t>(instruction);
  return bits;
}

/// What came with sm_90 and stayed.
static constexpr uint32_t kSince90 =
    all({Instruction::BFloat16Arithmetic, Instruction::StoreMatrix,
         Instruction::BulkCopy, Instruction::Cluster,
         Instruction::DependentLaunch, Instruction::RegisterReallocation});

static constexpr Target kTargets[] = {
    {"sm_80", "+ptx80", 163 * kKilobyte, 164 * kKilobyte, 2048, 32, 0},
    {"sm_90a", "+ptx83", 227 * kKilobyte, 228 * kKilobyte, 2048, 32,
     kSince90 | all({Instruction::WarpgroupMatrix})},
    {"sm_100a", "+ptx88", 227 * kKilobyte, 228 * kKilobyte, 2048, 32,
     kSince90 | all({Instruction::TensorMemoryMatrix})},
    // LLVM's backend takes sm_120a from PTX 8.7 on.
    {"sm_120a", "+ptx88", 99 * kKilobyte, 100 * kKilobyte, 1536, 24, kSince90},
};

static constexpr std::pair<Instruction, llvm::StringLiteral> kInstructions[] = {
    {Instruction::BFloat16Arithmetic, "bf16 arithmetic"},
    {Instruction::StoreMatrix, "stmatrix"},
    {Instruction::BulkCopy, "cp.async.bulk"},
    {Instruction::Cluster, "cluster"},
    {Instruction::DependentLaunch, "griddepcontrol"},
    {Instruction::RegisterReallocation, "setmaxnreg"},
    {Instruction::WarpgroupMatrix, "wgmma"},
    {Instruction::TensorMemoryMatrix, "tcgen05"},
};

ArrayRef<Target> scanweft::getTargets() { return kTargets; }

ArrayRef<std::pair<Instruction, llvm::StringLiteral>>
scanweft::getOptionalInstructions() {
  return kInstructions;
}

std::string scanweft::listTargetNames() {
  auto names = llvm::map_range(
      getTargets(), [](const Target &target) { return target.name; });
  return llvm::join(names, ", ");
}

FailureOr<const Target *>
scanweft::findTarget(StringRef name,
                     function_ref<InFlightDiagnostic()> emitError) {
  for (const Target &target : getTargets())
    if (target.name == name)
      return &target;
  return emitError() << "unknown target '" << name
                     << "': the known targets are " << listTargetNames();
}
