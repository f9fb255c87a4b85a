/**
 * A queue of calls that are run one after the other, each timed on its own: the core of the
 * Sampler (dissertation, section 2.2.1).
 *
 * Between two calls, only a sample is written to memory. The switch over the number of arguments
 * is not timed: in each of its cases, the clock is read right before and right after the call. The
 * clock is the processor's constant counter, serialised on both sides.
 *
 * Use without the script language:
 *
 *   const struct signature *signature;
 *   signature_find(&signature, "dgemm", error)
 *   struct routine routine;                    routines/sampler/timing/routine.h
 *   routine_bind(&routine, signature, TCPLAN_PROVIDER_BLAS, error)
 *   struct call *call = ...
 *   call_prepare(call, &routine, value, scalar, data, error)
 *   struct queue *queue = queue_new();
 *   queue_add(queue, call, tag, error)         any number of times, also with the same call
 *   queue_run(queue, &options, error)          samples in the order of the units
 *   queue_samples(queue, &count)
 *   queue_clear(queue), queue_free(queue)
 */
#ifndef SAMPLER_QUEUE_H
#define SAMPLER_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "microbench/counters/source.h"
#include "microbench/timing/frequency.h"
#include "routines/sampler/timing/routine.h"

/** Maximum number of counters of a sample. */
enum { QUEUE_MAX_COUNTERS = 4 };

/** Measurements of one call, or of one parallel region as a whole. */
struct sample {
    uint64_t ticks; /**< ticks of the processor's constant counter during the call, including the
                       cost of reading the counter */
    double ns;      /**< the duration in nanoseconds */
    double hz;      /**< frequency of the core during or right after the call; 0: not reported */
    bool disturbed; /**< whether the thread lost its core for a while, possibly during this call;
                       false with several threads */
    int tag;        /**< the caller's tag of the call or region */
    double counter[QUEUE_MAX_COUNTERS]; /**< count of each quantity of options.counter, in order:
                                           events, or operations for flops; NAN: not counted */
};

struct queue_options {
    int threads; /**< threads for the calls of a parallel region, whose libraries then use one
                    thread each; 0 stands for 1 */
    struct counter_source *source; /**< source of counts, read before and after each call, outside
                                      the timed part; NULL: none */
    int counters; /**< quantities of `source` to count, as bits, at most QUEUE_MAX_COUNTERS */
    const enum counter_quantity *counter;
    struct frequency *frequency; /**< clock frequency to read before and after each call, outside
                                    the timed part; NULL: none is read */
    double limit_seconds;        /**< time limit of the whole run; 0: none */
};

struct queue;

/** Returns an empty queue; NULL if memory runs out. */
struct queue *queue_new(void);

/** Frees the queue, but not the calls; NULL is fine. After an abandoned run the queue's memory is
 * not freed, because a thread still uses it. */
void queue_free(struct queue *queue);

/**
 * Adds a call.
 *
 * @param call  borrowed until the queue is cleared or freed
 * @param tag   the caller's name for the sample
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY
 */
enum tcplan_status queue_add(struct queue *queue, const struct call *call, int tag,
                             struct tcplan_error *error);

/**
 * Begins a parallel region, which queue_end_region() ends. The calls in a region run on `threads`
 * threads in any order, and have one sample together. Within a region, queue_begin_sequence() and
 * queue_end_sequence() make the calls between them one piece, which one thread runs in order.
 * Regions cannot be nested, and neither can sequences.
 */
enum tcplan_status queue_begin_region(struct queue *queue, int tag, struct tcplan_error *error);
void queue_end_region(struct queue *queue);
enum tcplan_status queue_begin_sequence(struct queue *queue, struct tcplan_error *error);
void queue_end_sequence(struct queue *queue);

/**
 * Runs all calls in order. The queue stays as it is, so it can be run again.
 *
 * Calls run in the caller's thread; with a time limit in a separate thread, pinned like the caller.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the counters fail; TCPLAN_INVALID if
 *         pivots that an earlier call wrote are outside of the matrix of a call, and that call is
 *         not made; TCPLAN_BUSY if the time limit passed: the samples so far are available, and
 *         queue_given_up() is true if a call has not returned
 */
enum tcplan_status queue_run(struct queue *queue, const struct queue_options *options,
                             struct tcplan_error *error);

/** Returns the samples of the last run, in the order of calls and regions; valid until the next
 * run, clear or free. */
const struct sample *queue_samples(const struct queue *queue, int *count);

/** Returns the tag of the call that stopped the last run, or that was running when the time limit
 * passed; -1: none. */
int queue_stopped_at(const struct queue *queue);

/** Returns whether a call did not return within the limit: a thread still runs it. Its operands
 * must not be freed; the program should end by _exit(). */
bool queue_given_up(const struct queue *queue);

/** Returns the number of queued calls and regions. */
int queue_length(const struct queue *queue);

/** Removes all calls and samples. */
void queue_clear(struct queue *queue);

#endif
