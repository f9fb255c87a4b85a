/**
 * What the classes of kernels know to do: from a node to a call, and from a call to C. A table of functions, one file in gen/kernels/ and one line
 * in the registry for each class.
 */
#ifndef GEN_KERNEL_CODE_H
#define GEN_KERNEL_CODE_H

#include "gen/emit_parts.h"

struct lowering;

struct kernel_code {
    /** Fills in the call of a kernel with default values: extents and strides 1. */
    void (*lower)(struct blas_call *out, struct lowering *lowering);

    /** The role of the indices that m, n or k (place 0, 1 or 2) counts, and the products of a brgemm (EMIT_PRODUCTS). */
    enum tcplan_role (*role_at)(const struct emit_call *call, int place);

    /** What stands before the loops; NULL: nothing. */
    void (*emit_setup)(const struct emitter *emitter, const struct emit_call *call);

    /** The statements of a call. */
    void (*emit)(const struct emitter *emitter, const struct emit_call *call);

    /** The functions that the call needs, once in a file; NULL: none but a BLAS's. */
    void (*emit_functions)(const struct emitter *emitter);
};

extern const struct kernel_code kernel_dot;
extern const struct kernel_code kernel_axpy;
extern const struct kernel_code kernel_gemv;
extern const struct kernel_code kernel_ger;
extern const struct kernel_code kernel_gemm;
extern const struct kernel_code kernel_mul;
extern const struct kernel_code kernel_brgemm;

const struct kernel_code *kernel_code_of(enum tcplan_kernel kernel);

/** The free role of the first operand, whose indices are rows. */
enum tcplan_role kernel_rows(const struct emit_call *call);

/** The roles that m, n and k count of a matrix made of two factors. */
enum tcplan_role kernel_matrix_role_at(const struct emit_call *call, int place);

#endif
