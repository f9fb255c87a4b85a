#include "gen/lower/lowering.h"

#include <limits.h>

#include "ast/algorithm/orientation.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/checked.h"
#include "base/error.h"

void lowering_refuse(struct lowering *lowering, enum tcplan_operand operand, const char *why) {
    if (lowering->status != TCPLAN_OK) return; /* only the first failure is recorded */
    lowering->status = error_set(lowering->error, TCPLAN_NOT_APPLICABLE,
                                 "the strides of tensor %.40s do not suit the kernel: %s",
                                 lowering->nest->contraction->tensor[operand].name, why);
}

int lowering_extent(struct lowering *lowering, enum tcplan_role role) {
    const struct tcplan_group *group = &lowering->call->group[role];
    int64_t product = 1;
    for (int i = 0; i < group->count; i++) {
        const int64_t factor =
            blas_call_extent(lowering->problem, group->index[i], lowering->place.partial);
        if (checked_mul_i64(product, factor, &product) && product <= INT_MAX) continue;
        lowering->status = error_set(
            lowering->error, TCPLAN_NOT_APPLICABLE,
            "fused indices have more than %d values in total, beyond the BLAS integer", INT_MAX);
        return 1;
    }
    return (int)product;
}

int64_t lowering_elems(const struct lowering *lowering, enum tcplan_role role) {
    const struct tcplan_group *group = &lowering->call->group[role];
    int64_t product = 1;
    for (int i = 0; i < group->count; i++)
        product *= blas_call_extent(lowering->problem, group->index[i], lowering->place.partial);
    return product;
}

bool lowering_has_role(const struct lowering *lowering, enum tcplan_role role) {
    return lowering->call->group[role].count > 0;
}

/** Returns the innermost index of a role; -1 if the kernel has no such role. */
static int first_index(const struct lowering *lowering, enum tcplan_role role) {
    return lowering_has_role(lowering, role) ? lowering->call->group[role].index[0] : -1;
}

int64_t lowering_long_stride(const struct lowering *lowering, enum tcplan_operand operand,
                             enum tcplan_role role) {
    const int index = first_index(lowering, role);
    const int64_t elems =
        index < 0 ? 1 : slice_stride(lowering->problem, lowering->call->slice[operand], index);
    return elems > 0 ? elems : 1;
}

int lowering_stride(struct lowering *lowering, enum tcplan_operand operand, enum tcplan_role role) {
    const int64_t elems = lowering_long_stride(lowering, operand, role);
    if (elems <= INT_MAX) return (int)elems;
    const struct tcplan_contraction *contraction = lowering->nest->contraction;
    lowering->status =
        error_set(lowering->error, TCPLAN_NOT_APPLICABLE,
                  "index %s of tensor %s has stride %lld, beyond the BLAS integer %d",
                  contraction->index[first_index(lowering, role)].name,
                  contraction->tensor[operand].name, (long long)elems, INT_MAX);
    return 1;
}

int lowering_leading(struct lowering *lowering, enum tcplan_operand operand,
                     enum tcplan_role column_role, int rows, int columns) {
    const int own = lowering_stride(lowering, operand, column_role);
    if (own < rows && columns > 1)
        lowering_refuse(lowering, operand, "the columns of a matrix overlap");
    return own > rows ? own : rows;
}

int64_t lowering_increment(const struct lowering *lowering, enum tcplan_operand operand,
                           enum tcplan_role role) {
    return slice_stride(lowering->problem, lowering->call->slice[operand],
                        first_index(lowering, role));
}

void lowering_set_order(struct blas_call *out, const struct lowering *lowering) {
    const struct tcplan_algorithm *algorithm = &lowering->nest->algorithm;
    out->first = algorithm_first_factor(algorithm, lowering->nest->contraction);
    out->second = out->first == TCPLAN_A ? TCPLAN_B : TCPLAN_A;
}

bool lowering_transposes(const struct lowering *lowering, enum tcplan_operand factor) {
    return algorithm_transposes(&lowering->nest->algorithm, lowering->nest->contraction, factor);
}

void lowering_result_roles(const struct lowering *lowering, enum tcplan_role *rows,
                           enum tcplan_role *columns) {
    *rows = algorithm_rows(&lowering->nest->algorithm, lowering->nest->contraction);
    *columns = *rows == TCPLAN_M ? TCPLAN_N : TCPLAN_M;
}

void lowering_set_result(struct blas_call *out, struct lowering *lowering, enum tcplan_role *rows,
                         enum tcplan_role *columns) {
    lowering_result_roles(lowering, rows, columns);
    lowering_set_order(out, lowering);
    out->m = lowering_extent(lowering, *rows);
    out->n = lowering_extent(lowering, *columns);
}
