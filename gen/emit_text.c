#include "gen/emit_text.h"

#include <math.h>
#include <string.h>

#include "ast/slice.h"
#include "base/decimal.h"
#include "base/indexset.h"

const char *emit_type(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "float _Complex", "double _Complex"};
    return type[dtype];
}

const char *emit_operand(enum tcplan_operand operand) {
    static const char *const name[TCPLAN_OPERANDS] = {"A", "B", "C"};
    return name[operand];
}

bool emit_is_real(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

static bool is_single(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
}

/** Float constants are written with the digits of the double they come from; the compiler rounds them. */
static void add_real(struct strbuf *out, enum tcplan_dtype dtype, double value) {
    const size_t start = out->length;
    if (is_single(dtype) && (float)value == 0) value = 0; /* a constant that underflows draws a warning */
    decimal_print(out, value);
    if (!out->failed && !strpbrk(out->text + start, ".e")) strbuf_add(out, ".0");
    if (is_single(dtype)) strbuf_add(out, "f");
}

void emit_constant(struct strbuf *out, enum tcplan_dtype dtype, struct tcplan_scalar scalar) {
    if (scalar.im == 0) {
        add_real(out, dtype, scalar.re);
        return;
    }
    strbuf_add(out, "(");
    add_real(out, dtype, scalar.re);
    strbuf_add(out, scalar.im < 0 ? " - " : " + ");
    add_real(out, dtype, fabs(scalar.im));
    strbuf_add(out, " * _Complex_I)");
}

bool emit_offset(const struct emitter *emitter, struct tcplan_slice slice, uint64_t indices, const char *before) {
    bool any = false;
    for (uint64_t rest = indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const int64_t stride = slice_stride(emitter->problem, slice, index);
        strbuf_add(emitter->out, "%s", any ? " + " : before);
        if (stride != 1) strbuf_add(emitter->out, "%lld * ", (long long)stride);
        strbuf_add(emitter->out, "i_%s", emitter->nest->contraction->index[index].name);
        any = true;
    }
    return any;
}

uint64_t emit_fixed_indices(const struct emitter *emitter, struct tcplan_slice slice) {
    return slice.temporary ? 0 : emitter->nest->contraction->tensor[slice.operand].indices & ~slice.span;
}

void emit_slice_name(const struct emitter *emitter, struct tcplan_slice slice) {
    strbuf_add(emitter->out, "%s%s", emit_operand(slice.operand), slice.temporary ? "_copy" : "");
}

void emit_pointer(const struct emitter *emitter, struct tcplan_slice slice) {
    emit_slice_name(emitter, slice);
    emit_offset(emitter, slice, emit_fixed_indices(emitter, slice), " + ");
}

void emit_element(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops) {
    emit_slice_name(emitter, slice);
    strbuf_add(emitter->out, "[");
    if (!emit_offset(emitter, slice, emit_fixed_indices(emitter, slice) | loops, "")) strbuf_add(emitter->out, "0");
    strbuf_add(emitter->out, "]");
}

void emit_indent(const struct emitter *emitter) {
    strbuf_fill(emitter->out, ' ', 4 * (size_t)emitter->level);
}

void emit_for(struct emitter *emitter, int index) {
    const char *name = emitter->nest->contraction->index[index].name;
    emit_indent(emitter);
    /* The prefix keeps names of indices apart from keywords, macros (I) and the tensors. */
    strbuf_add(emitter->out, "for (ptrdiff_t i_%s = 0; i_%s < %lld; i_%s++) {\n", name, name, (long long)emitter->problem->extent[index],
               name);
    emitter->level++;
}

void emit_end(struct emitter *emitter) {
    emitter->level--;
    emit_indent(emitter);
    strbuf_add(emitter->out, "}\n");
}

void emit_string(struct strbuf *out, const char *text) {
    strbuf_add(out, "\"");
    for (; *text; text++) strbuf_add(out, strchr("\"\\", *text) ? "\\%c" : "%c", *text);
    strbuf_add(out, "\"");
}

static void add_comment_line(struct strbuf *out, const char *line, size_t length) {
    strbuf_add(out, length ? " * " : " *");
    for (size_t c = 0; c < length; c++) {
        const bool marks_comment = c > 0 && ((line[c - 1] == '*' && line[c] == '/') || (line[c - 1] == '/' && line[c] == '*'));
        strbuf_add(out, marks_comment ? " %c" : "%c", line[c]);
    }
    strbuf_add(out, "\n");
}

void emit_comment(struct strbuf *out, const char *text) {
    strbuf_add(out, "/*\n");
    while (*text) {
        const size_t length = strcspn(text, "\n");
        add_comment_line(out, text, length);
        text += length + (text[length] == '\n');
    }
    strbuf_add(out, " */\n");
}

void emit_sizes(struct strbuf *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    for (int i = 0; i < contraction->index_count; i++) {
        strbuf_add(out, "%s%s=%lld", i > 0 ? "," : "", contraction->index[i].name, (long long)problem->extent[i]);
    }
}
