#include "gen/emit/extents.h"

#include <string.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/nest.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"
#include "gen/emit/arguments.h"
#include "gen/emit/strides.h"
#include "gen/kernels/kernel_code.h"
#include "gen/providers/provider_code.h"

static const struct tcplan_contraction *contraction_of(const struct emitter *emitter) {
    return emitter->problem->contraction;
}

void emit_extent_parameters(struct strbuf *out, const struct emitter *emitter) {
    const struct tcplan_contraction *contraction = contraction_of(emitter);
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(out, "int64_t n_%s, ", contraction->index[i].name);
}

/* Extents. */

static int32_t step_of(const struct tcplan_refinement *refinement, int index) {
    const int tile = refinement_tile_of_steps(refinement, index);
    return tile < 0 ? 1 : refinement->tile[tile].step;
}

void emit_points(const struct emitter *emitter, int index) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    const int outer = refinement_outer(refinement, index);
    if (outer >= 0 && emit_is_summed(emitter, outer)) {
        strbuf_add(emitter->out, "(");
        emit_points(emitter, outer);
        strbuf_add(emitter->out, " < %d ? ", (int)step_of(refinement, outer));
        emit_points(emitter, outer);
        strbuf_add(emitter->out, " : %d)", (int)step_of(refinement, outer));
    } else if (outer >= 0) {
        emit_variable(emitter, 'w', outer);
    } else {
        strbuf_add(emitter->out, "n_%s", emit_index_name(emitter, index));
    }
}

/** Adds the number of steps of a tile, such as `((n_a + 7) / 8)`. */
static void add_steps(const struct emitter *emitter, int index, int32_t step) {
    strbuf_add(emitter->out, "((");
    emit_points(emitter, index);
    strbuf_add(emitter->out, " + %d) / %d)", (int)step - 1, (int)step);
}

void emit_given_extent(const struct emitter *emitter, int index) {
    const int32_t step = step_of(emitter->refined->refinement, index);
    if (step == 1) {
        emit_points(emitter, index);
    } else {
        add_steps(emitter, index, step);
    }
}

void emit_width(const struct emitter *emitter, int steps) {
    const int32_t step = step_of(emitter->refined->refinement, steps);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const int64_t ");
    emit_variable(emitter, 'w', steps);
    strbuf_add(emitter->out, " = ");
    emit_points(emitter, steps);
    strbuf_add(emitter->out, " - %d * ", (int)step);
    emit_index(emitter, steps);
    strbuf_add(emitter->out, " < %d ? ", (int)step);
    emit_points(emitter, steps);
    strbuf_add(emitter->out, " - %d * ", (int)step);
    emit_index(emitter, steps);
    strbuf_add(emitter->out, " : %d;\n", (int)step);
}

/* Strides. */

/** Returns the end of the range of dimensions, from `*first`, that lie within dimension `d` of a
 * tensor. */
static int dims_within(const struct tcplan_contraction *contraction,
                       const struct tcplan_tensor *tensor, int d, int *first) {
    const bool column_major = contraction->order == TCPLAN_COLUMN_MAJOR;
    *first = column_major ? 0 : d + 1;
    return column_major ? d : tensor->rank;
}

/** Prints a separator, such as ` + ` or ` * `, if `*any` is true; then sets `*any`. */
static void add_separator(struct strbuf *out, bool *any, const char *separator) {
    strbuf_add(out, "%s", *any ? separator : "");
    *any = true;
}

/** Prints the stride of a dimension: an argument or, for a dense tensor, the product of the extents
 * inside the dimension. If there are none, prints `1` if `one` is set. Returns whether anything
 * was printed. */
