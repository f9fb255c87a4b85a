/**
 * How threads share the iterations of a parallel loop. Emitter and executor do it alike: each thread takes one run of consecutive iterations
 * (OpenMP's static schedule with one chunk a thread), and what is copied inside of the loop has a temporary per thread.
 */
#ifndef GEN_SHARING_H
#define GEN_SHARING_H

#include <stddef.h>

#include "ast/refine.h"

/** A thread's temporary begins on a page of its own, so that no line of it is another thread's. */
enum { SHARING_PAGE_BYTES = 4096 };

struct sharing {
    int threads;                      /**< that have iterations; 1: there is nothing to share */
    int64_t iterations;               /**< of all threads but the last, which may have less */
    bool is_private[TCPLAN_OPERANDS]; /**< the operand's temporary is filled and used inside the loop */
};

/**
 * Shares the parallel loop of a nest, if it has one, among at most `threads` threads. Where neighbours would write to the same cache line the
 * runs are rounded to whole lines, as long as that costs an eighth of the time at most.
 *
 * @param problem  refined where the nest's contraction is
 */
struct sharing sharing_of(const struct tcplan_nest *nest, const struct refined_problem *problem, int threads);

/** The same whatever the extents: all threads, `iterations` 0. */
struct sharing sharing_of_any(const struct tcplan_nest *nest, int threads);

/** The parallel loop of a nest; NULL: it has none. */
const struct tcplan_node *sharing_loop(const struct tcplan_nest *nest);

/** From the temporary of one thread to that of the next, where one takes `bytes`: whole pages. The caller sees to overflow. */
size_t sharing_stride_bytes(size_t bytes);

#endif
