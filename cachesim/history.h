/**
 * The history of a place in a loop nest: the data that was touched before it.
 *
 * The nest is traversed backwards from a kernel call: earlier iterations of the innermost loop,
 * what precedes that loop, earlier iterations of the next one, and so on; at the root the previous
 * execution of the contraction follows. The regions of whole stretches of iterations are joined,
 * in finer steps near the place than far from it, and operands that do not vary with a loop are
 * listed once per loop: an LRU stack, in blocks. (Dissertation, section 6.2.3, extended from
 * distances to the data themselves.)
 */
#ifndef CACHESIM_HISTORY_H
#define CACHESIM_HISTORY_H

#include "cachesim/region.h"

/** The units in which memory is touched. */
struct granularity {
    int64_t line_bytes;
    int64_t page_bytes;
};

/** Regions in the order in which they were collected. */
struct region_list {
    size_t count;
    size_t capacity;
    struct region *region;
    double footprint_bytes; /**< sum over the regions, in bytes of cache lines */
    double page_bytes;      /**< sum over the regions, in bytes of pages */
    bool out_of_memory;
};

/** Appends a region. If memory runs out, sets the list's flag. */
void region_list_add(struct region_list *list, const struct region *region,
                     struct granularity granularity);

/** Removes the regions and frees their memory. */
void region_list_free(struct region_list *list);

/** A place in a nest: a leaf, and the iteration of each loop around it. */
struct history_place {
    const struct tcplan_nest *nest;
    const struct refined_problem *problem;
    const struct tcplan_node *leaf; /**< the kernel, copy or scaling that is executed next */
    struct granularity granularity;
    const int64_t *at; /**< iteration of each loop around the leaf, by index */
    const struct tcplan_node *const *skipped; /**< leaves that history_ahead() omits */
    int skipped_count;
};

/**
 * Collects the regions touched before `place`, newest first, until their footprint reaches the
 * capacity in lines or in pages, or a whole execution has been walked.
 * @param capacity_bytes capacity in bytes of cache lines
 * @param page_capacity_bytes capacity in bytes of the pages that contain them, which strided data
 *     exhaust first
 * @param wraps  the contraction is repeated: its previous execution counts as history
 */
void history_before(struct region_list *out, const struct history_place *place,
                    double capacity_bytes, double page_capacity_bytes, bool wraps);

/**
 * Collects all data that the next `calls` kernel calls, beginning at `place`, touch (or more than
 * these, in no particular order). After its last call the nest starts again. Collects nothing if
 * `calls` is 0.
 */
void history_ahead(struct region_list *out, const struct history_place *place, int64_t calls);

#endif
