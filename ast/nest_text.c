#include "ast/formula.h"
#include "ast/scalar.h"
#include "tcplan/nest.h"

/** What every part of the printer needs. */
struct printer {
    struct strbuf *out;
    const struct tcplan_contraction *contraction;
    enum tcplan_dtype dtype;
};

static void print_slice(const struct printer *printer, struct tcplan_slice slice) {
    formula_print_slice(printer->out, printer->contraction, slice);
}

static void print_kernel_name(const struct printer *printer, const struct tcplan_kernel_call *call, const struct formula *formula) {
    const struct formula_letters letters = formula_letters(formula);
    strbuf_add(printer->out, "%c%s%s%s", tcplan_dtype_letter(printer->dtype), tcplan_kernel_name(call->kernel, printer->dtype),
               *letters.text ? "_" : "", letters.text);
}

static bool is_real(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

static void print_factor(const struct printer *printer, struct tcplan_scalar scalar) {
    if (is_real(scalar, 1)) return;
    scalar_print(printer->out, scalar);
    strbuf_add(printer->out, " ");
}

static void print_kernel(const struct printer *printer, const struct tcplan_kernel_call *call) {
    const struct formula formula = formula_of(printer->contraction, call);
    const struct tcplan_scalar beta = printer->contraction->beta;
    print_kernel_name(printer, call, &formula);
    strbuf_add(printer->out, ": ");
    print_slice(printer, call->slice[TCPLAN_C]);
    strbuf_add(printer->out, call->uses_beta ? " := " : " += ");
    print_factor(printer, printer->contraction->alpha);
    for (int f = 0; f < 2; f++) {
        strbuf_add(printer->out, "%s", f > 0 ? " " : "");
        print_slice(printer, formula.factor[f]);
        strbuf_add(printer->out, "%s", formula.transposed[f] ? "^T" : "");
    }
    if (!call->uses_beta || is_real(beta, 0)) return;
    strbuf_add(printer->out, " + ");
    print_factor(printer, beta);
    print_slice(printer, call->slice[TCPLAN_C]);
}

static void print_copy(const struct printer *printer, const struct tcplan_copy *copy) {
    const struct tcplan_scalar beta = printer->contraction->beta;
    print_slice(printer, copy->to);
    strbuf_add(printer->out, copy->accumulates && is_real(beta, 1) ? " += " : " := ");
    print_slice(printer, copy->from);
    if (copy->accumulates && !is_real(beta, 0) && !is_real(beta, 1)) {
        strbuf_add(printer->out, " + ");
        print_factor(printer, beta);
        print_slice(printer, copy->to);
    }
    if (copy->streamed) strbuf_add(printer->out, " (streamed)");
}

static void print_scale(const struct printer *printer, const struct tcplan_scale *scale) {
    print_slice(printer, scale->slice);
    strbuf_add(printer->out, " := ");
    if (is_real(printer->contraction->beta, 0)) {
        strbuf_add(printer->out, "0");
        return;
    }
    print_factor(printer, printer->contraction->beta);
    print_slice(printer, scale->slice);
}

static void print_loop(const struct printer *printer, const struct tcplan_loop *loop) {
    const char *name = printer->contraction->index[loop->index].name;
    strbuf_add(printer->out, "for %s = 1:%s", name, name);
}

static void print_body(const struct printer *printer, const struct tcplan_node *node, size_t level) {
    for (; node; node = node->next) {
        strbuf_fill(printer->out, ' ', 2 * level);
        switch (node->kind) {
        case TCPLAN_NODE_LOOP: print_loop(printer, &node->loop); break;
        case TCPLAN_NODE_COPY: print_copy(printer, &node->copy); break;
        case TCPLAN_NODE_SCALE: print_scale(printer, &node->scale); break;
        case TCPLAN_NODE_KERNEL: print_kernel(printer, &node->kernel); break;
        }
        strbuf_add(printer->out, "\n");
        if (node->kind == TCPLAN_NODE_LOOP) print_body(printer, node->loop.body, level + 1);
    }
}

char *tcplan_nest_text(const struct tcplan_nest *nest, enum tcplan_dtype dtype) {
    struct strbuf out = {0};
    print_body(&(struct printer){.out = &out, .contraction = nest->contraction, .dtype = dtype}, nest->body, 0);
    return strbuf_finish(&out);
}

char *tcplan_slice_text(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    struct strbuf out = {0};
    formula_print_slice(&out, contraction, slice);
    return strbuf_finish(&out);
}
