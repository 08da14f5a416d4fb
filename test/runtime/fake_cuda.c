// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fake_cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxKernels = 64, kMaxParameters = 256, kMaxLaunches = 1024 };
enum { kInvalidValue = 1, kNoDevice = 100, kNotFound = 500 };
enum { kDevices = -1, kBlocks = -2 };

typedef unsigned long long address;

typedef struct kernel {
  char name[256];
  int max_threads, static_shared, dynamic_shared, num_parameters;
  int parameter_bytes[kMaxParameters];
} kernel;

static kernel kernels[kMaxKernels];
static int num_kernels;
static fake_launch launches[kMaxLaunches];
static int num_launches;
static int values[256];
static int num_devices, num_blocks, num_live;
static fake_kernel function;
static const char *failing;
static int failing_result;
/// Nodes put on a stream while it is captured: kernels, copies, memsets.
static int capturing, captured[3];
static void *current_context;
static int primary_context;

static const int kKernelNode = 0, kCopyNode = 1, kMemsetNode = 2;

void fake_cuda_set(int attribute, int value) {
  if (attribute == kDevices)
    num_devices = value;
  else if (attribute == kBlocks)
    num_blocks = value;
  else
    values[attribute] = value;
}

__attribute__((constructor(101))) void fake_cuda_reset(void) {
  num_kernels = num_launches = 0;
  num_devices = 1;
  num_blocks = 2;
  function = 0;
  failing = 0;
  capturing = 0;
  current_context = 0;
  memset(values, 0, sizeof(values));
  values[16] = 132;     // multiprocessors
  values[38] = 1 << 20; // second-level cache
  values[75] = 9;       // major
  values[76] = 0;       // minor
  values[97] = 232448;  // shared memory of a block
}

/// FAKE_CUDA_KERNELS=name:N,... are kernels of N parameters of 8 bytes, for
/// programs that cannot call the functions above.
__attribute__((constructor)) static void addFromEnvironment(void) {
  const char *text = getenv("FAKE_CUDA_KERNELS");
  char name[256];
  int number, used, sizes[kMaxParameters];
  for (int i = 0; i < kMaxParameters; ++i)
    sizes[i] = 8;
  for (; text && sscanf(text, "%255[^:,]:%d%n", name, &number, &used) == 2;
       text += used + (text[used] == ','))
    fake_cuda_add_kernel(name, 1024, 0, number, sizes);
}

void fake_cuda_add_kernel(const char *name, int max_threads, int static_shared,
                          int num_parameters, const int *parameter_bytes) {
  if (num_kernels == kMaxKernels || num_parameters > kMaxParameters)
    abort();
  kernel *added = &kernels[num_kernels++];
  memset(added, 0, sizeof(*added));
  strncpy(added->name, name, sizeof(added->name) - 1);
  added->max_threads = max_threads;
  added->static_shared = static_shared;
  added->num_parameters = num_parameters;
  if (num_parameters)
    memcpy(added->parameter_bytes, parameter_bytes,
           num_parameters * sizeof(int));
}

void fake_cuda_set_function(fake_kernel set) { function = set; }

void fake_cuda_fail(const char *call, int result) {
  static char name[128];
  failing = 0;
  if (!call)
    return;
  strncpy(name, call, sizeof(name) - 1);
  failing = name;
  failing_result = result;
}

int fake_cuda_num_launches(void) { return num_launches; }
const fake_launch *fake_cuda_get_launch(int index) { return &launches[index]; }
int fake_cuda_num_live(void) { return num_live; }

#define RETURN_IF_FAILING                                                      \
  if (failing && !strcmp(failing, __func__))                                   \
  return failing_result

int cuInit(unsigned flags) {
  RETURN_IF_FAILING;
  return num_devices ? 0 : kNoDevice;
}

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}

int cuGetErrorName(int result, const char **name) {
  *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                          : "CUDA_ERROR_FAKE";
  return 0;
}

int cuDeviceGetCount(int *count) {
  *count = num_devices;
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int bytes, int device) {
  strncpy(name, "Fake Device", bytes);
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  RETURN_IF_FAILING;
  *value = values[attribute];
  return 0;
}

int cuCtxGetCurrent(void **context) {
  *context = current_context;
  return 0;
}

int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}

int cuCtxPushCurrent_v2(void *context) {
  RETURN_IF_FAILING;
  current_context = context;
  return 0;
}

int cuCtxPopCurrent_v2(void **context) {
  *context = current_context;
  current_context = 0;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  RETURN_IF_FAILING;
  *context = &primary_context;
  ++num_live;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  --num_live;
  return 0;
}

int cuModuleLoadDataEx(void **module, const void *code, unsigned num_options,
                       int *options, void **option_values) {
  if (failing && !strcmp(failing, __func__)) {
    for (unsigned i = 0; i < num_options; ++i)
      if (options[i] == 5)
        strcpy(option_values[i], "ptxas fatal : unresolved extern");
    return failing_result;
  }
  *module = malloc(1);
  ++num_live;
  return 0;
}

int cuModuleUnload(void *module) {
  free(module);
  --num_live;
  return 0;
}

int cuModuleGetFunction(void **result, void *module, const char *name) {
  for (int i = 0; i < num_kernels; ++i)
    if (!strcmp(kernels[i].name, name)) {
      *result = &kernels[i];
      return 0;
    }
  return kNotFound;
}

