// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// One call of an entry: bound once, then launch after launch.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_LAUNCH_H
#define SCANWEFT_LIB_RUNTIME_LAUNCH_H

#include "Artifact.h"
#include "Binding.h"

namespace scanweft::runtime {

class Call {
public:
  Call(const scanweft_entry &handle, const scanweft_tensor *arguments,
       const scanweft_tensor *results)
      : artifact(*handle.artifact), entry(*handle.entry), arguments(arguments),
        results(results), values(entry, arguments) {}

  /// Checks the arguments and computes all sizes.
  Status bind(int32_t numArguments);
  Status getWorkspaceBytes(uint64_t &bytes) const;
  Status getResult(int32_t number, scanweft_tensor &result) const;
  Status run(int32_t numResults, void *workspace, uint64_t workspaceBytes,
             CUstream stream, scanweft_launched *launched, int32_t numLaunched);

private:
  Status placeTemporaries(void *workspace, uint64_t bytes);
  bool holds(const Guard &guard) const;
  const Variant &choose(const Launch &launch) const;
  Status getPrograms(const Variant &variant, int64_t &programs);
  Status verifyResident(const Variant &variant) const;
  Status fillParameters(const Variant &variant, char *block) const;
  Status verify(const Launch &launch);
  Status launch(const Launch &launch, CUstream stream,
                scanweft_launched *launched);

  const scanweft_artifact &artifact;
  const Entry &entry;
  const scanweft_tensor *arguments, *results;
  Values values;
  /// Arguments, results and temporaries, numbered through.
  Scratch<const scanweft_tensor *, 64> buffers;
  Scratch<scanweft_tensor, 16> temporaries;
  int64_t extents[16];
};

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_LAUNCH_H
