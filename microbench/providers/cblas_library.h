/** Identifies a CBLAS by what it reports about itself, as OpenBLAS, BLIS and MKL do. */
#ifndef MICROBENCH_CBLAS_LIBRARY_H
#define MICROBENCH_CBLAS_LIBRARY_H

#include <stdint.h>

#include "microbench/providers/providers.h"

enum { CBLAS_VERSION_SIZE = 64 };

struct cblas_library {
    const char *name;
    char version[CBLAS_VERSION_SIZE]; /**< version of the library; empty: unknown */
    const char *core;                 /**< core type of the selected kernels; NULL: unknown */
    bool uses_openmp; /**< whether it uses GNU OpenMP, whose threads do not survive a fork */
    void (*set_int_threads)(int); /**< sets the threads of OpenBLAS or MKL; NULL: the library has no
                                     such function */
    int (*int_threads)(void);
    void (*set_long_threads)(int64_t); /**< sets the threads of BLIS; NULL: the library has no such
                                          function */
    int64_t (*long_threads)(void);
};

/**
 * Identifies an open library; one that reports nothing is named after its file.
 * @param path  its file; `out` keeps a pointer into it
 * @return TCPLAN_OK; TCPLAN_INVALID if its integers have 64 bits
 */
enum tcplan_status cblas_library_describe(struct cblas_library *out, void *library,
                                          const char *path, struct tcplan_error *error);

/** Returns name, version and core of the library; `file` is NULL. */
struct tcplan_provider_info cblas_library_info(const struct cblas_library *library);

/** Sets or returns the number of threads of a library's calls; 0 if the library does not report it.
 */
void cblas_library_set_threads(const struct cblas_library *library, int64_t threads);
int64_t cblas_library_threads(const struct cblas_library *library);

#endif
