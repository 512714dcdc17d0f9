# mora_layer(NAME SOURCES ... USES ... [LIBRARIES ...]): the static library of one layer folder.
# mora_unit_test(LAYER SOURCES ...): the GoogleTest program that sits beside the layer's sources.
# mora_folder_sources(SOURCES TESTS): the folder's *.cpp, those of tests apart: a new file needs no line anywhere.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# A compiler cache is used when there is one. Several clones share it with CCACHE_BASEDIR and CCACHE_NOHASHDIR (CONTRIBUTING.md).
find_program(MORA_CCACHE ccache)
if(MORA_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${MORA_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MORA_CCACHE}")
endif()

# gold (of binutils, as GNU's usual linker) links a program in half the time; there are some sixty. Not the libraries: it
# puts local data into their tables of dynamic symbols (test mpi.symbols).
find_program(MORA_GOLD ld.gold)
if(MORA_GOLD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=gold")
endif()

add_library(mora_warnings INTERFACE)
# clang's -Wshadow also objects to parameters of lambdas named like members. In a batch (MORA_UNITY) a local name may be
# that of an anonymous function of another file, and types of a .cpp stand in no main file.
set(batched "$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>")
target_compile_options(mora_warnings INTERFACE -Wall -Wextra -Wpointer-arith
  $<$<CXX_COMPILER_ID:GNU>:$<IF:${batched},-Wshadow=local,-Wshadow>>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:$<${batched}:-Wno-subobject-linkage>>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<BOOL:${MORA_WERROR}>:-Werror>)

# What headers say is parsed once per batch instead of once per file: a third of the processor time. A batch holds whole
# small subfolders beside each other, or a part of a large one. Names in anonymous namespaces are therefore unique within a
# layer. -DMORA_UNITY=OFF compiles file by file.
option(MORA_UNITY "Compile the files of a folder in batches" ON)
set(MORA_TEST_OPTIONS -O0 CACHE STRING "Compiler options of test programs' own code")
set(MORA_UNITY_BATCH 16 CACHE STRING "Files in a batch at most")
set(MORA_TEST_BATCH 40 CACHE STRING "Files of a test program, which is not optimised, in a batch at most")

function(mora_batches target)
  if(NOT MORA_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(folders "")
  foreach(source IN LISTS sources)
    string(REGEX MATCH "^[^/]+/" folder "${source}")
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND ${folder} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(batch 0)
  set(filled 0)
  foreach(folder IN LISTS folders)
    list(LENGTH ${folder} files)
    math(EXPR together "${filled} + ${files}")
    if(filled GREATER 0 AND together GREATER MORA_UNITY_BATCH)
      math(EXPR batch "${batch} + 1")
      set(filled 0)
    endif()
    foreach(source IN LISTS ${folder})
      if(filled EQUAL MORA_UNITY_BATCH)
        math(EXPR batch "${batch} + 1")
        set(filled 0)
      endif()
      math(EXPR filled "${filled} + 1")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${target}_${batch}")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(mora_folder_sources sources tests)
  file(GLOB_RECURSE all CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cpp)
  set(of_tests ${all})
  list(FILTER all EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER of_tests INCLUDE REGEX "_test\\.cpp$")
  set(${sources} ${all} PARENT_SCOPE)
  set(${tests} ${of_tests} PARENT_SCOPE)
endfunction()

# Code that runs once per command (texts, options): -O1 compiles in three quarters of the time of -O2.
set(MORA_TEXT_OPTIONS $<$<CONFIG:RelWithDebInfo,Release>:-O1> CACHE STRING "Compiler options of code that runs once per command")

function(mora_layer name)
  cmake_parse_arguments(A "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(mora_${name} STATIC ${A_SOURCES})
  mora_batches(mora_${name})
  add_library(mora::${name} ALIAS mora_${name})
  target_include_directories(mora_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  list(TRANSFORM A_USES PREPEND "mora::")
  target_link_libraries(mora_${name} PUBLIC ${A_USES} PRIVATE mora_warnings ${A_LIBRARIES})
endfunction()

if(MORA_TESTS)
  add_library(mora_keep_memory OBJECT "${CMAKE_SOURCE_DIR}/tests/support/keep_memory.cpp")

  # For tests of hundreds of thousands of tiny analyses, a third of whose time is glibc's malloc. Sanitizers have their own.
  add_library(mora_quick_memory INTERFACE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_link_libraries(mora_quick_memory INTERFACE -Wl,--push-state,--no-as-needed mimalloc -Wl,--pop-state)
  endif()
endif()

# A GoogleTest program. Its own code is not optimised: what it tests is in libraries that are.
function(mora_test_program name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${A_SOURCES} $<TARGET_OBJECTS:mora_keep_memory>)
  set(MORA_UNITY_BATCH ${MORA_TEST_BATCH})
  mora_batches(${name})
  target_compile_options(${name} PRIVATE ${MORA_TEST_OPTIONS} $<$<CONFIG:RelWithDebInfo>:-g0>)
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE ${A_LIBRARIES} mora_warnings GTest::gtest GTest::gtest_main)
endfunction()

# One whose own code computes for minutes (generators, naive references): it is optimised, too.
function(mora_busy_test_program name)
  set(MORA_TEST_OPTIONS ${MORA_TEXT_OPTIONS})
  mora_test_program(${name} ${ARGN})
endfunction()

function(mora_unit_test layer)
  if(NOT MORA_TESTS)
    return()
  endif()
  cmake_parse_arguments(A "" "" "SOURCES;LIBRARIES" ${ARGN})
  mora_test_program(${layer}_test SOURCES ${A_SOURCES} LIBRARIES mora::${layer} ${A_LIBRARIES})
  add_test(NAME unit.${layer} COMMAND ${layer}_test)
  set_tests_properties(unit.${layer} PROPERTIES LABELS unit)
endfunction()
