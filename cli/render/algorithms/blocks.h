/** Output of plans for block-sparse products. */
#ifndef CLI_RENDER_ALGORITHMS_BLOCKS_H
#define CLI_RENDER_ALGORITHMS_BLOCKS_H

#include "cli/render/view.h"
#include "cli/request.h"
#include "tcplan/blocksparse.h"

struct blocks_report {
    const struct options *options;
    bool explains; /**< also print the sectors */
    bool lists;    /**< print the ways without times */
    bool measures; /**< print predicted and measured times, and the fastest way */
    const struct tcplan_block_product *product;
    const struct tcplan_block_plan *plan;
};

#endif
