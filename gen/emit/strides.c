#include "gen/emit/strides.h"

#include "ast/algorithm/algorithm.h"
#include "ast/contraction/contraction.h"
#include "ast/contraction/tensor.h"
#include "base/checked.h"
#include "base/error.h"
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/kernels/kernel_code.h"

static const struct tcplan_tensor *tensor_of(const struct emitter *emitter,
                                             enum tcplan_operand operand) {
    return &emitter->problem->contraction->tensor[operand];
}

bool emit_takes_strides(const struct emitter *emitter, enum tcplan_operand operand) {
    return emitter->takes_extents && tensor_of(emitter, operand)->strided;
}

void emit_strides_name(struct strbuf *out, const struct emitter *emitter,
                       enum tcplan_operand operand) {
    strbuf_add(out, "strides_%s", emit_operand(emitter, operand));
}

void emit_strides_parameter(struct strbuf *out, const struct emitter *emitter,
                            enum tcplan_operand operand) {
    if (!emit_takes_strides(emitter, operand)) return;
    strbuf_add(out, ", const int64_t *");
    emit_strides_name(out, emitter, operand);
}

bool emit_stride_is_1(const struct tcplan_tensor *tensor, int dimension) {
    return tensor->stride[dimension] == 1 && !tensor_is_diagonal(tensor, tensor->dims[dimension]);
}

void emit_dimension_stride(struct strbuf *out, const struct emitter *emitter,
                           enum tcplan_operand operand, int dimension) {
    if (emit_stride_is_1(tensor_of(emitter, operand), dimension)) {
        strbuf_add(out, "1");
        return;
    }
    emit_strides_name(out, emitter, operand);
    strbuf_add(out, "[%d]", dimension);
}

void emit_sort_dimensions(int out[TCPLAN_MAX_RANK], const struct tcplan_tensor *tensor,
                          enum tcplan_order order) {
    for (int d = 0; d < tensor->rank; d++) {
        const int own = order == TCPLAN_COLUMN_MAJOR ? d : tensor->rank - 1 - d;
        int place = d;
        for (; place > 0 && tensor->stride[out[place - 1]] > tensor->stride[own]; place--)
            out[place] = out[place - 1];
        out[place] = own;
    }
}

/** Returns TCPLAN_NOT_APPLICABLE unless the stride of each dimension is at least the size of all
 * dimensions inside it. */
static enum tcplan_status check_tensor(const struct tcplan_problem *problem,
                                       const struct tcplan_tensor *tensor,
                                       struct tcplan_error *error) {
    int dimension[TCPLAN_MAX_RANK];
    int64_t end = 1;
    emit_sort_dimensions(dimension, tensor, problem->contraction->order);
    for (int d = 0; d < tensor->rank; d++) {
        const int64_t stride = tensor->stride[dimension[d]],
                      extent = problem->extent[tensor->dims[dimension[d]]];
        if (stride < end) {
            return error_set(
                error, TCPLAN_NOT_APPLICABLE,
                "strides of tensor %.40s cannot be arguments: expected at least %lld, the span of "
                "the smaller dimensions, found %lld",
                tensor->name, (long long)end, (long long)stride);
        }
        if (!checked_mul_i64(stride, extent > 0 ? extent : 1, &end))
            end = INT64_MAX; /* overflow: only in the outermost dimension, because every element of
                                a problem has an address */
    }
    return TCPLAN_OK;
}

enum tcplan_status emit_check_strides(const struct tcplan_problem *problem,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < TCPLAN_TENSORS && status == TCPLAN_OK; t++) {
        const struct tcplan_tensor *tensor = &problem->contraction->tensor[t];
        if (tensor->strided) status = check_tensor(problem, tensor, error);
    }
    return status;
}

static void add_extent(const struct emitter *emitter, int index) {
    strbuf_add(emitter->out, "n_%s", emitter->problem->contraction->index[index].name);
}

/** Emits the checks of one dimension. `within` is the next dimension inside it, or -1. Products
 * cannot overflow, because the inner dimensions were checked. */
static void add_dimension_check(const struct emitter *emitter, enum tcplan_operand operand,
                                int dimension, int within) {
    const struct tcplan_tensor *tensor = tensor_of(emitter, operand);
    struct strbuf *out = emitter->out;
    strbuf_add(out, "    if (");
    emit_strides_name(out, emitter, operand);
    strbuf_add(out, emit_stride_is_1(tensor, dimension) ? "[%d] != 1" : "[%d] < 1", dimension);
    if (within >= 0) {
        strbuf_add(out, " || ");
        emit_strides_name(out, emitter, operand);
        strbuf_add(out, "[%d] < ", dimension);
        if (!emit_stride_is_1(tensor, within)) {
            emit_dimension_stride(out, emitter, operand, within);
            strbuf_add(out, " * ");
        }
        add_extent(emitter, tensor->dims[within]);
    }
    strbuf_add(out, " || (double)");
    if (!emit_stride_is_1(tensor, dimension)) {
        emit_dimension_stride(out, emitter, operand, dimension);
        strbuf_add(out, " * (double)");
    }
    add_extent(emitter, tensor->dims[dimension]);
    strbuf_add(out, " > 1e15) return EINVAL;\n");
}

