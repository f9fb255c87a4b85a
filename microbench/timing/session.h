/**
 * A measuring session: what surrounds all timing, and is put back afterwards.
 */
#ifndef MICROBENCH_SESSION_H
#define MICROBENCH_SESSION_H

#include "microbench/providers/blas.h"
#include "microbench/timing/pin.h"

struct session {
    struct blas_threads threads_before;
    struct pin pin;
};

/**
 * Sets the threads of the BLAS, binds the calling thread to its core where they are one (a team
 * needs several), and makes the first BLAS call, which initialises the library and is not timed.
 *
 * @param out  to be ended with session_end(); on failure it has nothing to put back
 * @return as blas_check_memory(), for so many callers
 */
enum tcplan_status session_begin(struct session *out, int threads, struct tcplan_error *error);

/** Puts threads and affinity back. */
void session_end(const struct session *session);

#endif
