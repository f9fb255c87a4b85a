/**
 * Preconditions: the state of memory and caches before a stretch of a nest, made by replaying what
 * came before it.
 */
#ifndef MICROBENCH_PRECONDITION_H
#define MICROBENCH_PRECONDITION_H

#include "microbench/predict/window.h"

/** Whether the pages that `calls` calls from `position` on touch, for every thread alike, are well
 * within the bound on memory. */
bool precondition_fits_memory(const struct window *window, int64_t position, int64_t calls);

/** Backs what `calls` calls from `position` on touch. TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status precondition_memory(struct window *window, int64_t position, int64_t calls,
                                       struct tcplan_error *error);

/** A place to start from, and what lies before and ahead of it. */
struct precondition {
    int64_t position; /**< of a kernel call */
    struct region_list before;
    struct region_list ahead;
};

/**
 * Lists what comes before the positions of the window's places, those of its first `count` threads,
 * and what `calls` calls of each are about to touch, and backs all of it: the state of caches is
 * then for each thread to make with precondition_replay().
 *
 * @param extra  regions needed besides by the first; may be NULL
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY; precondition_end() frees the lists in any case
 */
enum tcplan_status precondition_begin(struct window *window, int count, int64_t calls,
                                      const struct region_list *extra, struct tcplan_error *error);
void precondition_replay(const struct window *window, const struct precondition *place, int thread);
void precondition_end(struct window *window, int count);

/** Adds what the `occurrence`-th execution of a copy or scaling touches outside temporaries. */
void precondition_rare_regions(struct window *window, struct region_list *list,
                               const struct operation *operation, int64_t occurrence);

#endif
