// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Loading: read, check, hand the code to the driver, resolve every kernel.
//===----------------------------------------------------------------------===//

#include "Artifact.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace scanweft::runtime;

static constexpr size_t kMaxFileBytes = size_t(1) << 30;

scanweft_artifact::~scanweft_artifact() {
  if (module) {
    CurrentContext current(*context);
    context->driver->moduleUnload(module);
  }
  if (context)
    context->release();
}

static Status failFile(const char *path, const char *what) {
  return fail(SCANWEFT_BAD_FILE, "%s: %s", path, what);
}

static Status readFile(const char *path, std::string &content) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return failFile(path, std::strerror(errno));
  struct stat info;
  Status status = SCANWEFT_OK;
  if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode)) {
    status = failFile(path, "not a file");
  } else if (static_cast<uint64_t>(info.st_size) > kMaxFileBytes) {
    status = failFile(path, "larger than 1 GiB");
  } else {
    content.resize(info.st_size);
    content.resize(std::fread(content.data(), 1, content.size(), file));
    if (std::ferror(file))
      status = failFile(path, "it cannot be read");
  }
  std::fclose(file);
  return status;
}

static Status loadModule(scanweft_artifact &artifact, std::string_view code) {
  const Driver &driver = *artifact.context->driver;
  // The driver reads PTX as text that ends.
  std::string text;
  if (artifact.manifest.isPtx) {
    text = code;
    code = text;
  }
  char log[2048] = "";
  int options[] = {cuda::kErrorLog, cuda::kErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  CUresult result = driver.moduleLoadDataEx(&artifact.module, code.data(), 2,
                                            options, values);
  if (!result)
    return SCANWEFT_OK;
  artifact.module = nullptr;
  if (!*log)
    return failCall(driver, result, "cuModuleLoadDataEx", "the code");
  return fail(SCANWEFT_BAD_CODE, "the driver does not load the code: %.800s",
              log);
}

static Status loadKernel(const scanweft_artifact &artifact,
                         const Kernel &kernel,
                         scanweft_artifact::LoadedKernel &loaded) {
  const scanweft_context &context = *artifact.context;
  const Driver &driver = *context.driver;
  const char *name = kernel.symbol.c_str();
  if (driver.moduleGetFunction(&loaded.function, artifact.module, name))
    return fail(SCANWEFT_NO_KERNEL, "the code has no kernel '%s'", name);
  int maxThreads = 0;
  const std::pair<int, int *> attributes[] = {
      {cuda::kMaxThreads, &maxThreads},
      {cuda::kRegisters, &loaded.registers},
      {cuda::kLocalBytes, &loaded.localBytes},
      {cuda::kStaticShared, &loaded.staticShared}};
  for (auto [attribute, value] : attributes)
    if (CUresult result =
            driver.funcGetAttribute(value, attribute, loaded.function))
      return failCall(driver, result, "cuFuncGetAttribute", name);
  if (kernel.threads > maxThreads)
    return fail(SCANWEFT_NO_RESOURCES,
                "kernel '%s' wants %d threads: the driver allows it %d", name,
                kernel.threads, maxThreads);
  int64_t shared = int64_t(kernel.dynamicShared) + loaded.staticShared;
  if (shared > context.sharedBytesPerBlock)
    return fail(SCANWEFT_NO_RESOURCES,
                "kernel '%s' needs %lld bytes of shared memory: device '%s' "
                "has %d for a block",
                name, static_cast<long long>(shared),
                context.deviceName.c_str(), context.sharedBytesPerBlock);
  if (CUresult result = driver.funcSetAttribute(
          loaded.function, cuda::kMaxDynamicShared, kernel.dynamicShared))
    return failCall(driver, result, "cuFuncSetAttribute", name);
  int blocks = 0;
  if (CUresult result = driver.occupancy(&blocks, loaded.function,
                                         kernel.threads, kernel.dynamicShared))
    return failCall(driver, result,
                    "cuOccupancyMaxActiveBlocksPerMultiprocessor", name);
  loaded.resident = int64_t(blocks) * context.multiprocessors;
  return SCANWEFT_OK;
}

/// The variant's parameters are those that the kernel has, byte for byte, where
/// the driver can tell.
static Status verifyParameters(const scanweft_artifact &artifact,
                               const Variant &variant) {
  const Driver &driver = *artifact.context->driver;
  if (!driver.funcGetParamInfo)
    return SCANWEFT_OK;
  CUfunction function = artifact.kernels[variant.kernel].function;
  const char *name = artifact.manifest.kernels[variant.kernel].symbol.c_str();
  size_t number = 0, offset, bytes;
  for (const Parameter &parameter : variant.parameters) {
    if (driver.funcGetParamInfo(function, number, &offset, &bytes))
      return fail(SCANWEFT_BAD_CODE,
                  "kernel '%s' has %zu parameters, the manifest gives it %zu",
                  name, number, variant.parameters.size());
    if (offset != parameter.offset || bytes != parameter.bytes)
      return fail(SCANWEFT_BAD_CODE,
                  "kernel '%s': parameter %zu has %zu bytes at %zu, the "
                  "manifest gives %u at %u",
                  name, number, bytes, offset, parameter.bytes,
                  parameter.offset);
    ++number;
  }
  if (!driver.funcGetParamInfo(function, number, &offset, &bytes))
    return fail(SCANWEFT_BAD_CODE,
                "kernel '%s' has more than the %zu parameters that the "
                "manifest gives it",
                name, number);
  return SCANWEFT_OK;
}

static Status resolve(scanweft_artifact &artifact, std::string_view code) {
  CurrentContext current(*artifact.context);
  if (Status status = current.status())
    return status;
  if (Status status = loadModule(artifact, code))
    return status;
  for (const Kernel &kernel : artifact.manifest.kernels) {
    artifact.kernels.emplace_back();
    if (Status status = loadKernel(artifact, kernel, artifact.kernels.back()))
      return status;
  }
  for (const Entry &entry : artifact.manifest.entries) {
    for (const Launch &launch : entry.launches)
      for (const Variant &variant : launch.variants)
        if (Status status = verifyParameters(artifact, variant))
          return status;
    artifact.entries.push_back({&artifact, &entry});
  }
  return SCANWEFT_OK;
}

static Status load(scanweft_context *context,
                   std::unique_ptr<scanweft_artifact> artifact,
                   std::string_view code, scanweft_artifact **result) {
  if (Status status = verifyCode(artifact->manifest, code))
    return status;
  if (Status status = verifyTarget(artifact->manifest, *context))
    return status;
  context->retain();
  artifact->context = context;
  if (Status status = resolve(*artifact, code))
    return status;
  *result = artifact.release();
  return SCANWEFT_OK;
}

scanweft_status scanweft_artifact_load(scanweft_context *context,
                                       const char *manifest,
                                       size_t manifestBytes, const void *code,
                                       size_t codeBytes,
                                       scanweft_artifact **result) {
  if (!context || !manifest || !code || !result)
    return fail(SCANWEFT_INVALID_CALL,
                "an artifact is loaded from a context, a "
                "manifest and code: one is null");
  *result = nullptr;
  auto artifact = std::make_unique<scanweft_artifact>();
  if (Status status = readManifest("manifest", {manifest, manifestBytes},
                                   artifact->manifest))
    return status;
  return load(context, std::move(artifact),
              {static_cast<const char *>(code), codeBytes}, result);
}

scanweft_status scanweft_artifact_load_file(scanweft_context *context,
                                            const char *path,
                                            scanweft_artifact **result) {
  if (!context || !path || !result)
    return fail(SCANWEFT_INVALID_CALL,
                "an artifact is loaded from a context and a file: one is null");
  *result = nullptr;
  std::string text, code;
  if (Status status = readFile(path, text))
    return status;
  auto artifact = std::make_unique<scanweft_artifact>();
  if (Status status = readManifest(path, text, artifact->manifest))
    return status;
  const std::string &file = artifact->manifest.codeFile;
  if (file.empty())
    return fail(SCANWEFT_BAD_MANIFEST, "%s: its code names no file", path);
  const char *slash = std::strrchr(path, '/');
  std::string codePath = std::string(path, slash ? slash + 1 - path : 0) + file;
  if (Status status = readFile(codePath.c_str(), code))
    return status;
  return load(context, std::move(artifact), code, result);
}

void scanweft_artifact_release(scanweft_artifact *artifact) { delete artifact; }
