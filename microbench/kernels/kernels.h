/**
 * Kernels bound to the routine of their provider that makes their calls.
 */
#ifndef MICROBENCH_KERNELS_H
#define MICROBENCH_KERNELS_H

#include <stddef.h>

#include "gen/lower/blas_call.h"

/** A factor in the form its type wants: a real number, or real and imaginary part. */
union kernel_scalar {
    float s;
    double d;
    float c[2];
    double z[2];
};

/** Where one call finds its operands, or by how many bytes they move from one call to the next. */
struct kernel_operands {
    const char *first;
    const char *second;
    char *result;
    const char *next_first; /**< of the call behind the last one; NULL: not known */
};
struct kernel_steps {
    ptrdiff_t first;
    ptrdiff_t second;
    ptrdiff_t result;
};

struct cblas_routines;
struct kernel;
struct kernel_maker;

/** Makes `count` calls, the operands moving by `steps` bytes after each. */
typedef void kernel_burst_fn(const struct kernel *kernel, struct kernel_operands at,
                             struct kernel_steps steps, int64_t count);

/** A BLAS call ready to be made again and again. */
struct kernel {
    struct blas_call call;
    union kernel_scalar alpha;
    union kernel_scalar beta;
    bool alpha_is_one;
    bool beta_is_one;
    bool beta_is_zero;
    int dot_length;            /**< what dot is called with, see blas_call_spares_last() */
    ptrdiff_t last_element[2]; /**< where the product added by hand lies, in real numbers; complex
                                  dots */
    const struct cblas_routines *cblas; /**< where the provider is a CBLAS */
    void (*generated)(void);            /**< code that the provider made for the call, or the
                                           routine that a class names */
    kernel_burst_fn *burst;
};

/** A factor in the form that a type wants. */
union kernel_scalar kernel_scalar_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** A lowered call as its kernel takes it; `burst` is NULL. */
struct kernel kernel_unbound(const struct blas_call *call, enum tcplan_dtype dtype);

/**
 * Binds a lowered call to its provider's routine for a type. `burst` is NULL where the provider is
 * not there, or has no such routine, which where it is there blas_call_provider_has() tells.
 *
 * @param maker  for whom a compiler makes a kernel that it has to make
 *               (microbench/providers/maker.h); NULL: nobody in particular
 */
struct kernel kernel_bind(const struct blas_call *call, enum tcplan_dtype dtype,
                          struct kernel_maker *maker);

#endif
