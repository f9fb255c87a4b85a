# Providers of kernels besides the BLAS: libraries that tcplan uses where it finds them.
#
#   TCPLAN_LIBXSMM, TCPLAN_BLIS     AUTO: if it is there; ON: it has to be there; OFF: do not look
#
# Sets what microbench is built with: tcplan_provider_packages (pkg-config's, that are linked), tcplan_provider_definitions and
# tcplan_blis_options (of the file that includes blis.h). A provider that is looked for is a section here.

set(tcplan_provider_packages "")
set(tcplan_provider_definitions "")
set(tcplan_blis_options "")
set(tcplan_providers_found openblas)

set(TCPLAN_LIBXSMM AUTO CACHE STRING "Kernels of libxsmm: AUTO, ON or OFF")
set(TCPLAN_BLIS AUTO CACHE STRING "Kernels of BLIS: AUTO, ON or OFF")
foreach(provider IN ITEMS TCPLAN_LIBXSMM TCPLAN_BLIS)
    set_property(CACHE ${provider} PROPERTY STRINGS AUTO ON OFF)
    if(NOT "${${provider}}" MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "${provider} is ${${provider}}; it has to be AUTO, ON or OFF")
    endif()
endforeach()

if(NOT TCPLAN_LIBXSMM STREQUAL OFF)
    pkg_check_modules(libxsmm QUIET IMPORTED_TARGET GLOBAL libxsmm)
    if(libxsmm_FOUND)
        list(APPEND tcplan_provider_packages libxsmm)
        list(APPEND tcplan_provider_definitions TCPLAN_HAS_LIBXSMM=1)
        list(APPEND tcplan_providers_found "libxsmm ${libxsmm_VERSION}")
    elseif(TCPLAN_LIBXSMM STREQUAL ON)
        message(FATAL_ERROR "TCPLAN_LIBXSMM is ON, but pkg-config knows no libxsmm (Debian: libxsmm-dev)")
    endif()
endif()

# BLIS is opened when the program runs (microbench/providers/blis.c says why): where it lies goes into the program.
if(NOT TCPLAN_BLIS STREQUAL OFF)
    find_path(TCPLAN_BLIS_INCLUDE_DIR blis.h PATH_SUFFIXES blis)
    find_library(TCPLAN_BLIS_LIBRARY NAMES ${CMAKE_SHARED_LIBRARY_PREFIX}blis${CMAKE_SHARED_LIBRARY_SUFFIX})
    mark_as_advanced(TCPLAN_BLIS_INCLUDE_DIR TCPLAN_BLIS_LIBRARY)
    if(TCPLAN_BLIS_INCLUDE_DIR AND TCPLAN_BLIS_LIBRARY)
        get_filename_component(tcplan_blis_file "${TCPLAN_BLIS_LIBRARY}" REALPATH)
        get_filename_component(tcplan_blis_soname "${tcplan_blis_file}" NAME)
        if(NOT TCPLAN_BLIS_INCLUDE_DIR IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
            set(tcplan_blis_options -isystem "${TCPLAN_BLIS_INCLUDE_DIR}")
        endif()
        list(APPEND tcplan_provider_definitions TCPLAN_HAS_BLIS=1 "TCPLAN_BLIS_FILE=\"${tcplan_blis_file}\""
            "TCPLAN_BLIS_SONAME=\"${tcplan_blis_soname}\"")
        list(APPEND tcplan_providers_found "BLIS (${tcplan_blis_file})")
    elseif(TCPLAN_BLIS STREQUAL ON)
        message(FATAL_ERROR "TCPLAN_BLIS is ON, but there is no blis.h with a shared libblis (Debian: libblis-dev)")
    endif()
endif()

list(JOIN tcplan_providers_found ", " tcplan_providers_found)
message(STATUS "Kernel providers: ${tcplan_providers_found}")
