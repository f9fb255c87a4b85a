/**
 * Core types of BLAS libraries: whether the kernels that a library selected suit this processor.
 *
 * OpenBLAS and BLIS hold kernels for many processors and select one set, a *core type*, when they
 * are loaded. A library older than its processor may select slow kernels without a word, and some
 * builds compute wrong results on some processors. An environment variable (`OPENBLAS_CORETYPE`,
 * `BLIS_ARCH_TYPE`) selects another core type.
 *
 * tcplan_blas_advise() compares the reported core type with the processor. It recommends another
 * core type only after a trial: a process in which the variable was set reported that core type,
 * computed right results in all four types, and was faster. tcplan_blas_try() in
 * tcplan/blas_trial.h runs trials, and tcplan/store.h keeps them.
 */
#ifndef TCPLAN_BLAS_CORES_H
#define TCPLAN_BLAS_CORES_H

#include "tcplan/blas.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_CORE_NAME = 32, TCPLAN_CORE_TRIALS = 8, TCPLAN_CORE_WRONG = 96 };

/** Result of a trial: one core type, tested in a separate process. */
struct tcplan_core_trial {
    char core[TCPLAN_CORE_NAME];    /**< name of the core type as the library reported it */
    char setting[TCPLAN_CORE_NAME]; /**< value of the environment variable that selected it; empty:
                                       the trial did not change the variable */
    char wrong[TCPLAN_CORE_WRONG];  /**< routines with wrong results, such as `sgemm, zgemm`; empty:
                                       all  results were right */
    double gflops;                  /**< GFLOP/s of dgemm with one thread */
};

/** Trials of one library on one processor. */
struct tcplan_blas_trials {
    double peak_gflops; /**< double-precision FMA peak of one core, in GFLOP/s; 0: unknown */
    int count;
    struct tcplan_core_trial trial[TCPLAN_CORE_TRIALS];
};

enum tcplan_blas_finding {
    TCPLAN_BLAS_SUITS,  /**< as far as is known, the core type suits the processor */
    TCPLAN_BLAS_NARROW, /**< judging by its name, the core type uses narrower vectors than the
                           processor has, or no FMA; no trial was made */
    TCPLAN_BLAS_FASTER, /**< another core type is faster, and its results are right */
    TCPLAN_BLAS_SLOW,   /**< dgemm is far below the FMA peak, and no other core type is faster */
    TCPLAN_BLAS_WRONG   /**< the selected core type computes wrong results */
};

struct tcplan_blas_advice {
    enum tcplan_blas_finding finding;
    const char *variable; /**< the environment variable, such as `OPENBLAS_CORETYPE`; NULL: the
                             library has none */
    char core[TCPLAN_CORE_NAME];        /**< the selected core type; empty: unknown */
    char better_core[TCPLAN_CORE_NAME]; /**< the core type that is recommended instead; empty: none
                                         */
    char better_setting[TCPLAN_CORE_NAME]; /**< value of the environment variable that selects
                                              better_core */
    double factor; /**< speed of dgemm with the better core type divided by its present speed; 0:
                      there is no better one */
    char text[TCPLAN_MESSAGE_SIZE]; /**< advice in one or two sentences, preceded by `blas1: ` for
                                       an opened file; empty for TCPLAN_BLAS_SUITS */
};

/** Smallest speedup of dgemm for which another core type is recommended: a smaller one may be
 * noise, or not worth setting a variable. */
#define TCPLAN_BLAS_CLEARLY_FASTER 1.2

/** Returns the environment variable that selects a provider's core type; NULL if the provider is
 * absent or its library has no such variable. */
TCPLAN_API const char *tcplan_blas_variable(enum tcplan_provider provider);

/**
 * Assesses the core type that a provider's library selected.
 *
 * @param trials   NULL: none were made; then only names are compared
 * @param setting  value of the variable in the environment; NULL: it is not set. If it is set,
 *     names alone give no advice: the core type is assumed to be chosen on purpose
 */
TCPLAN_API void tcplan_blas_advise(struct tcplan_blas_advice *out, enum tcplan_provider provider,
                                   const struct tcplan_blas_trials *trials, const char *setting);

/** Returns whether trials include the core type that the provider selected in this process. */
TCPLAN_API bool tcplan_blas_is_tried(const struct tcplan_blas_trials *trials,
                                     enum tcplan_provider provider);

#ifdef __cplusplus
}
#endif

#endif
