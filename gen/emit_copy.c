#include "ast/nest.h"
#include "ast/refine.h"
#include "ast/tactics.h"
#include "base/indexset.h"
#include "gen/copy_shape.h"
#include "gen/emit_parts.h"
#include "gen/emit_runtime.h"
#include "gen/runtime_text.h"

bool emit_has_copy(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY) return true;
        if (node->kind == TCPLAN_NODE_LOOP && emit_has_copy(node->loop.body)) return true;
    }
    return false;
}

static void add_typed(const struct emitter *emitter, const char *text) {
    emit_runtime(emitter, "copy_", text);
}

/** Whether some copy sums over more than one element. */
static bool has_sums(const struct tcplan_problem *problem) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        const enum tcplan_index_kind kind = problem->contraction->index[i].kind;
        if ((kind == TCPLAN_SUMMED_A || kind == TCPLAN_SUMMED_B) && problem->extent[i] > 1) return true;
    }
    return false;
}

/** Emitted files may be put together: what they have in common is guarded by `name`, which is typed. */
static void begin_common(const struct emitter *emitter, const char *name) {
    add_typed(emitter, "#ifndef ");
    add_typed(emitter, name);
    add_typed(emitter, " /* emitted files may be put together */\n#define ");
    add_typed(emitter, name);
    strbuf_add(emitter->out, "\n\n");
}

void emit_copy_kernels(const struct emitter *emitter) {
    static const char *const transposition[TCPLAN_DTYPES] = {copy_transpose_4_text, copy_transpose_8_text, copy_transpose_8_text,
                                                             copy_transpose_16_text};
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    begin_common(emitter, "COPY_KERNELS");
    strbuf_add(emitter->out, "typedef %s ", emit_type(dtype));
    add_typed(emitter, "copy_element;\n\n");
    add_typed(emitter, copy_begin_text);
    strbuf_add(emitter->out, "\n");
    add_typed(emitter, tcplan_dtype_is_complex(dtype) ? copy_complex_text : copy_real_text);
    strbuf_add(emitter->out, "\n");
    add_typed(emitter, transposition[dtype]);
    strbuf_add(emitter->out, "\n");
    add_typed(emitter, copy_end_text);
    strbuf_add(emitter->out, "\n#endif\n\n");
    if (!has_sums(emitter->problem)) return;
    begin_common(emitter, "COPY_SUMS");
    add_typed(emitter, copy_sum_text);
    strbuf_add(emitter->out, "\n#endif\n\n");
}

static int64_t ends_in(const struct emitter *emitter) {
    return copy_shape_ends(emitter->nest, emitter->refined);
}

bool emit_has_ends(const struct emitter *emitter) {
    return ends_in(emitter) > 0;
}

void emit_ends_allocation(const struct emitter *emitter, int threads) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "struct ");
    add_typed(emitter, "copy_end *");
    if (threads > 1) {
        strbuf_add(emitter->out, "C_all_ends = calloc(%d * %lld, sizeof *C_all_ends);\n", threads, (long long)ends_in(emitter));
    } else {
        strbuf_add(emitter->out, "C_ends = calloc(%lld, sizeof *C_ends);\n", (long long)ends_in(emitter));
    }
}

void emit_ends_of_thread(const struct emitter *emitter) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "struct ");
    add_typed(emitter, "copy_end *const C_ends = C_all_ends + ");
    strbuf_add(emitter->out, "%lld * thread;\n", (long long)ends_in(emitter));
}

void emit_ends_write(const struct emitter *emitter) {
    emit_indent(emitter);
    add_typed(emitter, "copy_ends_write(C_ends, ");
    strbuf_add(emitter->out, "%lld);\n", (long long)ends_in(emitter));
}

void emit_copy_fence(const struct emitter *emitter) {
    emit_indent(emitter);
    add_typed(emitter, "copy_fence();\n");
}

void emit_shape_extent(const struct emitter *emitter, const struct copy_shape_dimension *dimension, uint64_t varying) {
    if (indexset_has(varying, dimension->index)) {
        emit_extent(emitter, dimension->index);
    } else {
        strbuf_add(emitter->out, "%lld", (long long)dimension->extent);
    }
}

static void add_dimensions(const struct emitter *emitter, const struct copy_shape *shape, uint64_t varying) {
    add_typed(emitter, "(const struct copy_dimension[]){");
    const int rank = shape->rank + shape->summed;
    for (int d = 0; d < rank; d++) {
        const struct copy_shape_dimension *dimension = &shape->dimension[d];
        strbuf_add(emitter->out, d > 0 ? ", {" : "{");
        emit_shape_extent(emitter, dimension, varying);
        strbuf_add(emitter->out, ", %lld, %lld}", (long long)dimension->to, (long long)dimension->from);
    }
    strbuf_add(emitter->out, rank > 0 ? "}" : "{1, 0, 0}}");
}

/** `, flags, factor`: in contracted loops a copy accumulates from the second visit on, and in the first applies beta. */
static void add_mode(const struct emitter *emitter, const struct tcplan_copy *copy) {
    const struct tcplan_update *update = &copy->update;
    const struct tcplan_scalar beta = tcplan_problem_scalar(emitter->problem, update->beta);
    const bool reads_first = !emit_is_real(beta, 0);
    const char *overwriting = tactics_stream(emitter->refined, copy) ? "COPY_STREAM" : "0";
    strbuf_add(emitter->out, ", ");
    if (update->first_of && !reads_first) {
        emit_first(emitter, update->first_of);
        strbuf_add(emitter->out, " ? ");
        add_typed(emitter, overwriting);
        add_typed(emitter, " : COPY_ACCUMULATE, ");
        emit_constant(emitter->out, emitter->problem->dtype, (struct tcplan_scalar){1, 0});
        return;
    }
    add_typed(emitter, reads_first ? "COPY_ACCUMULATE" : overwriting);
    strbuf_add(emitter->out, ", ");
    emit_factor(emitter, beta, update->first_of);
}

void emit_copy(const struct emitter *emitter, const struct tcplan_copy *copy) {
    const struct copy_shape shape = copy_shape_of(emitter->refined, copy);
    emit_indent(emitter);
    add_typed(emitter, shape.summed > 0 ? "copy_sum(" : "copy_block(");
    emit_pointer(emitter, copy->to);
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, copy->from);
    strbuf_add(emitter->out, ", %d, ", shape.rank);
    if (shape.summed > 0) strbuf_add(emitter->out, "%d, ", shape.summed);
    add_dimensions(emitter, &shape, problem_varying(emitter->refined, copy->to.span));
    const bool conjugates = copy->conjugated && tcplan_dtype_is_complex(emitter->problem->dtype);
    if (shape.summed > 0) {
        strbuf_add(emitter->out, ", ");
        add_typed(emitter, conjugates ? "COPY_CONJUGATE" : "0");
    } else if (conjugates) { /* of a factor: it overwrites */
        strbuf_add(emitter->out, ", ");
        add_typed(emitter, "COPY_CONJUGATE, ");
        emit_constant(emitter->out, emitter->problem->dtype, (struct tcplan_scalar){0, 0});
        strbuf_add(emitter->out, ", NULL");
    } else {
        add_mode(emitter, copy);
        strbuf_add(emitter->out, !copy->to.temporary && emit_has_ends(emitter) ? ", C_ends" : ", NULL");
    }
    strbuf_add(emitter->out, ");\n");
    if (copy->to.temporary && tactics_stream(emitter->refined, copy)) emit_copy_fence(emitter); /* threads of a BLAS may read it */
}
