/**
 * Blocks: parts of matrices whose sizes follow the steps of a loop, as used by blocked algorithms.
 *
 * A *range* is a stretch of rows or columns. The first ranges are the whole sizes. A loop over
 * blocks cuts a range into three parts: before the current block, the block, and after it. It adds
 * five ranges to the table: these three, the first two joined, and the last two joined. A loop may
 * also cut a range of another loop, so ranges form a tree. The rows and columns of a *matrix* are
 * whole sizes. A *view* is a matrix or a triangle of it with its own name: `L`, the lower triangle
 * of A. A *block* is the part of a view in one range of rows and one of columns.
 *
 * Notation: the view's name, then block row and block column, `A21`; one digit if the matrix is
 * cut in one direction only, `C1`; none if it is not cut. Joined blocks are in brackets:
 * `[A11;A21]`, one above the other. Blocks of inner loops have a prime, `C1'`.
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
    TCPLAN_BLOCK_SIZES =
        8, /**< maximum number of sizes of a problem: n, or m and n; products have more */
    TCPLAN_BLOCK_NAME = 8 /**< size of the buffer for the name of a matrix or view, in bytes */
};

/** Which part of a divided range a range is. */
enum tcplan_range_part {
    TCPLAN_RANGE_FIRST,     /**< the rows before the block, with digit 0 */
    TCPLAN_RANGE_CURRENT,   /**< the rows of the block, with digit 1 */
    TCPLAN_RANGE_LAST,      /**< the rows after the block, with digit 2 */
    TCPLAN_RANGE_NOT_LAST,  /**< the rows before the block and those of the block */
    TCPLAN_RANGE_NOT_FIRST, /**< the rows of the block and those after it */
    TCPLAN_RANGE_PARTS,
    TCPLAN_RANGE_WHOLE =
        TCPLAN_RANGE_PARTS /**< a whole size, or the single row or column of a vector */
};

/** A range of rows or columns of matrices: a whole size, or a part of one that a loop divides. The
 * number of a range is its position in the table of struct tcplan_blocks. */
struct tcplan_range {
    enum tcplan_range_part part;
    int8_t of; /**< number of the range that is divided; for a whole size, the number of that size;
                  -1: the single column of vectors */
    int8_t loop;  /**< number of the loop that divides the range */
    int8_t depth; /**< number of loops around the dividing loop; the names of its blocks have as
                     many primes */
};

/** Which elements of a view are stored. */
enum tcplan_triangle {
    TCPLAN_GENERAL,
    TCPLAN_TRIANGLE,  /**< elements outside count as 0 and are not touched */
    TCPLAN_SYMMETRIC, /**< elements outside mirror those inside and are not touched */
    TCPLAN_HERMITIAN  /**< elements outside are the conjugates of those inside and are not touched;
                         symmetric for real types */
};

/** How an algorithm uses a matrix. */
enum tcplan_matrix_role {
    TCPLAN_MATRIX_INPUT,
    TCPLAN_MATRIX_UPDATED,  /**< read and written, the usual case: results replace their inputs */
    TCPLAN_MATRIX_OUTPUT,   /**< written before it is read: pivots, factors of reflectors */
    TCPLAN_MATRIX_TEMPORARY /**< workspace of one step: every block of it begins at the first
                               element of the matrix */
};

struct tcplan_matrix {
    char name[TCPLAN_BLOCK_NAME];
    enum tcplan_matrix_role role;
    int8_t rows, columns; /**< numbers of ranges; the single column of a vector is the range with
                             part WHOLE and of = -1 */
    bool is_integer;      /**< whether elements are Fortran integers, as pivots are */
};

struct tcplan_view {
    char name[TCPLAN_BLOCK_NAME];
    int8_t matrix;
    enum tcplan_triangle triangle;
    bool is_upper; /**< whether it is the upper triangle; unused for general views */
    bool is_unit;  /**< whether the diagonal elements count as 1 and are not touched */
};

struct tcplan_block {
    int8_t view;
    int8_t rows, columns; /**< numbers of the view's ranges of rows and columns */
};

/** A factor of a product: op(block), or its inverse. */
struct tcplan_factor {
    struct tcplan_block block;
    bool transposed;
    bool conjugated; /**< whether it is ^H instead of ^T, which is the same for real types; only
                        with `transposed` */
    bool inverted;
};

/** Sizes, ranges, matrices and views of one algorithm. */
struct tcplan_blocks {
    int size_count;
    char size_name[TCPLAN_BLOCK_SIZES][TCPLAN_BLOCK_NAME];
    int range_count;
    struct tcplan_range range[TCPLAN_MAX_RANGES]; /**< first the sizes, then the single column of
                                                     vectors, then five ranges for each cut */
    int matrix_count;
    struct tcplan_matrix matrix[TCPLAN_MAX_MATRICES];
    int view_count;
    struct tcplan_view view[TCPLAN_MAX_VIEWS];
};

/** First row and length of each range while loops run, filled in from the outermost loop inwards.
 */
struct tcplan_range_values {
    int64_t begin[TCPLAN_MAX_RANGES];
    int64_t length[TCPLAN_MAX_RANGES];
};

#ifdef __cplusplus
}
#endif

#endif
