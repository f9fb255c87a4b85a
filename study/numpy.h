/**
 * numpy.einsum in a process of its own, asked for one sample at a time.
 */
#ifndef STUDY_NUMPY_H
#define STUDY_NUMPY_H

#include <stdbool.h>
#include <sys/types.h>

#include "tcplan/problem.h"

/** The text of study/numpy_einsum.py. */
extern const char numpy_einsum[];

enum { NUMPY_VERSION_SIZE = 64, NUMPY_LINE_SIZE = 256 };

/** By which of its functions numpy computes. */
enum numpy_way { NUMPY_EINSUM, NUMPY_EINSUM_OPTIMIZED, NUMPY_MATMUL };

/** Zero-initialise before use. */
struct numpy {
    pid_t process; /**< 0: none */
    int socket;
    char version[NUMPY_VERSION_SIZE]; /**< "numpy 1.26.4" */
    size_t length;
    char line[NUMPY_LINE_SIZE]; /**< what came of the next line */
};

/** Whether there is no python3, or it says that it has no numpy; fills in the error then. One that
 * does not answer in time may have one. */
bool numpy_is_missing(double patience_seconds, struct tcplan_error *error);

/**
 * Starts python3 with as many threads of its BLAS, and waits until it has run the contraction once.
 *
 * @param patience_seconds  nothing is waited for longer
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE with the reason, also if there is no python3 or numpy;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status numpy_start(struct numpy *out, const struct tcplan_problem *problem,
                               enum numpy_way way, int threads, double patience_seconds,
                               struct tcplan_error *error);

/** Seconds of one execution. Status as numpy_start(). */
enum tcplan_status numpy_sample(struct numpy *numpy, double *seconds, double patience_seconds,
                                struct tcplan_error *error);

/** Ends the process, whatever it is doing. */
void numpy_stop(struct numpy *numpy);

#endif
