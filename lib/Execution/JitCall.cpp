// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Calls of compiled code: arrays to flattened arguments, results back. The
// child writes one word that says whether the program came back, then either
// the reason or counters, bytes and per result its sizes and elements.
//===----------------------------------------------------------------------===//

#include "scanweft/Execution/Isolate.h"
#include "scanweft/Execution/Jit.h"
#include "scanweft/Execution/Memory.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cstring>
#include <deque>
#include <vector>

using namespace mlir;
using namespace scanweft;

namespace {

/// The flattened arguments of a call. Values live in a deque so that their
/// addresses stay.
class ArgumentList {
public:
  void add(const Parameter &parameter, const Array &array) {
    if (!parameter.isTensor) {
      addresses.push_back(const_cast<char *>(array.getData()));
      return;
    }
    addPointer(array.getData());
    addPointer(array.getData());
    addInteger(0);
    for (int64_t size : array.getShape())
      addInteger(size);
    int64_t stride = 1;
    SmallVector<int64_t> strides(array.getShape().size());
    for (size_t axis = strides.size(); axis-- > 0;) {
      strides[axis] = stride;
      stride *= array.getShape()[axis];
    }
    for (int64_t value : strides)
      addInteger(value);
  }

  void **data() { return addresses.data(); }

private:
  void addPointer(const char *pointer) {
    addInteger(reinterpret_cast<intptr_t>(pointer));
  }
  void addInteger(int64_t value) {
    words.push_back(value);
    addresses.push_back(&words.back());
  }

  std::deque<int64_t> words;
  std::vector<void *> addresses;
};

/// A returned buffer: the fields of the llvm dialect's struct.
struct BufferView {
  const char *base, *aligned;
  int64_t offset;
  ArrayRef<int64_t> sizes, strides;

  BufferView(const char *fields, size_t rank) {
    std::memcpy(&base, fields, sizeof(base));
    std::memcpy(&aligned, fields + 8, sizeof(aligned));
    std::memcpy(&offset, fields + 16, sizeof(offset));
    auto *words = reinterpret_cast<const int64_t *>(fields + 24);
    sizes = ArrayRef(words, rank);
    strides = ArrayRef(words + rank, rank);
  }
};

} // namespace

/// Copies a strided buffer into row-major order.
static llvm::Expected<Array> copyBuffer(const BufferView &view,
                                        ElementType type) {
  llvm::Expected<Array> array = Array::create(type, view.sizes);
  if (!array)
    return array;
  const int64_t width = byteSize(type);
  SmallVector<int64_t> index(view.sizes.size(), 0);
  int64_t source = view.offset;
  for (int64_t i = 0, e = array->getNumElements(); i < e; ++i) {
    std::memcpy(array->getData() + i * width, view.aligned + source * width,
                width);
    for (size_t axis = index.size(); axis-- > 0;) {
      source += view.strides[axis];
      if (++index[axis] < view.sizes[axis])
        break;
      source -= view.strides[axis] * view.sizes[axis];
      index[axis] = 0;
    }
  }
  return array;
}

static llvm::Expected<Array> copyResult(const char *fields,
                                        const Parameter &result) {
  if (result.isTensor)
    return copyBuffer(BufferView(fields, result.shape.size()), result.type);
  llvm::Expected<Array> array = Array::create(result.type, {});
  if (array)
    std::memcpy(array->getData(), fields, byteSize(result.type));
  return array;
}

/// What the child's first word says.
static constexpr int64_t kStopped = 0, kFinished = 1;

static void writeWord(llvm::raw_ostream &os, int64_t word) {
  os.write(reinterpret_cast<const char *>(&word), sizeof(word));
}

static void writeArray(llvm::raw_ostream &os, const Array &array) {
  for (int64_t size : array.getShape())
    writeWord(os, size);
  os.write(array.getData(), array.getNumBytes());
}

