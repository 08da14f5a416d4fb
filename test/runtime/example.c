// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The runtime from C: loads an artifact, asks for sizes, launches, reads back.
//
// usage: example MANIFEST, of a function of one f32 tensor [B, T, H, 64]
//===----------------------------------------------------------------------===//

#include "scanweft/Runtime/scanweft_device.h"
#include <stdio.h>
#include <stdlib.h>

enum { kBatch = 2, kLength = 5, kHeads = 3, kWidth = 64, kMaxResults = 4 };

#define TRY(CALL)                                                              \
  do {                                                                         \
    scanweft_status status = (CALL);                                           \
    if (status) {                                                              \
      fprintf(stderr, "%s: %s\n", scanweft_status_name(status),                \
              scanweft_error_text());                                          \
      return EXIT_FAILURE;                                                     \
    }                                                                          \
  } while (0)

static uint64_t countBytes(const scanweft_tensor *tensor) {
  uint64_t bytes = sizeof(float);
  for (int d = 0; d < tensor->rank; ++d)
    bytes *= tensor->sizes[d];
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return EXIT_FAILURE;
  scanweft_context *context;
  scanweft_artifact *artifact;
  const scanweft_entry *entry;
  scanweft_entry_info info;
  TRY(scanweft_context_primary(0, &context));
  TRY(scanweft_artifact_load_file(context, argv[1], &artifact));
  TRY(scanweft_artifact_entry(artifact, 0, &entry));
  TRY(scanweft_entry_describe(entry, &info));

  scanweft_tensor x = {
      .type = SCANWEFT_F32,
      .rank = 4,
      .sizes = {kBatch, kLength, kHeads, kWidth},
      .strides = {kLength * kHeads * kWidth, kHeads * kWidth, kWidth, 1}};
  TRY(scanweft_device_allocate(context, countBytes(&x), &x.data));
  TRY(scanweft_device_fill(context, x.data, 0x3f800000, countBytes(&x) / 4,
                           NULL));

  scanweft_tensor results[kMaxResults];
  uint64_t workspaceBytes;
  void *workspace = NULL;
  TRY(scanweft_entry_query(entry, &x, 1, results, info.num_results,
                           &workspaceBytes));
  for (int i = 0; i < info.num_results; ++i)
    TRY(scanweft_device_allocate(context, countBytes(&results[i]),
                                 &results[i].data));
  if (workspaceBytes)
    TRY(scanweft_device_allocate(context, workspaceBytes, &workspace));

  scanweft_launched launched;
  TRY(scanweft_entry_launch(entry, &x, 1, results, info.num_results, workspace,
                            workspaceBytes, NULL, &launched, 1));
  printf("%s: %lld programs of %s, variant '%s'\n", info.name,
         (long long)launched.programs, launched.kernel, launched.variant);

  TRY(scanweft_stream_synchronize(context, NULL));
  for (int i = 0; i < info.num_results; ++i) {
    float first;
    TRY(scanweft_device_download(context, &first, results[i].data,
                                 sizeof(first)));
    printf("result %d: rank %d, %llu bytes, begins with %g\n", i,
           results[i].rank, (unsigned long long)countBytes(&results[i]), first);
    TRY(scanweft_device_free(context, results[i].data));
  }
  TRY(scanweft_device_free(context, x.data));
  TRY(scanweft_device_free(context, workspace));
  scanweft_artifact_release(artifact);
  scanweft_context_release(context);
  return EXIT_SUCCESS;
}
