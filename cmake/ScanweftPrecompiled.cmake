# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The precompiled header: upstream headers that most files use. Files still
# include what they use, and build without it.
#
# A command of our own makes it, since CMake's way writes paths of the checkout
# into it. Made of upstream headers alone, named by a path relative to the
# build folder, it is the same in every checkout, and one ccache serves all.

option(SCANWEFT_PCH "compile against a precompiled header (clang, Ninja)" ON)
set(SCANWEFT_PCH_FILE scanweft-precompiled.pch)

if(NOT SCANWEFT_PCH OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang"
    OR NOT CMAKE_GENERATOR STREQUAL "Ninja")
  return()
endif()

set(headers
  mlir/Bytecode/BytecodeOpInterface.h
  mlir/Dialect/Affine/IR/AffineOps.h
  mlir/Dialect/Arith/IR/Arith.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/Dialect/Linalg/IR/Linalg.h
  mlir/Dialect/Math/IR/Math.h
  mlir/Dialect/SCF/IR/SCF.h
  mlir/Dialect/Tensor/IR/Tensor.h
  mlir/Dialect/Utils/StructuredOpsUtils.h
  mlir/IR/Builders.h
  mlir/IR/BuiltinOps.h
  mlir/IR/DialectImplementation.h
  mlir/IR/IRMapping.h
  mlir/IR/OpImplementation.h
  mlir/IR/PatternMatch.h
  mlir/IR/Remarks.h
  mlir/IR/SymbolTable.h
  mlir/Interfaces/ControlFlowInterfaces.h
  mlir/Pass/Pass.h
  mlir/Pass/PassManager.h
  mlir/Pass/PassRegistry.h
  mlir/Transforms/DialectConversion.h
  llvm/ADT/MapVector.h
  llvm/ADT/SetVector.h
  llvm/ADT/TypeSwitch.h
)

# All are included ahead of one that is compiled.
set(main "${MLIR_INCLUDE_DIRS}/mlir/Transforms/GreedyPatternRewriteDriver.h")
list(TRANSFORM headers REPLACE "(.+)" "-include;\\1")

# The flags must be those of the header's users.
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
separate_arguments(flags NATIVE_COMMAND
  "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}} ${LLVM_DEFINITIONS}")
list(APPEND flags ${CMAKE_CXX17_STANDARD_COMPILE_OPTION} ${SCANWEFT_CXX_OPTIONS})
foreach(directory ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  list(APPEND flags -isystem ${directory})
endforeach()

add_custom_command(
  OUTPUT ${SCANWEFT_PCH_FILE}
  COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${flags}
    ${headers}
    -MD -MT ${SCANWEFT_PCH_FILE} -MF ${SCANWEFT_PCH_FILE}.d
    -x c++-header -c ${main} -o ${SCANWEFT_PCH_FILE}
  DEPFILE ${SCANWEFT_PCH_FILE}.d
  COMMENT "Precompiling upstream headers"
  VERBATIM)
add_custom_target(scanweft-precompiled
  DEPENDS ${PROJECT_BINARY_DIR}/${SCANWEFT_PCH_FILE})
