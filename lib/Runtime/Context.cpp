// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Contexts: the current one, or a device's primary one.
//===----------------------------------------------------------------------===//

#include "Context.h"
#include <memory>

using namespace scanweft::runtime;

void scanweft_context::release() {
  if (--references)
    return;
  if (flushBuffer) {
    CurrentContext current(*this);
    driver->memFree(flushBuffer);
  }
  if (isPrimary)
    driver->primaryCtxRelease(device);
  delete this;
}

CurrentContext::CurrentContext(const scanweft_context &context)
    : context(context) {
  CUcontext current = nullptr;
  context.driver->ctxGetCurrent(&current);
  if (current == context.context)
    return;
  if (CUresult result = context.driver->ctxPushCurrent(context.context))
    state = failCall(*context.driver, result, "cuCtxPushCurrent",
                     context.deviceName.c_str());
  pushed = state == SCANWEFT_OK;
}

CurrentContext::~CurrentContext() {
  CUcontext popped;
  if (pushed)
    context.driver->ctxPopCurrent(&popped);
}

static Status readDevice(scanweft_context &context) {
  const Driver &driver = *context.driver;
  char name[128] = "";
  if (CUresult result =
          driver.deviceGetName(name, sizeof(name) - 1, context.device))
    return failCall(driver, result, "cuDeviceGetName", "the device");
  context.deviceName = name;
  const std::pair<int, int *> attributes[] = {
      {cuda::kMajor, &context.major},
      {cuda::kMinor, &context.minor},
      {cuda::kMultiprocessors, &context.multiprocessors},
      {cuda::kSharedBytesPerBlockOptIn, &context.sharedBytesPerBlock},
      {cuda::kL2CacheBytes, &context.l2CacheBytes}};
  for (auto [attribute, value] : attributes)
    if (CUresult result =
            driver.deviceGetAttribute(value, attribute, context.device))
      return failCall(driver, result, "cuDeviceGetAttribute", name);
  return SCANWEFT_OK;
}

scanweft_status scanweft_context_current(scanweft_context **result) {
  if (!result)
    return fail(SCANWEFT_INVALID_CALL, "the result is null");
  *result = nullptr;
  auto context = std::make_unique<scanweft_context>();
  if (Status status = getDriver(context->driver))
    return status;
  if (context->driver->ctxGetCurrent(&context->context) || !context->context)
    return fail(SCANWEFT_NO_CONTEXT, "no context is current in this thread");
  if (CUresult code = context->driver->ctxGetDevice(&context->device))
    return failCall(*context->driver, code, "cuCtxGetDevice",
                    "the current context");
  if (Status status = readDevice(*context))
    return status;
  *result = context.release();
  return SCANWEFT_OK;
}

scanweft_status scanweft_context_primary(int32_t device,
                                         scanweft_context **result) {
  if (!result)
    return fail(SCANWEFT_INVALID_CALL, "the result is null");
  *result = nullptr;
  auto context = std::make_unique<scanweft_context>();
  if (Status status = getDriver(context->driver))
    return status;
  const Driver &driver = *context->driver;
  int count = 0;
  if (CUresult code = driver.deviceGetCount(&count))
    return failCall(driver, code, "cuDeviceGetCount", "the driver");
  if (device < 0 || device >= count)
    return fail(SCANWEFT_NO_DEVICE, "no device %d: there %s %d", device,
                count == 1 ? "is" : "are", count);
  if (CUresult code = driver.deviceGet(&context->device, device))
    return failCall(driver, code, "cuDeviceGet", "the device");
  if (Status status = readDevice(*context))
    return status;
  if (CUresult code =
          driver.primaryCtxRetain(&context->context, context->device))
    return failCall(driver, code, "cuDevicePrimaryCtxRetain",
                    context->deviceName.c_str());
  context->isPrimary = true;
  *result = context.release();
  return SCANWEFT_OK;
}

void scanweft_context_release(scanweft_context *context) {
  if (context)
    context->release();
}
