// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What tests and measurements need beside the runtime: device memory, streams,
// counting what a call puts on a stream, times. A framework has its own.
// Statuses and texts are the runtime's.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_RUNTIME_SCANWEFT_DEVICE_H
#define SCANWEFT_RUNTIME_SCANWEFT_DEVICE_H

#include "scanweft/Runtime/scanweft_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scanweft_device_info {
  char name[128];
  int32_t major;
  int32_t minor;
  int32_t driver_version; ///< 1000 * major + 10 * minor
  int32_t multiprocessors;
  int32_t shared_bytes_per_block;
  int32_t l2_cache_bytes;
  uint64_t total_bytes;
  uint64_t free_bytes;
} scanweft_device_info;

SCANWEFT_API scanweft_status
scanweft_device_describe(scanweft_context *context, scanweft_device_info *info);

SCANWEFT_API scanweft_status scanweft_device_allocate(scanweft_context *context,
                                                      uint64_t bytes,
                                                      void **memory);
SCANWEFT_API scanweft_status scanweft_device_free(scanweft_context *context,
                                                  void *memory);
// Both return when the bytes are there.
SCANWEFT_API scanweft_status scanweft_device_upload(scanweft_context *context,
                                                    void *memory,
                                                    const void *host,
                                                    uint64_t bytes);
SCANWEFT_API scanweft_status scanweft_device_download(scanweft_context *context,
                                                      void *host,
                                                      const void *memory,
                                                      uint64_t bytes);
// Fills whole words of 32 bits.
SCANWEFT_API scanweft_status scanweft_device_fill(scanweft_context *context,
                                                  void *memory, uint32_t word,
                                                  uint64_t words, void *stream);
SCANWEFT_API scanweft_status scanweft_device_copy(scanweft_context *context,
                                                  void *to, const void *from,
                                                  uint64_t bytes, void *stream);

SCANWEFT_API scanweft_status scanweft_stream_create(scanweft_context *context,
                                                    void **stream);
SCANWEFT_API scanweft_status scanweft_stream_destroy(scanweft_context *context,
                                                     void *stream);
SCANWEFT_API scanweft_status
scanweft_stream_synchronize(scanweft_context *context, void *stream);

// What was put on a stream between begin and end; it is not run.
typedef struct scanweft_captured {
  int32_t kernels;
  int32_t memsets;
  int32_t copies;
  int32_t others;
} scanweft_captured;

SCANWEFT_API scanweft_status scanweft_capture_begin(scanweft_context *context,
                                                    void *stream);
SCANWEFT_API scanweft_status scanweft_capture_end(scanweft_context *context,
                                                  void *stream,
                                                  scanweft_captured *captured);

// A call of an entry, as scanweft_entry_launch takes it.
typedef struct scanweft_call {
  const scanweft_entry *entry;
  const scanweft_tensor *arguments;
  const scanweft_tensor *results;
  int32_t num_arguments;
  int32_t num_results;
  void *workspace;
  uint64_t workspace_bytes;
} scanweft_call;

// The device's time of each of `number` calls, in milliseconds, from an event
// before to one after it. With `flush`, the second-level cache is overwritten
// before each. Returns when all have run.
SCANWEFT_API scanweft_status scanweft_call_time(scanweft_context *context,
                                                const scanweft_call *call,
                                                void *stream, int32_t flush,
                                                int32_t number,
                                                float *milliseconds);
// The host's time of each of `number` calls, in nanoseconds: until the launch
// returns. The stream is synchronized between calls, so that its queue is not
// full.
SCANWEFT_API scanweft_status scanweft_call_host_time(scanweft_context *context,
                                                     const scanweft_call *call,
                                                     void *stream,
                                                     int32_t number,
                                                     int64_t *nanoseconds);

#ifdef __cplusplus
}
#endif

#endif // SCANWEFT_RUNTIME_SCANWEFT_DEVICE_H
