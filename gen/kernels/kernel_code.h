/**
 * Kernel classes: how a kernel node becomes a BLAS call, and a BLAS call becomes C. Each class has
 * a table of functions in a file of gen/kernels/.
 */
#ifndef GEN_KERNELS_KERNEL_CODE_H
#define GEN_KERNELS_KERNEL_CODE_H

#include "gen/emit/parts.h"

struct lowering;

/** The leading dimension or increment of an operand: the stride of the index in `role`. If the
 * kernel has no such index, the number of rows, which role_at() has at place `rows`, or 1 if
 * `rows` is -1. */
struct kernel_step {
    enum tcplan_role role; /**< TCPLAN_ROLES: the operand has no stride */
    int rows;
};

/** Kinds of arguments that the cases of models distinguish. */
enum kernel_argument_kind {
    KERNEL_FLAG, /**< whether a matrix is transposed or conjugated */
    KERNEL_ALPHA,
    KERNEL_BETA,
    KERNEL_FACTOR,   /**< alpha times an element of a factor: any number */
    KERNEL_INCREMENT /**< increment of a vector */
};

struct kernel_argument {
    const char *name; /**< name of the argument in the routine's documentation */
    enum kernel_argument_kind kind;
    int part; /**< operand that a flag or an increment belongs to: 0 first, 1 second, 2 result */
};

enum { KERNEL_ARGUMENTS = 6 }; /* at most five, and an end marker */

/** The functions of a kernel class. The class's file defines them by KERNEL_CODE(). */
struct kernel_code {
    /** Sets the members of the BLAS call of a kernel node. The caller has set all extents and
     * strides to 1. */
    void (*lower)(struct blas_call *out, struct lowering *lowering);

    /** Returns the role that m, n or k counts (place 0, 1 or 2), or the products of a brgemm
     * (EMIT_PRODUCTS). */
    enum tcplan_role (*role_at)(const struct emit_call *call, int place);

    /** Returns the leading dimension or increment of an operand: part 0 is the first, 1 the second,
     * 2 the result. */
    struct kernel_step (*step)(const struct emit_call *call, int part);

    /** Emits statements before the loops; NULL: none. */
    void (*emit_setup)(const struct emitter *emitter, const struct emit_call *call);

    /** Emits the statements of the call. */
    void (*emit)(const struct emitter *emitter, const struct emit_call *call);

    /** Emits functions that the call needs, once for each file; NULL: the call needs only the BLAS.
     */
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

/** Returns the role of the first operand's rows. */
enum tcplan_role kernel_rows(const struct emit_call *call);

/** Returns the leading dimension of an operand, for kernels whose operands are all matrices. */
struct kernel_step kernel_matrix_step(const struct emit_call *call, int part);

/** Returns the roles that m, n and k count for a matrix product. */
enum tcplan_role kernel_matrix_role_at(const struct emit_call *call, int place);

/** Place of the batch indices of kernels with loops; places 0 to 2 are those of a matrix product.
 */
enum { LOOPS_BATCH = 3 };

#endif
