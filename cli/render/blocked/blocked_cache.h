/**
 * What `blocked cache` found, in every format that has it: text, JSON, XML.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_CACHE_H
#define CLI_RENDER_BLOCKED_BLOCKED_CACHE_H

#include "cli/render/format.h"
#include "tcplan/blocked_cache.h"

/** What is printed beside the results. */
struct blocked_cache_view {
    const struct tcplan_blocked *blocked;
    const struct tcplan_blocked_sizes *sizes;
    int threads;
    const char *library; /**< who computed, as `OpenBLAS 0.3.21` */
    bool calls;          /**< every call is written to documents */
};

/** Prints in the writer's format, between its begin and end. */
void blocked_cache_print(struct writer *writer, const struct tcplan_blocked_cache *study,
                         const struct blocked_cache_view *view);

#endif
