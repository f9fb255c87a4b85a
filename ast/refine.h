/**
 * What an algorithm makes of its contraction: indices of tiles, groups of fused indices, temporaries of its own layout.
 */
#ifndef AST_REFINE_H
#define AST_REFINE_H

#include "base/arena.h"
#include "tcplan/nest.h"

/** The contraction as it was written: itself where nothing refines it. */
const struct tcplan_contraction *contraction_source(const struct tcplan_contraction *contraction);

/** How many numbers of indices an algorithm uses: those of its contraction, and one for the steps of each split. */
int algorithm_index_count(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction);

/** The index of the contraction that number `index` of an algorithm stands for: itself, or the one whose steps it counts. */
int algorithm_source_index(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int index);

/** The contraction that the nest of an algorithm works on, in memory of `arena`; NULL where that is out. */
const struct tcplan_contraction *contraction_refine(struct arena *arena, const struct tcplan_contraction *source,
                                                    const struct tcplan_algorithm *algorithm);

/**
 * The order of the indices fused in a role: as the first operand of C, A, B that is used in place has them; where all are copied, as C (for
 * contracted indices A) has them, an index that is split last.
 */
struct tcplan_group algorithm_group(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                    enum tcplan_role role);

enum { OPERAND_ROLES = 3 };

/** The roles of an operand: those of a matrix, the one first that is contiguous in a temporary unless it is turned, and that of batch indices. */
void operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]);

/** A problem as a nest sees it: `out` may be `problem`. Does nothing but copy where the contraction is not refined. */
void problem_refine(struct tcplan_problem *out, const struct tcplan_problem *problem, const struct tcplan_contraction *refined);

/** The tile that an index belongs to as points, or -1. */
int contraction_tile_of_points(const struct tcplan_contraction *contraction, int index);

/** The tile that an index counts the steps of, or -1. */
int contraction_tile_of_steps(const struct tcplan_contraction *contraction, int index);

/**
 * The indices of a span whose extent varies between places: points of tiles, the last of which is smaller. Not those whose steps are in the span as
 * well: all tiles together are the index as it was written.
 */
uint64_t problem_varying(const struct tcplan_problem *problem, uint64_t span);

/** The extent of an index whose points and steps are in a span both: that of the index as it was written. */
int64_t problem_whole_extent(const struct tcplan_problem *problem, int point);

/**
 * The extent of an index where the loops over the indices in `fixed` are in their iterations `at`: smaller for the points of a tile in its last
 * step than elsewhere. Where its steps are not fixed the tile is taken for a full one.
 */
int64_t problem_extent_at(const struct tcplan_problem *problem, int index, uint64_t fixed, const int64_t at[]);

#endif
