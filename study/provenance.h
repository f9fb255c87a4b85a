/** Makes the provenance of the results of this process. */
#ifndef STUDY_PROVENANCE_H
#define STUDY_PROVENANCE_H

#include "tcplan/rank.h"
#include "tcplan/results.h"

/** A provenance, with memory for its texts that are not constants. */
struct provenance {
    struct tcplan_provenance provenance;
    char settings[1024];
    char host[256];
};

/**
 * Describes this program, its settings and its machine. The texts of the settings and the machine
 * are borrowed.
 *
 * @param measured number of algorithms of each contraction that are run
 * @param blas_advice  borrowed; NULL: none
 */
void provenance_make(struct provenance *out, const struct tcplan_rank_options *options,
                     size_t measured, const char *blas_advice);

#endif
