#include <assert.h>
#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/nest/blocks.h"
#include "ast/nest/formula.h"
#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/indexset.h"
#include "base/strbuf.h"
#include "tcplan/xml.h"

/** State of the writer. */
struct nest_writer {
    struct tcplan_xml *xml;
    const struct tcplan_refinement *refinement;
    const struct refined_problem *problem; /* sizes of the problem; may be NULL */
    const struct tcplan_nest *nest;
    enum tcplan_dtype dtype;
    const struct tcplan_blocks *blocks; /* ranges and blocks, for nests of blocked algorithms, which
                                           use only this member, `xml` and `dtype` */
};

/** Writes an attribute and frees `value`. NULL means that memory ran out: the attribute is then
 * empty, and writing the document fails. */
static void write_owned(const struct nest_writer *writer, const char *attribute,
                        struct strbuf *value) {
    char *text = strbuf_finish(value);
    tcplan_xml_text(writer->xml, attribute, text ? text : "");
    free(text);
}

static void write_scalar(const struct nest_writer *writer, const char *attribute,
                         struct tcplan_scalar scalar) {
    struct strbuf value = {0};
    scalar_print(&value, scalar);
    write_owned(writer, attribute, &value);
}

/** Writes an index with its step (if it counts steps), its tile (if it runs within a step) and its
 * extent, counting the steps around it up to index `outermost`. */
static void write_index(const struct nest_writer *writer, int index, int outermost) {
    const struct tcplan_refinement *refinement = writer->refinement;
    assert(refinement); /* Nests of blocked algorithms have no indices. */
    const int steps_of = refinement_tile_of_steps(refinement, index);
    const int around = refinement_tile_around(refinement, outermost);
    tcplan_xml_text(writer->xml, "index", refinement_index(refinement, index)->name);
    if (steps_of >= 0) tcplan_xml_integer(writer->xml, "step", refinement->tile[steps_of].step);
    if (around >= 0) tcplan_xml_integer(writer->xml, "tile", refinement->tile[around].step);
    if (writer->problem)
        tcplan_xml_integer(writer->xml, "extent",
                           problem_count(writer->problem, outermost, index, false));
}

/** Returns the outermost index of steps around `index` that the slice spans as well. Together they
 * form one dimension of the tensor. */
static int outermost_of(const struct nest_writer *writer, struct tcplan_slice slice, int index) {
    int outer = index;
    while (!slice.temporary && outer >= 0 && indexset_has(slice.span, outer)) {
        index = outer;
        outer = refinement_outer(writer->refinement, outer);
    }
    return index;
}

static void write_dimension(const struct nest_writer *writer, struct tcplan_slice slice,
                            int index) {
    tcplan_xml_begin(writer->xml, "dimension");
    write_index(writer, index, outermost_of(writer, slice, index));
    if (writer->problem)
        tcplan_xml_integer(writer->xml, "stride", slice_stride(writer->problem, slice, index));
    tcplan_xml_end(writer->xml);
}

/** Writes the dimensions that a slice spans; the two dimensions of a diagonal are written once. */
static void write_dimensions(const struct nest_writer *writer, struct tcplan_slice slice) {
    uint8_t dims[TCPLAN_MAX_RANK];
    const int rank = slice_dims(writer->refinement, slice, dims);
    uint64_t pending = slice.span;
    for (int d = 0; d < rank; d++) {
        if (!indexset_has(pending, dims[d])) continue;
        pending &= ~indexset_of(dims[d]);
        write_dimension(writer, slice, dims[d]);
    }
}

