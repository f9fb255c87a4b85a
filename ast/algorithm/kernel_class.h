/**
 * Kernel classes: the properties of each kind of kernel that need no sizes. Each class has a file
 * in ast/kernels/. gen/kernels/ lowers its calls and prints them as C; microbench/kernels/ executes
 * them. docs/extending.md explains how to add a class.
 */
#ifndef AST_ALGORITHM_KERNEL_CLASS_H
#define AST_ALGORITHM_KERNEL_CLASS_H

#include "tcplan/algorithm.h"

enum { KERNEL_ROLE_SETS = 3 }; /* at most two sets of roles, and an end marker */

/** Roles as bits of a set. */
enum {
    ROLE_M = 1 << TCPLAN_M,
    ROLE_N = 1 << TCPLAN_N,
    ROLE_K = 1 << TCPLAN_K,
    ROLE_H = 1 << TCPLAN_H,
    ROLE_R = 1 << TCPLAN_R
};

/** Which factors the routine of a class can conjugate, in the routine's order. */
enum kernel_conjugates {
    CONJUGATES_NONE,
    CONJUGATES_ANY,
    CONJUGATES_SECOND,           /**< the second factor if it is a vector or an element */
    CONJUGATES_TRANSPOSED_FIRST, /**< the first factor if it is a transposed matrix */
    CONJUGATES_TRANSPOSED        /**< any factor that is a transposed matrix */
};

struct kernel_class {
    const char *name;         /**< name of the routine without the type letter */
    const char *complex_name; /**< name for complex types; NULL: the same as for real ones */
    const char *conjugating;  /**< name of the routine that conjugates one factor, if it differs;
                                 NULL: there is none */
    unsigned role_sets[KERNEL_ROLE_SETS]; /**< sets of roles that identify this class, in the order
                                             of the enumeration; 0 after the last */
    bool takes_parts; /**< whether the class takes any non-empty subset of its roles as well */
    unsigned needs;   /**< roles that each of these subsets contains */
    bool takes_loops; /**< whether the kernel has loops of its own over its indices; it then takes
                         any strides, and sums over indices of a single factor */
    bool takes_elements; /**< whether the class takes no roles if all indices are batch indices, and
                            then multiplies two elements */
    bool has_beta;       /**< whether the routine scales the old result by its argument beta */
    bool is_blas; /**< whether the routine is part of the BLAS, and the class of the `blas` space */
    unsigned providers; /**< bit set of providers that may have this class although they do not list
                           it (struct provider_traits) */
    bool is_own;        /**< whether the routine is tcplan's own: its C code is in gen/runtime */
    bool blocks_contracted; /**< whether the routine works in blocks of contracted indices and packs
                               the reused data of each block */
    bool follows_result;    /**< whether the routine takes first the factor that has the index along
                               which the result is contiguous */
    enum kernel_conjugates conjugates;
    bool turns_second; /**< whether formulas show the second factor transposed: x y^T */
    const char *times; /**< operator between the factors in formulas; NULL: a blank */
};

#define ROLES(...)                                                                                 \
    { __VA_ARGS__ } /* the sets of roles of a class: an argument of KERNEL_CLASS() */

/**
 * Defines a class of the list, `kernel_class_NAME`. The sets of roles are required; other members
 * follow as designated initializers.
 */
#define KERNEL_CLASS(NAME, SETS, ...)                                                              \
    const struct kernel_class kernel_class_##NAME = {.name = #NAME, .role_sets = SETS, __VA_ARGS__}

#define KERNEL_CLASS_DECLARE(NAME, name) extern const struct kernel_class kernel_class_##name;
TCPLAN_KERNEL_LIST(KERNEL_CLASS_DECLARE)

/** Returns the class of a kernel. */
const struct kernel_class *kernel_class_of(enum tcplan_kernel kernel);

/** Returns the name of the routine for a call, without the type letter: the class's, or a
 * different one if a factor is conjugated. */
const char *kernel_routine(enum tcplan_kernel kernel, enum tcplan_dtype dtype, bool conjugates_one,
                           bool conjugates_other);

/** Returns whether a set of roles identifies this class. */
bool kernel_is_named_by(enum tcplan_kernel kernel, unsigned roles);

/** Returns whether a class takes a non-empty set of roles. */
bool kernel_takes(enum tcplan_kernel kernel, unsigned roles);

/** The operands of a class's routine, which follow from its roles. */
enum kernel_shape {
    KERNEL_OF_VECTORS,      /**< one role: two vectors, or a vector and an element */
    KERNEL_OF_ELEMENTS,     /**< for batch indices only: three vectors of any increments */
    KERNEL_OF_OUTER,        /**< two vectors, and a matrix as the result */
    KERNEL_OF_MATRIX_FIRST, /**< a matrix and a vector, and a vector as the result */
    KERNEL_OF_MATRICES      /**< three matrices */
};

enum kernel_shape kernel_shape(enum tcplan_kernel kernel);

/** Returns the union of the sets of roles that identify the kernel's class: bits ROLE_M, ROLE_N,
 * and so on. */
unsigned kernel_roles(enum tcplan_kernel kernel);

#endif