void CompiledFunction::runAndWrite(ArrayRef<Array> arguments,
                                   uint64_t memoryLimit,
                                   llvm::raw_ostream &os) const {
  ArgumentList list;
  for (auto [parameter, array] :
       llvm::zip_equal(signature.arguments, arguments))
    list.add(parameter, array);
  // Words, so that fields are aligned.
  std::vector<int64_t> fields(llvm::divideCeil(resultBytes, 8) + 1);
  auto *base = reinterpret_cast<char *>(fields.data());
  ProgramHeap heap(memoryLimit);
  std::string problem = heap.run([&] { entry(list.data(), base); });
  SmallVector<Array> results;
  for (auto [parameter, offset] :
       llvm::zip_equal(signature.results, resultOffsets)) {
    if (!problem.empty())
      break;
    llvm::Expected<Array> array = copyResult(base + offset, parameter);
    if (array)
      results.push_back(std::move(*array));
    else
      problem = "its result '" + parameter.name +
                "': " + llvm::toString(array.takeError());
  }
  writeWord(os, problem.empty() ? kFinished : kStopped);
  if (!problem.empty()) {
    os << problem;
    return;
  }
  for (auto [parameter, offset] :
       llvm::zip_equal(signature.results, resultOffsets))
    if (parameter.isTensor)
      heap.releaseIfOwned(
          BufferView(base + offset, parameter.shape.size()).base);
  for (int64_t value : getStatistics())
    writeWord(os, value);
  writeWord(os, heap.getPeakBytes());
  writeWord(os, heap.getLiveBytes());
  for (const Array &array : results)
    writeArray(os, array);
}

namespace {

/// Reads what the child wrote; false past the end.
class OutcomeReader {
public:
  explicit OutcomeReader(StringRef bytes) : bytes(bytes) {}

  template <typename Word> bool readWord(Word &word) {
    static_assert(sizeof(Word) == sizeof(int64_t), "words are of 64 bits");
    return readBytes(reinterpret_cast<char *>(&word), sizeof(word));
  }
  bool readBytes(char *to, size_t size) {
    if (bytes.size() < size)
      return false;
    std::memcpy(to, bytes.data(), size);
    bytes = bytes.drop_front(size);
    return true;
  }
  bool readArray(const Parameter &parameter, Array &array) {
    SmallVector<int64_t> shape(parameter.shape.size());
    for (int64_t &size : shape)
      if (!readWord(size))
        return false;
    llvm::Expected<Array> created = Array::create(parameter.type, shape);
    if (!created) {
      llvm::consumeError(created.takeError());
      return false;
    }
    array = std::move(*created);
    return readBytes(array.getData(), array.getNumBytes());
  }
  bool readOutcome(const Signature &signature, RunOutcome &outcome) {
    for (int64_t &value : outcome.counters)
      if (!readWord(value))
        return false;
    if (!readWord(outcome.peakBytes) || !readWord(outcome.leakedBytes))
      return false;
    outcome.results.resize(signature.results.size());
    for (auto [parameter, array] :
         llvm::zip_equal(signature.results, outcome.results))
      if (!readArray(parameter, array))
        return false;
    return bytes.empty();
  }
  StringRef rest() const { return bytes; }

private:
  StringRef bytes;
};

} // namespace

FailureOr<RunOutcome> CompiledFunction::run(ArrayRef<Array> arguments,
                                            uint64_t memoryLimit) const {
  auto stopped = [&](const Twine &reason) {
    return emitError(signature.loc)
           << "'" << signature.function << "' was stopped by " << reason;
  };
  llvm::Expected<std::string> bytes = runIsolated(
      [&](llvm::raw_ostream &os) { runAndWrite(arguments, memoryLimit, os); });
  if (!bytes)
    return stopped(llvm::toString(bytes.takeError()));
  OutcomeReader reader(*bytes);
  int64_t state = 0;
  RunOutcome outcome;
  if (reader.readWord(state) && state == kFinished &&
      reader.readOutcome(signature, outcome))
    return outcome;
  if (state == kStopped && !reader.rest().empty())
    return stopped(reader.rest());
  return stopped("an outcome that is cut off");
}
