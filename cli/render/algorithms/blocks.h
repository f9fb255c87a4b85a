/** Plans of block-sparse products as a report. */
#ifndef CLI_RENDER_ALGORITHMS_BLOCKS_H
#define CLI_RENDER_ALGORITHMS_BLOCKS_H

#include "cli/render/view.h"
#include "cli/request.h"
#include "tcplan/blocksparse.h"

struct blocks_report {
    const struct options *options;
    bool explains; /**< prints the sectors, too */
    bool lists;    /**< prints what the ways are, without times */
    bool measures; /**< prints predicted and measured times, and which way is faster */
    const struct tcplan_block_product *product;
    const struct tcplan_block_plan *plan;
};

#endif
