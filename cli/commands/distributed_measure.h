/** Measures distributed algorithms in a program that is compiled and started with MPI. */
#ifndef CLI_COMMANDS_DISTRIBUTED_MEASURE_H
#define CLI_COMMANDS_DISTRIBUTED_MEASURE_H

#include "cli/render/algorithms/results.h"

/**
 * Measures the algorithms for one problem alternately.
 *
 * @param seconds  approximate duration; 0: the default
 * @return EXIT_DONE; another status after a message: MPI is missing, the program failed, or a
 *         result is wrong
 */
enum exit_status distributed_measure(struct distributed_measured out[],
                                     const struct tcplan_distributed *const distributed[],
                                     int count, struct tcplan_planner *planner, double seconds);

#endif
