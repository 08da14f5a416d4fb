// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Of `ptxas -v`, for each kernel, in this order:
//
//   ptxas info    : Compiling entry function 'f' for 'sm_90a'
//   ptxas info    : Function properties for f
//       16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem
//
// The line of stack and spills stands before or behind that of registers.
//===----------------------------------------------------------------------===//

#include "PtxasOutput.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace scanweft;

/// Splits "ptxas FILE, line 3; error   : text" into its kind, line and text.
/// The kind is empty on other lines.
static StringRef splitMessage(StringRef line, unsigned &number,
                              StringRef &text) {
  number = 0;
  for (StringRef kind : {"error", "fatal", "warning", "info"}) {
    size_t at = line.find(kind);
    if (at == StringRef::npos)
      continue;
    StringRef before = line.take_front(at), behind = line.drop_front(at);
    StringRef rest = behind.drop_front(kind.size()).ltrim();
    if (!before.starts_with("ptxas ") || !rest.consume_front(":"))
      continue;
    size_t numberAt = before.rfind(", line ");
    if (numberAt != StringRef::npos)
      before.drop_front(numberAt + 7).consumeInteger(10, number);
    text = rest.trim();
    return kind;
  }
  return "";
}

SmallVector<PtxasError> scanweft::parsePtxasErrors(StringRef log) {
  SmallVector<PtxasError> errors;
  for (StringRef line : llvm::split(log, '\n')) {
    StringRef text;
    unsigned number;
    StringRef kind = splitMessage(line, number, text);
    if (kind == "error" || kind == "fatal")
      errors.push_back({text.str(), number});
  }
  // ptxas closes with a sentence that says only that there were errors.
  if (errors.size() > 1 && StringRef(errors.back().text).contains("aborted"))
    errors.pop_back();
  return errors;
}

/// The number before `unit` in a list such as "16 bytes stack frame, ...".
static int64_t numberBefore(StringRef list, StringRef unit) {
  for (StringRef part : llvm::split(list, ',')) {
    part = part.trim();
    part.consume_front("Used ");
    part.consume_front("used ");
    int64_t number = 0;
    if (!part.consumeInteger(10, number) && part.trim() == unit)
      return number;
  }
  return 0;
}

void scanweft::parsePtxasReport(StringRef log, Cubin &cubin) {
  // Functions that are not kernels have properties too: the line behind them
  // belongs to nobody.
  KernelReport *properties = nullptr, *compiled = nullptr;
  auto find = [&](StringRef name) -> KernelReport * {
    auto *found = llvm::find_if(cubin.kernels, [&](const KernelReport &kernel) {
      return kernel.name == name;
    });
    return found == cubin.kernels.end() ? nullptr : found;
  };
  for (StringRef line : llvm::split(log, '\n')) {
    StringRef text;
    unsigned number;
    StringRef kind = splitMessage(line, number, text);
    if (kind == "warning" || text.starts_with("(C")) {
      cubin.notes.push_back(text.str());
    } else if (text.consume_front("Compiling entry function '")) {
      cubin.kernels.push_back({text.split('\'').first.str()});
      compiled = &cubin.kernels.back();
    } else if (text.consume_front("Function properties for ")) {
      properties = find(text.trim());
    } else if (kind.empty() && line.contains("bytes stack frame")) {
      if (properties) {
        properties->stackBytes = numberBefore(line, "bytes stack frame");
        properties->spillStoreBytes = numberBefore(line, "bytes spill stores");
        properties->spillLoadBytes = numberBefore(line, "bytes spill loads");
      }
      properties = nullptr;
    } else if (compiled && text.starts_with("Used ")) {
      compiled->registers = numberBefore(text, "registers");
      compiled->barriers = numberBefore(text, "barriers");
      compiled->staticSharedBytes = numberBefore(text, "bytes smem");
    }
  }
}

Error scanweft::readCodeBytes(Cubin &cubin) {
  using Elf = object::ELF64LE;
  Expected<object::ELFFile<Elf>> file =
      object::ELFFile<Elf>::create(cubin.bytes);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const Elf::Shdr &section : *sections) {
    Expected<StringRef> name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    StringRef kernelName = *name;
    if (!kernelName.consume_front(".text."))
      continue;
    for (KernelReport &kernel : cubin.kernels)
      if (kernel.name == kernelName)
        kernel.codeBytes = section.sh_size;
  }
  return Error::success();
}
