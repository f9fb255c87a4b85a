/**
 * What a nest works on: the indices of its contraction and the steps of tiles, the layout of its
 * temporaries, and a problem that gives them extents and strides. A contraction and a problem as
 * they were written are other types.
 */
#ifndef AST_NEST_REFINE_H
#define AST_NEST_REFINE_H

#include "base/arena.h"
#include "tcplan/nest.h"

/**
 * An index in steps of `step`: index `steps` counts them, index `inner` runs within the tile of
 * one. That is the index itself, `point`, or what counts the shorter steps within. Tile t is that
 * of the algorithm's split number t; outer steps are multiples of inner ones.
 */
struct tile {
    uint8_t point;
    uint8_t steps;
    uint8_t inner;
    int8_t outer; /**< the tile within one of whose steps it counts its own; -1: none */
    int32_t step;
};

/** A contraction with the indices that an algorithm adds for the steps of its tiles, and
 * temporaries of the algorithm's making. */
struct tcplan_refinement {
    const struct tcplan_contraction *source; /**< borrowed: as it was written */
    int index_count; /**< of the source, and one for the steps of each tile */
    int tile_count;
    struct tile tile[TCPLAN_MAX_TILES];
    const char *steps_name[TCPLAN_MAX_TILES]; /**< `a:8` */
    int8_t around[TCPLAN_MAX_INDICES]; /**< of each index: the tile within one of whose steps it
                                          runs; -1: none */
    uint64_t indices[TCPLAN_TENSORS];  /**< of each tensor, with the steps */
    uint64_t still[TCPLAN_TENSORS];    /**< those of them with a stride of 0 */
    bool has_temporary[TCPLAN_OPERANDS];
    int temporary_rank[TCPLAN_OPERANDS];                      /**< 0: none, or a single element */
    uint8_t temporary_dims[TCPLAN_OPERANDS][TCPLAN_MAX_RANK]; /**< the contiguous one first */
    int padded_dims[TCPLAN_OPERANDS]; /**< of a temporary: its first ones, behind which it is padded
                                       */
    int padding[TCPLAN_OPERANDS];     /**< elements */
};

/** A problem as a nest sees it: a value, which lives as long as its refinement. */
struct refined_problem {
    const struct tcplan_refinement *refinement; /**< borrowed */
    struct tcplan_problem written;
    int64_t extent[TCPLAN_MAX_INDICES]; /**< within a tile: of a full one */
    /** Within a tile: in the last one of the index, which may be smaller, where all steps around
     * are the last. All other indices: the extent. */
    int64_t last_extent[TCPLAN_MAX_INDICES];
    int64_t step[TCPLAN_MAX_INDICES]; /**< points from one value to the next: of steps their length,
                                         or the extent where that is less; else 1 */
    int64_t rest[TCPLAN_MAX_INDICES]; /**< points in the last tile that the index runs in: all of
                                         the index as it was written without a tile around */
    uint64_t ending; /**< the indices that only run in their last tile, as there is no other */
    int64_t stride_elems[TCPLAN_TENSORS][TCPLAN_MAX_INDICES]; /**< as those of the problem as it was
                                                                 written */
    int64_t temporary_stride[TCPLAN_OPERANDS][TCPLAN_MAX_INDICES]; /**< 0 where the temporary lacks
                                                                      the index */
    int64_t temporary_elems[TCPLAN_OPERANDS]; /**< 0: none; INT64_MAX where their bytes do not fit
                                                 an int64_t */
};

/** How many numbers of indices an algorithm uses: those of its contraction, and one for the steps
 * of each split. */
int algorithm_index_count(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction);

/** The index of the contraction that number `index` of an algorithm stands for: itself, or the one
 * whose steps it counts. */
int algorithm_source_index(const struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction, int index);

/** The numbers of the steps that an index, or shorter steps of it, run within. */
uint64_t algorithm_steps_around(const struct tcplan_algorithm *algorithm,
                                const struct tcplan_contraction *contraction, int number);

