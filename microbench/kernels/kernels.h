/** Kernels bound to the routine of a provider that makes their calls. */
#ifndef MICROBENCH_KERNELS_H
#define MICROBENCH_KERNELS_H

#include <stddef.h>

#include "gen/lower/blas_call.h"
#include "gen/runtime/general.h"
#include "gen/runtime/products.h"

/** alpha or beta in the form of its type: a real number, or real and imaginary part. */
union kernel_scalar {
    float s;
    double d;
    float c[2];
    double z[2];
};

/** Addresses of a call's operands, or the bytes by which they advance from one call to the next. */
struct kernel_operands {
    const char *first;
    const char *second;
    char *result;
    const char *next_first; /**< address of the first operand in the call after the last one; NULL:
                               unknown */
};
struct kernel_steps {
    ptrdiff_t first;
    ptrdiff_t second;
    ptrdiff_t result;
};

struct cblas_routines;
struct kernel;
struct kernel_maker;

/** Makes `count` calls, moving the operands by `steps` bytes after each. */
typedef void kernel_burst_fn(const struct kernel *kernel, struct kernel_operands at,
                             struct kernel_steps steps, int64_t count);

/** A kernel of the library, called with its `general` arguments. */
typedef void kernel_general_fn(const void *general, const void *a, const void *b, void *c);

/** A BLAS call that can be repeated. */
struct kernel {
    struct blas_call call;
    union kernel_scalar alpha;
    union kernel_scalar beta;
    bool alpha_is_one;
    bool beta_is_one;
    bool beta_is_zero;
    int dot_length;            /**< length to pass to dot, see blas_call_spares_last() */
    ptrdiff_t last_element[2]; /**< complex dots: offset of the last element of each vector, in real
                                  numbers; its product is added separately */
    const struct cblas_routines *cblas; /**< routines of the library, if the provider is a CBLAS */
    void (*generated)(void); /**< function that was generated for the call, or a routine that the
                                kernel class names */
    const void *planned;     /**< data that the provider prepared for the call */
    union {
        struct kernel_gemm gemm;
        struct kernel_loops loops;
        struct kernel_tiles tiles;
    } general;       /**< arguments of kernels that accept any extents */
    bool is_general; /**< whether `generated` is a kernel_general_fn */
    bool exchanges;  /**< whether the second factor is passed first */
    kernel_burst_fn *burst;
};

/** Converts a factor to the form of a type. */
union kernel_scalar kernel_scalar_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Converts a lowered call to the form its kernel takes, with `burst` NULL. */
struct kernel kernel_unbound(const struct blas_call *call, enum tcplan_dtype dtype);

/**
 * Binds a lowered call to its provider's routine for a type. `burst` is NULL if the provider is
 * absent or has no such routine; blas_call_provider_has() predicts the latter.
 * @param maker  the requester of kernels that need compiling (microbench/providers/maker.h); may be
 *   NULL
 */
struct kernel kernel_bind(const struct blas_call *call, enum tcplan_dtype dtype,
                          struct kernel_maker *maker);

#endif