void emit_stride_checks(const struct emitter *emitter) {
    enum tcplan_operand operand[TCPLAN_TENSORS];
    const int count = emit_parameters(emitter, operand);
    for (int t = 0; t < count; t++) {
        const struct tcplan_tensor *tensor = tensor_of(emitter, operand[t]);
        int dimension[TCPLAN_MAX_RANK];
        if (!emit_takes_strides(emitter, operand[t])) continue;
        emit_sort_dimensions(dimension, tensor, emitter->problem->contraction->order);
        for (int d = 0; d < tensor->rank; d++)
            add_dimension_check(emitter, operand[t], dimension[d], d > 0 ? dimension[d - 1] : -1);
    }
}

/** Adds the stride of an index in a slice, including a stride of 1. */
static void add_stride(const struct emitter *emitter, struct tcplan_slice slice, int index) {
    if (!emit_given_stride(emitter, slice, index)) strbuf_add(emitter->out, "1");
}

/** Emits the checks that each fused index of a role starts where the previous one ends. */
static void add_continuation(const struct emitter *emitter, struct tcplan_slice slice,
                             const struct tcplan_group *group) {
    for (int i = 1; i < group->count; i++) {
        strbuf_add(emitter->out, "    if (");
        add_stride(emitter, slice, group->index[i]);
        strbuf_add(emitter->out, " != ");
        if (emit_given_stride(emitter, slice, group->index[i - 1])) strbuf_add(emitter->out, " * ");
        emit_given_extent(emitter, group->index[i - 1]);
        strbuf_add(emitter->out, ") return EINVAL;\n");
    }
}

/** Emits the check that a leading dimension is at least the number of rows. It is not needed for a
 * single index, whose stride was checked. */
static void add_rows_check(const struct emitter *emitter, const struct emit_call *call, int part) {
    const struct kernel_code *code = kernel_code_of(call->blas.kernel);
    const struct kernel_step step = code->step(call, part);
    if (step.rows < 0 || step.role >= TCPLAN_ROLES || call->node->group[step.role].count == 0)
        return;
    const struct tcplan_group *rows = &call->node->group[code->role_at(call, step.rows)];
    if (rows->count < 2) return;
    strbuf_add(emitter->out, "    if (");
    add_stride(emitter, emit_slice(call, part), call->node->group[step.role].index[0]);
    for (int i = 0; i < rows->count; i++)
        strbuf_add(emitter->out, i > 0 ? " * n_%s" : " < n_%s",
                   emit_index_name(emitter, rows->index[i]));
    strbuf_add(emitter->out, ") return EINVAL;\n");
}

static bool is_in_place(const struct emitter *emitter, const struct tcplan_slice *slice) {
    return !slice->temporary && emit_takes_strides(emitter, slice->operand);
}

void emit_fused_checks(const struct emitter *emitter, const struct emit_call *call) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        enum tcplan_role role[OPERAND_ROLES];
        const int roles = operand_roles((enum tcplan_operand)t, role);
        if (!is_in_place(emitter, &call->node->slice[t])) continue;
        for (int r = 0; r < roles; r++)
            add_continuation(emitter, call->node->slice[t], &call->node->group[role[r]]);
    }
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        const struct tcplan_slice slice = emit_slice(call, part);
        if (is_in_place(emitter, &slice)) add_rows_check(emitter, call, part);
    }
}

bool emit_has_fused(const struct emitter *emitter) {
    const struct tcplan_kernel_call *call = emit_find_kernel(emitter->nest);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        enum tcplan_role role[OPERAND_ROLES];
        const int roles = operand_roles((enum tcplan_operand)t, role);
        if (!is_in_place(emitter, &call->slice[t])) continue;
        for (int r = 0; r < roles; r++) {
            if (call->group[role[r]].count > 1) return true;
        }
    }
    return false;
}

void emit_smaller_strides(int64_t out[TCPLAN_MAX_RANK], const struct tcplan_problem *problem,
                          enum tcplan_operand operand, const int64_t extent[]) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    int dimension[TCPLAN_MAX_RANK];
    /* End of the previous dimension, in the planned tensor and in the smaller one. */
    int64_t real_end = 1, end = 1;
    emit_sort_dimensions(dimension, tensor, problem->contraction->order);
    for (int d = 0; d < tensor->rank; d++) {
        const int own = dimension[d], index = tensor->dims[own];
        out[own] = tensor->stride[own] == real_end ? end : end + 1;
        real_end = tensor->stride[own] * problem->extent[index];
        if (end <= INT32_MAX)
            end = out[own] * extent[index]; /* larger tensors do not fit in memory anyway */
    }
}