/** Writes a slice; `transposed` is "true" or "false" for a matrix in a formula, NULL otherwise. */
static void write_slice(const struct nest_writer *writer, const char *role,
                        struct tcplan_slice slice, const char *transposed, bool conjugated) {
    struct strbuf text = {0};
    assert(writer->refinement); /* Nests of blocked algorithms have no slices. */
    formula_print_slice(&text, writer->refinement, slice);
    tcplan_xml_begin(writer->xml, "slice");
    tcplan_xml_text(writer->xml, "role", role);
    tcplan_xml_text(writer->xml, "tensor", writer->refinement->source->tensor[slice.operand].name);
    write_owned(writer, "text", &text);
    if (slice.temporary) tcplan_xml_text(writer->xml, "temporary", "true");
    if (slice.temporary && writer->refinement->padding[slice.operand] > 0)
        tcplan_xml_integer(writer->xml, "padding", writer->refinement->padding[slice.operand]);
    if (transposed) tcplan_xml_text(writer->xml, "transposed", transposed);
    if (conjugated) tcplan_xml_text(writer->xml, "conjugated", "true");
    write_dimensions(writer, slice);
    tcplan_xml_end(writer->xml);
}

static void write_factor(const struct nest_writer *writer, const struct formula *formula, int f) {
    const char *transposed = !formula->matrix[f] ? NULL : formula->transposed[f] ? "true" : "false";
    write_slice(writer, f == 0 ? "left" : "right", formula->factor[f], transposed,
                formula->conjugated[f]);
}

static void write_kernel_name(const struct nest_writer *writer,
                              const struct tcplan_kernel_call *call) {
    struct strbuf name = {0};
    strbuf_add(&name, "%c%s", tcplan_dtype_letter(writer->dtype),
               kernel_routine(call->kernel, writer->dtype, call->conjugated[TCPLAN_A],
                              call->conjugated[TCPLAN_B]));
    write_owned(writer, "name", &name);
}

/** Writes beta and, unless beta applies in all iterations, the iterations in which it applies. */
static void write_beta(const struct nest_writer *writer, const struct tcplan_update *update) {
    write_scalar(writer, "beta", update->beta);
    if (!update->first_of) return;
    struct strbuf where = {0};
    formula_print_first(&where, writer->refinement, update->first_of);
    write_owned(writer, "where", &where);
}

/** Writes the summed indices in the notation of a tensor's indices; steps as `k:256`. */
static void write_summed(const struct nest_writer *writer, uint64_t summed) {
    struct strbuf names = {0};
    for (uint64_t rest = summed; rest; rest &= rest - 1) {
        strbuf_add(&names, "%s%s", rest == summed ? "" : ",",
                   tcplan_nest_index_name(writer->nest, indexset_first(rest)));
    }
    write_owned(writer, "summed", &names);
}

static void write_tile(const struct nest_writer *writer, struct tcplan_register_tile tile) {
    struct strbuf text = {0};
    if (algorithm_tile_number(tile) == 0) return;
    algorithm_print_tile(&text, tile);
    write_owned(writer, "tile", &text);
}

static void write_kernel(const struct nest_writer *writer, const struct tcplan_kernel_call *call) {
    const struct formula formula = formula_of(writer->refinement, call);
    const struct formula_letters letters = formula_letters(&formula);
    tcplan_xml_begin(writer->xml, "kernel");
    write_kernel_name(writer, call);
    if (*letters.text) tcplan_xml_text(writer->xml, "transposition", letters.text);
    if (call->provider != TCPLAN_PROVIDER_BLAS)
        tcplan_xml_text(writer->xml, "provider", tcplan_provider_name(call->provider));
    write_tile(writer, call->tile);
    if (formula.summed) write_summed(writer, formula.summed);
    if (writer->problem && heuristics_fetch_ahead(writer->problem, writer->nest, call))
        tcplan_xml_text(writer->xml, "fetches", "ahead");
    if (heuristics_stream_kernel(call)) tcplan_xml_text(writer->xml, "stores", "streamed");
    write_scalar(writer, "alpha", call->update.alpha);
    const bool accumulates = scalar_is(call->update.beta, 1);
    if (!accumulates) write_beta(writer, &call->update);
    write_slice(writer, "result", call->slice[TCPLAN_C], NULL, false);
    for (int f = 0; f < 2; f++) write_factor(writer, &formula, f);
    tcplan_xml_end(writer->xml);
}

