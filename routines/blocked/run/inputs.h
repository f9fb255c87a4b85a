/**
 * What matrices hold: which of their elements an operation may look at, and numbers for them.
 */
#ifndef BLOCKED_INPUTS_H
#define BLOCKED_INPUTS_H

#include "routines/blocked/calls/calls.h"

/** How the elements of a matrix lie. */
struct inputs_shape {
    int64_t rows, columns, leading;
    bool is_triangle; /**< only one is touched */
    bool is_upper;    /**< which; the diagonal belongs to it */
    bool is_unit;     /**< without the diagonal */
    bool reads_zeros; /**< the other triangle holds zeros that are read: that of trsyl's real A and
                         B, which could be more than triangular */
    bool is_pivoted;  /**< it is factored with pivots */
};

/**
 * The shape of a matrix at some sizes: its triangle is that which the routine of the whole
 * operation says, or, where the algorithm names none, those of its calls that take the matrix as a
 * triangle without a flag that says which (trsyl).
 */
struct inputs_shape inputs_shape_of(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes, int matrix);

/** Whether an element is one that the operation touches. */
bool inputs_touches(const struct inputs_shape *shape, int64_t row, int64_t column);

/** Writes a real number, or a complex one, to an element. */
void inputs_put(char *at, enum tcplan_dtype dtype, double re, double im);

/** Fills a matrix as tcplan_blocked_fill() does. */
void inputs_fill(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                 int matrix, char *memory, uint64_t seed);

#endif
