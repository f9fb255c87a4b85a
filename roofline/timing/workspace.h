/**
 * Memory under bandwidth measurements: one region for each thread, on huge pages where the system
 * has them, touched first by its thread.
 */
#ifndef ROOFLINE_TIMING_WORKSPACE_H
#define ROOFLINE_TIMING_WORKSPACE_H

#include <stddef.h>

#include "base/deadline.h"
#include "roofline/timing/team.h"

struct workspace {
    int threads;
    char **region;                /**< of each thread; aligned to huge pages */
    size_t bytes;                 /**< of each region */
    size_t mapped_bytes, *filled; /**< private */
    bool cut; /**< time was over before all that was wanted was filled: it is smaller */
};

/** Address space that begins with a huge page, to be given back with munmap(); NULL: there is none.
 * Nothing is touched yet. */
char *workspace_map(size_t bytes, bool small_pages);

/**
 * Maps, and fills with numbers from the threads of a team. Backing pages is slow under other load:
 * when the deadline comes, what each thread has filled until then is the workspace, at least a huge
 * page.
 *
 * @param small_pages  keeps the memory off huge pages
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status workspace_new(struct workspace *out, struct team *team, int threads,
                                 size_t bytes, bool small_pages, struct deadline deadline,
                                 struct tcplan_error *error);

/** Fills it again with the same numbers, as something was computed there. */
void workspace_refill(const struct workspace *workspace, struct team *team);

/** Returns the share of this process's memory in huge pages, by bytes; negative where the system
 * does not tell. */
double workspace_huge_share(void);

/** Zeroed, or freed, is fine. */
void workspace_free(struct workspace *workspace);

#endif
