/**
 * Blocked algorithms: operations, their algorithms' steps, and the calls of one.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_H
#define CLI_RENDER_BLOCKED_BLOCKED_H

#include "cli/render/document.h"
#include "tcplan/blocked.h"

/** All of it is borrowed. */
struct blocked_listing {
    const struct tcplan_blocked_operation *of; /**< its name is NULL where they are a user's */
    const struct tcplan_blocked *const *algorithm;
    int count;
};

struct blocked_traced {
    const struct tcplan_blocked *algorithm;
    struct tcplan_blocked_sizes sizes; /**< checked */
};

void blocked_print_operations(struct writer *writer, enum output_format format);
void blocked_print_algorithms(struct writer *writer, enum output_format format,
                              const struct blocked_listing *listing);
void blocked_print_trace(struct writer *writer, enum output_format format,
                         const struct blocked_traced *traced);

#endif
