/**
 * What a nest works on: the indices of its contraction and the steps of tiles, the layout of its temporaries, and a problem that gives them extents and
 * strides. A contraction and a problem as they were written are other types.
 */
#ifndef AST_REFINE_H
#define AST_REFINE_H

#include "base/arena.h"
#include "tcplan/nest.h"

/** An index in steps of `step`: index `steps` counts them, index `point` runs within the tile of one. */
struct tile {
    uint8_t point;
    uint8_t steps;
    int32_t step;
};

/** A contraction with the indices that an algorithm adds for the steps of its tiles, and temporaries of the algorithm's making. */
struct tcplan_refinement {
    const struct tcplan_contraction *source; /**< borrowed: as it was written */
    int index_count;                         /**< of the source, and one for the steps of each tile */
    int tile_count;
    struct tile tile[TCPLAN_MAX_TILES];
    const char *steps_name[TCPLAN_MAX_TILES];                 /**< `a:8` */
    uint64_t indices[TCPLAN_OPERANDS];                        /**< of each tensor, with the steps */
    uint64_t still[TCPLAN_OPERANDS];                          /**< those of them with a stride of 0 */
    int temporary_rank[TCPLAN_OPERANDS];                      /**< 0: none, or a single element */
    uint8_t temporary_dims[TCPLAN_OPERANDS][TCPLAN_MAX_RANK]; /**< the contiguous one first */
};

/** A problem as a nest sees it: a value, which lives as long as its refinement. */
struct refined_problem {
    const struct tcplan_refinement *refinement; /**< borrowed */
    struct tcplan_problem written;
    int64_t extent[TCPLAN_MAX_INDICES]; /**< of the points of a tile: of a full one */
    /** Of the points of a tile: their number in the last step, which may be smaller. All other indices: the extent. */
    int64_t last_extent[TCPLAN_MAX_INDICES];
    int64_t stride_elems[TCPLAN_OPERANDS][TCPLAN_MAX_INDICES]; /**< as those of the problem as it was written */
};

/** How many numbers of indices an algorithm uses: those of its contraction, and one for the steps of each split. */
int algorithm_index_count(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction);

/** The index of the contraction that number `index` of an algorithm stands for: itself, or the one whose steps it counts. */
int algorithm_source_index(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int index);

/** The refinement of a contraction by an algorithm, in memory of `arena`; NULL where that is out. */
const struct tcplan_refinement *refinement_of(struct arena *arena, const struct tcplan_contraction *source,
                                              const struct tcplan_algorithm *algorithm);

/** That of a contraction without tiles and temporaries. */
struct tcplan_refinement refinement_none(const struct tcplan_contraction *source);

/** The index of the contraction that an index stands for. */
int refinement_source_index(const struct tcplan_refinement *refinement, int index);

/** What an index, or that whose steps it counts, is in the contraction. */
const struct tcplan_index *refinement_index(const struct tcplan_refinement *refinement, int index);

/** The tile that an index belongs to as points, or -1. */
int refinement_tile_of_points(const struct tcplan_refinement *refinement, int index);

/** The tile that an index counts the steps of, or -1. */
int refinement_tile_of_steps(const struct tcplan_refinement *refinement, int index);

/**
 * The order of the indices fused in a role: as the first operand of C, A, B that is used in place has them; where all are copied, as C (for
 * contracted indices A) has them, an index that is split last.
 */
struct tcplan_group algorithm_group(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                    enum tcplan_role role);

/** The indices of a group as a set. */
uint64_t group_indices(const struct tcplan_group *group);

enum { OPERAND_ROLES = 4, RESULT_ROLES = 3, MATRIX_ROLES = 2 };

/**
 * The roles of an operand: MATRIX_ROLES of a matrix, the one first that is contiguous in a temporary unless it is turned; that of batch indices; of
 * factors that of the products which are summed up. Returns their number: OPERAND_ROLES, of C RESULT_ROLES.
 */
int operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]);

/** A problem of the contraction that is refined, as a nest sees it. */
struct refined_problem problem_refine(const struct tcplan_problem *problem, const struct tcplan_refinement *refinement);

/**
 * The indices of a span whose extent varies between places: points of tiles, the last of which is smaller. Not those whose steps are in the span as
 * well: all tiles together are the index as it was written.
 */
uint64_t problem_varying(const struct refined_problem *problem, uint64_t span);

/** The extent of an index whose points and steps are in a span both: that of the index as it was written. */
int64_t problem_whole_extent(const struct refined_problem *problem, int point);

/**
 * The extent of an index where the loops over the indices in `fixed` are in their iterations `at`: smaller for the points of a tile in its last
 * step than elsewhere. Where its steps are not fixed the tile is taken for a full one.
 */
int64_t problem_extent_at(const struct refined_problem *problem, int index, uint64_t fixed, const int64_t at[]);

#endif
