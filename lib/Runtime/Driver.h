// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The CUDA driver, found at run time. Only the functions and numbers that the
// runtime uses are declared, as the driver's interface fixes them.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_DRIVER_H
#define SCANWEFT_LIB_RUNTIME_DRIVER_H

#include "Status.h"

namespace scanweft::runtime {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;

namespace cuda {
enum DeviceAttribute {
  kMultiprocessors = 16,
  kClockRate = 13,
  kL2CacheBytes = 38,
  kMajor = 75,
  kMinor = 76,
  kSharedBytesPerBlockOptIn = 97,
};
enum FunctionAttribute {
  kMaxThreads = 0,
  kStaticShared = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicShared = 8,
};
enum JitOption {
  kErrorLog = 5,
  kErrorLogBytes = 6,
};
enum GraphNodeType { kKernelNode = 0, kMemcpyNode = 1, kMemsetNode = 2 };
inline constexpr int kRelaxedCapture = 2;
/// The keys of a launch that passes its parameters as one block.
inline void *const kParametersEnd = nullptr;
inline void *const kParametersPointer = reinterpret_cast<void *>(1);
inline void *const kParametersSize = reinterpret_cast<void *>(2);
} // namespace cuda

/// X(name in the table, symbol, parameters); all return CUresult.
#define SCANWEFT_DRIVER_FUNCTIONS(X)                                           \
  X(init, cuInit, (unsigned))                                                  \
  X(driverGetVersion, cuDriverGetVersion, (int *))                             \
  X(getErrorName, cuGetErrorName, (CUresult, const char **))                   \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (CUdevice *, int))                                 \
  X(deviceGetName, cuDeviceGetName, (char *, int, CUdevice))                   \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, CUdevice))          \
  X(ctxGetCurrent, cuCtxGetCurrent, (CUcontext *))                             \
  X(ctxGetDevice, cuCtxGetDevice, (CUdevice *))                                \
  X(ctxPushCurrent, cuCtxPushCurrent_v2, (CUcontext))                          \
  X(ctxPopCurrent, cuCtxPopCurrent_v2, (CUcontext *))                          \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))       \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice))               \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (CUmodule *, const void *, unsigned, int *, void **))                      \
  X(moduleUnload, cuModuleUnload, (CUmodule))                                  \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (CUfunction *, CUmodule, const char *))                                    \
  X(funcGetAttribute, cuFuncGetAttribute, (int *, int, CUfunction))            \
  X(funcSetAttribute, cuFuncSetAttribute, (CUfunction, int, int))              \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                    \
    (int *, CUfunction, int, size_t))                                          \
  X(launchKernel, cuLaunchKernel,                                              \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CUstream, void **, void **))                                    \
  X(memAlloc, cuMemAlloc_v2, (CUdeviceptr *, size_t))                          \
  X(memFree, cuMemFree_v2, (CUdeviceptr))                                      \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *, size_t *))                         \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))          \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))                \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (CUdeviceptr, CUdeviceptr, size_t, CUstream))                              \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (CUdeviceptr, unsigned char, size_t, CUstream))                            \
  X(memsetD32Async, cuMemsetD32Async,                                          \
    (CUdeviceptr, unsigned, size_t, CUstream))                                 \
  X(streamCreate, cuStreamCreate, (CUstream *, unsigned))                      \
  X(streamDestroy, cuStreamDestroy_v2, (CUstream))                             \
  X(streamSynchronize, cuStreamSynchronize, (CUstream))                        \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (CUstream, int))              \
  X(streamEndCapture, cuStreamEndCapture, (CUstream, CUgraph *))               \
  X(graphGetNodes, cuGraphGetNodes, (CUgraph, CUgraphNode *, size_t *))        \
  X(graphNodeGetType, cuGraphNodeGetType, (CUgraphNode, int *))                \
  X(graphDestroy, cuGraphDestroy, (CUgraph))                                   \
  X(eventCreate, cuEventCreate, (CUevent *, unsigned))                         \
  X(eventDestroy, cuEventDestroy_v2, (CUevent))                                \
  X(eventRecord, cuEventRecord, (CUevent, CUstream))                           \
  X(eventSynchronize, cuEventSynchronize, (CUevent))                           \
  X(eventElapsedTime, cuEventElapsedTime, (float *, CUevent, CUevent))

/// Functions that older drivers lack; null there.
#define SCANWEFT_OPTIONAL_DRIVER_FUNCTIONS(X)                                  \
  X(funcGetParamInfo, cuFuncGetParamInfo,                                      \
    (CUfunction, size_t, size_t *, size_t *))

struct Driver {
#define SCANWEFT_DECLARE(NAME, SYMBOL, PARAMETERS)                             \
  CUresult(*NAME) PARAMETERS = nullptr;
  SCANWEFT_DRIVER_FUNCTIONS(SCANWEFT_DECLARE)
  SCANWEFT_OPTIONAL_DRIVER_FUNCTIONS(SCANWEFT_DECLARE)
#undef SCANWEFT_DECLARE
};

/// Loads and initialises the driver, once in a process where it succeeds.
Status getDriver(const Driver *&driver);

/// A failure that says which call for what returned what.
Status failCall(const Driver &driver, CUresult result, const char *call,
                const char *what);

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_DRIVER_H
