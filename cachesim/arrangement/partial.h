/**
 * Beginnings of arrangements: some loops around the kernel, from the inside out, with the copies
 * among them, and their time.
 */
#ifndef CACHESIM_ARRANGEMENT_PARTIAL_H
#define CACHESIM_ARRANGEMENT_PARTIAL_H

#include "cachesim/arrangement/model.h"

struct partial {
    uint64_t inside; /**< the kernel's indices and those of the loops */
    uint64_t loops;  /**< the same as places among the structure's loops */
    int count;
    uint8_t loop[TCPLAN_MAX_INDICES];
    unsigned placed;                           /**< copies */
    int8_t place[TCPLAN_OPERANDS];             /**< loops inside each */
    double executions[TCPLAN_OPERANDS];        /**< of the copies, in one execution of all this */
    double elements[TCPLAN_OPERANDS];          /**< of one copy */
    double element_seconds[TCPLAN_OPERANDS];   /**< of a copied element */
    uint64_t held[TCPLAN_OPERANDS];            /**< the indices inside it */
    double blocks[ARRANGEMENT_UNITS][STREAMS]; /**< brought into each unit */
    double calls;
    double seconds_per_call;
};

/**
 * Returns the kernel without loops and copies. A copy reads the elements of the kernel, of some
 * loops, and of the indices that it sums over; the latter are inside all loops.
 */
struct partial partial_of_kernel(const struct model *model);

/** Puts one more loop, a place among the structure's loops, around it. */
void partial_add_loop(const struct model *model, struct partial *partial, int loop);

/** Places the copy of an operand around the loops so far; `filled`: a copy in and a copy out. */
void partial_place_copy(const struct model *model, struct partial *partial, int operand,
                        bool filled);

/** Whether the rules fill the result's temporary first: the kernel adds to it, or contracted loops
 * revisit it. */
bool partial_is_filled(const struct model *model, const struct partial *partial, int operand);

/** Sets its seconds per call, with unplaced copies rated as if placed here; otherwise postponing
 * a copy would look better than placing it. */
void partial_rate(const struct model *model, struct partial *partial);

/** Seconds of one execution, once it has all loops and copies; what stays in caches from one
 * execution to the next is taken out of its blocks. */
double partial_seconds(const struct model *model, struct partial *partial);

/** Returns the bytes that its streams touch together. */
double partial_bytes(const struct model *model, const struct partial *partial,
                     const struct arrangement_unit *unit);

/** Returns the time to fetch a stream's lines and pages. */
double partial_stream_seconds(const struct model *model, const struct partial *partial, int s);

/** Returns the time to copy the elements of an operand, wherever they are. */
double partial_copy_seconds(const struct model *model, const struct partial *partial, int t);

#endif
