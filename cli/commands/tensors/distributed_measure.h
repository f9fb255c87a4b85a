/** Measures distributed algorithms in a program that is compiled and started with MPI. */
#ifndef CLI_COMMANDS_TENSORS_DISTRIBUTED_MEASURE_H
#define CLI_COMMANDS_TENSORS_DISTRIBUTED_MEASURE_H

#include "cli/render/algorithms/results.h"

/** An algorithm to measure, with the predicted calls of rank 0. */
struct distributed_subject {
    const char *name;
    int calls;
    const struct tcplan_distributed_call *call;
};

/** Returns the duration of measurements in seconds; `seconds`: the time limit, 0: the default. */
double distributed_measure_seconds(double seconds);

/**
 * Compiles and runs a program that measures algorithms for one problem alternately, such as that of
 * tcplan_distributed_emit_comparison().
 *
 * @param text     the program
 * @param seconds  the duration that the program was written for
 * @return EXIT_DONE; another status after a message: MPI is missing, the program failed, or a
 *     result is wrong
 */
enum exit_status distributed_measure(struct distributed_measured out[], const char *text,
                                     int processes, const struct distributed_subject subject[],
                                     int count, double seconds);

#endif
