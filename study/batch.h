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

/** The speed of gemm for the number of threads of the last ranked entry. It is measured for the
 * first entry with this number. */
struct batch_gemm {
    int threads; /**< number of threads; 0: not measured yet */
    double gflops;
};

struct tcplan_batch {
    struct tcplan_batch_options options;
    struct tcplan_machine machine; /**< copy of the machine in the options */
    struct provenance provenance;
    struct batch_input input;
    struct tcplan_results_file *file; /**< file of results; NULL: results are not written */
    double synced; /**< time at which the file was last synced to disk, in seconds of the monotonic
                      clock */
    struct finding_cache cache;
    struct worker worker;          /**< process that ranks and measures */
    struct tcplan_node_lock *lock; /**< lock of the machine; NULL: none */
    struct batch_gemm gemm[TCPLAN_DTYPES];
    char wrong[TCPLAN_PROVIDER_FILES][TCPLAN_MESSAGE_SIZE]; /**< last message about wrong results of
                                                               each library opened as a file */
    struct record record;
    struct tcplan_batch_counts counts;
    bool stream;       /**< whether the libraries can be read only once */
    struct id_set met; /**< ids of the entries read; empty for a stream without a file of results,
                          because a stream may be endless */
    double started; /**< time at which the first entry began, in seconds of the monotonic clock */
};

/** Fills the record of the batch for an entry: reuses the finding of an equal entry, or ranks the
 * entry. If the entry fails, the record has the reason and the status is TCPLAN_OK. */
enum tcplan_status batch_evaluate(struct tcplan_batch *batch,
                                  const struct tcplan_library_entry *entry,
                                  struct tcplan_error *error);

#endif
