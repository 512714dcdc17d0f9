# mora_layer(NAME SOURCES ... USES ... [LIBRARIES ...]): the static library of one layer folder.
# mora_unit_test(LAYER SOURCES ...): the GoogleTest program that sits beside the layer's sources.

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

find_program(MORA_CCACHE ccache)
if(MORA_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${MORA_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MORA_CCACHE}")
endif()

add_library(mora_warnings INTERFACE)
# clang's -Wshadow also objects to parameters of lambdas named like members.
target_compile_options(mora_warnings INTERFACE -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow> -Wpointer-arith
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<BOOL:${MORA_WERROR}>:-Werror>)

function(mora_layer name)
  cmake_parse_arguments(A "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(mora_${name} STATIC ${A_SOURCES})
  add_library(mora::${name} ALIAS mora_${name})
  target_include_directories(mora_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  list(TRANSFORM A_USES PREPEND "mora::")
  target_link_libraries(mora_${name} PUBLIC ${A_USES} PRIVATE mora_warnings ${A_LIBRARIES})
endfunction()

function(mora_unit_test layer)
  if(NOT MORA_TESTS)
    return()
  endif()
  cmake_parse_arguments(A "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${layer}_test ${A_SOURCES})
  target_link_libraries(${layer}_test PRIVATE mora::${layer} mora_warnings GTest::gtest GTest::gtest_main ${A_LIBRARIES})
  add_test(NAME unit.${layer} COMMAND ${layer}_test)
  set_tests_properties(unit.${layer} PROPERTIES LABELS unit)
endfunction()
