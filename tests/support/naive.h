/**
 * Contractions by their definition: nested loops over all indices, without nests, kernels or BLAS.
 * The reference result for every algorithm.
 */
#ifndef SUPPORT_NAIVE_H
#define SUPPORT_NAIVE_H

#include "tcplan/problem.h"

/** Fills `elems` elements with numbers uniform in [-1, 1), both parts of complex ones. */
void naive_fill(void *data, int64_t elems, enum tcplan_dtype dtype, uint64_t *random);

/** How far the element whose indices are all 0 lies from the lowest address, in elements. */
int64_t naive_first(const struct tcplan_problem *problem, enum tcplan_operand operand);

/**
 * C := alpha * A * B + beta * C, or beta times the addend; C or that is not read where beta is 0, A
 * and B not where alpha is 0. The tensors are given by their lowest addresses.
 *
 * @param addend     NULL where the contraction has none
 * @param magnitude  receives, for each element of C, the sum of the magnitudes of what was added up
 *                   for it; between elements -1
 */
void naive_contract(const struct tcplan_problem *problem, const void *A, const void *B,
                    const void *addend, void *C, double *magnitude);

/** Returns the largest difference of an element relative to its magnitude; infinity if an element
 * is NaN, or memory between the elements changed. */
double naive_error(const struct tcplan_problem *problem, const void *got, const void *expected,
                   const double *magnitude);

/** Bound on naive_error() for sums in any order in the problem's type. */
double naive_tolerance(const struct tcplan_problem *problem);

/** Random tensors of a problem, the expected result, and room for a computed one with guards around
 * it. */
struct naive_case {
    const struct tcplan_problem *problem; /**< borrowed */
    void *A; /**< as functions take it: the element whose indices are all 0 */
    void *B;
    void *addend; /**< C itself where both lie alike and the seed is odd; NULL: there is none */
    void *C; /**< the result, for the algorithm under test: set by naive_case_reset(), checked by
                naive_case_error() */
    void *memory[TCPLAN_TENSORS]; /**< of A, B, C and the addend, from the lowest addresses on:
                                     problem.elems elements each, so many behind a line as the seed
                                     says */
    void *before;
    void *expected;
    double *magnitude;
    unsigned char *guarded;      /**< private: C and its guards */
    void *block[TCPLAN_TENSORS]; /**< private: what these are parts of */
};

/**
 * Makes the tensors. Elements that must not be read are NaN, so that reads show: what lies between
 * elements, C where beta is 0 or something else is added, an addend where beta is 0, A and B where
 * alpha is 0. Fails the test if out of memory.
 */
void naive_case_init(struct naive_case *out, const struct tcplan_problem *problem, uint64_t seed);

/** Sets C to its value before the contraction. */
void naive_case_reset(struct naive_case *naive);

/** The error of C; infinity where anything beside C was written. Compare with naive_tolerance(). */
double naive_case_error(const struct naive_case *naive);

void naive_case_free(struct naive_case *naive);

#endif
