/**
 * The table of core types: per library the variable, the names in it, and the vectors that each
 * core type uses.
 */
#ifndef MICROBENCH_BLAS_CORES_H
#define MICROBENCH_BLAS_CORES_H

#include <stdint.h>

#include "tcplan/blas_cores.h"

/** Arithmetic of a processor, or of the kernels of a core type; more is faster. */
enum vector_level {
    VECTORS_UNKNOWN,
    VECTORS_128,
    VECTORS_256,
    VECTORS_256_FMA,
    VECTORS_512,
    VECTORS_512_BF16
};

/** The best that this processor has. */
enum vector_level vector_level_here(void);

/** A library and the processor. */
struct core_facts {
    struct tcplan_provider_info is;
    enum vector_level processor;
    const char *opened_as; /**< `blas1`, a library that was opened as a file; NULL: any other */
};

/** Assesses; pure. `trials` and `setting` as of tcplan_blas_advise(). */
void blas_cores_advise(struct tcplan_blas_advice *out, const struct core_facts *facts,
                       const struct tcplan_blas_trials *trials, const char *setting);

/** A core type to be tried, with the settings that may select it: a build takes one of them, or
 * none. */
struct core_candidate {
    const char *core;
    char setting[2][TCPLAN_CORE_NAME]; /**< empty: none */
};

enum { CORE_CANDIDATES = 5 };

/** Other core types than the present one that this processor can run, the most promising first;
 * none where the library has no variable. */
int blas_cores_candidates(struct core_candidate out[CORE_CANDIDATES],
                          enum tcplan_provider provider);

/** Whether other core types are worth a trial: the present one has narrow vectors or wrong results,
 * or is slow. Pure. */
bool blas_cores_are_suspect(const struct core_facts *facts, const struct tcplan_core_trial *present,
                            double peak_gflops);

struct core_facts blas_cores_facts(enum tcplan_provider provider);

/**
 * Identifies the file of a provider's library: a number of its name, version, path, size and time
 * of change.
 */
uint64_t blas_cores_file(enum tcplan_provider provider);

#endif
