/**
 * Kernel classes: how a node becomes a BLAS call, and a call becomes C. A table of functions, with
 * one file in gen/kernels/ for each class.
 */
#ifndef GEN_KERNELS_KERNEL_CODE_H
#define GEN_KERNELS_KERNEL_CODE_H

#include "gen/emit/parts.h"

struct lowering;

/** The leading dimension or increment of a part: the stride of the index in `role`. If the kernel
 * has no such index, the number of rows that role_at() has at place `rows`, or 1 if `rows` is -1.
 */
struct kernel_step {
    enum tcplan_role role; /**< TCPLAN_ROLES: the operand has no stride */
    int rows;
};

/** Kinds of a routine's arguments, as the cases of models distinguish them. */
enum kernel_argument_kind {
    KERNEL_FLAG, /**< whether a matrix is transposed or conjugated */
    KERNEL_ALPHA,
    KERNEL_BETA,
    KERNEL_FACTOR,   /**< alpha times an element of a factor: any number */
    KERNEL_INCREMENT /**< increment of a vector */
};

struct kernel_argument {
    const char *name; /**< its name in the routine's documentation */
    enum kernel_argument_kind kind;
    int part; /**< operand of a flag or an increment: 0 first operand, 1 second, 2 result */
};

enum { KERNEL_ARGUMENTS = 6 }; /* at most five, and an end marker */

/** The functions of a class. Its file defines them with KERNEL_CODE(). */
struct kernel_code {
    /** Fills in the call of a kernel with default values: extents and strides 1. */
    void (*lower)(struct blas_call *out, struct lowering *lowering);

    /** Returns the role whose indices m, n or k (place 0, 1 or 2) count, or the products of a
     * brgemm (EMIT_PRODUCTS). */
    enum tcplan_role (*role_at)(const struct emit_call *call, int place);

    /** Returns the leading dimension or the increment of a part: 0 first operand, 1 second, 2
     * result. */
    struct kernel_step (*step)(const struct emit_call *call, int part);

    /** Emits the statements before the loops; NULL: none. */
    void (*emit_setup)(const struct emitter *emitter, const struct emit_call *call);

    /** Emits the statements of a call. */
    void (*emit)(const struct emitter *emitter, const struct emit_call *call);

    /** Emits the functions that the call needs, once in a file; NULL: only a BLAS's. */
    void (*emit_functions)(const struct emitter *emitter);

    /** The arguments in the cases of models, in the order of the routine's interface; NULL: the
     * class has no models. */
    struct kernel_argument argument[KERNEL_ARGUMENTS];
};

/**
 * Defines the functions of a class, `kernel_NAME`. Four are required: a file that omits one does
 * not compile. Other members follow as designated initializers.
 */
#define KERNEL_CODE(NAME, LOWER, ROLE_AT, STEP, EMIT, ...)                                         \
    const struct kernel_code kernel_##NAME = {                                                     \
        .lower = LOWER, .role_at = ROLE_AT, .step = STEP, .emit = EMIT, __VA_ARGS__}

#define KERNEL_CODE_DECLARE(NAME, name) extern const struct kernel_code kernel_##name;
TCPLAN_KERNEL_LIST(KERNEL_CODE_DECLARE)

const struct kernel_code *kernel_code_of(enum tcplan_kernel kernel);

/** Returns the free role of the first operand, whose indices are rows. */
enum tcplan_role kernel_rows(const struct emit_call *call);

/** Returns the leading dimension of a part if all operands are matrices. */
struct kernel_step kernel_matrix_step(const struct emit_call *call, int part);

/** Returns the roles that m, n and k count for a matrix product. */
enum tcplan_role kernel_matrix_role_at(const struct emit_call *call, int place);

#endif
