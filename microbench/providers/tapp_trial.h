/** Tries calls of a TAPP library in a process of its own, before this process makes them. */
#ifndef MICROBENCH_TAPP_TRIAL_H
#define MICROBENCH_TAPP_TRIAL_H

#include "microbench/providers/tapp_library.h"

enum tapp_verdict {
    TAPP_RIGHT,
    TAPP_REFUSED, /**< the library returned an error: the call is not applicable */
    TAPP_BROKEN   /**< the library is wrong, crashed, hung, or could not be opened */
};

/** The outcome of a trial, and a clause about it such as `crashes (signal 11)`. */
struct tapp_trial {
    enum tapp_verdict verdict;
    char why[200];
};

/**
 * Opens a library in a child process, and compares a call with nested loops: all elements of a
 * small result, some elements of a large one. Factors and result are memory of the child. The
 * library counts as broken if the child does not finish in time.
 */
struct tapp_trial tapp_try(const char *path, const struct blas_call *call, enum tcplan_dtype dtype);

/** Tries small products of all types with permuted dimensions, a batch index and a scalar. */
struct tapp_trial tapp_try_library(const char *path);

#endif
