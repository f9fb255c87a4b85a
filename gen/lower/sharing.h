/**
 * How threads share the iterations of a parallel loop, or of two that are collapsed. Emitter and
 * executor do it alike: each thread takes one run of consecutive iterations, runs being as long as
 * each other but for one iteration, and what is copied inside of the loop has a temporary per
 * thread.
 *
 * Two loops that are collapsed have one sequence of iterations, those of the inner one lying
 * together: iteration (i, j) is number i * inner + j, where `inner` is the extent of the inner loop
 * in a full tile. A thread that begins or ends within an iteration of the outer loop makes the
 * copies there all the same, as its temporaries are its own.
 */
#ifndef GEN_LOWER_SHARING_H
#define GEN_LOWER_SHARING_H

#include <stddef.h>

#include "ast/nest/refine.h"

/** A thread's temporary begins on a page of its own, so that no line of it is another thread's. */
enum { SHARING_PAGE_BYTES = 4096 };

struct sharing {
    int threads;        /**< that have iterations; 1: there is nothing to share */
    int64_t iterations; /**< of the thread that has most */
    int64_t unit;  /**< iterations that one thread has together, as they write to the same lines: at
                      least 1 */
    int64_t inner; /**< the iterations of the inner one of two collapsed loops; 0: one loop is
                      shared */
    bool is_private[TCPLAN_OPERANDS]; /**< the operand's temporary is filled and used inside the
                                         loop */
};

/** Iterations of a loop, or of two as one. */
struct iterations {
    int64_t begin;
    int64_t end;
};

/**
 * Shares the parallel loop of a nest, if it has one, among at most `threads` threads: no more than
 * shorten the longest run. Where neighbours would write to the same cache line the runs are of
 * whole lines, as long as that costs an eighth of the time at most.
 *
 * @param problem  refined where the nest's contraction is
 */
struct sharing sharing_of(const struct tcplan_nest *nest, const struct refined_problem *problem,
                          int threads);

/**
 * How many iterations of a shared loop one thread has together, as they write to the same lines; 1
 * where each has its own, or whole lines would cost too much.
 *
 * @param step_bytes  from one iteration to the next in what is written
 * @param count       iterations, of one loop or of both
 * @param inner       of two loops those of the inner one; 0: it is one
 */
int64_t sharing_unit(int64_t step_bytes, int64_t count, int64_t inner, int threads);

/** The same whatever the extents: all threads, `iterations` and `inner` 0. */
struct sharing sharing_of_any(const struct tcplan_nest *nest, int threads);

/** Those of `count` iterations, of one loop or of both, that a thread runs: from unit * floor(units
 * * thread / threads) on. */
struct iterations sharing_part(const struct sharing *sharing, int64_t count, int thread);

/** Of two collapsed loops the iterations of the outer one, of `extent`, that a thread enters. */
struct iterations sharing_outer_part(const struct sharing *sharing, int64_t extent, int thread);

/** And the iterations of the inner one, of `inner_extent` there, that it runs in iteration `i` of
 * the outer one. */
struct iterations sharing_inner_part(const struct sharing *sharing, int64_t extent, int64_t i,
                                     int64_t inner_extent, int thread);

/** The parallel loop of a nest, the outer one of two; NULL: it has none. */
const struct tcplan_node *sharing_loop(const struct tcplan_nest *nest);

/** The loop that is collapsed with a parallel one, which is directly within it; NULL: none. */
const struct tcplan_node *sharing_inner_loop(const struct tcplan_node *loop);

/**
 * Copies and scalings outside of the parallel loop are divided among its threads as well, unless
 * they are so small that what it takes to begin and to end that together, one to three
 * microseconds, is more than is gained: 64 KiB take six at 10 GB/s.
 */
enum { SHARING_LEAST_BYTES = 64 * 1024 };

/**
 * The dimension of a block by which threads divide it: the one in which the destination's elements
 * lie farthest apart, among those of at least `threads` elements; where there is none, the longest.
 */
int sharing_dimension(int rank, const int64_t extent[], const ptrdiff_t to[], int threads);

/** From the temporary of one thread to that of the next, where one takes `bytes`: whole pages. The
 * caller sees to overflow. */
size_t sharing_stride_bytes(size_t bytes);

#endif