static void write_copy(const struct nest_writer *writer, const struct tcplan_copy *copy) {
    tcplan_xml_begin(writer->xml, "copy");
    const bool streams =
        writer->problem ? heuristics_stream(writer->problem, copy) : copy->streamed;
    if (streams) tcplan_xml_text(writer->xml, "stores", "streamed");
    if (copy->summed) write_summed(writer, copy->summed);
    if (copy->update.alpha.re != 1 || copy->update.alpha.im != 0)
        write_scalar(writer, "alpha", copy->update.alpha);
    if (update_reads(&copy->update)) write_beta(writer, &copy->update);
    write_slice(writer, "to", copy->to, NULL, false);
    write_slice(writer, "from", copy->from, NULL, copy->conjugated);
    tcplan_xml_end(writer->xml);
}

static void write_scale(const struct nest_writer *writer, const struct tcplan_scale *scale) {
    tcplan_xml_begin(writer->xml, "scale");
    write_scalar(writer, "beta", scale->beta);
    write_slice(writer, "result", scale->slice, NULL, scale->conjugated);
    tcplan_xml_end(writer->xml);
}

static void write_body(const struct nest_writer *writer, const struct tcplan_node *node);

static void write_loop(const struct nest_writer *writer, const struct tcplan_loop *loop) {
    tcplan_xml_begin(writer->xml, "loop");
    write_index(writer, loop->index, loop->index);
    if (loop->parallel) tcplan_xml_text(writer->xml, "parallel", "true");
    write_body(writer, loop->body);
    tcplan_xml_end(writer->xml);
}

/* Blocked algorithms. */

static void write_range(const struct nest_writer *writer, const char *attribute, int range) {
    struct strbuf name = {0};
    blocks_print_range(&name, writer->blocks, range);
    write_owned(writer, attribute, &name);
}

static void write_halving(const struct nest_writer *writer, const struct tcplan_steps *steps) {
    tcplan_xml_begin(writer->xml, "halves");
    if (steps->step > 0) tcplan_xml_integer(writer->xml, "step", steps->step);
    write_range(writer, "range", steps->cut[0].range);
    if (steps->cut_count > 1) write_range(writer, "with", steps->cut[1].range);
    write_body(writer, steps->body);
    tcplan_xml_begin(writer->xml, "base");
    write_body(writer, steps->base);
    tcplan_xml_end(writer->xml);
    tcplan_xml_end(writer->xml);
}

static void write_steps(const struct nest_writer *writer, const struct tcplan_steps *steps) {
    if (steps->base) {
        write_halving(writer, steps);
        return;
    }
    tcplan_xml_begin(writer->xml, "steps");
    if (steps->step == INT32_MAX) {
        tcplan_xml_text(writer->xml, "step", "all");
    } else if (steps->step > 0) {
        tcplan_xml_integer(writer->xml, "step", steps->step);
    }
    if (steps->coupled && steps->cut_count > 1) tcplan_xml_text(writer->xml, "together", "true");
    for (int c = 0; c < steps->cut_count; c++) {
        tcplan_xml_begin(writer->xml, "cut");
        write_range(writer, "range", steps->cut[c].range);
        write_range(writer, "block", steps->cut[c].first + TCPLAN_RANGE_CURRENT);
        tcplan_xml_text(writer->xml, "direction", steps->cut[c].upward ? "up" : "down");
        tcplan_xml_end(writer->xml);
    }
    write_body(writer, steps->body);
    tcplan_xml_end(writer->xml);
}

static void write_block(const struct nest_writer *writer, const char *role,
                        struct tcplan_block block) {
    struct strbuf text = {0};
    blocks_print_block(&text, writer->blocks, block);
    tcplan_xml_begin(writer->xml, "block");
    tcplan_xml_text(writer->xml, "role", role);
    tcplan_xml_text(writer->xml, "matrix",
                    writer->blocks->matrix[writer->blocks->view[block.view].matrix].name);
    write_owned(writer, "text", &text);
    write_range(writer, "rows", block.rows);
    write_range(writer, "columns", block.columns);
}

