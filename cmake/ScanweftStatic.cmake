# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the compiler links, as SCANWEFT_LLVM: the shared MLIR and LLVM, or with
# SCANWEFT_STATIC their archives, so that a tool runs where there is no LLVM.
# One program never mixes both: options would be registered twice.

option(SCANWEFT_STATIC "link LLVM and MLIR into each tool" OFF)
if(NOT SCANWEFT_STATIC)
  set(SCANWEFT_LLVM MLIR LLVM)
  return()
endif()

find_library(SCANWEFT_ZLIB NAMES libz.a REQUIRED)
find_library(SCANWEFT_ZSTD NAMES libzstd.a REQUIRED)
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
# Of the targets, the GPU's and the host's that runs programs.
set(unused AArch64 AMDGPU ARM AVR BPF Hexagon Lanai LoongArch Mips MSP430
  PowerPC RISCV Sparc SPIRV SystemZ VE WebAssembly XCore)
foreach(target ${unused})
  list(FILTER archives EXCLUDE REGEX "/libLLVM${target}[A-Z][A-Za-z]*\\.a$")
endforeach()
# A linker script names them all as one group: whatever needs which.
list(JOIN archives " " archives)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/llvm-archives.ld
  CONTENT "GROUP ( ${archives} ${SCANWEFT_ZLIB} ${SCANWEFT_ZSTD} )\n")
add_library(scanweft-llvm INTERFACE)
target_link_libraries(scanweft-llvm INTERFACE
  ${PROJECT_BINARY_DIR}/llvm-archives.ld ${CMAKE_DL_LIBS} -lpthread -lm)
target_link_options(scanweft-llvm INTERFACE
  -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-s)
set(SCANWEFT_LLVM scanweft-llvm)
