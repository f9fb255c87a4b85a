/** Distributed algorithms as a report. */
#ifndef CLI_RENDER_ALGORITHMS_DISTRIBUTED_H
#define CLI_RENDER_ALGORITHMS_DISTRIBUTED_H

#include "cli/render/view.h"
#include "cli/request.h"
#include "tcplan/distributed.h"

/** A ranking, or one algorithm in detail. */
struct distributed_report {
    const struct request *request;
    const struct options *options;
    struct tcplan_problem problem;
    int processes;
    const struct tcplan_communication *communication; /**< NULL: assumed */
    struct tcplan_distributed_ranking ranking;
    const struct tcplan_distributed *distributed; /**< NULL: only the ranking */
};

extern const struct view distributed_view;

#endif