static bool add_dimension_stride(const struct emitter *emitter, enum tcplan_operand operand, int d,
                                 bool any, bool one) {
    const struct tcplan_contraction *contraction = contraction_of(emitter);
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int first;
    if (tensor->strided) {
        if (!one && emit_stride_is_1(tensor, d)) return any;
        add_separator(emitter->out, &any, " * ");
        emit_dimension_stride(emitter->out, emitter, operand, d);
        return true;
    }
    const int end = dims_within(contraction, tensor, d, &first);
    for (int other = first; other < end; other++) {
        add_separator(emitter->out, &any, " * ");
        strbuf_add(emitter->out, "n_%s", contraction->index[tensor->dims[other]].name);
    }
    if (first < end || !one) return any;
    add_separator(emitter->out, &any, " * ");
    strbuf_add(emitter->out, "1");
    return true;
}

/** Returns whether the distance between products of an index depends on the extent of summed steps:
 * a single, partial step makes it smaller. */
static bool are_summed_on(const struct emitter *emitter, int index) {
    return step_of(emitter->refined->refinement, index) > 1 && emit_is_summed(emitter, index) &&
           indexset_size(emitter->nest->algorithm.group[TCPLAN_R]) > 1;
}

static bool add_tensor_stride(const struct emitter *emitter, enum tcplan_operand operand,
                              int index) {
    const struct tcplan_tensor *tensor = &contraction_of(emitter)->tensor[operand];
    const int32_t step = step_of(emitter->refined->refinement, index);
    const int source = refinement_source_index(emitter->refined->refinement, index);
    int places = 0;
    for (int d = 0; d < tensor->rank; d++) places += tensor->dims[d] == source;
    bool any = step > 1;
    if (are_summed_on(emitter, index)) {
        emit_points(emitter,
                    emitter->refined->refinement
                        ->tile[refinement_tile_of_steps(emitter->refined->refinement, index)]
                        .inner);
    } else if (any) {
        strbuf_add(emitter->out, "%d", (int)step);
    }
    if (places > 1) strbuf_add(emitter->out, any ? " * (" : "(");
    bool more = false;
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->dims[d] != source) continue;
        if (places > 1) add_separator(emitter->out, &more, " + ");
        any = add_dimension_stride(emitter, operand, d, any && places == 1, places > 1);
    }
    if (places > 1) strbuf_add(emitter->out, ")");
    return any;
}

/** Prints the extent of a temporary along an index, rounded up to whole tiles. */
static void add_room(const struct emitter *emitter, int index) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    const int outer = refinement_outer(refinement, index);
    if (outer >= 0) {
        strbuf_add(emitter->out, "%d",
                   (int)(step_of(refinement, outer) / step_of(refinement, index)));
    } else {
        emit_given_extent(emitter, index);
    }
}

/** Prints the number of elements in the first dimensions of a temporary, padding included. */
static bool add_rooms(const struct emitter *emitter, enum tcplan_operand operand, int dims) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    const bool padded =
        refinement->padding[operand] > 0 && dims >= refinement->padded_dims[operand];
    bool any = false;
    if (padded) strbuf_add(emitter->out, "(");
    for (int d = 0; d < dims; d++) {
        add_separator(emitter->out, &any, " * ");
        add_room(emitter, refinement->temporary_dims[operand][d]);
        if (padded && d + 1 == refinement->padded_dims[operand])
            strbuf_add(emitter->out, " + %d)", refinement->padding[operand]);
    }
    return any;
}

void emit_given_elems(const struct emitter *emitter, enum tcplan_operand operand) {
    if (!add_rooms(emitter, operand, emitter->refined->refinement->temporary_rank[operand]))
        strbuf_add(emitter->out, "1");
}

/** Returns whether elements are contiguous along an index for all extents. */
static bool is_contiguous(const struct emitter *emitter, struct tcplan_slice slice, int index) {
    return slice_unit_index(emitter->refined->refinement, slice) == index;
}

bool emit_given_stride(const struct emitter *emitter, struct tcplan_slice slice, int index) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    if (!slice.temporary) return add_tensor_stride(emitter, slice.operand, index);
    for (int d = 0; d < refinement->temporary_rank[slice.operand]; d++) {
        if (refinement->temporary_dims[slice.operand][d] == index)
            return add_rooms(emitter, slice.operand, d);
    }
    return false;
}

