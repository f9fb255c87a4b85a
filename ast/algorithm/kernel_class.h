/**
 * Kernel classes: what there is to know of a kind of kernel without sizes, one file a class in
 * ast/kernels/. How calls of a class are lowered and written as C is in gen/kernels/, how they are
 * executed in microbench/kernels/. docs/extending.md says how to add one.
 */
#ifndef AST_ALGORITHM_KERNEL_CLASS_H
#define AST_ALGORITHM_KERNEL_CLASS_H

#include "tcplan/algorithm.h"

enum { KERNEL_ROLE_SETS = 3 }; /* two at most, and an end */

/** Sets of roles: bit r stands for role r. */
enum {
    ROLE_M = 1 << TCPLAN_M,
    ROLE_N = 1 << TCPLAN_N,
    ROLE_K = 1 << TCPLAN_K,
    ROLE_H = 1 << TCPLAN_H,
    ROLE_R = 1 << TCPLAN_R
};

/** Which factors a class's routine takes the conjugate of: in the order in which it takes them. */
enum kernel_conjugates {
    CONJUGATES_NONE,
    CONJUGATES_ANY,
    CONJUGATES_SECOND,           /**< a vector, or an element */
    CONJUGATES_TRANSPOSED_FIRST, /**< a matrix that it takes transposed */
    CONJUGATES_TRANSPOSED        /**< both, as above */
};

struct kernel_class {
    const char *name;         /**< without the letter */
    const char *complex_name; /**< of complex types; NULL: the same */
    const char *conjugating;  /**< the routine that takes the conjugate of one factor, where it is
                                 another */
    unsigned role_sets[KERNEL_ROLE_SETS]; /**< those that it is named by, in the order of the
                                             enumeration; 0: no more */
    bool takes_parts; /**< it takes any part of its roles as well, but for none at all */
    unsigned needs;   /**< roles that every such part has */
    bool takes_loops; /**< its indices are loops of its own: they lie in any way, and those of one
                         factor only are summed over */
    bool takes_elements;    /**< it takes no role at all where all indices are batch indices: the
                               product of two elements */
    bool has_beta;          /**< it multiplies what it adds to by a beta of its own */
    bool is_blas;           /**< every CBLAS has it, and so the `blas` space */
    unsigned providers;     /**< that may have it besides those that name it (struct
                               provider_traits): bit p stands for provider p */
    bool is_own;            /**< no library has it: its C is ours (gen/runtime) */
    bool blocks_contracted; /**< it goes through contracted indices in blocks, and packs what it
                               uses again in each of them */
    bool follows_result; /**< its first factor has the index along which the result is contiguous */
    enum kernel_conjugates conjugates;
    bool turns_second; /**< its formula is written with the second factor transposed: x y^T */
    const char *times; /**< what stands between the factors of its formula; NULL: a blank */
};

#define ROLES(...)                                                                                 \
    { __VA_ARGS__ } /* the sets of roles of a class: an argument of KERNEL_CLASS() */

/**
 * Defines a class of the list, `kernel_class_NAME`. A file without its sets of roles does not
 * compile. Other members follow as designated initializers.
 */
#define KERNEL_CLASS(NAME, SETS, ...)                                                              \
    const struct kernel_class kernel_class_##NAME = {.name = #NAME, .role_sets = SETS, __VA_ARGS__}

#define KERNEL_CLASS_DECLARE(NAME, name) extern const struct kernel_class kernel_class_##name;
TCPLAN_KERNEL_LIST(KERNEL_CLASS_DECLARE)

/** The class with a number. */
const struct kernel_class *kernel_class_of(enum tcplan_kernel kernel);

/** The routine that makes a call, without the letter: the class's, or another where one factor is
 * conjugated. */
const char *kernel_routine(enum tcplan_kernel kernel, enum tcplan_dtype dtype, bool conjugates_one,
                           bool conjugates_other);

/** Whether a class is named by a set of roles. */
bool kernel_is_named_by(enum tcplan_kernel kernel, unsigned roles);

/** Whether a class takes a set of roles, which is not empty. */
bool kernel_takes(enum tcplan_kernel kernel, unsigned roles);

/** What a class's routine takes. It follows from the roles. */
enum kernel_shape {
    KERNEL_OF_VECTORS,      /**< one role: two vectors, or a vector and an element */
    KERNEL_OF_ELEMENTS,     /**< batch indices alone: three vectors of any increments */
    KERNEL_OF_OUTER,        /**< two vectors, and a matrix as the result */
    KERNEL_OF_MATRIX_FIRST, /**< a matrix and a vector, and a vector as the result */
    KERNEL_OF_MATRICES      /**< three matrices */
};

enum kernel_shape kernel_shape(enum tcplan_kernel kernel);

/** All roles that a class may take. */
unsigned kernel_roles(enum tcplan_kernel kernel);

#endif
