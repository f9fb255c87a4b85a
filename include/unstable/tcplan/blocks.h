/**
 * Blocks: parts of matrices whose sizes follow the steps of a loop, as blocked algorithms work on
 * them.
 *
 * A *range* is a stretch of rows or columns. The first ones are whole sizes; a loop in steps cuts a
 * range in three, what lies before the current block, the block, what lies behind, and counts five
 * ranges of its own: these three, and the first and the last two of them joined. So ranges are a
 * tree, and a loop may cut a range that another loop has cut. A *matrix* has a range of rows and
 * one of columns, whole ones. A *view* is a matrix, or a triangle of it, under a name of its own:
 * `L`, the lower triangle of A. A *block* is a view's rows and columns in two ranges.
 *
 * Notation: the block row and block column behind the view's name, `A21`; of a matrix that is cut
 * in one direction only one digit, `C1`, of one that is not cut none. Joined blocks are in
 * brackets: `[A11;A21]`, one above the other. Loops inside of loops mark their blocks with a prime,
 * `C1'`.
 */
#ifndef TCPLAN_BLOCKS_H
#define TCPLAN_BLOCKS_H

#include "tcplan/contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_MAX_RANGES = 120,
    TCPLAN_MAX_MATRICES = 12,
    TCPLAN_MAX_VIEWS = 16,
    TCPLAN_BLOCK_SIZES = 8, /**< sizes of a problem at most: m and n, or n; products have more */
    TCPLAN_BLOCK_NAME = 8   /**< bytes of a name of a matrix or view */
};

/** The part of a range that another range is. */
enum tcplan_range_part {
    TCPLAN_RANGE_FIRST,     /**< rows before the block: 0 */
    TCPLAN_RANGE_CURRENT,   /**< the block: 1 */
    TCPLAN_RANGE_LAST,      /**< rows behind it: 2 */
    TCPLAN_RANGE_NOT_LAST,  /**< 0 and 1 */
    TCPLAN_RANGE_NOT_FIRST, /**< 1 and 2 */
    TCPLAN_RANGE_PARTS,
    TCPLAN_RANGE_WHOLE =
        TCPLAN_RANGE_PARTS /**< a size, or the one row or column that a vector has */
};

/** A range; which one is its place in the table of struct tcplan_blocks. */
struct tcplan_range {
    enum tcplan_range_part part;
    int8_t of; /**< the range that is divided; for a whole size its number; -1: the single column of
                  vectors */
    int8_t loop;  /**< number of loops around that loop: as many primes */
    int8_t depth; /**< loops around that loop: as many primes */
};

/** How a view's elements lie. */
enum tcplan_triangle {
    TCPLAN_GENERAL,
    TCPLAN_TRIANGLE,  /**< elements outside count as 0 and are not touched */
    TCPLAN_SYMMETRIC, /**< elements outside mirror it and are not touched */
    TCPLAN_HERMITIAN  /**< the same, conjugated; of real types symmetric */
};

/** How an algorithm uses a matrix. */
enum tcplan_matrix_role {
    TCPLAN_MATRIX_INPUT,
    TCPLAN_MATRIX_UPDATED,  /**< read and written: the usual case: results replace their inputs */
    TCPLAN_MATRIX_OUTPUT,   /**< written first: pivots, factors of reflectors */
    TCPLAN_MATRIX_TEMPORARY /**< memory to work in. Every block of it begins at its first element:
                               it holds what belongs to one step */
};

struct tcplan_matrix {
    char name[TCPLAN_BLOCK_NAME];
    enum tcplan_matrix_role role;
    int8_t rows,
        columns;     /**< ranges; of a vector columns are the range of part WHOLE with of = -1 */
    bool is_integer; /**< pivots: of Fortran's integers */
};

struct tcplan_view {
    char name[TCPLAN_BLOCK_NAME];
    int8_t matrix;
    enum tcplan_triangle triangle;
    bool is_upper; /**< the triangle; not of general views */
    bool is_unit;  /**< its diagonal counts as 1 and is not touched */
};

struct tcplan_block {
    int8_t view;
    int8_t rows, columns; /**< ranges */
};

/** A factor of a product: op(block), or its inverse. */
struct tcplan_factor {
    struct tcplan_block block;
    bool transposed;
    bool conjugated; /**< with transposed only: ^H. Real types take it for ^T */
    bool inverted;
};

/** All of these of one algorithm. */
struct tcplan_blocks {
    int size_count;
    char size_name[TCPLAN_BLOCK_SIZES][TCPLAN_BLOCK_NAME];
    int range_count;
    struct tcplan_range range[TCPLAN_MAX_RANGES]; /**< sizes first, then the single column, then
                                                     those of loops, five a cut */
    int matrix_count;
    struct tcplan_matrix matrix[TCPLAN_MAX_MATRICES];
    int view_count;
    struct tcplan_view view[TCPLAN_MAX_VIEWS];
};

/** Where ranges are while loops run: filled in from the outside in. */
struct tcplan_range_values {
    int64_t begin[TCPLAN_MAX_RANGES];
    int64_t length[TCPLAN_MAX_RANGES];
};

#ifdef __cplusplus
}
#endif

#endif