/* Checks. */

/** Adds a condition that holds if one of the indices does, such as `n_a == 0 || n_b == 0`. */
static void add_conditions(const struct emitter *emitter, uint64_t indices, const char *condition) {
    bool any = false;
    for (uint64_t rest = indices; rest; rest &= rest - 1) {
        add_separator(emitter->out, &any, " || ");
        strbuf_add(emitter->out, "n_%s %s",
                   contraction_of(emitter)->index[indexset_first(rest)].name, condition);
    }
}

void emit_sign_check(const struct emitter *emitter) {
    const int count = contraction_of(emitter)->index_count;
    if (count == 0) return;
    strbuf_add(emitter->out, "    if (");
    add_conditions(emitter, count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0, "< 0");
    strbuf_add(emitter->out, ") return EINVAL;\n");
}

/** Adds the condition that a tensor has more elements than memory can hold; computed in double, as
 * an integer product may overflow. */
static void add_size_check(const struct emitter *emitter, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &contraction_of(emitter)->tensor[operand];
    if (tensor->rank == 0 || tensor->strided) return;
    strbuf_add(emitter->out, "    if (");
    for (int d = 0; d < tensor->rank; d++) {
        strbuf_add(emitter->out, "%s(double)n_%s", d > 0 ? " * " : "",
                   contraction_of(emitter)->index[tensor->dims[d]].name);
    }
    strbuf_add(emitter->out, " > 1e15) return EINVAL;\n");
}

/** Prints the product of the extents of a role's indices; tiles count as full. */
static bool add_role_extent(const struct emitter *emitter, const struct tcplan_group *group) {
    bool any = false;
    for (int i = 0; i < group->count; i++) {
        add_separator(emitter->out, &any, " * ");
        strbuf_add(emitter->out, "n_%s", emit_index_name(emitter, group->index[i]));
    }
    return any;
}

/** Appends `if (n_a * n_b > 2147483647) return EINVAL;` to `text`, once, if the product contains an
 * argument. */
static void add_limit(const struct emitter *emitter, struct strbuf *text, int most) {
    struct strbuf line = {0}, *out = emitter->out;
    if (text->text && (strstr(text->text, "n_") || strstr(text->text, "strides_")))
        strbuf_add(&line, "    if (%s > %d) return EINVAL;\n", text->text, most);
    if (line.text && !(out->text && strstr(out->text, line.text))) strbuf_add(out, "%s", line.text);
    out->failed = out->failed || text->failed || line.failed;
    strbuf_free(&line);
    strbuf_free(text);
}

/** Appends the limit on the extent of a role: the BLAS integer. */
void emit_extent_limit(const struct emitter *emitter, const struct tcplan_group *group, int most) {
    struct strbuf text = {0};
    struct emitter inside = *emitter;
    inside.out = &text;
    add_role_extent(&inside, group);
    add_limit(emitter, &text, most);
}

/** Returns the index whose stride is the leading dimension or increment of an operand (part) of a
 * call; -1: there is none. */
static int step_index(const struct emit_call *call, int part) {
    const struct kernel_code *code = kernel_code_of(call->blas.kernel);
    const enum tcplan_role role = code->step(call, part).role;
    return role < TCPLAN_ROLES && call->node->group[role].count > 0
               ? call->node->group[role].index[0]
               : -1;
}

/** Appends the limit on a leading dimension, or on an increment other than 1. */
void emit_step_limit(const struct emitter *emitter, const struct emit_call *call, int part,
                     int most) {
    const int index = step_index(call, part);
    struct strbuf text = {0};
    struct emitter inside = *emitter;
    inside.out = &text;
    if (index >= 0) emit_given_stride(&inside, emit_slice(call, part), index);
    add_limit(emitter, &text, most);
}

