/**
 * The points of a box to which a polynomial is fitted, and how a box is halved (Peise 2017, 3.2.2
 * and 3.2.5).
 */
#ifndef MODELS_GRID_H
#define MODELS_GRID_H

#include "tcplan/models.h"

enum {
    GRID_DEGREE = 4, /**< maximum degree of a size in the number of operations */
    GRID_POINTS = 32 /**< maximum number of points of one size */
};

/** Returns node j of n in [0,1], ascending: j / (n - 1), or (1 - cos(j / (n - 1) pi)) / 2; 1/2
 * if n is 1. */
double grid_node(enum tcplan_model_grid grid, int j, int n);

/**
 * Computes the points of one size: n nodes on [low, high], each rounded to the nearest multiple
 * (halves upwards), without duplicates.
 *
 * @param out  receives up to n points in ascending order; with n >= 2 the first is `low` and the
 *     last `high`
 * @param low lower end; `low` and `high` are multiples of `multiple`, or equal, in which case
 *     `low` is the only point
 * @return the number of points
 */
int grid_line(int64_t out[GRID_POINTS], enum tcplan_model_grid grid, int n, int64_t low,
              int64_t high, int64_t multiple);

/** The points of a box: all combinations of the points of its sizes. */
struct grid {
    int count; /**< number of sizes */
    int points[TCPLAN_MODEL_SIZES];
    int64_t at[TCPLAN_MODEL_SIZES][GRID_POINTS];
    size_t total;                   /**< number of combinations */
    int degree[TCPLAN_MODEL_SIZES]; /**< degrees of the polynomial that is fitted to these points */
};

/**
 * Makes the grid of a box. Each size gets degree + overfitting + 1 + oversampling points, fewer if
 * a narrow box has fewer multiples.
 *
 * The polynomial's degree in a size is degree + overfitting, but at most n - 2 with n > 2
 * different points, so that one extra point reveals an error. With one or two points, between
 * which there is no other multiple, the degree is n - 1.
 *
 * @param degree  degree of each size in the number of operations, 0 to GRID_DEGREE
 */
void grid_make(struct grid *out, const struct tcplan_model_domain *domain, const int degree[],
               const struct tcplan_model_config *config);

/** Sets `out` to combination number `place` of the grid, from 0, with the last size varying
 * fastest; sizes after `count` are set to 0. */
void grid_point(int64_t out[TCPLAN_MODEL_SIZES], const struct grid *grid, size_t place);

/**
 * Finds where to halve a box: in the size with the largest ratio high / low, at the multiple
 * nearest to its middle, `multiple * floor((low + high + multiple) / (2 multiple))`. A size
 * without a multiple between its ends is skipped.
 * @return false if no size can be halved
 */
bool grid_halve(int *size, int64_t *at, const struct tcplan_model_domain *domain, int64_t multiple);

#endif
