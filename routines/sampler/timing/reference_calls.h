/**
 * The reference of the core (microbench/timing/reference.h) as calls in the queue. There are as
 * many calls as the core needs to settle (microbench/timing/settling.h); the shortest of the last
 * calls is the reference. References of different processes are comparable.
 */
#ifndef SAMPLER_REFERENCE_CALLS_H
#define SAMPLER_REFERENCE_CALLS_H

#include "microbench/timing/settling.h"
#include "routines/sampler/timing/queue.h"

/** Number of reference calls. A queue of calls cannot detect when the clock rate of the core is
 * steady: this number of calls takes at least SETTLING_REFERENCE_SECONDS if each call takes 4
 * microseconds. */
enum { REFERENCE_CALLS = 128 };

/** The prepared reference calls. Must not be moved after it is opened. */
struct reference_calls {
    double *data;
    struct call call;
};

/** Prepares the calls; close them whatever is returned. Returns TCPLAN_OK; TCPLAN_NO_MEMORY;
 * TCPLAN_INVALID if the BLAS lacks dgemm. */
enum tcplan_status reference_calls_open(struct reference_calls *out, struct tcplan_error *error);

void reference_calls_close(struct reference_calls *reference);

/** Queues one reference: REFERENCE_CALLS calls with a tag. Returns a status of queue_add(). */
enum tcplan_status reference_calls_add(struct queue *queue, const struct reference_calls *reference,
                                       int tag, struct tcplan_error *error);

/** Returns the seconds of one reference from its samples, which may be incomplete if the queue was
 * stopped; 0 if there are too few. */
double reference_calls_seconds(const struct sample sample[], int count);

#endif
