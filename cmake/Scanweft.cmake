# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What every target of the project shares: flags, include roots, a
# precompiled header, and helpers for libraries, pass families and tools.
#
#   scanweft_add_library(Name [sources] [LINK libraries])
#   scanweft_add_passes(Family [sources] [LINK libraries])
#   scanweft_add_tool(name [sources] [LINK libraries])
#
# Without sources a target takes every .cpp of its folder: a new file needs no
# line in a CMakeLists.txt. What they link of LLVM: ScanweftStatic.cmake.

find_program(CCACHE ccache)
if(CCACHE AND "${CMAKE_CXX_COMPILER_LAUNCHER}" MATCHES "^(ccache)?$")
  # Paths below the checkout are hashed relative to it, so that one cache
  # serves every checkout.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${CCACHE})
endif()

# One include root for hand-written files, one for generated ones (the trees
# mirror each other), and one for headers without a .td beside them.
include_directories(
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/include)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(SCANWEFT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${SCANWEFT_LLVM_DEFINITIONS})

# -fPIC everywhere, executables included: the precompiled header serves all.
set(SCANWEFT_CXX_OPTIONS
  -fPIC -fno-exceptions -Wall -Wextra -Wno-unused-parameter)
if(NOT LLVM_ENABLE_RTTI)
  list(APPEND SCANWEFT_CXX_OPTIONS -fno-rtti)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The header's content decides, not its time: ccache relies on it.
  list(APPEND SCANWEFT_CXX_OPTIONS -Xclang -fno-pch-timestamp)
else()
  # g++ warns of moves into FailureOr and Expected that older rules ask for.
  list(APPEND SCANWEFT_CXX_OPTIONS -Wno-redundant-move)
endif()

# All generated headers; every target waits for them.
add_custom_target(scanweft-headers)

include(ScanweftPrecompiled)
include(ScanweftStatic)

# Applies what is common to a target of ours.
function(scanweft_setup_target target)
  add_dependencies(${target} scanweft-headers)
  target_compile_options(${target} PRIVATE ${SCANWEFT_CXX_OPTIONS})
  if(TARGET scanweft-precompiled)
    add_dependencies(${target} scanweft-precompiled)
    target_compile_options(${target} PRIVATE -include-pch ${SCANWEFT_PCH_FILE})
  endif()
endfunction()

# Sets `variable` to the given sources, or to all of the current folder.
function(scanweft_sources variable)
  set(sources ${ARGN})
  if(NOT sources)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

function(scanweft_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  scanweft_sources(sources ${ARG_UNPARSED_ARGUMENTS})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${SCANWEFT_LLVM})
  scanweft_setup_target(${name})
endfunction()

# passes/<Family>: Passes.td, Passes.h and one .cpp a pass.
function(scanweft_add_passes family)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=${family})
  add_public_tablegen_target(Scanweft${family}IncGen)
  add_dependencies(scanweft-headers Scanweft${family}IncGen)
  scanweft_add_library(Scanweft${family} ${ARG_UNPARSED_ARGUMENTS}
    LINK ScanweftWeft ${ARG_LINK})
endfunction()

function(scanweft_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  scanweft_sources(sources ${ARG_UNPARSED_ARGUMENTS})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${SCANWEFT_LLVM})
  scanweft_setup_target(${name})
endfunction()
