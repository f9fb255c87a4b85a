/**
 * Kernel providers: the libraries that supply kernels.
 *
 * Every build of tcplan has the names of all providers, so it can print and parse names of
 * libraries that it lacks; tcplan_provider_info() in tcplan/blas.h reports the providers of a
 * program.
 */
#ifndef TCPLAN_PROVIDER_H
#define TCPLAN_PROVIDER_H

#include <stdbool.h>

#include "tcplan/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The libraries, each a line PROVIDER(NUMBER, name); `name` follows the @ in names of algorithms.
 * Each library is a file `name`.c in ast/providers/, gen/providers/ and microbench/providers/, and
 * one in cmake/providers/ where the build looks for it. The numbers below, the tables of these
 * folders and their lists of source files are made from this list.
 *
 * - openblas: the CBLAS tcplan is linked with; it has every kernel
 * - libxsmm: gemm, in code generated for the extents
 * - blis: gemm for matrices with any two strides
 */
#define TCPLAN_PROVIDER_LIST(PROVIDER)                                                             \
    PROVIDER(BLAS, openblas)                                                                       \
    PROVIDER(LIBXSMM, libxsmm)                                                                     \
    PROVIDER(BLIS, blis)

#define TCPLAN_PROVIDER_NUMBER(NUMBER, name) TCPLAN_PROVIDER_##NUMBER,

/* clang-format off */

/** The libraries of the list, and providers that are not separate libraries. */
enum tcplan_provider {
    TCPLAN_PROVIDER_LIST(TCPLAN_PROVIDER_NUMBER)
    TCPLAN_PROVIDER_EMITTED, /**< `emitted`: gemm for any strides and loops over any indices, in
                                C that tcplan writes: part of the library, or compiled for a call */
    TCPLAN_PROVIDER_FILE_1,  /**< `blas1`: the first CBLAS opened as a file; has every kernel */
    TCPLAN_PROVIDER_FILE_2,
    TCPLAN_PROVIDER_FILE_3,
    TCPLAN_PROVIDER_FILE_4,
    TCPLAN_PROVIDER_TAPP_1, /**< the first TAPP library; its only algorithm is the whole
                               contraction */
    TCPLAN_PROVIDER_TAPP_2,
    TCPLAN_PROVIDER_TAPP_3,
    TCPLAN_PROVIDER_TAPP_4,
    TCPLAN_PROVIDERS
};

/* clang-format on */

enum {
    TCPLAN_PROVIDER_BLAS_FILES = TCPLAN_PROVIDER_TAPP_1 - TCPLAN_PROVIDER_FILE_1,
    TCPLAN_PROVIDER_TAPPS = TCPLAN_PROVIDERS - TCPLAN_PROVIDER_TAPP_1,
    TCPLAN_PROVIDER_FILES = TCPLAN_PROVIDERS - TCPLAN_PROVIDER_FILE_1
}; /**< maximum number of open CBLAS files, of open TAPP libraries, and of both together */

/** Returns `openblas`, `libxsmm`, `blis`, `emitted`, or `blas1` to `blas4`; for an open TAPP
 * library the name given to tcplan_provider_open_tapp(), otherwise `tapp1` to `tapp4`. */
TCPLAN_API const char *tcplan_provider_name(enum tcplan_provider provider);

/** Finds a provider by its name; returns false if there is none. */
TCPLAN_API bool tcplan_provider_find(enum tcplan_provider *out, const char *name);

#ifdef __cplusplus
}
#endif

#endif
