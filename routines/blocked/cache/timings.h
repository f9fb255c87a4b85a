/**
 * Times of an algorithm's calls: inside of it, and by themselves with caches prepared (Peise 2017,
 * sections 5.1.1, 5.1.2 and 5.3.2).
 *
 *   in the algorithm   the clock is read between the calls of a whole run: the reference for the
 *                      others
 *   repeated           the call twice on operands of its own, the second counts
 *   in the cache       the same; if the operands exceed the cache, those that are only read are
 *                      updated right before the call, x := x
 *   out of the cache   more memory than the cache holds is read right before the call
 *   aware              the caches are emptied in the same way; then come the algorithm's own calls
 *                      since the last one of the same statement, then the call
 *
 * Operands of their own are those that models are made with
 * (routines/sampler/generation/operands.h), with the algorithm's leading dimension: calls can be
 * repeated on them any number of times. The overwritten data of LAPACK's routines is restored
 * before each execution. Times have in them what the clock costs, all alike.
 */
#ifndef BLOCKED_TIMINGS_H
#define BLOCKED_TIMINGS_H

#include "routines/blocked/cache/sequence.h"

enum timing_kind { TIMING_REPEATED, TIMING_IN_CACHE, TIMING_OUT_OF_CACHE, TIMING_KINDS };

struct timings_setting {
    enum tcplan_provider provider;
    int threads;         /**< of the session */
    int64_t cache_bytes; /**< of the cache in question; 0: stretches of the algorithm only are timed
                          */
    int64_t line_bytes;  /**< of its lines */
    int64_t max_memory_bytes; /**< limit for separate operands; 0: none */
};

struct timings;

/**
 * Prepares to time the calls of a sequence, within a session (microbench/timing/session.h).
 *
 * @param out       receives it, to be closed with timings_close()
 * @param sequence  borrowed
 * @return TCPLAN_OK; as operands_new(); TCPLAN_NO_MEMORY
 */
enum tcplan_status timings_open(struct timings **out, const struct sequence *sequence,
                                const struct timings_setting *setting, struct tcplan_error *error);

/** NULL is fine. */
void timings_close(struct timings *timings);

/**
 * Runs calls [first, end), each timed, behind calls [lead, first), which are not; nothing is
 * restored.
 *
 * @param ns         receives `end` - `first` times
 * @param disturbed  receives for each time whether the thread was without its core meanwhile; never
 *                   with several threads; may be NULL
 * @return TCPLAN_OK; as queue_run(); TCPLAN_ENVIRONMENT if a call reports an error
 */
enum tcplan_status timings_stretch(struct timings *timings, int64_t lead, int64_t first,
                                   int64_t end, double ns[], bool disturbed[],
                                   struct tcplan_error *error);

/** Restores the matrices and runs the algorithm: one time for each call. */
enum tcplan_status timings_algorithm(struct timings *timings, double ns[], bool disturbed[],
                                     struct tcplan_error *error);

/** Whether a kind is another thing than a repeated execution: of what is in the cache only where
 * the operands are more than that. */
bool timings_differ(const struct timings *timings, enum timing_kind kind, int64_t alike);

/** Times a call by itself: one execution of calls of number `alike`. */
enum tcplan_status timings_alone(struct timings *timings, enum timing_kind kind, int64_t alike,
                                 double *ns, struct tcplan_error *error);

/** Runs the algorithm once with the caches emptied between the calls of a statement, whose times it
 * takes: the others' stay as they are. */
enum tcplan_status timings_aware(struct timings *timings, int statement, double ns[],
                                 struct tcplan_error *error);

#endif
