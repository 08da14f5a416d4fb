// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The runtime's C interface: loads what the compiler made and launches it on a
// stream.
//
// An artifact is a manifest (JSON, docs/Manifest.md) and code (a cubin, or PTX
// that the driver compiles). Everything is parsed, checked and resolved when it
// is loaded; a launch checks the arguments, picks the first variant whose
// guards hold and calls the driver, without allocating and without waiting.
//
// The library finds the driver with dlopen: it loads, and says what is missing,
// where there is none. SCANWEFT_LIBCUDA names another driver.
//
// Every function that can fail returns a status; scanweft_error_text() then
// says what and which. No function ends the process. Functions may be called
// from any thread; an artifact may be launched from several at once.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_RUNTIME_SCANWEFT_RUNTIME_H
#define SCANWEFT_RUNTIME_SCANWEFT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SCANWEFT_API __attribute__((visibility("default")))
#else
#define SCANWEFT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Changes when a struct or a function of this header does.
#define SCANWEFT_RUNTIME_ABI 1
#define SCANWEFT_MAX_RANK 8
// What the workspace's address is a multiple of.
#define SCANWEFT_WORKSPACE_ALIGNMENT 256

typedef enum scanweft_status {
  SCANWEFT_OK = 0,
  SCANWEFT_INVALID_CALL = 1,   ///< a null pointer, a wrong number of tensors
  SCANWEFT_NO_DRIVER = 2,      ///< there is none, or it is too old
  SCANWEFT_NO_DEVICE = 3,      ///< no such device
  SCANWEFT_NO_CONTEXT = 4,     ///< none is current
  SCANWEFT_BAD_FILE = 5,       ///< a file cannot be read
  SCANWEFT_BAD_MANIFEST = 6,   ///< not a manifest, damaged or edited
  SCANWEFT_BAD_CODE = 7,       ///< not the code that the manifest describes
  SCANWEFT_WRONG_TARGET = 8,   ///< made for another GPU
  SCANWEFT_NO_ENTRY = 9,       ///< the artifact has no function of that name
  SCANWEFT_NO_KERNEL = 10,     ///< the code has no kernel of that name
  SCANWEFT_NO_RESOURCES = 11,  ///< a kernel does not fit the device
  SCANWEFT_BAD_ARGUMENT = 12,  ///< an argument does not fit the entry
  SCANWEFT_BAD_RESULT = 13,    ///< a result does not fit the entry
  SCANWEFT_BAD_WORKSPACE = 14, ///< too small, or not aligned
  SCANWEFT_TOO_LARGE = 15,     ///< a size past 64 bits, a grid past 2^31 - 1
  SCANWEFT_NOT_RESIDENT = 16,  ///< programs that wait for each other do not fit
  SCANWEFT_DRIVER_ERROR = 17,  ///< the driver refused a call
  SCANWEFT_OUT_OF_MEMORY = 18  ///< of the host or the device
} scanweft_status;

typedef enum scanweft_type {
  SCANWEFT_BOOL = 0, ///< one byte
  SCANWEFT_I8 = 1,
  SCANWEFT_I16 = 2,
  SCANWEFT_I32 = 3,
  SCANWEFT_I64 = 4,
  SCANWEFT_INDEX = 5, ///< a 64-bit integer
  SCANWEFT_F16 = 6,
  SCANWEFT_BF16 = 7,
  SCANWEFT_F32 = 8,
  SCANWEFT_F64 = 9,
  SCANWEFT_F8E4M3 = 10,
  SCANWEFT_F8E5M2 = 11
} scanweft_type;

// A tensor in device memory, or a scalar (rank 0) in host memory.
typedef struct scanweft_tensor {
  void *data;   ///< its first element
  int32_t type; ///< scanweft_type
  int32_t rank;
  int64_t sizes[SCANWEFT_MAX_RANK];
  int64_t strides[SCANWEFT_MAX_RANK]; ///< in elements, not negative
} scanweft_tensor;

// What an entry says of an argument or a result.
typedef struct scanweft_parameter {
  const char *name; ///< lives as long as the artifact
  int32_t type;     ///< scanweft_type
  int32_t rank;
  int32_t is_scalar; ///< an argument that is no tensor
  int32_t reserved;
  int64_t sizes[SCANWEFT_MAX_RANK]; ///< -1: known at launch
} scanweft_parameter;

// What an entry says of itself.
typedef struct scanweft_entry_info {
  const char *name;
  int32_t num_arguments;
  int32_t num_results;
  int32_t num_launches;
  int32_t workspace_zeroed; ///< 1: zero it once, before its first use
} scanweft_entry_info;

