/**
 * Emitting C: one self-contained file for one algorithm at given sizes.
 */
#ifndef TCPLAN_EMIT_H
#define TCPLAN_EMIT_H

#include "tcplan/nest.h"

struct tcplan_emit_options {
    const char *function;          /**< name of the emitted function; NULL: `contract` */
    bool with_main;                /**< add a driver that checks the algorithm against naive loops on small extents and prints GFLOP/s */
    const char *header;            /**< a header that declares the function, to be included; NULL: none */
    int threads;                   /**< of OpenMP that share a parallel loop at most; up to 1: the loop is like others */
    const char *const *blas_files; /**< TCPLAN_PROVIDER_FILES paths, NULL for those that are not open: what kernels of `blas1` and its like
                                        are linked with; NULL: whatever `-lopenblas` finds */
};

/**
 * Writes C11 for a nest: `int NAME(const T *A, const T *B, T *C)` with CBLAS calls, plain loops, and temporaries for copies. T is float,
 * double, float _Complex or double _Complex; the tensors are dense in the storage order of the contraction, or lie by their strides (A, B and C are then the elements whose indices are all 0), and must not overlap. The
 * function returns 0, or ENOMEM when a temporary cannot be had; the result is then untouched. Where threads share a loop it needs OpenMP, and sets
 * the threads of OpenBLAS to 1 as long as it runs, for the whole process. The text compiles with
 * `cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror` and needs only a CBLAS, or libxsmm or BLIS where the kernel is theirs. With libxsmm's
 * kernel the function may also return ENOSYS: libxsmm makes no code for the machine.
 *
 * @param out      receives the text, to be freed with free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID where the function's name is no C identifier; TCPLAN_NOT_APPLICABLE where a stride exceeds the BLAS
 *         integer or the kernel's provider has no such routine; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_c(char **out, const struct tcplan_nest *nest, const struct tcplan_problem *problem,
                                            const struct tcplan_emit_options *options, struct tcplan_error *error);

#endif
