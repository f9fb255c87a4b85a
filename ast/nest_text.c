#include "ast/formula.h"
#include "ast/kernel_class.h"
#include "ast/refine.h"
#include "ast/scalar.h"
#include "ast/tactics.h"
#include "tcplan/nest.h"

/** What every part of the printer needs. */
struct printer {
    struct strbuf *out;
    const struct tcplan_refinement *refinement;
    enum tcplan_dtype dtype;
    const struct tcplan_nest *nest;
    const struct refined_problem *problem; /* NULL: without sizes */
};

static void print_slice(const struct printer *printer, struct tcplan_slice slice) {
    formula_print_slice(printer->out, printer->refinement, slice);
}

static void print_kernel_name(const struct printer *printer, const struct tcplan_kernel_call *call, const struct formula *formula) {
    const struct formula_letters letters = formula_letters(formula);
    strbuf_add(printer->out, "%c%s%s%s", tcplan_dtype_letter(printer->dtype),
               kernel_routine(call->kernel, printer->dtype, call->conjugated[TCPLAN_A], call->conjugated[TCPLAN_B]),
               *letters.text ? "_" : "", letters.text);
    if (call->provider != TCPLAN_PROVIDER_BLAS) strbuf_add(printer->out, "@%s", tcplan_provider_name(call->provider));
}

static bool is_real(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

static void print_factor(const struct printer *printer, struct tcplan_scalar scalar) {
    if (is_real(scalar, 1)) return;
    scalar_print(printer->out, scalar);
    strbuf_add(printer->out, " ");
}

/** The slice and `:=` or `+=`. */
static void begin_update(const struct printer *printer, struct tcplan_slice slice, const struct tcplan_update *update) {
    print_slice(printer, slice);
    strbuf_add(printer->out, is_real(update->beta, 1) || update->first_of ? " += " : " := ");
    print_factor(printer, update->alpha);
}

/** Behind what is assigned or added: ` + beta C`, or ` (:= where i = 1)`, ` (to beta C where i = 1)`. */
static void end_update(const struct printer *printer, struct tcplan_slice slice, const struct tcplan_update *update) {
    const bool assigns = is_real(update->beta, 0);
    if (is_real(update->beta, 1) || (assigns && !update->first_of)) return;
    strbuf_add(printer->out, !update->first_of ? " + " : assigns ? " (:=" : " (to ");
    if (!assigns) {
        print_factor(printer, update->beta);
        print_slice(printer, slice);
    }
    if (!update->first_of) return;
    strbuf_add(printer->out, " where ");
    formula_print_first(printer->out, printer->refinement, update->first_of);
    strbuf_add(printer->out, ")");
}

static void print_kernel(const struct printer *printer, const struct tcplan_kernel_call *call) {
    const struct formula formula = formula_of(printer->refinement, call);
    print_kernel_name(printer, call, &formula);
    strbuf_add(printer->out, ": ");
    begin_update(printer, call->slice[TCPLAN_C], &call->update);
    formula_print_sum(printer->out, printer->refinement, formula.summed);
    for (int f = 0; f < 2; f++) {
        strbuf_add(printer->out, "%s", f > 0 ? kernel_class_of(call->kernel)->times : "");
        formula_print_conjugated(printer->out, printer->refinement, formula.factor[f], formula.conjugated[f] && !formula.transposed[f]);
        strbuf_add(printer->out, "%s", !formula.transposed[f] ? "" : formula.conjugated[f] ? "^H" : "^T");
    }
    end_update(printer, call->slice[TCPLAN_C], &call->update);
    if (printer->problem && tactics_fetch_ahead(printer->problem, printer->nest, call)) strbuf_add(printer->out, " (fetching ahead)");
}

static void print_copy(const struct printer *printer, const struct tcplan_copy *copy) {
    begin_update(printer, copy->to, &copy->update);
    strbuf_add(printer->out, "%s", copy->conjugated ? "conj(" : "");
    formula_print_source(printer->out, printer->refinement, copy->from, copy->summed);
    strbuf_add(printer->out, "%s", copy->conjugated ? ")" : "");
    end_update(printer, copy->to, &copy->update);
    const int padding = printer->refinement->padding[copy->to.operand];
    if (padding > 0) strbuf_add(printer->out, " (padded by %d)", padding);
    const bool streams = printer->problem ? tactics_stream(printer->problem, copy) : copy->streamed;
    if (streams) strbuf_add(printer->out, " (streamed)");
}

static void print_scale(const struct printer *printer, const struct tcplan_scale *scale) {
    print_slice(printer, scale->slice);
    strbuf_add(printer->out, " := ");
    if (is_real(scale->beta, 0)) {
        strbuf_add(printer->out, "0");
        return;
    }
    print_factor(printer, scale->beta);
    formula_print_conjugated(printer->out, printer->refinement, scale->slice, scale->conjugated);
}

static void print_loop(const struct printer *printer, const struct tcplan_loop *loop) {
    strbuf_add(printer->out, "for ");
    formula_print_variable(printer->out, printer->refinement, loop->index);
    strbuf_add(printer->out, " = ");
    formula_print_range(printer->out, printer->refinement, loop->index);
    if (loop->parallel) strbuf_add(printer->out, " in parallel");
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

char *tcplan_nest_text(const struct tcplan_nest *nest, const struct tcplan_problem *problem, enum tcplan_dtype dtype) {
    struct strbuf out = {0};
    struct refined_problem refined;
    struct printer printer = {.out = &out, .refinement = nest->refinement, .dtype = dtype, .nest = nest};
    if (problem) {
        refined = problem_refine(problem, nest->refinement);
        printer.problem = &refined;
    }
    print_body(&printer, nest->body, 0);
    return strbuf_finish(&out);
}

char *tcplan_slice_text(const struct tcplan_nest *nest, struct tcplan_slice slice) {
    struct strbuf out = {0};
    formula_print_slice(&out, nest->refinement, slice);
    return strbuf_finish(&out);
}

char *tcplan_source_text(const struct tcplan_nest *nest, struct tcplan_slice from, uint64_t summed) {
    struct strbuf out = {0};
    formula_print_source(&out, nest->refinement, from, summed);
    return strbuf_finish(&out);
}