/** Prints `if (n_k > 256 && n_k % 256 != 0) return EINVAL;`, because a kernel sums only full steps,
 * unless there is a single one. */
static void add_step_checks(const struct emitter *emitter, const struct tcplan_group *summed) {
    for (int i = 0; i < summed->count; i++) {
        const int step = (int)step_of(emitter->refined->refinement, summed->index[i]);
        const char *name = emit_index_name(emitter, summed->index[i]);
        if (step > 1)
            strbuf_add(emitter->out, "    if (n_%s > %d && n_%s %% %d != 0) return EINVAL;\n", name,
                       step, name, step);
    }
}

/** Appends the limits on all arguments of a call. */
static void add_limits(const struct emitter *emitter, const struct emit_call *call) {
    struct strbuf text = {0};
    struct emitter limits = *emitter;
    limits.out = &text;
    for (int role = 0; role < TCPLAN_ROLES; role++)
        emit_extent_limit(&limits, &call->node->group[role], INT32_MAX);
    add_step_checks(&limits, &call->node->group[TCPLAN_R]);
    for (int part = 0; part < 3; part++) emit_step_limit(&limits, call, part, INT32_MAX);
    const struct provider_code *provider = provider_code_of(call->blas.provider);
    if (provider->emit_limits) provider->emit_limits(&limits, call);
    strbuf_add(emitter->out, "%s", text.text ? text.text : "");
    emitter->out->failed = emitter->out->failed || text.failed;
    strbuf_free(&text);
}

/** Emits C := beta C, for calls with an empty contracted index. */
static void add_scaling(struct emitter *emitter, uint64_t contracted,
                        void (*scale)(struct emitter *emitter)) {
    strbuf_add(emitter->out, "    if (");
    add_conditions(emitter, contracted, "== 0");
    strbuf_add(emitter->out, ") {\n");
    emitter->level++;
    scale(emitter);
    emit_indent(emitter);
    strbuf_add(emitter->out, "return 0;\n");
    emit_end(emitter);
}

void emit_extent_checks(struct emitter *emitter, const struct emit_call *call,
                        void (*scale)(struct emitter *emitter)) {
    const struct tcplan_tensor *tensor = contraction_of(emitter)->tensor;
    const uint64_t all = tensor[TCPLAN_A].indices | tensor[TCPLAN_B].indices,
                   free = tensor[TCPLAN_C].indices;
    if (!all) return;
    emit_sign_check(emitter);
    emit_stride_checks(emitter);
    if (free) {
        strbuf_add(emitter->out, "    if (");
        add_conditions(emitter, free, "== 0");
        strbuf_add(emitter->out, ") return 0;\n");
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) add_size_check(emitter, (enum tcplan_operand)t);
    if (!kernel_class_of(call->blas.kernel)->is_own) add_limits(emitter, call);
    if (all & ~free) add_scaling(emitter, all & ~free, scale);
    emit_fused_checks(emitter, call);
}

/* Arguments. */

void emit_given_step(const struct emitter *emitter, const struct emit_call *call, int part) {
    const int index = step_index(call, part),
              rows = kernel_code_of(call->blas.kernel)->step(call, part).rows;
    if (index < 0 && rows >= 0) {
        emit_count(emitter, call, rows);
    } else if (index < 0 || !emit_given_stride(emitter, emit_slice(call, part), index)) {
        strbuf_add(emitter->out, "1");
    }
}

bool emit_step_is_1(const struct emitter *emitter, const struct emit_call *call, int part) {
    const int index = step_index(call, part);
    return index < 0 || is_contiguous(emitter, emit_slice(call, part), index);
}

void emit_given_count(const struct emitter *emitter, const struct tcplan_group *group) {
    bool any = false;
    for (int i = 0; i < group->count; i++) {
        add_separator(emitter->out, &any, " * ");
        emit_given_extent(emitter, group->index[i]);
    }
    if (!any) strbuf_add(emitter->out, "1");
}
