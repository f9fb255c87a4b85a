/* Computes the positions of blocks for a drawing in which each tensor is a matrix: the rows of A
 * are its free indices, the columns of B its free indices, and the contracted indices are in
 * between. Sections of a sector are adjacent, so that the result's sectors become rectangles on its
 * diagonal. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "blocks/block_plan.h"

/** The sections along an axis, with their extents and first positions. */
struct axis_places {
    double *begin, *extent;
    bool *placed;
    double next;
};

/** For each tensor, the axes of its rows and columns. */
static const int axes_of[TCPLAN_OPERANDS][2] = {[TCPLAN_A] = {PAIRS_ROW, PAIRS_MEET},
                                                [TCPLAN_B] = {PAIRS_MEET, PAIRS_COLUMN},
                                                [TCPLAN_C] = {PAIRS_ROW, PAIRS_COLUMN}};

/** Appends the sections of a block that have no position yet to the axes. */
static void put(struct axis_places axis[PAIRS_IDS], const struct tcplan_block_product *product,
                enum tcplan_operand t, int64_t block) {
    for (int side = 0; side < 2; side++) {
        const int k = axes_of[t][side];
        const int32_t id = product->pairs->ids[k].of[t][block];
        if (axis[k].placed[id]) continue;
        axis[k].placed[id] = true;
        axis[k].extent[id] = structure_volume(product, t, block, product->pairs->ids[k].indices);
        axis[k].begin[id] = axis[k].next;
        axis[k].next += axis[k].extent[id];
    }
}

/** Positions the sections of blocks that take part in pairs, sector by sector, then all other
 * sections. */
static void put_all(struct axis_places axis[PAIRS_IDS],
                    const struct tcplan_block_product *product) {
    const struct block_pairs *pairs = product->pairs;
    for (int p = 0; p < pairs->part_count; p++) {
        for (int64_t n = pairs->part[p].first; n < pairs->part[p].first + pairs->part[p].count;
             n++) {
            const int32_t c = pairs->order[n];
            put(axis, product, TCPLAN_C, c);
            for (int64_t q = pairs->first[c]; q < pairs->first[c + 1]; q++)
                put(axis, product, TCPLAN_A, pairs->pair[q].a);
        }
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        for (int64_t b = 0; b < product->tensor[t].count; b++)
            put(axis, product, (enum tcplan_operand)t, b);
}

/** Sets the name of the way that computes each block that takes part in a pair. */
static void name_ways(struct tcplan_block_place *const out[TCPLAN_OPERANDS],
                      const struct tcplan_block_plan *plan) {
    const struct block_pairs *pairs = plan->product->pairs;
    for (int p = 0; p < pairs->part_count; p++) {
        for (int64_t n = pairs->part[p].first; n < pairs->part[p].first + pairs->part[p].count;
             n++) {
            const int32_t c = pairs->order[n];
            out[TCPLAN_C][c].way = decide_way_of(plan, p);
            for (int64_t q = pairs->first[c]; q < pairs->first[c + 1]; q++) {
                out[TCPLAN_A][pairs->pair[q].a].way = decide_way_of(plan, p);
                out[TCPLAN_B][pairs->pair[q].b].way = decide_way_of(plan, p);
            }
        }
    }
}

enum tcplan_status tcplan_block_plan_places(struct tcplan_block_place *const out[3],
                                            const struct tcplan_block_plan *plan,
                                            struct tcplan_error *error) {
    const struct tcplan_block_product *product = plan->product;
    struct axis_places axis[PAIRS_IDS] = {{NULL}};
    bool ok = true;
    for (int k = 0; k < PAIRS_IDS && ok; k++) {
        const size_t count = (size_t)product->pairs->ids[k].count + 1;
        axis[k].begin = base_alloc_zero(count, sizeof *axis[k].begin);
        axis[k].extent = base_alloc_zero(count, sizeof *axis[k].extent);
        axis[k].placed = base_alloc_zero(count, sizeof *axis[k].placed);
        ok = axis[k].begin && axis[k].extent && axis[k].placed;
    }
    if (ok) put_all(axis, product);
    for (int t = 0; t < TCPLAN_OPERANDS && ok; t++) {
        const int rows = axes_of[t][0], columns = axes_of[t][1];
        for (int64_t b = 0; b < product->tensor[t].count; b++) {
            const int32_t row = product->pairs->ids[rows].of[t][b],
                          column = product->pairs->ids[columns].of[t][b];
            out[t][b] = (struct tcplan_block_place){.row = axis[rows].begin[row],
                                                    .rows = axis[rows].extent[row],
                                                    .column = axis[columns].begin[column],
                                                    .columns = axis[columns].extent[column]};
        }
    }
    if (ok) name_ways(out, plan);
    for (int k = 0; k < PAIRS_IDS; k++) {
        base_free(axis[k].begin);
        base_free(axis[k].extent);
        base_free(axis[k].placed);
    }
    return ok ? TCPLAN_OK : error_no_memory(error);
}
