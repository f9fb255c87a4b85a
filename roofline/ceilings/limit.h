/**
 * Upper limits on the operations and bytes of a core per cycle, from published data of CPUs. A
 * rate above its limit is a broken measurement. Pure functions.
 *
 * The limits are those of the widest known CPUs of an architecture, not of this machine. They are
 * not ceilings: measurements may stay far below them.
 */
#ifndef ROOFLINE_CEILINGS_LIMIT_H
#define ROOFLINE_CEILINGS_LIMIT_H

#include "roofline/kernels/kernels.h"

/** Tolerated ratio of a rate to its limit, because the clock rate is uncertain. */
#define LIMIT_TOLERANCE 1.03

/** Returns the maximum number of operations per cycle on vectors of doubles that multiply and add,
 * fused or not. */
double limit_double_flops(int vector_bits);

/** Returns the maximum number of floating-point operations of a kernel per cycle. */
double limit_flops(const struct compute_kernel *kernel);

/**
 * Returns the maximum number of bytes per cycle that a stream kernel counts.
 *
 * @param in_l1  the kernel's arrays fit the first cache
 */
double limit_bytes(const struct stream_kernel *kernel, bool in_l1);

#endif