/** The refinement of a contraction by an algorithm, in memory of `arena`; NULL where that is out.
 */
const struct tcplan_refinement *refinement_of(struct arena *arena,
                                              const struct tcplan_contraction *source,
                                              const struct tcplan_algorithm *algorithm);

/** The same without the names of steps, and without memory of its own. */
struct tcplan_refinement refinement_unnamed(const struct tcplan_contraction *source,
                                            const struct tcplan_algorithm *algorithm);

/** That of a contraction without tiles and temporaries. */
struct tcplan_refinement refinement_none(const struct tcplan_contraction *source);

/** The index of the contraction that an index stands for. */
int refinement_source_index(const struct tcplan_refinement *refinement, int index);

/** What an index, or that whose steps it counts, is in the contraction. */
const struct tcplan_index *refinement_index(const struct tcplan_refinement *refinement, int index);

/** The tile within one of whose steps an index runs, or -1: points, or steps within longer ones. */
int refinement_tile_around(const struct tcplan_refinement *refinement, int index);

/** The tile that an index counts the steps of, or -1. */
int refinement_tile_of_steps(const struct tcplan_refinement *refinement, int index);

/** What an index runs within: the index that counts the steps around, or -1. */
int refinement_outer(const struct tcplan_refinement *refinement, int index);

/**
 * The order of the indices fused in a role: as the first operand of C, A, B that is used in place
 * has them; where all are copied, as C (for contracted indices A) has them, one that runs within
 * steps last.
 */
struct tcplan_group algorithm_group(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction,
                                    enum tcplan_role role);

/** The indices of a group as a set. */
uint64_t group_indices(const struct tcplan_group *group);

enum { OPERAND_ROLES = 4, RESULT_ROLES = 3, MATRIX_ROLES = 2 };

/**
 * The roles of an operand: MATRIX_ROLES of a matrix, the one first that is contiguous in a
 * temporary unless it is turned; that of batch indices; of factors that of the products which are
 * summed up. Returns their number: OPERAND_ROLES, of C RESULT_ROLES.
 */
int operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]);

/** A problem of the contraction that is refined, as a nest sees it. */
struct refined_problem problem_refine(const struct tcplan_problem *problem,
                                      const struct tcplan_refinement *refinement);

/**
 * How many full tiles the steps of an index are together, the last one, which may be smaller, by
 * its share: what a full one takes, or brings, times that is what all take. Of all other indices
 * the extent.
 */
double problem_full_extent(const struct refined_problem *problem, int index);

/** Makes an index run over less than it does, in temporaries too. Steps around it must not be
 * dimensions of one. */
void problem_shorten(struct refined_problem *problem, int index, int64_t extent);

/** Whether an index runs over less than its extent where all steps around are the last. */
bool problem_varies(const struct refined_problem *problem, int index);

/**
 * The indices of a span whose extent varies between places: in the last tile, which may be smaller,
 * it is another than elsewhere. Not those within steps that are in the span as well, which together
 * are one range; of that the outermost stands for all.
 */
uint64_t problem_varying(const struct refined_problem *problem, uint64_t span);

/** The tiles whose last step has less of a span than others, as a set of numbers of tiles. */
unsigned problem_partial_tiles(const struct refined_problem *problem, uint64_t span);

/**
 * How many values of `inner` there are in a tile that `outer` runs in, `outer` being the same index
 * or steps around it: in a full tile, or in the last one.
 */
int64_t problem_count(const struct refined_problem *problem, int outer, int inner, bool last);

/**
 * The extent of an index where the loops over the indices in `fixed` are in their iterations `at`:
 * in the last tile it may be smaller than elsewhere. Where steps around are not fixed tiles are
 * taken for full ones.
 */
int64_t problem_extent_at(const struct refined_problem *problem, int index, uint64_t fixed,
                          const int64_t at[]);

#endif
