/**
 * Preconditions: the state of memory and caches before a stretch of a nest, made by replaying what came before it.
 */
#ifndef MICROBENCH_PRECONDITION_H
#define MICROBENCH_PRECONDITION_H

#include "microbench/window.h"

/** Whether the pages that `calls` calls from `position` on touch are well within the bound on memory. */
bool precondition_fits_memory(const struct window *window, int64_t position, int64_t calls);

/** Backs what `calls` calls from `position` on touch. TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status precondition_memory(struct window *window, int64_t position, int64_t calls, struct tcplan_error *error);

/**
 * Brings memory and caches into the state before kernel call `position`, from which `calls` calls are about to be made.
 *
 * @param extra  regions needed besides; may be NULL
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status precondition_make(struct window *window, int64_t position, int64_t calls, const struct region_list *extra,
                                     struct tcplan_error *error);

/** Adds what the `occurrence`-th execution of a copy or scaling touches outside temporaries. */
void precondition_rare_regions(struct window *window, struct region_list *list, const struct operation *operation, int64_t occurrence);

#endif
