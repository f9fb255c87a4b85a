/**
 * tcplan's own routines, called like those of a BLAS, with all arguments by reference. They are
 * helpers of scripts, and operations of plans that no BLAS has.
 */
#ifndef SAMPLER_KERNELS_H
#define SAMPLER_KERNELS_H

#include "routines/sampler/timing/routine.h"

/** Returns the function of a signature with `is_own` set; NULL: there is none. */
routine_fn *kernels_find(const struct signature *signature);

/**
 * Fills memory with random numbers in [0, 1), reproducibly from the seed.
 *
 * @param count number of real numbers: two for each complex number
 */
void kernels_fill_float(float *out, int64_t count, uint64_t seed);
void kernels_fill_double(double *out, int64_t count, uint64_t seed);

#endif
