/**
 * The refinement of a contraction by an algorithm: the indices that a nest works on, which are
 * those of the contraction and the steps of tiles, and the layout of its temporaries; and the
 * refined problem, with extents and strides. Contractions and problems as written have types of
 * their own.
 */
#ifndef AST_NEST_REFINE_H
#define AST_NEST_REFINE_H

#include "base/arena.h"
#include "tcplan/nest.h"

/**
 * A split of an index into steps of `step`: index `steps` counts them, and index `inner` runs
 * within one. `inner` is `point` itself, or counts shorter steps. Tile t belongs to the algorithm's
 * split t; outer steps are multiples of inner ones.
 */
struct tile {
    uint8_t point;
    uint8_t steps;
    uint8_t inner;
    int8_t outer; /**< the tile whose steps contain these steps; -1: none */
    int32_t step;
};

/** A contraction with the indices that an algorithm adds for its steps, and its temporaries. */
struct tcplan_refinement {
    const struct tcplan_contraction *source; /**< the contraction as written; borrowed */
    int index_count; /**< number of indices: those of `source`, plus one for the steps of each tile
                      */
    int tile_count;
    struct tile tile[TCPLAN_MAX_TILES];
    const char *steps_name[TCPLAN_MAX_TILES]; /**< names of the steps, such as `a:8` */
    int8_t around[TCPLAN_MAX_INDICES]; /**< for each index: the tile that contains it; -1: none */
    uint64_t indices[TCPLAN_TENSORS];  /**< indices of each tensor, including steps */
    uint64_t still[TCPLAN_TENSORS];    /**< indices of each tensor with a stride of 0 */
    bool has_temporary[TCPLAN_OPERANDS];
    int temporary_rank[TCPLAN_OPERANDS]; /**< number of dimensions of the temporary; 0: none, or a
                                            single element */
    uint8_t temporary_dims[TCPLAN_OPERANDS][TCPLAN_MAX_RANK]; /**< dimensions of the temporary; the
                                                                 first is contiguous */
    int padded_dims[TCPLAN_OPERANDS]; /**< number of dimensions before the padding */
    int padding[TCPLAN_OPERANDS];     /**< padding in elements */
};

/** A problem with the indices of a nest; its refinement must outlive it. */
struct refined_problem {
    const struct tcplan_refinement *refinement; /**< the refinement, borrowed */
    struct tcplan_problem written;
    int64_t extent[TCPLAN_MAX_INDICES]; /**< extent of each index; for an index within a tile, its
                                           extent in a full tile */
    /** Extent of an index within tiles if all steps around it are the last ones; equal to `extent`
     * for other indices. */
    int64_t last_extent[TCPLAN_MAX_INDICES];
    int64_t step[TCPLAN_MAX_INDICES]; /**< number of points between consecutive values of an index:
                                         the length of its steps, or the extent if that is less; 1
                                         for points */
    int64_t rest[TCPLAN_MAX_INDICES]; /**< points in the last tile that contains the index; all
                                         points if it is in no tile */
    uint64_t ending;                  /**< indices whose only tile is the last one */
    int64_t stride_elems[TCPLAN_TENSORS][TCPLAN_MAX_INDICES]; /**< strides in the tensors as written
                                                               */
    int64_t temporary_stride[TCPLAN_OPERANDS][TCPLAN_MAX_INDICES]; /**< strides of the temporary; 0
                                                                      if it lacks the index */
    int64_t temporary_elems[TCPLAN_OPERANDS]; /**< elements of the temporary; 0: there is none;
                                                 INT64_MAX if its bytes exceed an int64_t */
};

/** Returns how many index numbers an algorithm uses: those of its contraction, and one for the
 * steps of each split. */
int algorithm_index_count(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction);

/** Returns the index of the contraction that belongs to number `index` of an algorithm: the index
 * itself, or the one whose tiles it counts. */
int algorithm_source_index(const struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction, int index);

/** Returns the numbers of the steps that contain an index or its shorter steps. */
uint64_t algorithm_steps_around(const struct tcplan_algorithm *algorithm,
                                const struct tcplan_contraction *contraction, int number);

