/** Runs an algorithm of a problem once, by the executor. */
#ifndef SUPPORT_RUN_ALGORITHM_H
#define SUPPORT_RUN_ALGORITHM_H

#include "support/random_contraction.h"
#include "tcplan/algorithm.h"

/** Builds nest and program, and runs them as tcplan_program_run_adding() does. Returns the status
 * and message of the first failure. */
enum tcplan_status run_algorithm(const struct tcplan_problem *problem,
                                 const struct tcplan_algorithm *algorithm, const void *A,
                                 const void *B, const void *C, void *D, struct tcplan_error *error);

/** Executes an algorithm on random tensors. Fails the test if it cannot be executed, or if its
 * result differs from naive loops; `what` names the algorithm in messages. */
void run_algorithm_checked(const struct tcplan_problem *problem,
                           const struct tcplan_algorithm *algorithm, uint64_t seed,
                           const char *what);

/** Calls run_algorithm_checked() for an algorithm of a given contraction. */
void run_algorithm_computes(const struct random_contraction *given,
                            const struct tcplan_algorithm *algorithm);

#endif
