/**
 * Routines of tcplan's own, called like those of a BLAS, with all arguments by reference: helpers
 * of scripts, and steps of plans other than BLAS calls.
 */
#ifndef SAMPLER_KERNELS_H
#define SAMPLER_KERNELS_H

#include "routines/sampler/timing/routine.h"

/** The function of a signature whose `is_own` is set; NULL: there is none. */
routine_fn *kernels_find(const struct signature *signature);

/**
 * Fills memory with random numbers in [0, 1), reproducibly: the same seed, the same numbers.
 *
 * @param count  real numbers: two of each complex one
 */
void kernels_fill_float(float *out, int64_t count, uint64_t seed);
void kernels_fill_double(double *out, int64_t count, uint64_t seed);

#endif
