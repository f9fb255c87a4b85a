/**
 * The reference of the core (microbench/timing/reference.h) as calls of the queue: as many as it
 * takes the core to settle (microbench/timing/settling.h), of which the smallest of the last ones
 * counts. They cost what samples cost, and references of different processes can be held against
 * each other.
 */
#ifndef SAMPLER_REFERENCE_CALLS_H
#define SAMPLER_REFERENCE_CALLS_H

#include "microbench/timing/settling.h"
#include "routines/sampler/timing/queue.h"

/** A queue cannot tell when they have settled: these take SETTLING_REFERENCE_SECONDS or more where
 * a call takes 4 microseconds. */
enum { REFERENCE_CALLS = 128 };

/** Must not be moved once it is open. */
struct reference_calls {
    double *data;
    struct call call;
};

/** Prepares them; to be closed whatever is returned. TCPLAN_OK, TCPLAN_NO_MEMORY; TCPLAN_INVALID if
 * the BLAS lacks dgemm. */
enum tcplan_status reference_calls_open(struct reference_calls *out, struct tcplan_error *error);

void reference_calls_close(struct reference_calls *reference);

/** Queues one reference: REFERENCE_CALLS calls of a tag. Status as queue_add(). */
enum tcplan_status reference_calls_add(struct queue *queue, const struct reference_calls *reference,
                                       int tag, struct tcplan_error *error);

/** Seconds of one by its samples, of which there may be fewer where the queue was stopped; 0 where
 * these are too few. */
double reference_calls_seconds(const struct sample sample[], int count);

#endif
