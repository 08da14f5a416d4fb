// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// dlopen of the driver. It stays loaded: what it was asked for may be in use
// until the process ends.
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace scanweft::runtime;

static constexpr CUresult kNoDevice = 100, kOutOfMemory = 2;

static Status openDriver(Driver &driver) {
  const char *path = std::getenv("SCANWEFT_LIBCUDA");
  if (!path || !*path)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(SCANWEFT_NO_DRIVER, "no CUDA driver: %s", dlerror());
#define SCANWEFT_RESOLVE(NAME, SYMBOL, PARAMETERS)                             \
  driver.NAME =                                                                \
      reinterpret_cast<CUresult(*) PARAMETERS>(dlsym(library, #SYMBOL));
#define SCANWEFT_REQUIRE(NAME, SYMBOL, PARAMETERS)                             \
  SCANWEFT_RESOLVE(NAME, SYMBOL, PARAMETERS)                                   \
  if (!driver.NAME)                                                            \
    return fail(SCANWEFT_NO_DRIVER,                                            \
                "the CUDA driver %s has no " #SYMBOL ": it is too old", path);
  SCANWEFT_DRIVER_FUNCTIONS(SCANWEFT_REQUIRE)
  SCANWEFT_OPTIONAL_DRIVER_FUNCTIONS(SCANWEFT_RESOLVE)
#undef SCANWEFT_REQUIRE
#undef SCANWEFT_RESOLVE
  if (CUresult result = driver.init(0))
    return result == kNoDevice
               ? fail(SCANWEFT_NO_DEVICE, "the CUDA driver finds no device")
               : failCall(driver, result, "cuInit", path);
  return SCANWEFT_OK;
}

Status scanweft::runtime::getDriver(const Driver *&driver) {
  static std::mutex mutex;
  static Driver loaded;
  static bool isLoaded = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isLoaded) {
    Driver opened;
    if (Status status = openDriver(opened))
      return status;
    loaded = opened;
    isLoaded = true;
  }
  driver = &loaded;
  return SCANWEFT_OK;
}

Status scanweft::runtime::failCall(const Driver &driver, CUresult result,
                                   const char *call, const char *what) {
  const char *name = nullptr;
  driver.getErrorName(result, &name);
  return fail(
      result == kOutOfMemory ? SCANWEFT_OUT_OF_MEMORY : SCANWEFT_DRIVER_ERROR,
      "%s of %s: %s (%d)", call, what, name ? name : "unknown error", result);
}
