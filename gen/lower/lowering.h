/**
 * State of lowering a kernel node, and functions by which kernel classes query the roles of its
 * indices.
 */
#ifndef GEN_LOWER_LOWERING_H
#define GEN_LOWER_LOWERING_H

#include "gen/lower/blas_call.h"

struct lowering {
    const struct tcplan_nest *nest;
    const struct refined_problem *problem;
    const struct tcplan_kernel_call *call;
    struct blas_call_place place;
    struct tcplan_error *error;
    enum tcplan_status status; /**< TCPLAN_NOT_APPLICABLE once a value exceeds the BLAS integer */
};

/** Records that the strides of an operand do not suit the kernel, with the reason; only the first
 * failure is stored. */
void lowering_refuse(struct lowering *lowering, enum tcplan_operand operand, const char *why);

bool lowering_has_role(const struct lowering *lowering, enum tcplan_role role);

/** Returns the product of the extents fused in a role; 1 if the kernel has no such role. */
int lowering_extent(struct lowering *lowering, enum tcplan_role role);

/** Returns the stride of a role's innermost index in an operand; 1 if the kernel has no such role.
 */
int64_t lowering_long_stride(const struct lowering *lowering, enum tcplan_operand operand,
                             enum tcplan_role role);

/** Returns lowering_long_stride() as a BLAS integer; refuses the call if it does not fit. */
int lowering_stride(struct lowering *lowering, enum tcplan_operand operand, enum tcplan_role role);

/**
 * Returns the leading dimension of a matrix: the stride along its columns. BLAS requires at least
 * the number of rows, even for a single column, which has no stride; with more columns a smaller
 * stride would mean overlap.
 */
int lowering_leading(struct lowering *lowering, enum tcplan_operand operand,
                     enum tcplan_role column_role, int rows, int columns);

/** Return the number of elements of a role, and their stride in an operand, without BLAS limits.
 * The kernel must have the role. */
int64_t lowering_elems(const struct lowering *lowering, enum tcplan_role role);
int64_t lowering_increment(const struct lowering *lowering, enum tcplan_operand operand,
                           enum tcplan_role role);

/** Sets which factor is the routine's first operand, and which is the second. */
void lowering_set_order(struct blas_call *out, const struct lowering *lowering);

/** Returns whether the routine must transpose a factor. */
bool lowering_transposes(const struct lowering *lowering, enum tcplan_operand factor);

/** Sets the free role along which the result is contiguous (*rows), and the second free role
 * (*columns). A result without unit stride counts as a row vector. */
void lowering_result_roles(const struct lowering *lowering, enum tcplan_role *rows,
                           enum tcplan_role *columns);

/** Sets which factor is the first operand, and the rows and columns of a matrix result with their
 * roles. */
void lowering_set_result(struct blas_call *out, struct lowering *lowering, enum tcplan_role *rows,
                         enum tcplan_role *columns);

#endif
