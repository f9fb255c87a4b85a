/** Emits C: one self-contained file for one algorithm at given sizes. */
#ifndef TCPLAN_EMIT_H
#define TCPLAN_EMIT_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_emit_options {
    const char *function; /**< name of the emitted function; NULL: `contract` */
    bool with_main; /**< whether to add a driver that checks the algorithm against naive loops on
                       small extents and prints GFLOP/s */
    const char *header; /**< name of a header, to be included, that declares the function; NULL: no
                           header */
    bool takes_extents; /**< whether the function takes the extents, as int64_t in front of the
                           tensors, in the order of the contraction's indices: `int NAME(int64_t
                           n_a, int64_t n_i, const T *A, const T *B, T *C)`. Step lengths and
                           decisions based on sizes remain those of the problem. A tensor with
                           strides is followed by these: `const T *A, const int64_t *strides_A`. */
    int threads; /**< maximum number of threads that share a parallel loop; 0 or 1: a parallel loop
                    runs sequentially */
    const char *const *blas_files; /**< TCPLAN_PROVIDER_FILES paths of the libraries to link for
                                      kernels of `blas1` and so on, NULL for libraries that are not
                                      open; NULL: the CBLAS that tcplan was built with */
    const char *blas_advice; /**< advice about the kernel's library for the file's comment, see
                                tcplan_blas_advise(); NULL: no advice */
};

/**
 * Writes C11 for a nest: `int NAME(const T *A, const T *B, T *C)` with CBLAS calls, plain loops,
 * and temporaries for copies; if the product has an addend `int NAME(const T *A, const T *B, const
 * T *C, T *D)`, D being the result. Parameters have the names of the tensors in the notation; if
 * one of these names has another meaning in C, C++ or the function, they are A, B, C (and D). T is
 * float, double, float _Complex or double _Complex. The tensors are dense in the storage order of
 * the contraction, or have strides (A, B and C then point to the elements whose indices are all
 * 0). The result must not overlap A or B. A and B may overlap each other, and have one pointer
 * each even if they are the same tensor. An addend may overlap A and B; it may be the result if
 * both have the same strides, and must not overlap it otherwise. The function returns 0, or ENOMEM
 * with the result untouched if a temporary cannot be allocated. Threads that share a loop are
 * POSIX threads, one team for all emitted functions of a program. The function then sets the
 * threads of OpenBLAS to 1 while it runs, for the whole process; the threads of BLIS it sets for
 * each call. The text compiles with `cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror` and needs
 * only a CBLAS, and libxsmm or BLIS if one of these provides the kernel. If libxsmm cannot
 * generate code for the machine, the CBLAS is called instead.
 *
 * A function that takes extents accepts any extents, including 0. It returns EINVAL if an extent
 * is negative, or an extent or product of extents exceeds the integers of the BLAS or memory, or a
 * step of brgemm does not divide its extent; C is then untouched. The strides of tensors are
 * passed in elements, one for each dimension in the order of the notation. They must be positive
 * and, in the order of the problem's strides, each must be at least the next smaller one times its
 * extent. Dimensions with stride 1 in the problem must have it in every call, and fused indices
 * must remain contiguous with each other. Otherwise it returns EINVAL.
 *
 * @param out      receives the text, to be freed with free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if the function's name is no C identifier;
 *         TCPLAN_NOT_APPLICABLE if the kernel's provider has no such routine, a stride or matrix
 *         exceeds its limits, strides to be passed as arguments are not positive or too small for
 *         the inner dimensions, or temporaries exceed the address space; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_c(char **out, const struct tcplan_nest *nest,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_emit_options *options,
                                            struct tcplan_error *error);

/**
 * Writes a header for C and C++ that declares the function: complex elements are `NAME_element`,
 * which is `double _Complex` in C and `std::complex<double>` in C++.
 *
 * @param out  receives the text, to be freed with free()
 * @return TCPLAN_OK; TCPLAN_INVALID if the function's name is no C identifier; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_header(char **out, const struct tcplan_nest *nest,
                                                 const struct tcplan_problem *problem,
                                                 const struct tcplan_emit_options *options,
                                                 struct tcplan_error *error);

/**
 * Writes a Fortran 2003 module, NAME_interface, with the function's interface. Dense tensors are
 * declared with their extents: in the order of the notation if the first index is contiguous,
 * reversed if the last one is. Names are truncated to 63 characters.
 *
 * @return a status of tcplan_emit_header()
 */
TCPLAN_API enum tcplan_status tcplan_emit_fortran(char **out, const struct tcplan_nest *nest,
                                                  const struct tcplan_problem *problem,
                                                  const struct tcplan_emit_options *options,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
