/**
 * The process that ranks and measures for a batch, so that a contraction that kills it does not
 * end the batch.
 *
 * All contractions of a batch share its times of kernels.
 */
#ifndef STUDY_BATCH_WORKER_H
#define STUDY_BATCH_WORKER_H

#include "study/batch.h"

/** Starts the process, which inherits the batch's options and machine. To be stopped with
 * worker_stop(). */
enum tcplan_status batch_worker_start(struct tcplan_batch *batch, struct tcplan_error *error);

/**
 * Ranks and measures the contraction of an entry without a fault.
 *
 * @param gemm_gflops  the speed of gemm in GFLOP/s; 0: not measured yet
 * @param out          receives the finding, to be freed with free(); NULL if the entry failed, and
 *                     `reason` then has the cause
 * @return TCPLAN_OK in both cases; another status if the batch cannot continue
 */
enum tcplan_status batch_worker_find(struct finding **out, struct tcplan_batch *batch,
                                     const struct tcplan_library_entry *entry, double gemm_gflops,
                                     struct tcplan_error *reason, struct tcplan_error *error);

#endif
