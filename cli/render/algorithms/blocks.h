/** Output of plans for block-sparse products. */
#ifndef CLI_RENDER_ALGORITHMS_BLOCKS_H
#define CLI_RENDER_ALGORITHMS_BLOCKS_H

#include "cli/render/view.h"
#include "cli/request.h"
#include "tcplan/blocksparse.h"
#include "tcplan/network.h"

struct blocks_report {
    const struct options *options;
    bool explains; /**< whether to print the sectors, too */
    bool lists;    /**< whether to print only the ways, without times */
    bool measures; /**< whether to print predicted and measured times, and the fastest way */
    const struct tcplan_block_product *product;
    const struct tcplan_block_plan *plan;
};

extern const struct field blocks_report_fields[];

/** Print the ways with their times; the ways without times; the sectors. */
void blocks_print_ways(struct writer *writer, const struct blocks_report *report);
void blocks_print_list(struct writer *writer, const struct blocks_report *report);
void blocks_print_sectors(struct writer *writer, const struct blocks_report *report);

/** The order in which several block-sparse tensors are multiplied. */
struct block_order_report {
    const struct options *options;
    bool explains, lists; /**< the same members as in struct blocks_report */
    const struct tcplan_network *network;
    const struct tcplan_block_expression *expression;
    const double *measured; /**< median seconds of each product, then of all; NULL: not measured */
};

#endif
