/**
 * Results of blocked algorithms beside LAPACK's.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_CHECK_H
#define CLI_RENDER_BLOCKED_BLOCKED_CHECK_H

#include "cli/render/document.h"
#include "tcplan/blocked_run.h"

/** One algorithm at all sizes. */
struct blocked_checked {
    const struct tcplan_blocked *algorithm;
    int64_t cases, failed;
    struct tcplan_blocked_verdict worst;
    struct tcplan_blocked_sizes at; /**< of the worst */
};

struct blocked_checks {
    struct blocked_checked *checked;
    int count;
};

/** A line, or object, for each algorithm: how many cases, and the one with the largest share of
 * what is allowed. */
void blocked_print_checks(struct writer *writer, enum output_format format,
                          const struct blocked_checks *checks);

#endif
