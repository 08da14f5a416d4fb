// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Checks of one call's tensors. Each failure names the tensor by number and
// name, and both sides of what differs.
//===----------------------------------------------------------------------===//

#include "Binding.h"

using namespace scanweft::runtime;

namespace {
/// A tensor with the words that failures begin with.
struct Named {
  const Entry &entry;
  const char *kind; ///< "argument" or "result"
  int32_t number;
  const std::string &name;
  Status status; ///< of failures
};
} // namespace

#define FAIL(WHERE, FORMAT, ...)                                               \
  fail((WHERE).status, "'%s': %s %d '%s': " FORMAT,                            \
       (WHERE).entry.name.c_str(), (WHERE).kind, (WHERE).number,               \
       (WHERE).name.c_str(), __VA_ARGS__)

static long long big(int64_t value) { return value; }

bool scanweft::runtime::getSpan(const scanweft_tensor &tensor, int64_t &bytes) {
  int64_t last = 0;
  for (int d = 0; d < tensor.rank; ++d)
    if (tensor.sizes[d] == 0) {
      bytes = 0;
      return true;
    }
  for (int d = 0; d < tensor.rank; ++d) {
    int64_t offset;
    if (tensor.sizes[d] == 1)
      continue;
    if (__builtin_mul_overflow(tensor.sizes[d] - 1, tensor.strides[d],
                               &offset) ||
        __builtin_add_overflow(last, offset, &last))
      return false;
  }
  return !__builtin_add_overflow(last, int64_t(1), &last) &&
         !__builtin_mul_overflow(last, int64_t(typeBytes(tensor.type)), &bytes);
}

static Status verifyTypeAndRank(const Named &where,
                                const scanweft_tensor &tensor, int32_t type,
                                int32_t rank) {
  // An index and an i64 are the same memory.
  bool same = tensor.type == type ||
              (isInteger(type) && isInteger(tensor.type) &&
               typeBytes(type) == 8 && typeBytes(tensor.type) == 8);
  if (!same)
    return FAIL(where, "its type is %s, not %s", typeName(tensor.type),
                typeName(type));
  if (tensor.rank != rank)
    return FAIL(where, "its rank is %d, not %d", tensor.rank, rank);
  return SCANWEFT_OK;
}

/// Addresses, strides, and that its bytes can be counted.
static Status verifyMemory(const Named &where, const scanweft_tensor &tensor,
                           bool isWritten) {
  bool isEmpty = false;
  for (int d = 0; d < tensor.rank; ++d)
    isEmpty |= tensor.sizes[d] == 0;
  if (isEmpty)
    return SCANWEFT_OK;
  if (!tensor.data)
    return FAIL(where, "its address is null%s", "");
  uint32_t bytes = typeBytes(tensor.type);
  auto address = reinterpret_cast<uintptr_t>(tensor.data);
  if (address % bytes)
    return FAIL(where, "its address %#llx is no multiple of the %u bytes of %s",
                static_cast<unsigned long long>(address), bytes,
                typeName(tensor.type));
  for (int d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 1)
      continue;
    if (tensor.strides[d] < 0)
      return FAIL(where,
                  "the stride of dim %d is %lld: strides are not negative", d,
                  big(tensor.strides[d]));
    if (isWritten && tensor.strides[d] == 0)
      return FAIL(where, "the stride of dim %d is 0: results do not repeat", d);
  }
  int last = tensor.rank - 1;
  if (last >= 0 && tensor.sizes[last] != 1 && tensor.strides[last] != 1)
    return FAIL(
        where,
        "the stride of its last axis is %lld: the last axis is contiguous",
        big(tensor.strides[last]));
  int64_t span;
  if (!getSpan(tensor, span) || span < 0 ||
      address + static_cast<uint64_t>(span) < address)
    return fail(SCANWEFT_TOO_LARGE, "'%s': %s %d '%s' leaves 64-bit addresses",
                where.entry.name.c_str(), where.kind, where.number,
                where.name.c_str());
  return SCANWEFT_OK;
}

static Status bindScalar(const Named &where, const scanweft_tensor &tensor) {
  return tensor.data ? SCANWEFT_OK
                     : FAIL(where, "it is a scalar without a value%s", "");
}

static Status bindSizes(const Named &where, const Argument &argument,
                        const scanweft_tensor *arguments) {
  const scanweft_tensor &tensor = arguments[where.number];
  for (int d = 0; d < argument.rank; ++d) {
    int64_t size = tensor.sizes[d];
    if (size < 0)
      return FAIL(where, "dim %d is %lld: a size is not negative", d,
                  big(size));
    if (argument.sizes[d] != kDynamic && argument.sizes[d] != size)
      return FAIL(where, "dim %d is %lld, the kernel was compiled for %lld", d,
                  big(size), big(argument.sizes[d]));
    int32_t first = argument.firstArgument[d];
    if (first < 0)
      continue;
    int64_t other = arguments[first].sizes[argument.firstDim[d]];
    if (other != size)
      return FAIL(where, "dim %d, '%s', is %lld, but %lld in argument %d '%s'",
                  d, argument.dims[d].c_str(), big(size), big(other), first,
                  where.entry.arguments[first].name.c_str());
  }
  return SCANWEFT_OK;
}

