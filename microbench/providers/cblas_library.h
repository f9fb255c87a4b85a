/**
 * What a CBLAS is, as it tells itself: OpenBLAS, BLIS and MKL do.
 */
#ifndef MICROBENCH_CBLAS_LIBRARY_H
#define MICROBENCH_CBLAS_LIBRARY_H

#include <stdint.h>

#include "microbench/providers/providers.h"

enum { CBLAS_VERSION_SIZE = 64 };

struct cblas_library {
    const char *name;
    char version[CBLAS_VERSION_SIZE]; /**< "": not known */
    const char *core;                 /**< NULL: not known */
    bool uses_openmp;                 /**< GNU's: its threads do not survive a fork */
    void (*set_int_threads)(int);     /**< OpenBLAS's, MKL's; NULL: it has none, or another */
    int (*int_threads)(void);
    void (*set_long_threads)(int64_t); /**< BLIS's */
    int64_t (*long_threads)(void);
};

/**
 * Asks an open library what it is; one that does not tell is called as its file is.
 *
 * @param path  its file; `out` keeps a pointer into it
 * @return TCPLAN_OK; TCPLAN_INVALID where its integers have 64 bits
 */
enum tcplan_status cblas_library_describe(struct cblas_library *out, void *library,
                                          const char *path, struct tcplan_error *error);

/** Without a file. */
struct tcplan_provider_info cblas_library_info(const struct cblas_library *library);

/** Threads within its calls; what it says, 0 where it does not tell. */
void cblas_library_set_threads(const struct cblas_library *library, int64_t threads);
int64_t cblas_library_threads(const struct cblas_library *library);

#endif
