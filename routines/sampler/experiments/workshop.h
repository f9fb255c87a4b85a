/** Resources for the calls of an experiment: routines, memory, and the queue that runs them. */
#ifndef SAMPLER_WORKSHOP_H
#define SAMPLER_WORKSHOP_H

#include "microbench/timing/session.h"
#include "routines/sampler/experiments/nest.h"
#include "routines/sampler/timing/queue.h"

/** The samples of a unit that belong to a repetition at a point. */
struct workshop_part {
    size_t point;
    int64_t repetition;
    size_t first; /**< number of the first sample of the part */
    size_t count;
};

struct call_block;

/** Zero-initialise before use. */
struct workshop {
    const struct tcplan_experiment *experiment;
    struct routine routine[EXPERIMENT_CALLS_MAX];
    struct routine random[EXPERIMENT_OPERANDS_MAX]; /**< for each operand, the routine that refills
                                                       it; without a function it is not refilled */
    void *operand[EXPERIMENT_OPERANDS_MAX];
    void *work[EXPERIMENT_CALLS_MAX][SIGNATURE_MAX_ARGUMENTS];
    struct queue *queue;
    struct call_block *blocks; /**< the queued calls */
    size_t calls;
    size_t samples; /**< number of queued samples that count; calls that refill operands do not
                       count */
    struct workshop_part *part;
    size_t part_count, part_capacity;
    size_t operand_bytes[EXPERIMENT_OPERANDS_MAX];
    int threads;                   /**< threads of the session; 0: none has begun */
    struct tcplan_binding binding; /**< binding of the session */
    struct session session;
};

/**
 * Finds the routines, allocates memory and fills it with random numbers between 0 and 1; integers
 * are set to 1.
 *
 * @param out         free with workshop_close() whatever is returned
 * @param most_bytes  memory limit for operands; 0: the free memory
 * @return TCPLAN_OK; TCPLAN_INVALID if a library lacks a routine, with the line of the call;
 *         TCPLAN_NO_MEMORY, also if operands exceed the limit
 */
enum tcplan_status workshop_open(struct workshop *out, const struct tcplan_experiment *experiment,
                                 const struct nest_memory *memory, int64_t most_bytes,
                                 struct tcplan_error *error);

/** Queues the calls of a unit. The tag of a sample that counts is its number; other samples have
 * the tag -1. */
enum tcplan_status workshop_queue(struct workshop *workshop, const struct nest_part *part,
                                  int64_t unit, struct tcplan_error *error);

/** Returns the number of threads for the queued unit. */
int workshop_threads(const struct workshop *workshop);

void workshop_close(struct workshop *workshop);

#endif
