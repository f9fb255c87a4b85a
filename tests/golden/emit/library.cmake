# A library of planned contractions, emitted by tcplan @VERSION@.
#
#   cmake -S . -B build && cmake --build build && ctest --test-dir build
#
# or add_subdirectory() and link contractions::contractions. Another CBLAS than OpenBLAS: -DCBLAS_LIBRARY=FILE -DCBLAS_INCLUDE_DIR=DIR.
cmake_minimum_required(VERSION 3.21)
project(contractions LANGUAGES C)

option(CONTRACTIONS_TESTS "Build the test of the contractions" ${PROJECT_IS_TOP_LEVEL})
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas REQUIRED)
find_library(CBLAS_LIBRARY NAMES openblas cblas REQUIRED)

set(contractions
    contract_gemm
    contract_copies
    contract_zdot
)

list(TRANSFORM contractions APPEND .c OUTPUT_VARIABLE sources)
add_library(contractions ${sources} contractions.h)
add_library(contractions::contractions ALIAS contractions)
set_target_properties(contractions PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON PUBLIC_HEADER contractions.h)
target_include_directories(contractions PRIVATE ${CBLAS_INCLUDE_DIR}
    INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
target_link_libraries(contractions PRIVATE ${CBLAS_LIBRARY})
install(TARGETS contractions EXPORT contractions)
install(EXPORT contractions NAMESPACE contractions:: FILE contractionsConfig.cmake DESTINATION lib/cmake/contractions)

# Each function at its own sizes. A test is skipped where its tensors take more than 1 GiB, or than CONTRACTIONS_TEST_BYTES in the
# environment says.
if(CONTRACTIONS_TESTS)
    enable_testing()
    add_executable(test_contractions test_contractions.c)
    set_target_properties(test_contractions PROPERTIES C_STANDARD 11)
    target_link_libraries(test_contractions PRIVATE contractions m)
    foreach(contraction IN LISTS contractions)
        add_test(NAME ${contraction} COMMAND test_contractions ${contraction})
        set_tests_properties(${contraction} PROPERTIES SKIP_RETURN_CODE 77)
    endforeach()
endif()
