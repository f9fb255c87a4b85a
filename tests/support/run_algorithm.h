/**
 * An algorithm of a problem, run once by the executor.
 */
#ifndef SUPPORT_RUN_ALGORITHM_H
#define SUPPORT_RUN_ALGORITHM_H

#include "tcplan/algorithm.h"

/** Builds nest and program and runs them: as tcplan_program_run_adding(). Status and message of
 * what fails first. */
enum tcplan_status run_algorithm(const struct tcplan_problem *problem,
                                 const struct tcplan_algorithm *algorithm, const void *A,
                                 const void *B, const void *C, void *D, struct tcplan_error *error);

/** The same on random tensors: fails the test where it cannot be run, or computes something else
 * than naive loops; `what` says which one it is. */
void run_algorithm_checked(const struct tcplan_problem *problem,
                           const struct tcplan_algorithm *algorithm, uint64_t seed,
                           const char *what);

#endif
