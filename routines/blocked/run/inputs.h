/**
 * Contents of matrices: the elements that an operation may access, and values for them.
 */
#ifndef BLOCKED_INPUTS_H
#define BLOCKED_INPUTS_H

#include "routines/blocked/calls/calls.h"

/** Which elements of a matrix are accessed. */
struct inputs_shape {
    int64_t rows, columns, leading;
    bool is_triangle; /**< whether only one triangle is accessed */
    bool is_upper; /**< whether the accessed triangle is the upper one; false: the lower one. Either
                      includes the diagonal */
    bool is_unit;  /**< whether the diagonal is not accessed; its elements then count as 1 */
    bool reads_zeros; /**< whether the other triangle is read and contains zeros: trsyl's real A and
                         B, which may be quasi-triangular */
    bool is_pivoted;  /**< whether the matrix is factored with pivots */
    int64_t band; /**< number of diagonals below the main one to which the matrix is reduced; 0: it
                     is not reduced to a band */
};

/**
 * Returns the shape of a matrix at some sizes. Its triangle follows from the routine for the whole
 * operation; without one, from calls that take the matrix as a triangle without a flag for it
 * (trsyl).
 */
struct inputs_shape inputs_shape_of(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes, int matrix);

/** Returns whether the operation accesses an element. */
bool inputs_touches(const struct inputs_shape *shape, int64_t row, int64_t column);

/** Writes a real or complex number to an element. */
void inputs_put(char *at, enum tcplan_dtype dtype, double re, double im);

/** Fills a matrix as tcplan_blocked_fill() does. */
void inputs_fill(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                 int matrix, char *memory, uint64_t seed);

#endif
