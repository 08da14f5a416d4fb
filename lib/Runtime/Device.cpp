// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Device memory, streams and captures for tests.
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "scanweft/Runtime/scanweft_device.h"
#include <cstring>
#include <vector>

using namespace scanweft::runtime;

/// A stream that does not wait for the default one.
static constexpr unsigned kNonBlocking = 1;

static CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

static CUstream toStream(void *stream) { return static_cast<CUstream>(stream); }

/// Runs a driver call in the context; a failure names it.
template <typename Function>
static Status callIn(const scanweft_context *context, const char *name,
                     Function function) {
  if (!context)
    return fail(SCANWEFT_INVALID_CALL, "the context is null");
  CurrentContext current(*context);
  if (Status status = current.status())
    return status;
  if (CUresult result = function(*context->driver))
    return failCall(*context->driver, result, name,
                    context->deviceName.c_str());
  return SCANWEFT_OK;
}

scanweft_status scanweft_device_describe(scanweft_context *context,
                                         scanweft_device_info *info) {
  if (!context || !info)
    return fail(SCANWEFT_INVALID_CALL, "a pointer of the call is null");
  *info = {};
  std::strncpy(info->name, context->deviceName.c_str(), sizeof(info->name) - 1);
  info->major = context->major;
  info->minor = context->minor;
  info->multiprocessors = context->multiprocessors;
  info->shared_bytes_per_block = context->sharedBytesPerBlock;
  info->l2_cache_bytes = context->l2CacheBytes;
  if (Status status = callIn(context, "cuDriverGetVersion", [&](auto &driver) {
        return driver.driverGetVersion(&info->driver_version);
      }))
    return status;
  size_t free = 0, total = 0;
  Status status = callIn(context, "cuMemGetInfo", [&](auto &driver) {
    return driver.memGetInfo(&free, &total);
  });
  info->free_bytes = free;
  info->total_bytes = total;
  return status;
}

scanweft_status scanweft_device_allocate(scanweft_context *context,
                                         uint64_t bytes, void **memory) {
  if (!memory)
    return fail(SCANWEFT_INVALID_CALL, "the result is null");
  *memory = nullptr;
  return callIn(context, "cuMemAlloc", [&](auto &driver) {
    CUdeviceptr pointer = 0;
    CUresult result = driver.memAlloc(&pointer, bytes ? bytes : 1);
    *memory = reinterpret_cast<void *>(pointer);
    return result;
  });
}

scanweft_status scanweft_device_free(scanweft_context *context, void *memory) {
  return callIn(context, "cuMemFree", [&](auto &driver) {
    return memory ? driver.memFree(toDevice(memory)) : 0;
  });
}

scanweft_status scanweft_device_upload(scanweft_context *context, void *memory,
                                       const void *host, uint64_t bytes) {
  // The call may return while the bytes are on their way from a staging buffer.
  return callIn(context, "cuMemcpyHtoD", [&](auto &driver) {
    if (bytes)
      if (CUresult result = driver.memcpyHtoD(toDevice(memory), host, bytes))
        return result;
    return driver.streamSynchronize(nullptr);
  });
}

scanweft_status scanweft_device_download(scanweft_context *context, void *host,
                                         const void *memory, uint64_t bytes) {
  return callIn(context, "cuMemcpyDtoH", [&](auto &driver) {
    return bytes ? driver.memcpyDtoH(host, toDevice(memory), bytes) : 0;
  });
}

scanweft_status scanweft_device_fill(scanweft_context *context, void *memory,
                                     uint32_t word, uint64_t words,
                                     void *stream) {
  return callIn(context, "cuMemsetD32Async", [&](auto &driver) {
    return words ? driver.memsetD32Async(toDevice(memory), word, words,
                                         toStream(stream))
                 : 0;
  });
}

scanweft_status scanweft_device_copy(scanweft_context *context, void *to,
                                     const void *from, uint64_t bytes,
                                     void *stream) {
  return callIn(context, "cuMemcpyDtoDAsync", [&](auto &driver) {
    return bytes ? driver.memcpyDtoDAsync(toDevice(to), toDevice(from), bytes,
                                          toStream(stream))
                 : 0;
  });
}

scanweft_status scanweft_stream_create(scanweft_context *context,
                                       void **stream) {
  if (!stream)
    return fail(SCANWEFT_INVALID_CALL, "the result is null");
  *stream = nullptr;
  return callIn(context, "cuStreamCreate", [&](auto &driver) {
    CUstream created = nullptr;
    CUresult result = driver.streamCreate(&created, kNonBlocking);
    *stream = created;
    return result;
  });
}

scanweft_status scanweft_stream_destroy(scanweft_context *context,
                                        void *stream) {
  return callIn(context, "cuStreamDestroy", [&](auto &driver) {
    return driver.streamDestroy(toStream(stream));
  });
}

scanweft_status scanweft_stream_synchronize(scanweft_context *context,
                                            void *stream) {
  return callIn(context, "cuStreamSynchronize", [&](auto &driver) {
    return driver.streamSynchronize(toStream(stream));
  });
}

scanweft_status scanweft_capture_begin(scanweft_context *context,
                                       void *stream) {
  return callIn(context, "cuStreamBeginCapture", [&](auto &driver) {
    return driver.streamBeginCapture(toStream(stream), cuda::kRelaxedCapture);
  });
}

static CUresult countNodes(const Driver &driver, CUgraph graph,
                           scanweft_captured &captured) {
  size_t number = 0;
  if (CUresult result = driver.graphGetNodes(graph, nullptr, &number))
    return result;
  std::vector<CUgraphNode> nodes(number);
  if (number)
    if (CUresult result = driver.graphGetNodes(graph, nodes.data(), &number))
      return result;
  for (CUgraphNode node : nodes) {
    int type = 0;
    if (CUresult result = driver.graphNodeGetType(node, &type))
      return result;
    ++(type == cuda::kKernelNode   ? captured.kernels
       : type == cuda::kMemsetNode ? captured.memsets
       : type == cuda::kMemcpyNode ? captured.copies
                                   : captured.others);
  }
  return 0;
}

scanweft_status scanweft_capture_end(scanweft_context *context, void *stream,
                                     scanweft_captured *captured) {
  if (!captured)
    return fail(SCANWEFT_INVALID_CALL, "the result is null");
  *captured = {};
  CUgraph graph = nullptr;
  if (Status status = callIn(context, "cuStreamEndCapture", [&](auto &driver) {
        return driver.streamEndCapture(toStream(stream), &graph);
      }))
    return status;
  return callIn(context, "cuGraphGetNodes", [&](auto &driver) {
    CUresult result = graph ? countNodes(driver, graph, *captured) : 0;
    if (graph)
      driver.graphDestroy(graph);
    return result;
  });
}
