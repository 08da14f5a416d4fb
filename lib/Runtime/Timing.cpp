// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Times of calls. Everything is put on the stream before anything is read, so
// that the device never waits for the host between two events.
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "scanweft/Runtime/scanweft_device.h"
#include <chrono>
#include <vector>

using namespace scanweft::runtime;

static Status launch(const scanweft_call &call, void *stream) {
  return scanweft_entry_launch(call.entry, call.arguments, call.num_arguments,
                               call.results, call.num_results, call.workspace,
                               call.workspace_bytes, stream, nullptr, 0);
}

/// Overwrites twice the second-level cache.
static CUresult flush(scanweft_context &context, CUstream stream) {
  size_t bytes = 2 * static_cast<size_t>(context.l2CacheBytes);
  if (!context.flushBuffer)
    if (CUresult result = context.driver->memAlloc(&context.flushBuffer, bytes))
      return result;
  return context.driver->memsetD8Async(context.flushBuffer, 0, bytes, stream);
}

namespace {
/// Pairs of events.
class Events {
public:
  explicit Events(const Driver &driver) : driver(driver) {}
  ~Events() {
    for (CUevent event : events)
      driver.eventDestroy(event);
  }
  CUresult create(size_t number) {
    for (size_t i = 0; i < number; ++i) {
      CUevent event = nullptr;
      if (CUresult result = driver.eventCreate(&event, 0))
        return result;
      events.push_back(event);
    }
    return 0;
  }
  CUevent operator[](size_t index) const { return events[index]; }

private:
  const Driver &driver;
  std::vector<CUevent> events;
};
} // namespace

scanweft_status scanweft_call_time(scanweft_context *context,
                                   const scanweft_call *call, void *stream,
                                   int32_t flushed, int32_t number,
                                   float *milliseconds) {
  if (!context || !call || !milliseconds || number < 1)
    return fail(SCANWEFT_INVALID_CALL, "nothing to time");
  CurrentContext current(*context);
  if (Status status = current.status())
    return status;
  const Driver &driver = *context->driver;
  auto queue = static_cast<CUstream>(stream);
  auto failTime = [&](CUresult result) {
    return failCall(driver, result, "a timing call",
                    context->deviceName.c_str());
  };
  Events events(driver);
  if (CUresult result = events.create(2 * static_cast<size_t>(number)))
    return failTime(result);
  for (int32_t i = 0; i < number; ++i) {
    if (flushed)
      if (CUresult result = flush(*context, queue))
        return failTime(result);
    if (CUresult result = driver.eventRecord(events[2 * i], queue))
      return failTime(result);
    if (Status status = launch(*call, stream))
      return status;
    if (CUresult result = driver.eventRecord(events[2 * i + 1], queue))
      return failTime(result);
  }
  if (CUresult result = driver.streamSynchronize(queue))
    return failTime(result);
  for (int32_t i = 0; i < number; ++i)
    if (CUresult result = driver.eventElapsedTime(
            milliseconds + i, events[2 * i], events[2 * i + 1]))
      return failTime(result);
  return SCANWEFT_OK;
}

scanweft_status scanweft_call_host_time(scanweft_context *context,
                                        const scanweft_call *call, void *stream,
                                        int32_t number, int64_t *nanoseconds) {
  if (!context || !call || !nanoseconds || number < 1)
    return fail(SCANWEFT_INVALID_CALL, "nothing to time");
  using Clock = std::chrono::steady_clock;
  for (int32_t i = 0; i < number; ++i) {
    Clock::time_point start = Clock::now();
    if (Status status = launch(*call, stream))
      return status;
    nanoseconds[i] = std::chrono::nanoseconds(Clock::now() - start).count();
    if (Status status = scanweft_stream_synchronize(context, stream))
      return status;
  }
  return SCANWEFT_OK;
}
