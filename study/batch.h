/** The internals of a batch. */
#ifndef STUDY_BATCH_H
#define STUDY_BATCH_H

#include "base/id_set.h"
#include "study/batch_input.h"
#include "study/finding_cache.h"
#include "study/provenance.h"
#include "study/record.h"
#include "study/worker.h"
#include "tcplan/blas.h"

/** The speed of gemm, as it was for the first entry of these threads. */
struct batch_gemm {
    int threads; /**< 0: not known yet */
    double gflops;
};

struct tcplan_batch {
    struct tcplan_batch_options options;
    struct tcplan_machine machine; /**< that of the options */
    struct provenance provenance;
    struct batch_input input;
    struct tcplan_results_file *file; /**< NULL: results are not kept */
    double synced;                    /**< when it was last made safe from a loss of power */
    struct finding_cache cache;
    struct worker worker;          /**< ranks and measures */
    struct tcplan_node_lock *lock; /**< NULL: none */
    struct batch_gemm gemm[TCPLAN_DTYPES];
    char wrong[TCPLAN_PROVIDER_FILES][TCPLAN_MESSAGE_SIZE]; /**< message already reported for each
                                                               opened file */
    struct record record;
    struct tcplan_batch_counts counts;
    bool stream;       /**< the libraries can be read once */
    struct id_set met; /**< ids of entries; empty if nothing is kept, so that a stream may continue
                          for ever */
    double started;    /**< when the first entry was begun, in seconds of the monotonic clock */
};

/** Makes the batch's record that of the entry: reuses the finding of an equal one, or ranks it.
 * TCPLAN_OK also if the entry failed. */
enum tcplan_status batch_evaluate(struct tcplan_batch *batch,
                                  const struct tcplan_library_entry *entry,
                                  struct tcplan_error *error);

#endif
