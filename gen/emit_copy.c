#include <string.h>

#include "ast/nest.h"
#include "base/indexset.h"
#include "gen/copy_runtime.h"
#include "gen/copy_shape.h"
#include "gen/emit_parts.h"

bool emit_has_copy(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY) return true;
        if (node->kind == TCPLAN_NODE_LOOP && emit_has_copy(node->loop.body)) return true;
    }
    return false;
}

/** Appends C in whose names `copy_` and `COPY_` become `copy_d_` and `COPY_D_`: several types may be copied in one file. */
static void add_typed(const struct emitter *emitter, const char *text) {
    static const char upper_letter[TCPLAN_DTYPES] = {'S', 'D', 'C', 'Z'};
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    while (*text) {
        const bool lower = strncmp(text, "copy_", 5) == 0;
        if (lower || strncmp(text, "COPY_", 5) == 0) {
            strbuf_add(emitter->out, "%.5s%c_", text, lower ? tcplan_dtype_letter(dtype) : upper_letter[dtype]);
            text += 5;
            continue;
        }
        const size_t length = 1 + strcspn(text + 1, "cC");
        strbuf_add(emitter->out, "%.*s", (int)length, text);
        text += length;
    }
}

void emit_copy_kernels(const struct emitter *emitter) {
    static const char *const transposition[TCPLAN_DTYPES] = {copy_transpose_4_text, copy_transpose_8_text, copy_transpose_8_text,
                                                             copy_transpose_16_text};
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    add_typed(emitter, "#ifndef COPY_KERNELS /* emitted files may be put together */\n#define COPY_KERNELS\n\n");
    strbuf_add(emitter->out, "typedef %s ", emit_type(dtype));
    add_typed(emitter, "copy_element;\n\n");
    add_typed(emitter, copy_begin_text);
    strbuf_add(emitter->out, "\n");
    add_typed(emitter, transposition[dtype]);
    strbuf_add(emitter->out, "\n");
    add_typed(emitter, copy_end_text);
    strbuf_add(emitter->out, "\n#endif\n\n");
}

void emit_copy_fence(const struct emitter *emitter) {
    emit_indent(emitter);
    add_typed(emitter, "copy_fence();\n");
}

static void add_dimensions(const struct emitter *emitter, const struct copy_shape *shape) {
    add_typed(emitter, "(const struct copy_dimension[]){");
    for (int d = 0; d < shape->rank; d++) {
        const struct copy_shape_dimension *dimension = &shape->dimension[d];
        strbuf_add(emitter->out, d > 0 ? ", {" : "{");
        if (emit_is_partial(emitter, dimension->index)) {
            emit_extent(emitter, dimension->index);
        } else {
            strbuf_add(emitter->out, "%lld", (long long)dimension->extent);
        }
        strbuf_add(emitter->out, ", %lld, %lld}", (long long)dimension->to, (long long)dimension->from);
    }
    strbuf_add(emitter->out, shape->rank > 0 ? "}" : "{1, 0, 0}}");
}

/** The indices of a slice whose extent varies. */
static uint64_t partial_indices(const struct emitter *emitter, struct tcplan_slice slice) {
    uint64_t partial = 0;
    for (uint64_t rest = slice.span; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        if (emit_is_partial(emitter, index)) partial |= indexset_of(index);
    }
    return partial;
}

/** `, flags, factor`: in contracted loops a copy accumulates from the second visit on, and in the first applies beta. */
static void add_mode(const struct emitter *emitter, const struct tcplan_copy *copy) {
    const struct tcplan_scalar beta = emitter->problem->beta;
    const struct tcplan_scalar zero = {0, 0};
    const struct tcplan_scalar one = {1, 0};
    const bool reads_first = copy_reads_destination(emitter->problem, copy);
    const char *overwriting = copy_streams(emitter->problem, copy) ? "COPY_STREAM" : "0";
    strbuf_add(emitter->out, ", ");
    if (copy->first_of && !reads_first) {
        emit_first(emitter, copy->first_of);
        strbuf_add(emitter->out, " ? ");
        add_typed(emitter, overwriting);
        add_typed(emitter, " : COPY_ACCUMULATE, ");
        emit_constant(emitter->out, emitter->problem->dtype, one);
        return;
    }
    add_typed(emitter, reads_first ? "COPY_ACCUMULATE" : overwriting);
    strbuf_add(emitter->out, ", ");
    emit_factor(emitter, reads_first ? beta : zero, copy->first_of);
}

void emit_copy(const struct emitter *emitter, const struct tcplan_copy *copy) {
    const struct copy_shape shape = copy_shape_of(emitter->problem, copy, partial_indices(emitter, copy->to));
    emit_indent(emitter);
    add_typed(emitter, "copy_block(");
    emit_pointer(emitter, copy->to);
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, copy->from);
    strbuf_add(emitter->out, ", %d, ", shape.rank);
    add_dimensions(emitter, &shape);
    add_mode(emitter, copy);
    strbuf_add(emitter->out, ");\n");
    if (copy->to.temporary && copy_streams(emitter->problem, copy)) emit_copy_fence(emitter); /* threads of a BLAS may read it */
}
