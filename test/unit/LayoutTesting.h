// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// What the tests of layouts share: random layouts, a walk over all inputs, and
// the layouts of a product and its operands.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_TEST_UNIT_LAYOUTTESTING_H
#define SCANWEFT_TEST_UNIT_LAYOUTTESTING_H

#include "scanweft/Layout/Layouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace scanweft::testing {

/// Coordinates as a key of standard containers.
using Point = std::vector<int32_t>;

inline Point toPoint(llvm::ArrayRef<int32_t> coords) {
  return Point(coords.begin(), coords.end());
}

/// Calls `visit(reg, lane, warp)` for every input of a layout.
template <typename Visitor>
void forEachInput(const LinearLayout &layout, Visitor visit) {
  for (unsigned warp : llvm::seq(layout.getNumWarps()))
    for (unsigned lane : llvm::seq(1u << numLaneBits))
      for (unsigned reg : llvm::seq(layout.getNumRegisters()))
        visit(reg, lane, warp);
}

/// The same numbers on every system: only the engine is specified by C++.
class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : engine(seed) {}

  unsigned below(unsigned end) { return engine() % end; }
  bool oneIn(unsigned count) { return below(count) == 0; }

  /// `rank` sizes of up to 2^maxBits.
  llvm::SmallVector<int64_t, 3> shape(unsigned rank, unsigned maxBits) {
    llvm::SmallVector<int64_t, 3> sizes;
    for (unsigned dim = 0; dim < rank; ++dim)
      sizes.push_back(int64_t(1) << below(maxBits + 1));
    return sizes;
  }

  /// Any vector; often zero, or along one dim.
  Coordinates basis(llvm::ArrayRef<int64_t> shape) {
    Coordinates coords(shape.size(), 0);
    if (shape.empty() || oneIn(5))
      return coords;
    unsigned only = below(2 * shape.size());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (only >= shape.size() || only == dim)
        coords[dim] = below(size);
    return coords;
  }

  Bases bases(llvm::ArrayRef<int64_t> shape, unsigned count) {
    Bases result;
    while (result.size() < count)
      result.push_back(basis(shape));
    return result;
  }

  /// Bases without any order or independence.
  LinearLayout any(llvm::ArrayRef<int64_t> shape, unsigned registerBits,
                   unsigned warpBits, bool cutOff = false) {
    unsigned numRegisters = cutOff ? 1 + below(1u << registerBits) : 0;
    return LinearLayout(shape, bases(shape, registerBits),
                        bases(shape, numLaneBits), bases(shape, warpBits),
                        numRegisters);
  }

  /// The bits of the dims in random order over all inputs, and bases that
  /// replicate where inputs are left: every element is held. There are enough
  /// inputs for the dims.
  LinearLayout covering(llvm::ArrayRef<int64_t> shape, unsigned registerBits,
                        unsigned warpBits) {
    Bases all;
    for (auto [dim, size] : llvm::enumerate(shape))
      for (int64_t step = 1; step < size; step *= 2) {
        all.emplace_back(shape.size(), 0);
        all.back()[dim] = static_cast<int32_t>(step);
      }
    all.resize(registerBits + numLaneBits + warpBits,
               Coordinates(shape.size(), 0));
    std::shuffle(all.begin(), all.end(), engine);
    llvm::ArrayRef<Coordinates> dealt = all;
    return LinearLayout(shape, Bases(dealt.take_front(registerBits)),
                        Bases(dealt.slice(registerBits, numLaneBits)),
                        Bases(dealt.take_back(warpBits)));
  }

private:
  std::mt19937 engine;
};

} // namespace scanweft::testing

#endif // SCANWEFT_TEST_UNIT_LAYOUTTESTING_H
