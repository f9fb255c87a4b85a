# Build options and the INTERFACE target that carries warnings, language level and instrumentation to every target of the tree.

option(BUILD_SHARED_LIBS "Build libtcplan as a shared library" ON)
set(tcplan_tests_default OFF)
if(PROJECT_IS_TOP_LEVEL)
    set(tcplan_tests_default AUTO)
endif()
set(TCPLAN_TESTS "${tcplan_tests_default}" CACHE STRING "Build the tests: AUTO (where cmocka and jansson are), ON or OFF")
set_property(CACHE TCPLAN_TESTS PROPERTY STRINGS AUTO ON OFF)
set(TCPLAN_FORTRAN AUTO CACHE STRING "Test the Fortran module, and build the examples in Fortran: AUTO (where there is a compiler), ON or OFF")
set_property(CACHE TCPLAN_FORTRAN PROPERTY STRINGS AUTO ON OFF)
option(TCPLAN_WERROR "Warnings are errors" OFF)
option(TCPLAN_COVERAGE "Count executed lines (gcov)" OFF)
option(TCPLAN_FUZZ "Build the fuzz targets with libFuzzer (needs clang) instead of replaying their corpus" OFF)
set(TCPLAN_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(tcplan_instrumentation "")
if(TCPLAN_SANITIZE)
    list(APPEND tcplan_instrumentation -fsanitize=${TCPLAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(TCPLAN_COVERAGE)
    list(APPEND tcplan_instrumentation --coverage)
endif()

add_library(tcplan_options INTERFACE)
target_compile_features(tcplan_options INTERFACE c_std_11)
target_compile_definitions(tcplan_options INTERFACE _GNU_SOURCE)
target_compile_options(tcplan_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla -Wswitch-enum -Wwrite-strings
    -Wundef -Wpointer-arith -Wcast-qual
    $<$<BOOL:${TCPLAN_WERROR}>:-Werror>
    $<$<BOOL:${TCPLAN_FUZZ}>:-fsanitize=fuzzer-no-link>
    ${tcplan_instrumentation})
target_link_options(tcplan_options INTERFACE ${tcplan_instrumentation})
target_include_directories(tcplan_options INTERFACE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include/unstable" "${PROJECT_BINARY_DIR}/include")

configure_file("${PROJECT_SOURCE_DIR}/cmake/version.h.in" "${PROJECT_BINARY_DIR}/include/tcplan/version.h" @ONLY)
