# Providers of kernels besides the BLAS: libraries that tcplan uses where it finds them.
#
#   TCPLAN_LIBXSMM, TCPLAN_BLIS     AUTO: if it is there; ON: it has to be there; OFF: do not look
#
# Sets tcplan_libxsmm_package to the pkg-config package, tcplan_blis_definitions and tcplan_blis_include; empty where one is not used.

set(TCPLAN_LIBXSMM AUTO CACHE STRING "Kernels of libxsmm: AUTO, ON or OFF")
set(TCPLAN_BLIS AUTO CACHE STRING "Kernels of BLIS: AUTO, ON or OFF")
foreach(provider IN ITEMS TCPLAN_LIBXSMM TCPLAN_BLIS)
    set_property(CACHE ${provider} PROPERTY STRINGS AUTO ON OFF)
    if(NOT "${${provider}}" MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "${provider} is ${${provider}}; it has to be AUTO, ON or OFF")
    endif()
endforeach()

set(tcplan_libxsmm_package "")
if(NOT TCPLAN_LIBXSMM STREQUAL OFF)
    pkg_check_modules(libxsmm QUIET IMPORTED_TARGET GLOBAL libxsmm)
    if(libxsmm_FOUND)
        set(tcplan_libxsmm_package libxsmm)
    elseif(TCPLAN_LIBXSMM STREQUAL ON)
        message(FATAL_ERROR "TCPLAN_LIBXSMM is ON, but pkg-config knows no libxsmm (Debian: libxsmm-dev)")
    endif()
endif()

# BLIS is opened when the program runs (microbench/provider_blis.c says why): where it lies goes into the program.
set(tcplan_blis_definitions TCPLAN_HAS_BLIS=0)
set(tcplan_blis_include "")
if(NOT TCPLAN_BLIS STREQUAL OFF)
    find_path(TCPLAN_BLIS_INCLUDE_DIR blis.h PATH_SUFFIXES blis)
    find_library(TCPLAN_BLIS_LIBRARY NAMES ${CMAKE_SHARED_LIBRARY_PREFIX}blis${CMAKE_SHARED_LIBRARY_SUFFIX})
    mark_as_advanced(TCPLAN_BLIS_INCLUDE_DIR TCPLAN_BLIS_LIBRARY)
    if(TCPLAN_BLIS_INCLUDE_DIR AND TCPLAN_BLIS_LIBRARY)
        get_filename_component(tcplan_blis_file "${TCPLAN_BLIS_LIBRARY}" REALPATH)
        get_filename_component(tcplan_blis_soname "${tcplan_blis_file}" NAME)
        set(tcplan_blis_include "${TCPLAN_BLIS_INCLUDE_DIR}")
        set(tcplan_blis_definitions TCPLAN_HAS_BLIS=1 "TCPLAN_BLIS_FILE=\"${tcplan_blis_file}\""
            "TCPLAN_BLIS_SONAME=\"${tcplan_blis_soname}\"")
    elseif(TCPLAN_BLIS STREQUAL ON)
        message(FATAL_ERROR "TCPLAN_BLIS is ON, but there is no blis.h with a shared libblis (Debian: libblis-dev)")
    endif()
endif()

set(tcplan_providers_found openblas)
if(tcplan_libxsmm_package)
    list(APPEND tcplan_providers_found "libxsmm ${libxsmm_VERSION}")
endif()
if(tcplan_blis_include)
    list(APPEND tcplan_providers_found "BLIS (${tcplan_blis_file})")
endif()
list(JOIN tcplan_providers_found ", " tcplan_providers_found)
message(STATUS "Kernel providers: ${tcplan_providers_found}")
