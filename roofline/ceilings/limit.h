/**
 * The most that a core can do in a cycle, from published data of CPUs: a rate above that is a
 * broken measurement. Pure functions.
 *
 * The figures are those of the widest CPUs of an architecture that are known, not of this one:
 * limits that no measurement reaches are no ceilings.
 */
#ifndef ROOFLINE_CEILINGS_LIMIT_H
#define ROOFLINE_CEILINGS_LIMIT_H

#include "roofline/kernels/kernels.h"

/** Tolerance of a rate above its limit: what the clock rate is uncertain by. */
#define LIMIT_TOLERANCE 1.03

/** Operations per cycle of vectors of doubles that multiply and add, fused or not. */
double limit_double_flops(int vector_bits);

/** Floating-point operations per cycle. */
double limit_flops(const struct compute_kernel *kernel);

/** Bytes that a stream kernel counts, per cycle. @param in_l1  whether its arrays fit the first
 * cache */
double limit_bytes(const struct stream_kernel *kernel, bool in_l1);

#endif
