/**
 * How threads share the iterations of a parallel loop, or of two collapsed loops, in emitter and
 * executor alike. Each thread gets one run of consecutive iterations, whose lengths differ by at
 * most one iteration, and its own temporary for copies inside the loop.
 *
 * Two collapsed loops have one sequence of iterations with the inner loop's together: iteration (i,
 * j) is number i * inner + j, where `inner` is the extent of the inner loop in a full tile. A
 * thread that begins or ends within an iteration of the outer loop makes the copies there as well,
 * because its temporaries are its own.
 */
#ifndef GEN_LOWER_SHARING_H
#define GEN_LOWER_SHARING_H

#include <stddef.h>

#include "ast/nest/refine.h"

/** Alignment of a thread's temporary: it begins on a new page, so no line is shared with another
 * thread. */
enum { SHARING_PAGE_BYTES = 4096 };

struct sharing {
    int threads;        /**< number of threads with iterations; 1: no loop is shared */
    int64_t iterations; /**< iterations of the thread with the most */
    int64_t unit;  /**< iterations come in runs of this length, whose writes share cache lines; at
                      least 1 */
    int64_t inner; /**< iterations of the inner of two collapsed loops; 0: one loop is parallel */
    bool is_private[TCPLAN_OPERANDS]; /**< whether each thread has its own temporary of the operand,
                                         filled and used inside the loop */
};

/** A range of iterations of a loop, or of two collapsed loops. */
struct iterations {
    int64_t begin;
    int64_t end;
};

/**
 * Divides the parallel loop of a nest, if it has one, among at most `threads` threads. Threads that
 * would not shorten the longest run get no part. If neighbours would write to the same cache line,
 * runs consist of whole lines, unless that costs more than an eighth of the time.
 * @param problem  refined if the nest's contraction is
 */
struct sharing sharing_of(const struct tcplan_nest *nest, const struct refined_problem *problem,
                          int threads);

/**
 * Returns how many consecutive iterations of a shared loop one thread must take because they write
 * to the same lines; 1 if each has its own lines, or whole lines would cost too much.
 * @param step_bytes  between consecutive iterations, in the written memory
 * @param count       iterations, of one loop or of both
 * @param inner       iterations of the inner one of two loops; 0: a single loop
 */
int64_t sharing_unit(int64_t step_bytes, int64_t count, int64_t inner, int threads);

/** Returns the division for extents that are arguments: all threads share, with `iterations` and
 * `inner` 0. */
struct sharing sharing_of_any(const struct tcplan_nest *nest, int threads);

/** Returns which of `count` iterations a thread executes: from unit * floor(units * thread /
 * threads) on. */
struct iterations sharing_part(const struct sharing *sharing, int64_t count, int thread);

/** Returns which of the `extent` iterations of the outer collapsed loop a thread executes,
 * completely or in part. */
struct iterations sharing_outer_part(const struct sharing *sharing, int64_t extent, int thread);

/** Returns which of the `inner_extent` iterations of the inner collapsed loop a thread executes in
 * iteration `i` of the outer one. */
struct iterations sharing_inner_part(const struct sharing *sharing, int64_t extent, int64_t i,
                                     int64_t inner_extent, int thread);

/**
 * Returns the parallel loop of a nest (the outer one of two collapsed loops); NULL: there is none.
 */
const struct tcplan_node *sharing_loop(const struct tcplan_nest *nest);

/** Returns the loop collapsed with a parallel one, directly within it; NULL: there is none. */
const struct tcplan_node *sharing_inner_loop(const struct tcplan_node *loop);

/**
 * Copies and scalings outside the parallel loop are also divided among its threads, except small
 * ones, for which the common start and end (one to three microseconds) cost more than is gained: 64
 * KiB take six microseconds at 10 GB/s.
 */
enum { SHARING_LEAST_BYTES = 64 * 1024 };

/**
 * Returns the dimension of a block that threads divide: of those with at least `threads` elements,
 * the one with the largest stride in the destination; otherwise the longest.
 */
int sharing_dimension(int rank, const int64_t extent[], const ptrdiff_t to[], int threads);

/** Returns the distance between the temporaries of two threads, each of `bytes`, rounded up to
 * whole pages. The caller prevents overflow. */
size_t sharing_stride_bytes(size_t bytes);

#endif
