/** Runs numpy.einsum in a separate process, which is asked for one sample at a time. */
#ifndef STUDY_NUMPY_H
#define STUDY_NUMPY_H

#include <stdbool.h>
#include <sys/types.h>

#include "tcplan/problem.h"

/** The text of study/numpy_einsum.py. */
extern const char numpy_einsum[];

enum { NUMPY_VERSION_SIZE = 64, NUMPY_LINE_SIZE = 256 };

/** The function of numpy that computes the contraction. */
enum numpy_way { NUMPY_EINSUM, NUMPY_EINSUM_OPTIMIZED, NUMPY_MATMUL };

/** Zero-initialise before use. */
struct numpy {
    pid_t process; /**< process id of the Python process; 0: none */
    int socket;
    char version[NUMPY_VERSION_SIZE]; /**< version, as "numpy 1.26.4" */
    size_t length;
    char line[NUMPY_LINE_SIZE]; /**< received bytes that follow the last complete line */
};

/** Returns whether python3 is missing or reports that it has no numpy, with an error. Returns false
 * if it does not answer in time. */
bool numpy_is_missing(double patience_seconds, struct tcplan_error *error);

/**
 * Starts python3, whose BLAS uses `threads` threads, and waits until it has computed the
 * contraction once.
 *
 * @param patience_seconds  limit of each wait
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE with the reason, also if python3 or numpy is missing;
 *     TCPLAN_NO_MEMORY
 */
enum tcplan_status numpy_start(struct numpy *out, const struct tcplan_problem *problem,
                               enum numpy_way way, int threads, double patience_seconds,
                               struct tcplan_error *error);

/** Measures the seconds of one execution. Returns a status of numpy_start(). */
enum tcplan_status numpy_sample(struct numpy *numpy, double *seconds, double patience_seconds,
                                struct tcplan_error *error);

/** Ends the process, whatever it is doing. */
void numpy_stop(struct numpy *numpy);

#endif