// A kernel's resources: from the manifest, and from the driver.
typedef struct scanweft_kernel_info {
  const char *symbol;
  int32_t threads;
  int32_t registers;     ///< a thread's, by the driver
  int32_t local_bytes;   ///< a thread's stack and spills, by the driver
  int32_t static_shared; ///< by the driver
  int32_t dynamic_shared;
  int32_t spill_bytes; ///< stores and loads, by the manifest; -1: not said
  int64_t code_bytes;  ///< by the manifest; -1: not said
  int32_t resident_programs; ///< how many the device holds at once
  int32_t reserved;
} scanweft_kernel_info;

// What one launch of a call ran.
typedef struct scanweft_launched {
  const char *kernel;
  const char *variant;
  int32_t variant_index;
  int32_t num_variants;
  int64_t programs; ///< 0: there was nothing to do, no kernel ran
} scanweft_launched;

typedef struct scanweft_context scanweft_context;
typedef struct scanweft_artifact scanweft_artifact;
typedef struct scanweft_entry scanweft_entry;

// What went wrong in this thread's last call that failed: one line, which lives
// until this thread's next call that fails.
SCANWEFT_API const char *scanweft_error_text(void);
// "no driver", "wrong target", ...
SCANWEFT_API const char *scanweft_status_name(int32_t status);
SCANWEFT_API int32_t scanweft_runtime_abi(void);

// The context that is current in this thread. It stays its owner's: it must
// outlive what is loaded into it.
SCANWEFT_API scanweft_status
scanweft_context_current(scanweft_context **context);
// The primary context of device `device`, which frameworks share.
SCANWEFT_API scanweft_status
scanweft_context_primary(int32_t device, scanweft_context **context);
// What was loaded into it stays valid until it is released itself.
SCANWEFT_API void scanweft_context_release(scanweft_context *context);

// Loads an artifact from its manifest; the code lies beside it, under the name
// that the manifest gives.
SCANWEFT_API scanweft_status scanweft_artifact_load_file(
    scanweft_context *context, const char *manifest_path,
    scanweft_artifact **artifact);
// The same from memory, which is not needed afterwards.
SCANWEFT_API scanweft_status scanweft_artifact_load(
    scanweft_context *context, const char *manifest, size_t manifest_bytes,
    const void *code, size_t code_bytes, scanweft_artifact **artifact);
// No launch of it may still run.
SCANWEFT_API void scanweft_artifact_release(scanweft_artifact *artifact);

SCANWEFT_API int32_t
scanweft_artifact_num_entries(const scanweft_artifact *artifact);
SCANWEFT_API int32_t
scanweft_artifact_num_kernels(const scanweft_artifact *artifact);
SCANWEFT_API scanweft_status
scanweft_artifact_kernel(const scanweft_artifact *artifact, int32_t index,
                         scanweft_kernel_info *info);
// The entry lives as long as the artifact.
SCANWEFT_API scanweft_status
scanweft_artifact_entry(const scanweft_artifact *artifact, int32_t index,
                        const scanweft_entry **entry);
SCANWEFT_API scanweft_status
scanweft_artifact_find_entry(const scanweft_artifact *artifact,
                             const char *name, const scanweft_entry **entry);

SCANWEFT_API scanweft_status
scanweft_entry_describe(const scanweft_entry *entry, scanweft_entry_info *info);
SCANWEFT_API scanweft_status scanweft_entry_argument(
    const scanweft_entry *entry, int32_t index, scanweft_parameter *parameter);
SCANWEFT_API scanweft_status scanweft_entry_result(
    const scanweft_entry *entry, int32_t index, scanweft_parameter *parameter);

// The types, ranks and sizes of the results for these arguments, as contiguous
// tensors without data, and the bytes of workspace. Arguments need no data
// here, scalars apart.
SCANWEFT_API scanweft_status scanweft_entry_query(
    const scanweft_entry *entry, const scanweft_tensor *arguments,
    int32_t num_arguments, scanweft_tensor *results, int32_t num_results,
    uint64_t *workspace_bytes);

// Launches on `stream` (a CUstream; null is the default stream) and returns;
// the tensors' memory is used until the stream has passed. Results must not
// overlap arguments. `launched`, where it is not null, takes the first
// `num_launched` of what ran.
SCANWEFT_API scanweft_status scanweft_entry_launch(
    const scanweft_entry *entry, const scanweft_tensor *arguments,
    int32_t num_arguments, const scanweft_tensor *results, int32_t num_results,
    void *workspace, uint64_t workspace_bytes, void *stream,
    scanweft_launched *launched, int32_t num_launched);

#ifdef __cplusplus
}
#endif

#endif // SCANWEFT_RUNTIME_SCANWEFT_RUNTIME_H
