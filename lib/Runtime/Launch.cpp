// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Temporaries in the workspace, variants by their guards, parameter blocks.
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include <cstring>

using namespace scanweft::runtime;

static constexpr int64_t kMaxGrid = 0x7fffffff;
static constexpr int64_t kAlignment = SCANWEFT_WORKSPACE_ALIGNMENT;

Status Call::bind(int32_t numArguments) {
  if (Status status = bindArguments(entry, arguments, numArguments))
    return status;
  if (Status status = values.evaluate())
    return status;
  return verifyChecks(entry, values);
}

Status Call::getWorkspaceBytes(uint64_t &bytes) const {
  int64_t value = 0;
  if (entry.workspaceBytes >= 0)
    if (Status status =
            values.getSize(entry.workspaceBytes, "the workspace", value))
      return status;
  bytes = value;
  return SCANWEFT_OK;
}

Status Call::getResult(int32_t number, scanweft_tensor &result) const {
  const Result &wanted = entry.results[number];
  return makeContiguous(values, wanted.type, wanted.rank, wanted.sizes,
                        wanted.name.c_str(), result);
}

Status Call::placeTemporaries(void *workspace, uint64_t bytes) {
  size_t number = entry.temporaries.size();
  if (!temporaries.allocate(number))
    return fail(SCANWEFT_OUT_OF_MEMORY, "'%s': no memory for its temporaries",
                entry.name.c_str());
  for (size_t i = 0; i < number; ++i) {
    const Temporary &temporary = entry.temporaries[i];
    scanweft_tensor &tensor = temporaries[i];
    if (Status status = makeContiguous(values, temporary.type, temporary.rank,
                                       temporary.sizes, "a temporary", tensor))
      return status;
    int64_t offset, span;
    if (Status status =
            values.getSize(temporary.offset, "a temporary's offset", offset))
      return status;
    if (offset % kAlignment)
      return fail(SCANWEFT_BAD_MANIFEST,
                  "'%s': temporary %zu lies at byte %lld of the workspace: "
                  "temporaries lie at multiples of %lld",
                  entry.name.c_str(), i, static_cast<long long>(offset),
                  static_cast<long long>(kAlignment));
    if (!getSpan(tensor, span) || static_cast<uint64_t>(offset) > bytes ||
        static_cast<uint64_t>(span) > bytes - offset)
      return fail(SCANWEFT_BAD_MANIFEST,
                  "'%s': temporary %zu, %lld bytes at %lld, leaves the "
                  "workspace of %llu bytes",
                  entry.name.c_str(), i, static_cast<long long>(span),
                  static_cast<long long>(offset),
                  static_cast<unsigned long long>(bytes));
    tensor.data = static_cast<char *>(workspace) + offset;
  }
  return SCANWEFT_OK;
}

static bool isPacked(const scanweft_tensor &tensor) {
  int64_t stride = 1;
  for (int d = tensor.rank; d-- > 0;) {
    if (tensor.sizes[d] == 0)
      return true;
    if (tensor.sizes[d] != 1 && tensor.strides[d] != stride)
      return false;
    if (__builtin_mul_overflow(stride, tensor.sizes[d], &stride))
      return false;
  }
  return true;
}

bool Call::holds(const Guard &guard) const {
  if (guard.kind == Guard::Kind::Below || guard.kind == Guard::Kind::Nonzero) {
    if (!values.isDefined(guard.index))
      return false;
    int64_t value = values[guard.index];
    return guard.kind == Guard::Kind::Below ? value < guard.value : value != 0;
  }
  const scanweft_tensor &tensor = *buffers[guard.index];
  int64_t span;
  switch (guard.kind) {
  case Guard::Kind::Alignment:
    return reinterpret_cast<uintptr_t>(tensor.data) % guard.value == 0;
  case Guard::Kind::Stride: {
    // The stride of a dim of one entry is never used.
    if (tensor.sizes[guard.dim] <= 1)
      return true;
    // Multiples of the bound in bytes, without overflow: the bound is reduced
    // by what the type's size gives.
    uint64_t stride = tensor.strides[guard.dim], bound = guard.value;
    uint64_t bytes = typeBytes(tensor.type);
    for (; bytes > 1 && bound % 2 == 0; bytes /= 2)
      bound /= 2;
    return stride % bound == 0;
  }
  case Guard::Kind::Span:
    return getSpan(tensor, span) && span <= guard.value;
  default:
    return isPacked(tensor);
  }
}