Status scanweft::runtime::bindArguments(const Entry &entry,
                                        const scanweft_tensor *arguments,
                                        int32_t number) {
  size_t wanted = entry.arguments.size();
  if (number < 0 || static_cast<size_t>(number) != wanted ||
      (wanted && !arguments))
    return fail(SCANWEFT_INVALID_CALL, "'%s' takes %zu arguments: %d given",
                entry.name.c_str(), wanted, arguments ? number : 0);
  for (int32_t i = 0; i < number; ++i) {
    const Argument &argument = entry.arguments[i];
    Named where{entry, "argument", i, argument.name, SCANWEFT_BAD_ARGUMENT};
    if (Status status = verifyTypeAndRank(where, arguments[i], argument.type,
                                          argument.rank))
      return status;
    if (Status status = argument.isScalar
                            ? bindScalar(where, arguments[i])
                            : bindSizes(where, argument, arguments))
      return status;
  }
  return SCANWEFT_OK;
}

Status scanweft::runtime::bindArgumentMemory(const Entry &entry,
                                             const scanweft_tensor *arguments) {
  int32_t number = entry.arguments.size();
  for (int32_t i = 0; i < number; ++i) {
    const Argument &argument = entry.arguments[i];
    Named where{entry, "argument", i, argument.name, SCANWEFT_BAD_ARGUMENT};
    if (argument.isScalar)
      continue;
    if (Status status = verifyMemory(where, arguments[i], /*isWritten=*/false))
      return status;
  }
  return SCANWEFT_OK;
}

Status scanweft::runtime::bindResults(const Entry &entry, const Values &values,
                                      const scanweft_tensor *results,
                                      int32_t number) {
  size_t wanted = entry.results.size();
  if (number < 0 || static_cast<size_t>(number) != wanted ||
      (wanted && !results))
    return fail(SCANWEFT_INVALID_CALL, "'%s' gives %zu results: %d taken",
                entry.name.c_str(), wanted, results ? number : 0);
  for (int32_t i = 0; i < number; ++i) {
    const Result &result = entry.results[i];
    Named where{entry, "result", i, result.name, SCANWEFT_BAD_RESULT};
    if (Status status =
            verifyTypeAndRank(where, results[i], result.type, result.rank))
      return status;
    for (int d = 0; d < result.rank; ++d) {
      int64_t size;
      if (Status status =
              values.getSize(result.sizes[d], result.name.c_str(), size))
        return status;
      if (results[i].sizes[d] != size)
        return FAIL(where, "dim %d is %lld, for these arguments it is %lld", d,
                    big(results[i].sizes[d]), big(size));
    }
    if (Status status = verifyMemory(where, results[i], /*isWritten=*/true))
      return status;
  }
  return SCANWEFT_OK;
}

Status scanweft::runtime::verifyChecks(const Entry &entry,
                                       const Values &values) {
  for (const Check &check : entry.checks) {
    int64_t holds;
    if (Status status = values.get(check.holds, check.message.c_str(), holds))
      return status;
    if (!holds)
      return fail(SCANWEFT_BAD_ARGUMENT, "'%s': %s", entry.name.c_str(),
                  check.message.c_str());
  }
  return SCANWEFT_OK;
}

Status scanweft::runtime::makeContiguous(const Values &values, int32_t type,
                                         int32_t rank, const int32_t *sizes,
                                         const char *what,
                                         scanweft_tensor &tensor) {
  tensor.data = nullptr;
  tensor.type = type;
  tensor.rank = rank;
  bool fits = true, isEmpty = false;
  int64_t stride = 1;
  for (int d = rank; d-- > 0;) {
    if (Status status = values.getSize(sizes[d], what, tensor.sizes[d]))
      return status;
    tensor.strides[d] = stride;
    isEmpty |= tensor.sizes[d] == 0;
    int64_t size = tensor.sizes[d] ? tensor.sizes[d] : 1;
    fits &= !__builtin_mul_overflow(stride, size, &stride);
    if (!fits)
      stride = 1;
  }
  fits &= !__builtin_mul_overflow(stride, int64_t(typeBytes(type)), &stride);
  if (fits || isEmpty)
    return SCANWEFT_OK;
  return fail(SCANWEFT_TOO_LARGE, "'%s': %s takes 2^63 bytes or more",
              values.entryName(), what);
}
