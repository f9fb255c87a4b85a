#include <assert.h>
#include <math.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/nest/blocks.h"
#include "ast/nest/formula.h"
#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "tcplan/nest.h"

/** The state of the printer. */
struct printer {
    struct strbuf *out;
    const struct tcplan_refinement *refinement;
    enum tcplan_dtype dtype;
    const struct tcplan_nest *nest;
    const struct refined_problem *problem; /* sizes; NULL: the text has none */
    const struct tcplan_blocks *blocks;    /* ranges of a blocked algorithm, for which the members
                                              above are NULL */
    const struct tcplan_range_values *values; /* values of the ranges; NULL: blocks are printed by
                                                 name, not with numbers */
};

static void print_slice(const struct printer *printer, struct tcplan_slice slice) {
    formula_print_slice(printer->out, printer->refinement, slice);
}

static void print_kernel_name(const struct printer *printer, const struct tcplan_kernel_call *call,
                              const struct formula *formula) {
    const struct formula_letters letters = formula_letters(formula);
    if (provider_traits_of(call->provider)->is_whole) {
        strbuf_add(printer->out, "tapp@%s", tcplan_provider_name(call->provider));
        return;
    }
    strbuf_add(printer->out, "%c%s%s%s", tcplan_dtype_letter(printer->dtype),
               kernel_routine(call->kernel, printer->dtype, call->conjugated[TCPLAN_A],
                              call->conjugated[TCPLAN_B]),
               *letters.text ? "_" : "", letters.text);
    if (call->provider != TCPLAN_PROVIDER_BLAS)
        strbuf_add(printer->out, "@%s", tcplan_provider_name(call->provider));
}

static void print_factor(const struct printer *printer, struct tcplan_scalar scalar) {
    if (scalar_is(scalar, 1)) return;
    scalar_print(printer->out, scalar);
    strbuf_add(printer->out, " ");
}

/** Prints the slice that a node writes, and `:=` or `+=`. */
static void begin_update(const struct printer *printer, struct tcplan_slice slice,
                         const struct tcplan_update *update) {
    print_slice(printer, slice);
    strbuf_add(printer->out, scalar_is(update->beta, 1) || update->first_of ? " += " : " := ");
    print_factor(printer, update->alpha);
}

/** Prints the end of an update: ` + beta C`, or ` (:= where i = 1)`, ` (to beta C where i = 1)`. */
static void end_update(const struct printer *printer, struct tcplan_slice slice,
                       const struct tcplan_update *update) {
    const bool assigns = scalar_is(update->beta, 0);
    if (scalar_is(update->beta, 1) || (assigns && !update->first_of)) return;
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
        const char *times = kernel_class_of(call->kernel)->times;
        strbuf_add(printer->out, "%s", f == 0 ? "" : times ? times : " ");
        formula_print_conjugated(printer->out, printer->refinement, formula.factor[f],
                                 formula.conjugated[f] && !formula.transposed[f]);
        strbuf_add(printer->out, "%s",
                   !formula.transposed[f]  ? ""
                   : formula.conjugated[f] ? "^H"
                                           : "^T");
    }
    end_update(printer, call->slice[TCPLAN_C], &call->update);
    if (printer->problem && heuristics_fetch_ahead(printer->problem, printer->nest, call))
        strbuf_add(printer->out, " (fetching ahead)");
    if (algorithm_tile_number(call->tile) != 0) {
        strbuf_add(printer->out, " (tile ");
        algorithm_print_tile(printer->out, call->tile);
        strbuf_add(printer->out, ")");
    }
    if (heuristics_stream_kernel(call)) strbuf_add(printer->out, " (streamed)");
}

static void print_copy(const struct printer *printer, const struct tcplan_copy *copy) {
    assert(printer->refinement); /* only nests of contractions contain such nodes; they have a
                                    refinement */
    begin_update(printer, copy->to, &copy->update);
    strbuf_add(printer->out, "%s", copy->conjugated ? "conj(" : "");
    formula_print_source(printer->out, printer->refinement, copy->from, copy->summed);
    strbuf_add(printer->out, "%s", copy->conjugated ? ")" : "");
    end_update(printer, copy->to, &copy->update);
    const int padding = printer->refinement->padding[copy->to.operand];
    if (padding > 0) strbuf_add(printer->out, " (padded by %d)", padding);
    const bool streams =
        printer->problem ? heuristics_stream(printer->problem, copy) : copy->streamed;
    if (streams) strbuf_add(printer->out, " (streamed)");
}