const Variant &Call::choose(const Launch &launch) const {
  for (const Variant &variant : launch.variants) {
    bool all = true;
    for (const Guard &guard : variant.guards)
      all = all && holds(guard);
    if (all)
      return variant;
  }
  return launch.variants.back(); // without guards
}

Status Call::getPrograms(const Variant &variant, int64_t &programs) {
  const char *kernel = artifact.manifest.kernels[variant.kernel].symbol.c_str();
  programs = 1;
  bool fits = true;
  for (size_t axis = 0; axis < variant.programs.size(); ++axis) {
    if (Status status = values.getSize(variant.programs[axis],
                                       "a program extent", extents[axis]))
      return status;
    if (extents[axis] == 0) {
      programs = 0;
      return SCANWEFT_OK;
    }
    fits = fits && !__builtin_mul_overflow(programs, extents[axis], &programs);
  }
  if (fits && programs <= kMaxGrid)
    return SCANWEFT_OK;
  return fits ? fail(SCANWEFT_TOO_LARGE,
                     "'%s': kernel '%s' would run %lld programs: a grid has at "
                     "most %lld",
                     entry.name.c_str(), kernel,
                     static_cast<long long>(programs),
                     static_cast<long long>(kMaxGrid))
              : fail(SCANWEFT_TOO_LARGE,
                     "'%s': the number of programs of kernel '%s' has no "
                     "64-bit value",
                     entry.name.c_str(), kernel);
}

Status Call::verifyResident(const Variant &variant) const {
  if (variant.resident < 0)
    return SCANWEFT_OK;
  int64_t wanted, held = artifact.kernels[variant.kernel].resident;
  if (Status status = values.get(variant.resident, "resident programs", wanted))
    return status;
  if (wanted <= held)
    return SCANWEFT_OK;
  return fail(SCANWEFT_NOT_RESIDENT,
              "'%s': %lld programs of kernel '%s' wait for each other, device "
              "'%s' holds %lld of them at once",
              entry.name.c_str(), static_cast<long long>(wanted),
              artifact.manifest.kernels[variant.kernel].symbol.c_str(),
              artifact.context->deviceName.c_str(),
              static_cast<long long>(held));
}

Status Call::fillParameters(const Variant &variant, char *block) const {
  for (const Parameter &parameter : variant.parameters) {
    int64_t value = 0;
    switch (parameter.kind) {
    case Parameter::Kind::Pointer:
      value = reinterpret_cast<intptr_t>(buffers[parameter.index]->data);
      break;
    case Parameter::Kind::Size:
      value = buffers[parameter.index]->sizes[parameter.dim];
      break;
    case Parameter::Kind::Stride:
      value = buffers[parameter.index]->strides[parameter.dim];
      break;
    case Parameter::Kind::Extent:
      value = extents[parameter.index];
      break;
    case Parameter::Kind::Expression:
      if (Status status = values.get(parameter.index, "a parameter", value))
        return status;
      break;
    case Parameter::Kind::Scalar:
      std::memcpy(block + parameter.offset, arguments[parameter.index].data,
                  parameter.bytes);
      continue;
    }
    std::memcpy(block + parameter.offset, &value, sizeof(value));
  }
  return SCANWEFT_OK;
}

