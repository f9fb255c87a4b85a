/**
 * Times the calls of an algorithm: within runs of the algorithm, and separately with prepared
 * caches (Peise 2017, sections 5.1.1, 5.1.2 and 5.3.2).
 *
 *     in the algorithm   reads the clock between the calls of a whole run; the other kinds are
 *                        compared with these times
 *     repeated           makes the call twice on separate operands; the second call counts
 *     in the cache       does the same; if the operands exceed the cache, updates read-only ones
 *                        right before the call, x := x
 *     out of the cache   reads more memory than the cache holds right before the call
 *     aware              empties the cache in the same way, makes the algorithm's own calls since
 *                        the last one of the same statement, then the call
 *
 * Separate operands are those for models (routines/sampler/generation/operands.h), with the
 * algorithm's leading dimension: calls can be repeated on them any number of times. Data that
 * LAPACK's routines overwrite is restored before each execution. All times include the cost of
 * reading the clock.
 */
#ifndef BLOCKED_TIMINGS_H
#define BLOCKED_TIMINGS_H

#include "routines/blocked/cache/sequence.h"

enum timing_kind { TIMING_REPEATED, TIMING_IN_CACHE, TIMING_OUT_OF_CACHE, TIMING_KINDS };

struct timings_setting {
    enum tcplan_provider provider;
    int threads;              /**< number of threads of the session */
    int64_t cache_bytes;      /**< size of the studied cache; 0: only stretches of the algorithm are
                                 timed */
    int64_t line_bytes;       /**< size of a cache line of the studied cache */
    int64_t max_memory_bytes; /**< memory limit for separate operands; 0: none */
};

struct timings;

/**
 * Prepares to time the calls of a sequence, within a session (microbench/timing/session.h).
 *
 * @param out receives the timings; close with timings_close()
 * @param sequence  borrowed
 * @return TCPLAN_OK; a status of operands_new(); TCPLAN_NO_MEMORY
 */
enum tcplan_status timings_open(struct timings **out, const struct sequence *sequence,
                                const struct timings_setting *setting, struct tcplan_error *error);

/** Frees the timings; NULL is fine. */
void timings_close(struct timings *timings);

/**
 * Times each of calls [first, end) after the untimed calls [lead, first); restores nothing.
 *
 * @param ns         receives `end` - `first` times
 * @param disturbed  receives for each time whether the thread lost its core meanwhile; always false
 *                   with several threads; may be NULL
 * @return TCPLAN_OK; a status of queue_run(); TCPLAN_ENVIRONMENT if a call reports an error
 */
enum tcplan_status timings_stretch(struct timings *timings, int64_t lead, int64_t first,
                                   int64_t end, double ns[], bool disturbed[],
                                   struct tcplan_error *error);

/** Restores the matrices and runs the algorithm: one time for each call. */
enum tcplan_status timings_algorithm(struct timings *timings, double ns[], bool disturbed[],
                                     struct tcplan_error *error);

/** Returns whether a kind of timing differs from a repeated execution. For `in the cache` this is
 * so only if the operands exceed the cache. */
bool timings_differ(const struct timings *timings, enum timing_kind kind, int64_t alike);

/** Times one separate execution of the calls of group `alike`. */
enum tcplan_status timings_alone(struct timings *timings, enum timing_kind kind, int64_t alike,
                                 double *ns, struct tcplan_error *error);

/** Times the calls of a statement after emptying the caches before each of them: runs the algorithm
 * once, and stores the times of these calls; stored times of other statements do not change. */
enum tcplan_status timings_aware(struct timings *timings, int statement, double ns[],
                                 struct tcplan_error *error);

#endif
