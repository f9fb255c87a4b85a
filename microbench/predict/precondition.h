/**
 * Preconditions: the state of memory and caches before the timed calls, which replaying the
 * preceding accesses reproduces.
 */
#ifndef MICROBENCH_PRECONDITION_H
#define MICROBENCH_PRECONDITION_H

#include "microbench/predict/window.h"

/** Returns whether the pages for `calls` calls from `position` on are well within the memory
 * limit, where pages of several threads count several times. */
bool precondition_fits_memory(const struct window *window, int64_t position, int64_t calls);

/** Backs the pages for `calls` calls from `position` on. Returns TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status precondition_memory(struct window *window, int64_t position, int64_t calls,
                                       struct tcplan_error *error);

/** A place in a nest, with the accesses before and after it. */
struct precondition {
    int64_t position; /**< number of the kernel call at the place */
    struct region_list before;
    struct region_list ahead;
};

/**
 * Lists the accesses before the window's first `count` places (one for each thread) and those of
 * the next `calls` calls at each, and backs all pages. Each thread then sets up its caches with
 * precondition_replay().
 * @param extra  further regions that the first thread needs; may be NULL
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY; precondition_end() frees the lists in either case
 */
enum tcplan_status precondition_begin(struct window *window, int count, int64_t calls,
                                      const struct region_list *extra, struct tcplan_error *error);
void precondition_replay(const struct window *window, const struct precondition *place, int thread);
void precondition_end(struct window *window, int count);

/** Adds the regions that the `occurrence`-th execution of a copy or scaling touches outside
 * temporaries. */
void precondition_rare_regions(struct window *window, struct region_list *list,
                               const struct operation *operation, int64_t occurrence);

#endif
