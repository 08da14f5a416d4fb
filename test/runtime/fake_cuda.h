// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// A CUDA driver without a device: memory is the host's, a launch is recorded
// and, where a test gave one, handed to a function that stands for the kernel.
// Tests set what the device says of itself and which call fails.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TEST_RUNTIME_FAKE_CUDA_H
#define SCANWEFT_TEST_RUNTIME_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_launch {
  const char *kernel;
  uint32_t grid, threads, shared;
  uint64_t stream;
  uint64_t parameter_bytes;
  unsigned char parameters[4096];
} fake_launch;

typedef void (*fake_kernel)(const fake_launch *launch);

/// Device attributes by the driver's numbers; -1 is the number of devices, -2
/// the blocks a multiprocessor holds.
void fake_cuda_set(int attribute, int value);
/// Back to the state after loading.
void fake_cuda_reset(void);
/// A kernel of every module. Parameters: their sizes, each aligned to itself.
void fake_cuda_add_kernel(const char *name, int max_threads, int static_shared,
                          int num_parameters, const int *parameter_bytes);
/// What a launch of any kernel does; null: nothing.
void fake_cuda_set_function(fake_kernel function);
/// The call of this name fails with `result`, until reset; null: none does.
void fake_cuda_fail(const char *call, int result);
int fake_cuda_num_launches(void);
const fake_launch *fake_cuda_get_launch(int index);
/// Allocations, modules, streams and events that are not yet given back.
int fake_cuda_num_live(void);

#endif // SCANWEFT_TEST_RUNTIME_FAKE_CUDA_H
