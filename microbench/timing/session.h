/** A measuring session: sets up the process for timing and restores it afterwards. */
#ifndef MICROBENCH_SESSION_H
#define MICROBENCH_SESSION_H

#include "cachesim/binding.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/pin.h"

struct session {
    struct blas_threads threads_before;
    struct pin pin;
    struct bound *bound;
};

struct session_options {
    int threads;
    const struct tcplan_binding *binding; /**< binding of the threads; NULL: they are not bound */
    bool no_warm_up; /**< whether to omit a first BLAS call, so that the library initialises itself
                        in the first timed call */
};

/**
 * Sets the threads of the BLAS, pins a single calling thread to its core (a team needs several),
 * and makes the first BLAS call, which initialises the library and is not timed.
 *
 * @param out  receives the session, to be ended with session_end(), which restores nothing after a
 *             failure
 * @return a status of blas_check_memory(), for so many callers
 */
enum tcplan_status session_begin(struct session *out, int threads, struct tcplan_error *error);

/** Begins a session with options. The binding is in force before the library starts its threads.
 * Returns a status of session_begin() or binding_apply(). */
enum tcplan_status session_begin_with(struct session *out, const struct session_options *options,
                                      struct tcplan_error *error);

/** Restores threads, affinity and the binding. */
void session_end(const struct session *session);

#endif