static void print_scale(const struct printer *printer, const struct tcplan_scale *scale) {
    print_slice(printer, scale->slice);
    strbuf_add(printer->out, " := ");
    if (scalar_is(scale->beta, 0)) {
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

/* Blocked algorithms. */

static void print_block(const struct printer *printer, struct tcplan_block block) {
    if (printer->values) {
        blocks_print_slice(printer->out, printer->blocks, printer->values, block);
    } else {
        blocks_print_block(printer->out, printer->blocks, block);
    }
}

static void print_op(const struct printer *printer, bool inverted, bool transposed,
                     bool conjugated) {
    const char letter = conjugated && tcplan_dtype_is_complex(printer->dtype) ? 'H' : 'T';
    if (inverted || transposed) strbuf_add(printer->out, "^%s", inverted ? "-" : "");
    if (transposed) {
        strbuf_add(printer->out, "%c", letter);
    } else if (inverted) {
        strbuf_add(printer->out, "1");
    }
}

static void print_factor_block(const struct printer *printer, const struct tcplan_factor *factor) {
    print_block(printer, factor->block);
    print_op(printer, factor->inverted, factor->transposed, factor->conjugated);
}

/** Prints the second product of a mirrored sum: B A^T after A B^T, and B^T A after A^T B. */
static void print_mirrored(const struct printer *printer, const struct tcplan_call *call) {
    struct tcplan_factor first = call->factor[0], second = call->factor[1];
    first.block = call->factor[1].block;
    second.block = call->factor[0].block;
    strbuf_add(printer->out, " + ");
    print_factor(printer, (struct tcplan_scalar){.re = fabs(call->alpha)});
    print_factor_block(printer, &first);
    strbuf_add(printer->out, " ");
    print_factor_block(printer, &second);
}

static void print_product(const struct printer *printer, const struct tcplan_call *call) {
    const bool adds = call->beta != 0;
    const double alpha = adds && call->alpha < 0 ? -call->alpha : call->alpha;
    strbuf_add(printer->out, "%s", !adds ? " := " : call->alpha < 0 ? " -= " : " += ");
    if (alpha == -1) {
        strbuf_add(printer->out, "-");
    } else {
        print_factor(printer, (struct tcplan_scalar){.re = alpha});
    }
    for (int f = 0; f < call->factor_count; f++) {
        strbuf_add(printer->out, "%s", f > 0 ? " " : "");
        print_factor_block(printer, &call->factor[f]);
    }
    if (call->mirrored) print_mirrored(printer, call);
}

static void print_function(const struct printer *printer, const struct tcplan_call *call) {
    strbuf_add(printer->out, " := %s(", call->routine);
    for (int b = 0; b < call->block_count; b++) {
        strbuf_add(printer->out, "%s", b > 0 ? ", " : "");
        print_block(printer, call->block[b]);
    }
    strbuf_add(printer->out, ")");
}

static void print_statement(const struct printer *printer, const struct tcplan_call *call) {
    print_block(printer, call->result);
    if (call->factor_count > 0) {
        print_product(printer, call);
    } else {
        print_function(printer, call);
    }
}

static void print_call(const struct printer *printer, const struct tcplan_call *call) {
    strbuf_add(printer->out, "%c%s%s%s: ", tcplan_dtype_letter(printer->dtype), call->routine,
               *call->letters ? "_" : "", call->letters);
    print_statement(printer, call);
    if (call->needs < 0) return;
    strbuf_add(printer->out, " where ");
    blocks_print_range(printer->out, printer->blocks, call->needs);
}

/** Prints the range of a loop over blocks: `n1 = 1:b:n`, upward `n1 = n:-b:1`, single rows `n1' =
 * 1:n1`. */
static void print_cut(const struct printer *printer, const struct tcplan_cut *cut, int32_t step) {
    blocks_print_range(printer->out, printer->blocks, cut->first + TCPLAN_RANGE_CURRENT);
    strbuf_add(printer->out, " = ");
    if (cut->upward) {
        blocks_print_range(printer->out, printer->blocks, cut->range);
    } else {
        strbuf_add(printer->out, "1");
    }
    if (step == 0) strbuf_add(printer->out, cut->upward ? ":-b" : ":b");
    if (step == INT32_MAX) {
        strbuf_add(printer->out, ":all");
    } else if (step > 1 || (step == 1 && cut->upward)) {
        strbuf_add(printer->out, ":%s%d", cut->upward ? "-" : "", (int)step);
    }
    strbuf_add(printer->out, ":");
    if (cut->upward) {
        strbuf_add(printer->out, "1");
    } else {
        blocks_print_range(printer->out, printer->blocks, cut->range);
    }
}

/** Prints `halve n > b` or `halve m, n together > b`. */
static void print_halving(const struct printer *printer, const struct tcplan_steps *steps) {
    strbuf_add(printer->out, "halve ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(printer->out, "%s", c > 0 ? ", " : "");
        blocks_print_range(printer->out, printer->blocks, steps->cut[c].range);
    }
    if (steps->cut_count > 1) strbuf_add(printer->out, " together");
    if (steps->step > 0) {
        strbuf_add(printer->out, " > %d", (int)steps->step);
    } else {
        strbuf_add(printer->out, " > b");
    }
}

static void print_steps(const struct printer *printer, const struct tcplan_steps *steps) {
    if (steps->base) {
        print_halving(printer, steps);
        return;
    }
    strbuf_add(printer->out, "for ");
    for (int c = 0; c < steps->cut_count; c++) {
        strbuf_add(printer->out, "%s", c > 0 ? ", " : "");
        print_cut(printer, &steps->cut[c], steps->step);
    }
    if (steps->coupled && steps->cut_count > 1) strbuf_add(printer->out, " together");
}

static void print_body(const struct printer *printer, const struct tcplan_node *node,
                       size_t level) {
    for (; node; node = node->next) {
        strbuf_fill(printer->out, ' ', 2 * level);
        switch (node->kind) {
        case TCPLAN_NODE_LOOP: print_loop(printer, &node->loop); break;
        case TCPLAN_NODE_COPY: print_copy(printer, &node->copy); break;
        case TCPLAN_NODE_SCALE: print_scale(printer, &node->scale); break;
        case TCPLAN_NODE_KERNEL: print_kernel(printer, &node->kernel); break;
        case TCPLAN_NODE_STEPS: print_steps(printer, &node->steps); break;
        case TCPLAN_NODE_CALL: print_call(printer, &node->call); break;
        case TCPLAN_NODE_AGAIN:
            nest_print_again(printer->out, printer->blocks, &node->again);
            break;
        }
        strbuf_add(printer->out, "\n");
        if (node->kind == TCPLAN_NODE_LOOP) print_body(printer, node->loop.body, level + 1);
        if (node->kind != TCPLAN_NODE_STEPS) continue;
        print_body(printer, node->steps.body, level + 1);
        if (!node->steps.base) continue;
        strbuf_fill(printer->out, ' ', 2 * level);
        strbuf_add(printer->out, "else\n");
        print_body(printer, node->steps.base, level + 1);
    }
}

char *tcplan_nest_text(const struct tcplan_nest *nest, const struct tcplan_problem *problem,
                       enum tcplan_dtype dtype) {
    struct strbuf out = {0};
    struct refined_problem refined;
    struct printer printer = {
        .out = &out, .refinement = nest->refinement, .dtype = dtype, .nest = nest};
    if (problem) {
        refined = problem_refine(problem, nest->refinement);
        printer.problem = &refined;
    }
    print_body(&printer, nest->body, 0);
    return strbuf_finish(&out);
}

void nest_print_blocked(struct strbuf *out, const struct tcplan_blocks *blocks,
                        const struct tcplan_node *body, enum tcplan_dtype dtype) {
    const struct printer printer = {.out = out, .blocks = blocks, .dtype = dtype};
    print_body(&printer, body, 0);
}

void nest_print_statement(struct strbuf *out, const struct tcplan_blocks *blocks,
                          const struct tcplan_call *call, enum tcplan_dtype dtype,
                          const struct tcplan_range_values *values) {
    const struct printer printer = {.out = out, .blocks = blocks, .dtype = dtype, .values = values};
    print_statement(&printer, call);
}

void nest_print_again(struct strbuf *out, const struct tcplan_blocks *blocks,
                      const struct tcplan_again *again) {
    blocks_print_block(out, blocks, again->result);
    strbuf_add(out, " := again(");
    for (int b = 0; b < again->block_count; b++) {
        strbuf_add(out, "%s", b > 0 ? ", " : "");
        blocks_print_block(out, blocks, again->block[b]);
    }
    strbuf_add(out, ")");
}

char *tcplan_slice_text(const struct tcplan_nest *nest, struct tcplan_slice slice) {
    struct strbuf out = {0};
    formula_print_slice(&out, nest->refinement, slice);
    return strbuf_finish(&out);
}

char *tcplan_source_text(const struct tcplan_nest *nest, struct tcplan_slice from,
                         uint64_t summed) {
    struct strbuf out = {0};
    formula_print_source(&out, nest->refinement, from, summed);
    return strbuf_finish(&out);
}
