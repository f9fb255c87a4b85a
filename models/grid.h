/**
 * The points of a box to which a polynomial is fitted, and how a box is halved (Peise 2017, 3.2.2
 * and 3.2.5).
 */
#ifndef MODELS_GRID_H
#define MODELS_GRID_H

#include "tcplan/models.h"

enum {
    GRID_DEGREE = 4, /**< of a size in the number of operations, at most */
    GRID_POINTS = 32 /**< of one size, at most */
};

/** Returns node j of n in [0,1], ascending: j / (n - 1), or (1 - cos(j / (n - 1) pi)) / 2; 1/2
 * if n is 1. */
double grid_node(enum tcplan_model_grid grid, int j, int n);

/**
 * The points of one size: n nodes on [low, high], each rounded to the nearest multiple (halves
 * upwards), each once.
 *
 * @param out  receives up to n points, ascending, the first `low` and, where n is 2 or more, the
 *             last `high`; both are multiples, or equal: then that one size
 * @return how many
 */
int grid_line(int64_t out[GRID_POINTS], enum tcplan_model_grid grid, int n, int64_t low,
              int64_t high, int64_t multiple);

/** The points of a box: all combinations of those of its sizes. */
struct grid {
    int count; /**< of sizes */
    int points[TCPLAN_MODEL_SIZES];
    int64_t at[TCPLAN_MODEL_SIZES][GRID_POINTS];
    size_t total;                   /**< of combinations */
    int degree[TCPLAN_MODEL_SIZES]; /**< of the polynomial that they are for */
};

/**
 * The grid of a box: degree + overfitting + 1 + oversampling points of each size, of which fewer
 * are different where the box is narrow.
 *
 * The polynomial's degree is degree + overfitting; with n different points it is n - 2 at most, so
 * that a point is spare which shows an error, and with one point or two n - 1: there is no further
 * multiple within.
 *
 * @param degree  of each size in the number of operations: 0 to GRID_DEGREE
 */
void grid_make(struct grid *out, const struct tcplan_model_domain *domain, const int degree[],
               const struct tcplan_model_config *config);

/** Returns combination number `place`, from 0, with the last size varying fastest; sizes after
 * `count` are set to 0. */
void grid_point(int64_t out[TCPLAN_MODEL_SIZES], const struct grid *grid, size_t place);

/**
 * Finds where a box is halved: in the size with the largest high / low, at the multiple next to its
 * middle, `multiple * floor((low + high + multiple) / (2 multiple))`. A size without a multiple
 * between its ends is skipped.
 * @return false if no size can be halved
 */
bool grid_halve(int *size, int64_t *at, const struct tcplan_model_domain *domain, int64_t multiple);

#endif
