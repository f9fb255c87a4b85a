# A library of planned contractions, emitted by tcplan EMIT_version.
#
#   cmake -S . -B build && cmake --build build && ctest --test-dir build
#
# or add_subdirectory() and link contractions::contractions. Another CBLAS: -DCBLAS_LIBRARY=FILE -DCBLAS_INCLUDE_DIR=DIR.
cmake_minimum_required(VERSION 3.21)
project(contractions LANGUAGES C)

option(CONTRACTIONS_FORTRAN "Build the module for Fortran: contractions::contractions_fortran" OFF)
option(CONTRACTIONS_TESTS "Build the test of the contractions" ${PROJECT_IS_TOP_LEVEL})
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

set(contractions
EMIT_functions
)

# What the functions' kernels need, as their own lines say.
set(links "")
set(files "")
set(block_sparse "")
foreach(contraction IN LISTS contractions)
    file(STRINGS ${contraction}.c link LIMIT_COUNT 1 REGEX "^ [*] link: ")
    file(STRINGS ${contraction}.c sparse LIMIT_COUNT 1 REGEX "^ [*] block-sparse contraction: ")
    string(APPEND links "${link} ")
    if(sparse)
        list(APPEND block_sparse ${contraction})
    endif()
    if(link MATCHES "link: '?(/[^']*[.]so[^ ']*)")
        list(APPEND files "${CMAKE_MATCH_1}")
    endif()
endforeach()
list(REMOVE_DUPLICATES files)
list(LENGTH files file_count)
string(FIND "${links}" "EMIT_linked_blas" linked)
if(file_count EQUAL 1 AND linked EQUAL -1)
    set(CBLAS_LIBRARY "${files}" CACHE FILEPATH "The CBLAS that was planned for")
elseif(file_count GREATER 0)
    message(WARNING "Planned with kernels of several CBLAS libraries; one serves all of them: CBLAS_LIBRARY")
endif()
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas blis REQUIRED)
EMIT_cblas_library
set(includes ${CBLAS_INCLUDE_DIR})
set(libraries ${CBLAS_LIBRARY})
EMIT_providers
if(links MATCHES "-pthread") # threads share loops
    find_package(Threads REQUIRED)
    list(APPEND libraries ${CMAKE_THREAD_LIBS_INIT})
endif()

list(TRANSFORM contractions APPEND .c OUTPUT_VARIABLE sources)
add_library(contractions ${sources} contractions.h)
add_library(contractions::contractions ALIAS contractions)
set_target_properties(contractions PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON PUBLIC_HEADER contractions.h)
target_include_directories(contractions PRIVATE ${includes}
    INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
target_link_libraries(contractions PRIVATE ${libraries})
install(TARGETS contractions EXPORT contractions)
install(EXPORT contractions NAMESPACE contractions:: FILE contractionsConfig.cmake DESTINATION lib/cmake/contractions)

if(CONTRACTIONS_FORTRAN)
    enable_language(Fortran)
    add_library(contractions_fortran contractions.f90)
    add_library(contractions::contractions_fortran ALIAS contractions_fortran)
    set_target_properties(contractions_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules)
    target_include_directories(contractions_fortran PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/modules)
    target_link_libraries(contractions_fortran PUBLIC contractions)
endif()

# Each function at its own sizes. A test is skipped where its tensors take more than 1 GiB, or than CONTRACTIONS_TEST_BYTES in the
# environment says.
if(CONTRACTIONS_TESTS)
    enable_testing()
    add_executable(test_contractions test_contractions.c)
    set_target_properties(test_contractions PROPERTIES C_STANDARD 11)
    target_link_libraries(test_contractions PRIVATE contractions m)
    foreach(contraction IN LISTS contractions)
        if(contraction IN_LIST block_sparse) # its file has the test
            add_executable(test_${contraction} ${contraction}.c)
            set_target_properties(test_${contraction} PROPERTIES C_STANDARD 11)
            target_compile_definitions(test_${contraction} PRIVATE CONTRACTIONS_MAIN)
            target_include_directories(test_${contraction} PRIVATE ${includes})
            target_link_libraries(test_${contraction} PRIVATE ${libraries} m)
            add_test(NAME ${contraction} COMMAND test_${contraction})
            set_tests_properties(${contraction} PROPERTIES SKIP_RETURN_CODE 3)
        else()
            add_test(NAME ${contraction} COMMAND test_contractions ${contraction})
            set_tests_properties(${contraction} PROPERTIES SKIP_RETURN_CODE 77)
        endif()
    endforeach()
endif()
