/**
 * The table of core types: for each library the variable and its names, and the vector width of
 * each core type.
 */
#ifndef MICROBENCH_BLAS_CORES_H
#define MICROBENCH_BLAS_CORES_H

#include <stdint.h>

#include "tcplan/blas_cores.h"

/** Vector arithmetic of a processor or of a core type's kernels; a higher level is faster. */
enum vector_level {
    VECTORS_UNKNOWN,
    VECTORS_128,
    VECTORS_256,
    VECTORS_256_FMA,
    VECTORS_512,
    VECTORS_512_BF16
};

/** Returns the highest level of this processor. */
enum vector_level vector_level_here(void);

/** What is known about a library and the processor. */
struct core_facts {
    struct tcplan_provider_info is;
    enum vector_level processor;
    const char *opened_as; /**< name under which the user opened the library, as `blas1`; NULL: not
                              opened */
};

/** Assesses the core type (a pure function). `trials` and `setting` as in tcplan_blas_advise(). */
void blas_cores_advise(struct tcplan_blas_advice *out, const struct core_facts *facts,
                       const struct tcplan_blas_trials *trials, const char *setting);

/** A core type to try, with the settings that may select it; a build accepts one of them, or
 * none. */
struct core_candidate {
    const char *core;
    char setting[2][TCPLAN_CORE_NAME]; /**< settings that may select the core type; empty: none */
};

enum { CORE_CANDIDATES = 5 };

/** Lists the other core types that this processor can run, the most promising first; none if the
 * library has no variable. */
int blas_cores_candidates(struct core_candidate out[CORE_CANDIDATES],
                          enum tcplan_provider provider);

/** Returns whether other core types are worth a trial: the present core type has narrow vectors
 * or wrong results, or is slow (a pure function). */
bool blas_cores_are_suspect(const struct core_facts *facts, const struct tcplan_core_trial *present,
                            double peak_gflops);

struct core_facts blas_cores_facts(enum tcplan_provider provider);

/**
 * Returns a number that identifies the file of a provider's library by name, version, path, size
 * and modification time.
 */
uint64_t blas_cores_file(enum tcplan_provider provider);

#endif
