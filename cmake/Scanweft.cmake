# Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How the project's libraries and tools are built: one precompiled header for
# all, everything linked to the shared MLIR and LLVM.

add_library(ScanweftPrecompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
llvm_update_compile_flags(ScanweftPrecompiled)
target_precompile_headers(ScanweftPrecompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)

# scanweft_add_library(<name> <sources> [LINK <libs>] [DEPENDS <targets>])
function(scanweft_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM ScanweftPrecompiled)
  add_dependencies(${name} ScanweftWeftIncGen ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# scanweft_add_tool(<name> <sources> [LINK <libs>])
function(scanweft_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # The precompiled header is built with -fPIC, and -fPIE would not match it.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM ScanweftPrecompiled)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()

# scanweft_add_passes(<family> <sources> [LINK <libs>]): Passes.td beside the sources.
function(scanweft_add_passes family)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${family})
  add_public_tablegen_target(Scanweft${family}IncGen)
  scanweft_add_library(Scanweft${family} ${ARG_UNPARSED_ARGUMENTS}
    LINK ScanweftWeft ${ARG_LINK} DEPENDS Scanweft${family}IncGen)
endfunction()