Status Call::verify(const Launch &launch) {
  const Variant &variant = choose(launch);
  int64_t programs;
  if (Status status = getPrograms(variant, programs))
    return status;
  return programs ? verifyResident(variant) : SCANWEFT_OK;
}

Status Call::launch(const Launch &launch, CUstream stream,
                    scanweft_launched *launched) {
  const Variant &variant = choose(launch);
  const Kernel &kernel = artifact.manifest.kernels[variant.kernel];
  int64_t programs;
  if (Status status = getPrograms(variant, programs))
    return status;
  if (launched)
    *launched = {kernel.symbol.c_str(), variant.name.c_str(),
                 static_cast<int32_t>(&variant - launch.variants.data()),
                 static_cast<int32_t>(launch.variants.size()), programs};
  if (programs == 0)
    return SCANWEFT_OK;
  alignas(16) char block[4096];
  if (Status status = fillParameters(variant, block))
    return status;
  size_t bytes = variant.parameterBytes;
  void *extra[] = {cuda::kParametersPointer, block, cuda::kParametersSize,
                   &bytes, cuda::kParametersEnd};
  const Driver &driver = *artifact.context->driver;
  CUresult result = driver.launchKernel(
      artifact.kernels[variant.kernel].function, programs, 1, 1, kernel.threads,
      1, 1, kernel.dynamicShared, stream, nullptr, extra);
  if (result)
    return failCall(driver, result, "cuLaunchKernel", kernel.symbol.c_str());
  return SCANWEFT_OK;
}

static Status verifyWorkspace(const Entry &entry, uint64_t wanted,
                              const void *workspace, uint64_t bytes) {
  const char *name = entry.name.c_str();
  if (bytes < wanted)
    return fail(SCANWEFT_BAD_WORKSPACE,
                "'%s': the workspace has %llu bytes, these arguments need %llu",
                name, static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(wanted));
  if (wanted && !workspace)
    return fail(SCANWEFT_BAD_WORKSPACE, "'%s': the workspace is null", name);
  auto address = reinterpret_cast<uintptr_t>(workspace);
  if (wanted && address % kAlignment)
    return fail(SCANWEFT_BAD_WORKSPACE,
                "'%s': the workspace's address %#llx is no multiple of %lld",
                name, static_cast<unsigned long long>(address),
                static_cast<long long>(kAlignment));
  return SCANWEFT_OK;
}

Status Call::run(int32_t numResults, void *workspace, uint64_t workspaceBytes,
                 CUstream stream, scanweft_launched *launched,
                 int32_t numLaunched) {
  if (Status status = bindArgumentMemory(entry, arguments))
    return status;
  if (Status status = bindResults(entry, values, results, numResults))
    return status;
  uint64_t wanted;
  if (Status status = getWorkspaceBytes(wanted))
    return status;
  if (Status status = verifyWorkspace(entry, wanted, workspace, workspaceBytes))
    return status;
  if (Status status = placeTemporaries(workspace, wanted))
    return status;
  if (!buffers.allocate(entry.numBuffers()))
    return fail(SCANWEFT_OUT_OF_MEMORY, "'%s': no memory for its buffers",
                entry.name.c_str());
  size_t number = 0;
  for (size_t i = 0; i < entry.arguments.size(); ++i)
    buffers[number++] = arguments + i;
  for (size_t i = 0; i < entry.results.size(); ++i)
    buffers[number++] = results + i;
  for (size_t i = 0; i < entry.temporaries.size(); ++i)
    buffers[number++] = &temporaries[i];
  CurrentContext current(*artifact.context);
  if (Status status = current.status())
    return status;
  // Nothing runs where a later launch cannot.
  for (const Launch &next : entry.launches)
    if (Status status = verify(next))
      return status;
  int32_t index = 0;
  for (const Launch &next : entry.launches) {
    if (Status status = launch(
            next, stream, index < numLaunched ? launched + index : nullptr))
      return status;
    ++index;
  }
  return SCANWEFT_OK;
}