int cuFuncGetAttribute(int *value, int attribute, void *of) {
  const kernel *asked = of;
  *value = attribute == 0   ? asked->max_threads
           : attribute == 1 ? asked->static_shared
           : attribute == 4 ? 96
                            : 0;
  return 0;
}

int cuFuncSetAttribute(void *of, int attribute, int value) {
  RETURN_IF_FAILING;
  if (attribute != 8)
    return kInvalidValue;
  ((kernel *)of)->dynamic_shared = value;
  return 0;
}

int cuFuncGetParamInfo(void *of, size_t index, size_t *offset, size_t *bytes) {
  const kernel *asked = of;
  size_t at = 0;
  for (size_t i = 0; i < (size_t)asked->num_parameters; ++i) {
    size_t size = asked->parameter_bytes[i];
    at = (at + size - 1) / size * size;
    *offset = at;
    *bytes = size;
    if (i == index)
      return 0;
    at += size;
  }
  return kInvalidValue;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *of,
                                                int threads, size_t shared) {
  RETURN_IF_FAILING;
  *blocks = num_blocks;
  return 0;
}

int cuLaunchKernel(void *of, unsigned x, unsigned y, unsigned z,
                   unsigned threads, unsigned threads_y, unsigned threads_z,
                   unsigned shared, void *stream, void **parameters,
                   void **extra) {
  RETURN_IF_FAILING;
  const kernel *launched = of;
  if (parameters || !extra || y != 1 || z != 1 || threads_y != 1 ||
      threads_z != 1 || !x || shared > (unsigned)launched->dynamic_shared)
    return kInvalidValue;
  if (capturing) {
    ++captured[kKernelNode];
    return 0;
  }
  fake_launch *record = &launches[num_launches % kMaxLaunches];
  ++num_launches;
  memset(record, 0, sizeof(*record));
  record->kernel = launched->name;
  record->grid = x;
  record->threads = threads;
  record->shared = shared;
  record->stream = (uint64_t)stream;
  const void *block = 0;
  for (; extra[0]; extra += 2) {
    if (extra[0] == (void *)1)
      block = extra[1];
    else if (extra[0] == (void *)2)
      record->parameter_bytes = *(size_t *)extra[1];
  }
  memcpy(record->parameters, block, record->parameter_bytes);
  if (function)
    function(record);
  return 0;
}

int cuMemAlloc_v2(address *pointer, size_t bytes) {
  RETURN_IF_FAILING;
  void *memory = 0;
  if (posix_memalign(&memory, 512, bytes))
    return 2;
  memset(memory, 0, bytes);
  *pointer = (address)memory;
  ++num_live;
  return 0;
}

int cuMemFree_v2(address pointer) {
  free((void *)pointer);
  --num_live;
  return 0;
}

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = (size_t)1 << 34;
  return 0;
}

int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) {
  memcpy((void *)to, from, bytes);
  return 0;
}

int cuMemcpyDtoH_v2(void *to, address from, size_t bytes) {
  RETURN_IF_FAILING;
  memcpy(to, (void *)from, bytes);
  return 0;
}

int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream) {
  if (capturing)
    ++captured[kCopyNode];
  else
    memcpy((void *)to, (void *)from, bytes);
  return 0;
}

int cuMemsetD8Async(address to, unsigned char value, size_t bytes,
                    void *stream) {
  if (capturing)
    ++captured[kMemsetNode];
  else
    memset((void *)to, value, bytes);
  return 0;
}

int cuMemsetD32Async(address to, unsigned value, size_t words, void *stream) {
  if (capturing)
    ++captured[kMemsetNode];
  else
    for (size_t i = 0; i < words; ++i)
      ((unsigned *)to)[i] = value;
  return 0;
}

int cuStreamCreate(void **stream, unsigned flags) {
  *stream = malloc(1);
  ++num_live;
  return 0;
}

int cuStreamDestroy_v2(void *stream) {
  free(stream);
  --num_live;
  return 0;
}

int cuStreamSynchronize(void *stream) {
  RETURN_IF_FAILING;
  return 0;
}

int cuStreamBeginCapture_v2(void *stream, int mode) {
  capturing = 1;
  memset(captured, 0, sizeof(captured));
  return 0;
}

int cuStreamEndCapture(void *stream, void **graph) {
  capturing = 0;
  *graph = captured;
  return 0;
}

/// A node is its type, plus 1.
int cuGraphGetNodes(void *graph, void **nodes, size_t *number) {
  size_t next = 0;
  for (int type = 0; type < 3; ++type)
    for (int i = 0; i < captured[type]; ++i, ++next)
      if (nodes)
        nodes[next] = (void *)(size_t)(type + 1);
  *number = next;
  return 0;
}

int cuGraphNodeGetType(void *node, int *type) {
  *type = (int)(size_t)node - 1;
  return 0;
}

int cuGraphDestroy(void *graph) { return 0; }

int cuEventCreate(void **event, unsigned flags) {
  *event = calloc(1, sizeof(double));
  ++num_live;
  return 0;
}

int cuEventDestroy_v2(void *event) {
  free(event);
  --num_live;
  return 0;
}

int cuEventRecord(void *event, void *stream) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *(double *)event = now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
  return 0;
}

int cuEventSynchronize(void *event) { return 0; }

int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  *milliseconds = *(double *)end - *(double *)start;
  return 0;
}
