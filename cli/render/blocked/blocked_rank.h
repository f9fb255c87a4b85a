/**
 * Rankings of blocked algorithms by predicted times, each with its best block size: one as a table,
 * of many sizes a line each.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_RANK_H
#define CLI_RENDER_BLOCKED_BLOCKED_RANK_H

#include "cli/render/blocked/blocked_view.h"

/** All of it is borrowed. */
struct blocked_rankings {
    struct blocked_view view;
    const struct tcplan_blocked_map *map;
    const struct tcplan_blocked_rank *rank; /**< of each point as many as there are algorithms */
    double tie;
    int64_t default_block; /**< LAPACK's */
    int default_place;     /**< its place among the map's block sizes; -1: it is none of them */
    int lapack;            /**< which algorithm of the map is LAPACK's; -1: none */
};

/** The prediction of an algorithm with LAPACK's block size; NULL where it was not made. */
const struct tcplan_blocked_prediction *blocked_rankings_default(
    const struct blocked_rankings *rankings, int algorithm, int point);

/** Prints in the writer's format, between its begin and end. */
void blocked_rankings_print(struct writer *writer, const struct blocked_rankings *rankings);

#endif
