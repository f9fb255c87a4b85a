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

/** The parts of a call of the library's kernels. A row consists of the elements of the result that
 * are computed in vectors; rows count as whole vectors. */
enum built_in_part {
    BUILT_IN_GEMM_CALL,      /**< 1 for a call of gemm */
    BUILT_IN_GEMM_PRODUCT,   /**< products of two elements */
    BUILT_IN_GEMM_FIRST,     /**< elements of the first factor that are packed */
    BUILT_IN_GEMM_GATHERED,  /**< those of them that are packed one by one */
    BUILT_IN_GEMM_SECOND,    /**< elements of the second factor that are packed */
    BUILT_IN_GEMM_RESULT,    /**< elements of the result */
    BUILT_IN_GEMM_SCATTERED, /**< those of them that are written one by one */
    BUILT_IN_LOOPS_CALL,     /**< 1 for a call of loops */
    BUILT_IN_LOOPS_ROW,      /**< rows, for each iteration of the other loops */
    BUILT_IN_LOOPS_PRODUCT,  /**< products of two elements in rows */
    BUILT_IN_PARTS
};

/** A call of the library's kernels: the number of units of each part, and for each operand the
 * elements that lie in different cache lines, in the order in which they are accessed. */
struct built_in_work {
    double units[BUILT_IN_PARTS];
    double apart[3];
};

/** Counts the work of a call. A call without strides counts as one with contiguous operands. */
struct built_in_work built_in_work_of(const struct blas_call *call, enum tcplan_dtype dtype);

/** Prepares a call for which built_in_takes() is true. */
void built_in_bind(struct kernel *kernel, enum tcplan_dtype dtype);

#endif
