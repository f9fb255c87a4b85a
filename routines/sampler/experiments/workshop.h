/** Resources for the calls of an experiment: routines, memory, and the queue that runs them. */
#ifndef SAMPLER_WORKSHOP_H
#define SAMPLER_WORKSHOP_H

#include "microbench/timing/session.h"
#include "routines/sampler/experiments/nest.h"
#include "routines/sampler/timing/queue.h"

/** Which samples of a unit belong to a repetition at a point. */
struct workshop_part {
    size_t point;
    int64_t repetition;
    size_t first; /**< the number of the first of them */
    size_t count;
};

struct call_block;

/** Zero-initialise before use. */
struct workshop {
    const struct tcplan_experiment *experiment;
    struct routine routine[EXPERIMENT_CALLS_MAX];
    struct routine random[EXPERIMENT_OPERANDS_MAX]; /**< what fills an operand anew; without a
                                                       function where nothing does */
    void *operand[EXPERIMENT_OPERANDS_MAX];
    void *work[EXPERIMENT_CALLS_MAX][SIGNATURE_MAX_ARGUMENTS];
    struct queue *queue;
    struct call_block *blocks; /**< the queued calls */
    size_t calls;
    size_t samples; /**< queued samples that count */
    struct workshop_part *part;
    size_t part_count, part_capacity;
    int threads; /**< of the session; 0: none has begun */
    struct session session;
};

/**
 * Finds the routines, takes memory and fills it: with random numbers between 0 and 1, integers with
 * 1.
 *
 * @param out         to be freed with workshop_close() whatever is returned
 * @param most_bytes  that operands may take; 0: what is free
 * @return TCPLAN_OK; TCPLAN_INVALID if a library lacks a routine, with the line of the call;
 *         TCPLAN_NO_MEMORY, also if that is more than they may take
 */
enum tcplan_status workshop_open(struct workshop *out, const struct tcplan_experiment *experiment,
                                 const struct nest_memory *memory, int64_t most_bytes,
                                 struct tcplan_error *error);

/** Queues the calls of a unit; samples that count have their number as tag, others -1. */
enum tcplan_status workshop_queue(struct workshop *workshop, const struct nest_part *part,
                                  int64_t unit, struct tcplan_error *error);

/** As many threads as the unit that is queued has. */
int workshop_threads(const struct workshop *workshop);

void workshop_close(struct workshop *workshop);

#endif
