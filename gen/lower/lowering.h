/**
 * A lowering in progress, and functions by which kernel classes query the roles of its kernel.
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
    enum tcplan_status status; /**< TCPLAN_NOT_APPLICABLE after a value that does not fit the BLAS
                                  integer */
};

/** Records that the strides of an operand do not suit the kernel, with the reason; only the first
 * failure is stored. */
void lowering_refuse(struct lowering *lowering, enum tcplan_operand operand, const char *why);

bool lowering_has_role(const struct lowering *lowering, enum tcplan_role role);

/** Returns the product of the extents fused in a role; 1 if the kernel lacks it. */
int lowering_extent(struct lowering *lowering, enum tcplan_role role);

/** Returns the stride of a role's index in an operand; 1 if the kernel lacks the role. */
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

/** Returns the same without BLAS limits, for a role that the kernel has: the number of elements
 * and their stride. */
int64_t lowering_elems(const struct lowering *lowering, enum tcplan_role role);
int64_t lowering_increment(const struct lowering *lowering, enum tcplan_operand operand,
                           enum tcplan_role role);

/** Sets the factor that the routine takes first, and the one that it takes second. */
void lowering_set_order(struct blas_call *out, const struct lowering *lowering);

/** Returns whether the routine takes a factor transposed. */
bool lowering_transposes(const struct lowering *lowering, enum tcplan_operand factor);

/** Sets the free role along which the result is contiguous, and the other one. A vector that is not
 * contiguous counts as a row. */
void lowering_result_roles(const struct lowering *lowering, enum tcplan_role *rows,
                           enum tcplan_role *columns);

/** Sets which factor comes first, and the rows and columns of a matrix result, with their roles. */
void lowering_set_result(struct blas_call *out, struct lowering *lowering, enum tcplan_role *rows,
                         enum tcplan_role *columns);

#endif
