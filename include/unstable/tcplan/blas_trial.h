/**
 * Trials of core types. Each runs in a separate process, because a BLAS library reads its
 * environment variable only when it is loaded.
 */
#ifndef TCPLAN_BLAS_TRIAL_H
#define TCPLAN_BLAS_TRIAL_H

#include "tcplan/blas_cores.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Tries the core type that a provider's library selects now and, if that is slow, narrow or wrong,
 * others that this processor can run. Each process reports the name of its core type, checks
 * results in all four types, and times dgemm. Ends with the first core type whose results are
 * right and whose dgemm reaches a good share of the FMA peak. A process takes some tenths of a
 * second.
 *
 * @param out      holds the known trials of this library on this processor, and receives the new
 *     trials; zero-initialise if none are known
 * @param program  path and arguments of a program that calls tcplan_blas_serve(), ended by NULL
 * @param setting  value of tcplan_blas_variable() in the environment; NULL: it is not set
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the provider is absent or no BLAS; TCPLAN_ENVIRONMENT
 *         if processes cannot be started, or the present core type cannot be tried
 */
TCPLAN_API enum tcplan_status tcplan_blas_try(struct tcplan_blas_trials *out,
                                              enum tcplan_provider provider,
                                              const char *const *program, const char *setting,
                                              struct tcplan_error *error);

/** Does the work of a process started by tcplan_blas_try(). Returns false if this process was not
 * started by it. */
TCPLAN_API bool tcplan_blas_serve(void);

#ifdef __cplusplus
}
#endif

#endif
