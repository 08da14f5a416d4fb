// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Questions to artifacts and entries, and their launch, from C.
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include <algorithm>

using namespace scanweft::runtime;

/// A failure where `index` is none of `size` things called `what`.
static Status verifyIndex(int32_t index, size_t size, const char *what) {
  if (index >= 0 && static_cast<size_t>(index) < size)
    return SCANWEFT_OK;
  return fail(SCANWEFT_INVALID_CALL, "no %s %d: there are %zu", what, index,
              size);
}

static Status verifyNotNull(const void *x, const void *y) {
  return x && y ? SCANWEFT_OK
                : fail(SCANWEFT_INVALID_CALL, "a pointer of the call is null");
}

int32_t scanweft_artifact_num_entries(const scanweft_artifact *artifact) {
  return artifact ? artifact->entries.size() : 0;
}

int32_t scanweft_artifact_num_kernels(const scanweft_artifact *artifact) {
  return artifact ? artifact->kernels.size() : 0;
}

scanweft_status scanweft_artifact_kernel(const scanweft_artifact *artifact,
                                         int32_t index,
                                         scanweft_kernel_info *info) {
  if (Status status = verifyNotNull(artifact, info))
    return status;
  if (Status status = verifyIndex(index, artifact->kernels.size(), "kernel"))
    return status;
  const Kernel &kernel = artifact->manifest.kernels[index];
  const auto &loaded = artifact->kernels[index];
  *info = {};
  info->symbol = kernel.symbol.c_str();
  info->threads = kernel.threads;
  info->registers = loaded.registers;
  info->local_bytes = loaded.localBytes;
  info->static_shared = loaded.staticShared;
  info->dynamic_shared = kernel.dynamicShared;
  info->spill_bytes = kernel.spillBytes;
  info->code_bytes = kernel.codeBytes;
  info->resident_programs = loaded.resident;
  return SCANWEFT_OK;
}

scanweft_status scanweft_artifact_entry(const scanweft_artifact *artifact,
                                        int32_t index,
                                        const scanweft_entry **entry) {
  if (Status status = verifyNotNull(artifact, entry))
    return status;
  *entry = nullptr;
  if (Status status = verifyIndex(index, artifact->entries.size(), "entry"))
    return status;
  *entry = &artifact->entries[index];
  return SCANWEFT_OK;
}

scanweft_status scanweft_artifact_find_entry(const scanweft_artifact *artifact,
                                             const char *name,
                                             const scanweft_entry **entry) {
  if (Status status = verifyNotNull(artifact, entry))
    return status;
  *entry = nullptr;
  if (Status status = verifyNotNull(name, name))
    return status;
  for (const scanweft_entry &known : artifact->entries)
    if (known.entry->name == name) {
      *entry = &known;
      return SCANWEFT_OK;
    }
  return fail(SCANWEFT_NO_ENTRY,
              "the artifact has no entry '%s': it has '%s'%s", name,
              artifact->entries.front().entry->name.c_str(),
              artifact->entries.size() > 1 ? " and others" : "");
}

scanweft_status scanweft_entry_describe(const scanweft_entry *entry,
                                        scanweft_entry_info *info) {
  if (Status status = verifyNotNull(entry, info))
    return status;
  const Entry &described = *entry->entry;
  info->name = described.name.c_str();
  info->num_arguments = described.arguments.size();
  info->num_results = described.results.size();
  info->num_launches = described.launches.size();
  info->workspace_zeroed = described.workspaceZeroed;
  return SCANWEFT_OK;
}

scanweft_status scanweft_entry_argument(const scanweft_entry *entry,
                                        int32_t index,
                                        scanweft_parameter *parameter) {
  if (Status status = verifyNotNull(entry, parameter))
    return status;
  if (Status status =
          verifyIndex(index, entry->entry->arguments.size(), "argument"))
    return status;
  const Argument &argument = entry->entry->arguments[index];
  *parameter = {};
  parameter->name = argument.name.c_str();
  parameter->type = argument.type;
  parameter->rank = argument.rank;
  parameter->is_scalar = argument.isScalar;
  std::copy_n(argument.sizes, argument.rank, parameter->sizes);
  return SCANWEFT_OK;
}

scanweft_status scanweft_entry_result(const scanweft_entry *entry,
                                      int32_t index,
                                      scanweft_parameter *parameter) {
  if (Status status = verifyNotNull(entry, parameter))
    return status;
  if (Status status =
          verifyIndex(index, entry->entry->results.size(), "result"))
    return status;
  const Result &result = entry->entry->results[index];
  *parameter = {};
  parameter->name = result.name.c_str();
  parameter->type = result.type;
  parameter->rank = result.rank;
  for (int d = 0; d < result.rank; ++d) {
    const Expression &size = entry->entry->expressions[result.sizes[d]];
    parameter->sizes[d] =
        size.opcode == Opcode::Const ? size.constant : kDynamic;
  }
  return SCANWEFT_OK;
}

scanweft_status scanweft_entry_query(const scanweft_entry *entry,
                                     const scanweft_tensor *arguments,
                                     int32_t numArguments,
                                     scanweft_tensor *results,
                                     int32_t numResults,
                                     uint64_t *workspaceBytes) {
  if (Status status = verifyNotNull(entry, workspaceBytes))
    return status;
  size_t wanted = entry->entry->results.size();
  if (numResults < 0 || static_cast<size_t>(numResults) != wanted ||
      (wanted && !results))
    return fail(SCANWEFT_INVALID_CALL, "'%s' gives %zu results: %d taken",
                entry->entry->name.c_str(), wanted, results ? numResults : 0);
  Call call(*entry, arguments, nullptr);
  if (Status status = call.bind(numArguments))
    return status;
  for (int32_t i = 0; i < numResults; ++i) {
    results[i] = {};
    if (Status status = call.getResult(i, results[i]))
      return status;
  }
  return call.getWorkspaceBytes(*workspaceBytes);
}

scanweft_status
scanweft_entry_launch(const scanweft_entry *entry,
                      const scanweft_tensor *arguments, int32_t numArguments,
                      const scanweft_tensor *results, int32_t numResults,
                      void *workspace, uint64_t workspaceBytes, void *stream,
                      scanweft_launched *launched, int32_t numLaunched) {
  if (Status status = verifyNotNull(entry, entry))
    return status;
  Call call(*entry, arguments, results);
  if (Status status = call.bind(numArguments))
    return status;
  return call.run(numResults, workspace, workspaceBytes,
                  static_cast<CUstream>(stream), launched,
                  launched ? numLaunched : 0);
}
