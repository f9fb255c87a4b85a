/**
 * Memory for bandwidth measurements: each thread has a region and touches it first; regions are on
 * huge pages if the system has them.
 */
#ifndef ROOFLINE_TIMING_WORKSPACE_H
#define ROOFLINE_TIMING_WORKSPACE_H

#include <stddef.h>

#include "base/deadline.h"
#include "roofline/timing/team.h"

struct workspace {
    int threads;
    char **region;                /**< region of each thread, aligned to huge pages */
    size_t bytes;                 /**< bytes of each region */
    size_t mapped_bytes, *filled; /**< private */
    bool cut; /**< whether the deadline passed before all memory was filled, so the regions are
                 smaller */
};

/** Maps memory that begins at a huge page and is not touched yet; to be freed with munmap().
 * Returns NULL if there is none. */
char *workspace_map(size_t bytes, bool small_pages);

/**
 * Maps regions and lets each thread of a team fill its own with numbers. Other load makes this
 * slow: at the deadline, the regions shrink to what each thread has filled, at least a huge page.
 *
 * @param small_pages  uses pages of the default size
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
enum tcplan_status workspace_new(struct workspace *out, struct team *team, int threads,
                                 size_t bytes, bool small_pages, struct deadline deadline,
                                 struct tcplan_error *error);

/** Fills the regions with the same numbers again, after computations have changed them. */
void workspace_refill(const struct workspace *workspace, struct team *team);

/** Returns the share of this process's anonymous memory that is on huge pages; negative if the
 * system does not report it. */
double workspace_huge_share(void);

/** Frees the regions. A zeroed or freed workspace is fine. */
void workspace_free(struct workspace *workspace);

#endif
