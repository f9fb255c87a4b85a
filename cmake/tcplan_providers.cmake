# Finds the BLAS and LAPACK that tcplan is linked with, and optional libraries that provide kernels.
#
#   TCPLAN_BLAS                     AUTO: OpenBLAS if pkg-config finds it, otherwise libblas and liblapack; or a list of libraries or files, such as `blis;lapack`
#   TCPLAN_LIBXSMM, TCPLAN_BLIS     AUTO: use it if it is installed; ON: fail if it is not; OFF: do not use it
#
# Sets variables for building microbench: tcplan_blas_package (for pkg-config) or tcplan_blas_libraries with tcplan_blas_includes,
# tcplan_blas_texts (the libraries as C strings, for gen), tcplan_provider_packages (packages to link with), tcplan_provider_definitions, and tcplan_blis_options (of the file that includes blis.h). A library that is looked for is a file in cmake/providers/, called as in TCPLAN_PROVIDER_LIST.

set(tcplan_provider_packages "")
set(tcplan_provider_definitions "")
set(tcplan_blis_options "")

set(TCPLAN_BLAS AUTO CACHE STRING "CBLAS and LAPACK, of 32-bit integers: AUTO (OpenBLAS, otherwise libblas and liblapack), or libraries, as blis;lapack or files")
set(tcplan_blas_package "")
set(tcplan_blas_libraries "")
set(tcplan_blas_includes "")
set(tcplan_blas_named "${TCPLAN_BLAS}")
if(TCPLAN_BLAS STREQUAL AUTO)
    pkg_check_modules(openblas QUIET IMPORTED_TARGET GLOBAL openblas)
    set(tcplan_blas_named blas lapack)
endif()
if(TCPLAN_BLAS STREQUAL AUTO AND openblas_FOUND)
    set(tcplan_blas_package openblas)
    set(tcplan_providers_found openblas)
else()
    include(CheckCSourceCompiles)
    find_path(TCPLAN_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas blis)
    mark_as_advanced(TCPLAN_CBLAS_INCLUDE_DIR)
    set(tcplan_blas_libraries ${tcplan_blas_named})
    if(TCPLAN_CBLAS_INCLUDE_DIR AND NOT TCPLAN_CBLAS_INCLUDE_DIR IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
        set(tcplan_blas_includes "${TCPLAN_CBLAS_INCLUDE_DIR}")
        set(CMAKE_REQUIRED_INCLUDES "${TCPLAN_CBLAS_INCLUDE_DIR}")
    endif()
    set(CMAKE_REQUIRED_LIBRARIES ${tcplan_blas_named} m)
    string(MAKE_C_IDENTIFIER "tcplan_links_${tcplan_blas_named}" tcplan_links)
    check_c_source_compiles("#include <cblas.h>
        void dgelsd_(void);
        int main(void) { dgelsd_(); return cblas_ddot(0, 0, 1, 0, 1) > 0; }" ${tcplan_links})
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_INCLUDES)
    if(NOT ${tcplan_links})
        message(FATAL_ERROR "No CBLAS and LAPACK in '${tcplan_blas_named}', or no cblas.h: install OpenBLAS (Debian: libopenblas-dev), or name libraries, as -DTCPLAN_BLAS='blis;lapack'")
    endif()
    list(JOIN tcplan_blas_named " and " tcplan_providers_found)
endif()

foreach(file IN LISTS tcplan_provider_files)
    get_filename_component(name "${file}" NAME_WE)
    include(providers/${name} OPTIONAL)
endforeach()

# The libraries as C strings: emitted files name them in their link lines.
set(tcplan_blas_texts ${tcplan_blas_package} ${tcplan_blas_libraries})
list(JOIN tcplan_blas_texts "\",\"" tcplan_blas_texts)
set(tcplan_blas_texts "\"${tcplan_blas_texts}\"")

list(JOIN tcplan_providers_found ", " tcplan_providers_found)
message(STATUS "Kernel providers: ${tcplan_providers_found}")
