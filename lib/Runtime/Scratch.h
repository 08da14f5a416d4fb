// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// An array of plain values on the stack, on the heap above N of them: a launch
// of an ordinary entry allocates nothing.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_LIB_RUNTIME_SCRATCH_H
#define SCANWEFT_LIB_RUNTIME_SCRATCH_H

#include <cstddef>
#include <new>
#include <type_traits>

namespace scanweft::runtime {

template <typename T, size_t N> class Scratch {
  static_assert(std::is_trivially_destructible_v<T>);

public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() {
    if (data != fixed)
      delete[] data;
  }

  /// Makes room for `size` values, once. False where there is no memory.
  [[nodiscard]] bool allocate(size_t size) {
    if (size > N)
      data = new (std::nothrow) T[size];
    return data;
  }
  T &operator[](size_t index) { return data[index]; }
  const T &operator[](size_t index) const { return data[index]; }
  T *get() { return data; }

private:
  T fixed[N];
  T *data = fixed;
};

} // namespace scanweft::runtime

#endif // SCANWEFT_LIB_RUNTIME_SCRATCH_H
