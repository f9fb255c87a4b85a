/**
 * How kernel classes become calls, and calls become C: a table of functions, with one file in
 * gen/kernels/ for each class.
 */
#ifndef GEN_KERNELS_KERNEL_CODE_H
#define GEN_KERNELS_KERNEL_CODE_H

#include "gen/emit/parts.h"

struct lowering;

/** The stride of the index in a role; where the kernel has none there as many elements as the rows,
 * at a place of role_at(), or 1 where that is -1. */
struct kernel_step {
    enum tcplan_role role; /**< TCPLAN_ROLES: the part has no stride */
    int rows;
};

/** The kind of a routine's argument, by which the cases of models distinguish calls. */
enum kernel_argument_kind {
    KERNEL_FLAG, /**< whether a matrix is transposed or conjugated */
    KERNEL_ALPHA,
    KERNEL_BETA,
    KERNEL_FACTOR,   /**< alpha times an element of a factor: any number */
    KERNEL_INCREMENT /**< of a vector */
};

struct kernel_argument {
    const char *name; /**< as the routine's documentation has it */
    enum kernel_argument_kind kind;
    int part; /**< of a flag or an increment: 0 first operand, 1 second, 2 result */
};

enum { KERNEL_ARGUMENTS = 6 }; /* five at most, and an end */

/** The C of a class. Its file defines it by KERNEL_CODE(). */
struct kernel_code {
    /** Fills in the call of a kernel with default values: extents and strides 1. */
    void (*lower)(struct blas_call *out, struct lowering *lowering);

    /** The role of the indices that m, n or k (place 0, 1 or 2) counts, and the products of a
     * brgemm (EMIT_PRODUCTS). */
    enum tcplan_role (*role_at)(const struct emit_call *call, int place);

    /** Returns the leading dimension or the increment of a part: 0 first operand, 1 second, 2
     * result. */
    struct kernel_step (*step)(const struct emit_call *call, int part);

    /** Emits the statements before the loops; NULL: none. */
    void (*emit_setup)(const struct emitter *emitter, const struct emit_call *call);

    /** The statements of a call. */
    void (*emit)(const struct emitter *emitter, const struct emit_call *call);

    /** The functions that the call needs, once in a file; NULL: none but a BLAS's. */
    void (*emit_functions)(const struct emitter *emitter);

    /** The arguments in the cases of models, in the order of the routine's interface; a class
     * without them has no models. */
    struct kernel_argument argument[KERNEL_ARGUMENTS];
};

/**
 * Defines the C of a class, `kernel_NAME`. Every class has the four functions: a file that leaves
 * one out does not compile. Other members follow as designated initializers.
 */
#define KERNEL_CODE(NAME, LOWER, ROLE_AT, STEP, EMIT, ...)                                         \
    const struct kernel_code kernel_##NAME = {                                                     \
        .lower = LOWER, .role_at = ROLE_AT, .step = STEP, .emit = EMIT, __VA_ARGS__}

#define KERNEL_CODE_DECLARE(NAME, name) extern const struct kernel_code kernel_##name;
TCPLAN_KERNEL_LIST(KERNEL_CODE_DECLARE)

const struct kernel_code *kernel_code_of(enum tcplan_kernel kernel);

/** The free role of the first operand, whose indices are rows. */
enum tcplan_role kernel_rows(const struct emit_call *call);

/** Leading dimensions where all parts are matrices. */
struct kernel_step kernel_matrix_step(const struct emit_call *call, int part);

/** The roles that m, n and k count of a matrix made of two factors. */
enum tcplan_role kernel_matrix_role_at(const struct emit_call *call, int place);

#endif
