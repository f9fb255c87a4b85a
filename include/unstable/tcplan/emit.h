/**
 * Emitting C: one self-contained file for one algorithm at given sizes.
 */
#ifndef TCPLAN_EMIT_H
#define TCPLAN_EMIT_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_emit_options {
    const char *function; /**< name of the emitted function; NULL: `contract` */
    bool with_main; /**< add a driver that checks the algorithm against naive loops on small extents
                       and prints GFLOP/s */
    const char *header; /**< a header that declares the function, to be included; NULL: none */
    bool takes_extents; /**< the function takes the extents, as int64_t in front of the tensors, in
                           the order of the contraction's indices: `int NAME(int64_t n_a, int64_t
                           n_i, const T *A, const T *B, T *C)`. Step lengths and decisions based on
                           sizes remain those of the problem. Behind a tensor with strides it takes
                           these: `const T *A, const int64_t *strides_A`. */
    int threads;        /**< that share a parallel loop at most; up to 1: the loop is like others */
    const char *const *blas_files; /**< TCPLAN_PROVIDER_FILES paths, NULL for those that are not
                                      open: what kernels of `blas1` and its like are linked with;
                                      NULL: with the CBLAS that tcplan was built with */
    const char *blas_advice; /**< about the library of the kernel, see tcplan_blas_advise(), for the
                                comment; NULL: none */
};

/**
 * Writes C11 for a nest: `int NAME(const T *A, const T *B, T *C)` with CBLAS calls, plain loops,
 * and temporaries for copies; if the product has an addend `int NAME(const T *A, const T *B, const
 * T *C, T *D)`, D being the result. Parameters have the names of the tensors in the notation; if
 * one of these names has another meaning in C, C++ or the function, they are A, B, C (and D). T is
 * float, double, float _Complex or double _Complex; the tensors are dense in the storage order of
 * the contraction, or lie by their strides (A, B and C are then the elements whose indices are all
 * 0). The result must not overlap A or B; these may overlap each other, and where the contraction
 * gives both the same name the function still takes a pointer for each. An addend may overlap A and
 * B, and may be the result where both lie alike; else it must not overlap that. The function
 * returns 0, or ENOMEM when a temporary cannot be had; the result is then untouched. Threads that
 * share a loop are POSIX threads, one team for all emitted functions of a program. The function
 * then sets the threads of OpenBLAS to 1 as long as it runs, for the whole process; of BLIS by
 * call. The text compiles with `cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror` and needs only a
 * CBLAS, and libxsmm or BLIS where the kernel is theirs. Where libxsmm makes no code for the
 * machine, the CBLAS makes the calls.
 *
 * A function that takes extents computes the contraction of any, also of 0. It returns EINVAL if an
 * extent is negative, or an extent or product of extents exceeds the integers of the BLAS or
 * memory, or a step of brgemm does not divide its extent; C is then untouched. It takes the strides
 * of tensors that have some, in elements, one for each dimension in the order of the notation:
 * leading dimensions, positive, and each, in the order of those of the problem, at least the next
 * smaller one times its extent. Dimensions with stride 1 in the problem must have it in every call,
 * and fused indices must remain contiguous with each other. Otherwise it returns EINVAL.
 *
 * @param out      receives the text, to be freed with free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if the function's name is no C identifier;
 *         TCPLAN_NOT_APPLICABLE if the kernel's provider has no such routine, a stride or matrix
 *         exceeds what it takes, strides to be passed as arguments are not positive or too small
 *         for the inner dimensions, or temporaries exceed the address space; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_c(char **out, const struct tcplan_nest *nest,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_emit_options *options,
                                            struct tcplan_error *error);

/**
 * A header that declares the function, for C and C++: complex elements are `NAME_element`, which is
 * `double _Complex` in C and `std::complex<double>` in C++.
 *
 * @param out  receives the text, to be freed with free()
 * @return TCPLAN_OK; TCPLAN_INVALID if the function's name is no C identifier; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_header(char **out, const struct tcplan_nest *nest,
                                                 const struct tcplan_problem *problem,
                                                 const struct tcplan_emit_options *options,
                                                 struct tcplan_error *error);

/**
 * A module of Fortran 2003 with the function's interface, NAME_interface. Dense tensors have their
 * extents, in the order in which Fortran counts dimensions: that of the notation where the first
 * index is contiguous, the other way round where the last one is. Names of more than 63 characters
 * are cut.
 *
 * @return as tcplan_emit_header()
 */
TCPLAN_API enum tcplan_status tcplan_emit_fortran(char **out, const struct tcplan_nest *nest,
                                                  const struct tcplan_problem *problem,
                                                  const struct tcplan_emit_options *options,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
