/**
 * Kernels of the provider `emitted` that the library contains, for any extents and strides: calls
 * need no compiler.
 */
#ifndef MICROBENCH_BUILT_IN_H
#define MICROBENCH_BUILT_IN_H

#include <stdbool.h>

#include "gen/emitted/emitted.h"
#include "microbench/kernels/kernels.h"

/** Returns the instruction set that was selected by built_in_select(), or the best one of the
 * machine. */
enum emitted_set built_in_set(void);

/** Returns whether the library has the kernels of a set and the machine has its instructions. */
bool built_in_has(enum emitted_set set);

/** Selects another instruction set, one that the machine has; EMITTED_SETS: the best. For tests,
 * while no kernels are bound. */
void built_in_select(enum emitted_set set);

/** Returns whether the library has a kernel for a call. */
bool built_in_takes(const struct blas_call *call, enum tcplan_dtype dtype);

/** Returns whether the library's own kernel is about as fast as one compiled for the call. */
bool built_in_suffices(const struct blas_call *call, enum tcplan_dtype dtype);

/** Prepares a call for which built_in_takes() is true. */
void built_in_bind(struct kernel *kernel, enum tcplan_dtype dtype);

#endif