/** Returns the refinement of a contraction by an algorithm, allocated in `arena`; NULL if out of
 * memory. */
const struct tcplan_refinement *refinement_of(struct arena *arena,
                                              const struct tcplan_contraction *source,
                                              const struct tcplan_algorithm *algorithm);

/** Returns the refinement without names of steps; it needs no memory. */
struct tcplan_refinement refinement_unnamed(const struct tcplan_contraction *source,
                                            const struct tcplan_algorithm *algorithm);

/** Returns the refinement of a contraction without tiles and temporaries. */
struct tcplan_refinement refinement_none(const struct tcplan_contraction *source);

/** Returns the index of the contraction from which an index of the refinement comes: the same
 * index, or the index whose tiles it counts. */
int refinement_source_index(const struct tcplan_refinement *refinement, int index);

/** Returns the contraction's entry for the index that refinement_source_index() returns. */
const struct tcplan_index *refinement_index(const struct tcplan_refinement *refinement, int index);

/** Returns the tile whose elements an index counts or, if tiles are nested, whose inner tiles it
 * counts; -1 if there is none. */
int refinement_tile_around(const struct tcplan_refinement *refinement, int index);

/** Returns the tile whose steps along the contraction's index are numbered by `index`; -1 if
 * `index` is not a loop over tiles. */
int refinement_tile_of_steps(const struct tcplan_refinement *refinement, int index);

/** Returns the index that counts the steps around an index; -1 if there is none. */
int refinement_outer(const struct tcplan_refinement *refinement, int index);

/**
 * Returns the indices of a role in the order in which they are fused: in the order of the first of
 * C, A and B that is used in place. If all are copied, in the order of C (of A for contracted
 * indices), with an index within steps last.
 */
struct tcplan_group algorithm_group(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction,
                                    enum tcplan_role role);

/** Returns the indices of a group as a set. */
uint64_t group_indices(const struct tcplan_group *group);

enum { OPERAND_ROLES = 4, RESULT_ROLES = 3, MATRIX_ROLES = 2 };

/**
 * Lists the roles of an operand: first the MATRIX_ROLES of a matrix (the first one is contiguous in
 * a temporary unless it is transposed), then batch, then for factors the role of summed products.
 * Returns their number: OPERAND_ROLES, for C RESULT_ROLES.
 */
int operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]);

/** Returns a problem with the indices, extents and strides of a refinement. */
struct refined_problem problem_refine(const struct tcplan_problem *problem,
                                      const struct tcplan_refinement *refinement);

/**
 * Returns the number of tiles that the steps of an index are equivalent to, the last tile counted
 * by its share. The cost of a full tile times this number is the cost of all tiles. For any other
 * index it is the extent.
 */
double problem_full_extent(const struct refined_problem *problem, int index);

/** Shortens the extent of an index, also in temporaries. The steps around the index must not be
 * dimensions of a temporary. */
void problem_shorten(struct refined_problem *problem, int index, int64_t extent);

/** Returns whether an index has a smaller extent when all steps around it are the last ones. */
bool problem_varies(const struct refined_problem *problem, int index);

/**
 * Returns the indices of a span whose extent is smaller in the last tile. Indices within steps that
 * are also in the span form one range with them, represented by the outermost steps.
 */
uint64_t problem_varying(const struct refined_problem *problem, uint64_t span);

/** Returns the tiles in which the last step covers less of a span than the other steps do, as a set
 * of tile numbers. */
unsigned problem_partial_tiles(const struct refined_problem *problem, uint64_t span);

/**
 * Returns the number of values that `inner` takes while `outer`, the same index or steps around
 * it, runs once: in a full tile, or in the last one.
 */
int64_t problem_count(const struct refined_problem *problem, int outer, int inner, bool last);

/**
 * Returns the extent of an index when the loops over `fixed` are in iterations `at`; it may be
 * smaller in the last tile. Tiles whose steps are not fixed count as full.
 */
int64_t problem_extent_at(const struct refined_problem *problem, int index, uint64_t fixed,
                          const int64_t at[]);

#endif
