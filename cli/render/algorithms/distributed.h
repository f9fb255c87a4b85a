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
    bool lists_all;       /**< all rows, also in text */
    bool is_named;        /**< --algorithm names the only one */
    int64_t serial_bytes; /**< of all tensors: the memory of one process */
    const struct tcplan_communication *communication; /**< NULL: assumed */
    const char *communication_source;                 /**< a file, or the store */
    struct tcplan_distributed_ranking ranking;
    const struct tcplan_distributed *distributed; /**< NULL: only the ranking */
};

#endif
