/**
 * Partial arrangements: the kernel, some loops around it, from the inside out, the copies placed
 * among these loops, and the resulting time.
 */
#ifndef CACHESIM_ARRANGEMENT_PARTIAL_H
#define CACHESIM_ARRANGEMENT_PARTIAL_H

#include "cachesim/arrangement/model.h"

struct partial {
    uint64_t inside; /**< indices of the kernel and of the loops so far */
    uint64_t loops;  /**< the loops so far, as positions in the structure's `loop` */
    int count;
    uint8_t loop[TCPLAN_MAX_INDICES];
    unsigned placed;                    /**< operands whose copies are placed, as bits */
    int8_t place[TCPLAN_OPERANDS];      /**< number of loops inside each copy */
    double executions[TCPLAN_OPERANDS]; /**< number of executions of each copy, in one execution of
                                           the partial arrangement */
    double elements[TCPLAN_OPERANDS];   /**< number of elements of one execution of the copy */
    double element_seconds[TCPLAN_OPERANDS];   /**< seconds per copied element */
    uint64_t held[TCPLAN_OPERANDS];            /**< indices inside the copy */
    double blocks[ARRANGEMENT_UNITS][STREAMS]; /**< blocks loaded into each unit */
    double calls;
    double seconds_per_call;
    double run_bytes[STREAMS]; /**< bytes of the runs of memory that each stream has accessed in the
                                  order of addresses */
    double runs[STREAMS]; /**< number of these runs, which are accessed concurrently; 0: the next
                             loop does not continue them */
};

/**
 * Returns the kernel without loops and copies. A copy reads the elements of the kernel, of some
 * loops, and of the indices that it sums over; the latter are inside all loops.
 */
struct partial partial_of_kernel(const struct model *model);

/** Adds a loop around the partial arrangement; `loop` is its position in the structure's `loop`. */
void partial_add_loop(const struct model *model, struct partial *partial, int loop);

/** Places the copy of an operand directly inside the loop that is added next; with `filled`, the
 * temporary is both filled and copied back. */
void partial_place_copy(const struct model *model, struct partial *partial, int operand,
                        bool filled);

/** Returns whether the temporary of an operand is filled before the kernel calls. For the result
 * this is true in the `blas` space if beta is not 0 or a loop over a contracted index is outside
 * the copy; otherwise false. */
bool partial_is_filled(const struct model *model, const struct partial *partial, int operand);

/** Sets seconds_per_call. Copies that are not placed yet are rated as if placed here; otherwise
 * postponing a copy would look better than placing it. */
void partial_rate(const struct model *model, struct partial *partial);

/** Returns the seconds of one execution of a complete arrangement. Removes from `blocks` the blocks
 * that stay in caches from one execution to the next. */
double partial_seconds(const struct model *model, struct partial *partial);

/** Returns the bytes that all streams of a partial arrangement touch together. */
double partial_bytes(const struct model *model, const struct partial *partial,
                     const struct arrangement_unit *unit);

/** Returns the time to fetch a stream's lines and pages. */
double partial_stream_seconds(const struct model *model, const struct partial *partial, int s);

/** Returns the time to copy the elements of an operand, without fetching their lines and pages. */
double partial_copy_seconds(const struct model *model, const struct partial *partial, int t);

#endif
