/**
 * Products of matrices in plain loops, to compare a library with code as a textbook writes it
 * (Ofenbeck et al., Applying the Roofline Model, section IV).
 *
 *     ?loops3(m, n, k, alpha, A, ldA, B, ldB, beta, C, ldC)      C := alpha A B + beta C, an inner
 *                                                                product for each element of C
 *     ?loops6(m, n, k, nb, alpha, A, ldA, B, ldB, beta, C, ldC)  the same on blocks of nb x nb
 */
#ifndef SAMPLER_LOOPS_H
#define SAMPLER_LOOPS_H

#include "routines/sampler/timing/routine.h"

/** The functions for each element type. */
extern routine_fn *const loops_three[TCPLAN_DTYPES];
extern routine_fn *const loops_six[TCPLAN_DTYPES];

#endif
