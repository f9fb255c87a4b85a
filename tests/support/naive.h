/**
 * Contractions by their definition: nested loops over all indices, without nests, kernels or BLAS.
 * They give the reference result for every algorithm.
 */
#ifndef SUPPORT_NAIVE_H
#define SUPPORT_NAIVE_H

#include "tcplan/problem.h"

/** Fills `elems` elements with uniform random numbers in [-1, 1), complex ones in both parts. */
void naive_fill(void *data, int64_t elems, enum tcplan_dtype dtype, uint64_t *random);

/** Returns the distance in elements from the lowest address to the element whose indices are all 0.
 */
int64_t naive_first(const struct tcplan_problem *problem, enum tcplan_operand operand);

/**
 * Computes C := alpha * A * B + beta * C, or C := alpha * A * B + beta * addend. C or the addend
 * is not read if beta is 0, A and B are not if alpha is 0. Tensors are given by their lowest
 * addresses.
 *
 * @param addend     NULL if the contraction has none
 * @param magnitude  receives, for each element of C, the sum of the magnitudes of its terms; -1 in
 *                   gaps
 */
void naive_contract(const struct tcplan_problem *problem, const void *A, const void *B,
                    const void *addend, void *C, double *magnitude);

/** Returns the largest error of an element, relative to its magnitude. Infinity if an element is
 * NaN, or if memory between elements changed. */
double naive_error(const struct tcplan_problem *problem, const void *got, const void *expected,
                   const double *magnitude);

/** Returns a bound on naive_error() for sums in any order in the problem's precision. */
double naive_tolerance(const struct tcplan_problem *problem);

/** Random tensors of a problem, the expected result, and memory with guards for a computed one. */
struct naive_case {
    const struct tcplan_problem *problem; /**< borrowed */
    void *A; /**< pointers as functions expect them: to the element whose indices are all 0 */
    void *B;
    void *addend; /**< C itself if both have the same strides and the seed is odd; NULL: there is no
                     addend */
    void *C; /**< result of the algorithm under test: initialised by naive_case_reset(), checked by
                naive_case_error() */
    void *memory[TCPLAN_TENSORS]; /**< lowest addresses of A, B, C and the addend. Each has
                                     problem.elems elements, and starts some elements after a line
                                     boundary, depending on the seed */
    void *before;
    void *expected;
    double *magnitude;
    unsigned char *guarded;      /**< private: memory of C with guard bytes on both sides */
    void *block[TCPLAN_TENSORS]; /**< private: allocated blocks that contain the tensors */
};

/**
 * Makes the tensors. Elements that must not be read are NaN, which makes such reads visible: gaps
 * between elements, C if beta is 0 or there is an addend, the addend if beta is 0, A and B if
 * alpha is 0. Fails the test if out of memory.
 */
void naive_case_init(struct naive_case *out, const struct tcplan_problem *problem, uint64_t seed);

/** Sets C to its value before the contraction. */
void naive_case_reset(struct naive_case *naive);

/** Returns the error of C; infinity if anything outside C was written. Compare it with
 * naive_tolerance(). */
double naive_case_error(const struct naive_case *naive);

void naive_case_free(struct naive_case *naive);

#endif