static void write_factor_block(const struct nest_writer *writer,
                               const struct tcplan_factor *factor) {
    write_block(writer, "factor", factor->block);
    if (factor->inverted) tcplan_xml_text(writer->xml, "inverted", "true");
    if (factor->transposed) tcplan_xml_text(writer->xml, "transposed", "true");
    if (factor->transposed && factor->conjugated && tcplan_dtype_is_complex(writer->dtype))
        tcplan_xml_text(writer->xml, "conjugated", "true");
    tcplan_xml_end(writer->xml);
}

static void write_call(const struct nest_writer *writer, const struct tcplan_call *call) {
    struct strbuf text = {0}, name = {0};
    nest_print_statement(&text, writer->blocks, call, writer->dtype, NULL);
    strbuf_add(&name, "%c%s", tcplan_dtype_letter(writer->dtype), call->routine);
    tcplan_xml_begin(writer->xml, "call");
    write_owned(writer, "routine", &name);
    if (*call->letters) tcplan_xml_text(writer->xml, "flags", call->letters);
    write_owned(writer, "text", &text);
    if (call->needs >= 0) write_range(writer, "where", call->needs);
    if (call->factor_count > 0) {
        tcplan_xml_number(writer->xml, "alpha", call->alpha);
        tcplan_xml_number(writer->xml, "beta", call->beta);
    }
    write_block(writer, "result", call->result);
    tcplan_xml_end(writer->xml);
    for (int f = 0; f < call->factor_count; f++) write_factor_block(writer, &call->factor[f]);
    for (int b = 0; b < call->block_count; b++) {
        write_block(writer, "argument", call->block[b]);
        tcplan_xml_end(writer->xml);
    }
    tcplan_xml_end(writer->xml);
}

static void write_again(const struct nest_writer *writer, const struct tcplan_again *again) {
    struct strbuf text = {0};
    nest_print_again(&text, writer->blocks, again);
    tcplan_xml_begin(writer->xml, "again");
    write_range(writer, "half", again->half);
    write_owned(writer, "text", &text);
    for (int b = 0; b < again->block_count; b++) {
        write_block(writer, "argument", again->block[b]);
        tcplan_xml_end(writer->xml);
    }
    tcplan_xml_end(writer->xml);
}

/** The recursion is as deep as the nest has loops. */
static void write_body(const struct nest_writer *writer, const struct tcplan_node *node) {
    for (; node; node = node->next) {
        switch (node->kind) {
        case TCPLAN_NODE_LOOP: write_loop(writer, &node->loop); break;
        case TCPLAN_NODE_COPY: write_copy(writer, &node->copy); break;
        case TCPLAN_NODE_SCALE: write_scale(writer, &node->scale); break;
        case TCPLAN_NODE_KERNEL: write_kernel(writer, &node->kernel); break;
        case TCPLAN_NODE_STEPS: write_steps(writer, &node->steps); break;
        case TCPLAN_NODE_CALL: write_call(writer, &node->call); break;
        case TCPLAN_NODE_AGAIN: write_again(writer, &node->again); break;
        }
    }
}

void tcplan_xml_nest(struct tcplan_xml *xml, const struct tcplan_nest *nest,
                     const struct tcplan_problem *problem, enum tcplan_dtype dtype) {
    struct refined_problem refined;
    if (problem) refined = problem_refine(problem, nest->refinement);
    const struct nest_writer writer = {.xml = xml,
                                       .refinement = nest->refinement,
                                       .problem = problem ? &refined : NULL,
                                       .nest = nest,
                                       .dtype = dtype};
    tcplan_xml_begin(xml, "nest");
    write_body(&writer, nest->body);
    tcplan_xml_end(xml);
}

void tcplan_xml_steps(struct tcplan_xml *xml, const struct tcplan_blocks *blocks,
                      const struct tcplan_node *body, enum tcplan_dtype dtype) {
    const struct nest_writer writer = {.xml = xml, .dtype = dtype, .blocks = blocks};
    tcplan_xml_begin(xml, "nest");
    write_body(&writer, body);
    tcplan_xml_end(xml);
}
