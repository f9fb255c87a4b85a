#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/algorithms/blocks.h"
#include "cli/render/common_fields.h"
#include "cli/render/format.h"

/** A product of the order, in the output. */
struct shown_step {
    const struct block_order_report *report;
    struct tcplan_block_step step;
    int number; /**< from 0 */
};

static int factors(const struct block_order_report *report) {
    return report->network->operand_count;
}

static void each_step(struct field_visit *visit, const struct block_order_report *report) {
    struct shown_step step = {.report = report};
    for (; tcplan_block_expression_step(report->expression, step.number, &step.step); step.number++)
        FIELD_VISIT(&step);
}

FIELD_EACH(struct block_order_report, each_brief, each_step(visit, r))

/** Visits the product of a step in the form of the report of a single product. */
static void visit_product(struct field_visit *visit, const struct shown_step *step) {
    FIELD_VISIT(&(struct blocks_report){.options = step->report->options,
                                        .explains = step->report->explains,
                                        .lists = step->report->lists,
                                        .product = step->step.product,
                                        .plan = step->step.plan});
}

/* Names. */

/** Returns a letter with which the names of intermediate results begin; no tensor has it as its
 * name. */
static char prefix_of(const struct block_order_report *report) {
    static const char letters[] = "XYZIJKLMNO";
    for (const char *letter = letters; letter[1]; letter++) {
        bool is_used = *report->network->result.name == *letter;
        for (int t = 0; t < factors(report); t++)
            is_used = is_used || *report->network->operand[t].name == *letter;
        if (!is_used) return *letter;
    }
    return letters[sizeof letters - 2];
}

/** Appends a tensor with its indices, such as `A_ij`, or as `A[row,col]` if index names are long.
 */
static void add_tensor(struct strbuf *out, const struct block_order_report *report, int tensor,
                       const struct tcplan_block_step *made) {
    const struct tcplan_network *network = report->network;
    const bool is_given = tensor < factors(report), is_result = tensor == 2 * factors(report) - 2;
    const struct tcplan_network_operand *operand =
        is_given ? &network->operand[tensor] : &network->result;
    if (is_given || is_result)
        strbuf_add(out, operand->conjugated ? "conj(%s)" : "%s", operand->name);
    else
        strbuf_add(out, "%c%d", prefix_of(report), tensor - factors(report) + 1);
    const int rank = is_given ? operand->rank : made->rank;
    strbuf_add(out, network->long_names ? "[" : rank > 0 ? "_" : "");
    for (int d = 0; d < rank; d++)
        strbuf_add(out, "%s%s", network->long_names && d > 0 ? "," : "",
                   network->index[is_given ? operand->dims[d] : (int)made->label[d]]);
    if (network->long_names) strbuf_add(out, "]");
}

/** Returns the product of a step, `X1_axs=L_aw*A_wxs`, to be freed with free(). */
static char *text_of(const struct shown_step *step) {
    struct strbuf out = {0};
    add_tensor(&out, step->report, step->step.result, &step->step);
    strbuf_add(&out, "=");
    for (int f = 0; f < 2; f++) {
        struct tcplan_block_step made = {.rank = 0};
        if (step->step.factor[f] >= factors(step->report))
            tcplan_block_expression_step(step->report->expression,
                                         step->step.factor[f] - factors(step->report), &made);
        add_tensor(&out, step->report, step->step.factor[f], &made);
        if (f == 0) strbuf_add(&out, "*");
    }
    return strbuf_finish(&out);
}

/* Figures. */

static bool is_estimate(const struct block_order_report *report) {
    return report->options->effort == TCPLAN_EFFORT_ESTIMATE;
}

static double flops_of(const struct block_order_report *report) {
    struct tcplan_block_step step;
    double flops = 0;
    for (int s = 0; tcplan_block_expression_step(report->expression, s, &step); s++)
        flops += tcplan_block_product_flops(step.product);
    return flops;
}

static double planning_seconds(const struct block_order_report *report) {
    struct tcplan_block_step step;
    double seconds = 0;
    for (int s = 0; tcplan_block_expression_step(report->expression, s, &step); s++)
        seconds += tcplan_block_plan_planning_seconds(step.plan);
    return seconds;
}

static double predicted_seconds(const struct shown_step *step) {
    return tcplan_block_plan_seconds(step->step.plan);
}

FIELD_TEST(struct block_order_report, is_measured, r->measured)
FIELD_TEST(struct block_order_report, has_times, !r->lists)

/* clang-format off */

#define MEASURED(value) (r->report->measured ? field_number(value) : field_unknown())

#define STEP(F, T) \
    F(T, number, INTEGER, field_integer(r->number + 1), "number of the product, from 1", COLUMN(1, "step"), ALWAYS) \
    F(T, product, TEXT, field_owned(text_of(r)), "the product; intermediate results are numbered as their products", COLUMN(2, "product"), ALWAYS) \
    F(T, left, INTEGER, field_integer(r->step.factor[0]), \
      "first factor: number of the tensor, from 0; for the result of product p, number of tensors + p - 1", ALWAYS) \
    F(T, right, INTEGER, field_integer(r->step.factor[1]), "second factor, numbered like the member `left`", ALWAYS) \
    F(T, pairs, INTEGER, field_integer(tcplan_block_product_pairs(r->step.product)), "pairs of blocks", COLUMN(3, "pairs"), ALWAYS) \
    F(T, blocks, INTEGER, field_integer(tcplan_block_product_blocks(r->step.product, TCPLAN_C)), "blocks of the result", COLUMN(4, "blocks"), ALWAYS) \
    F(T, flops, NUMBER, field_number(tcplan_block_product_flops(r->step.product)), "floating-point operations of the pairs", COLUMN(5, "operations"), \
      .format = FIELD_FLOPS, ALWAYS) \
    F(T, way, TEXT, field_text(tcplan_block_plan_way(r->step.plan)), "way in which the product is computed", COLUMN(6, "way"), ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_number(predicted_seconds(r)), "predicted time", COLUMN(7, "predicted"), .format = FIELD_SECONDS, \
      .applies = has_times, ALWAYS) \
    F(T, measured_seconds, NUMBER, MEASURED(r->report->measured[r->number]), "median time", COLUMN(8, "measured"), .format = FIELD_SECONDS, \
      .applies = is_measured) \
    F(T, plan, OBJECT, visit_product(visit, r), "the product and its ways", .fields = blocks_report_fields, ALWAYS)

#define ORDER(F, T) \
    F(T, expression, TEXT, field_owned(tcplan_network_text(r->network)), "the expression in tcplan's notation", ALWAYS) \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, r->options->dtype), "type of the elements", .words = tcplan_words_dtypes, ALWAYS) \
    F(T, threads, INTEGER, field_integer(r->options->threads), "threads of an execution", ALWAYS) \
    F(T, tensors, INTEGER, field_integer(r->network->operand_count), "number of tensors that are multiplied", ALWAYS) \
    F(T, flops, NUMBER, field_number(flops_of(r)), "floating-point operations of all products", ALWAYS) \
    F(T, estimate_seconds, NUMBER, field_number(tcplan_block_expression_estimate(r->expression, false)), "estimate by which the order was chosen", ALWAYS) \
    F(T, written_seconds, NUMBER, field_positive(tcplan_block_expression_estimate(r->expression, true)), \
      "estimate of multiplying from left to right; absent: that order has an avoidable outer product") \
    F(T, predicted_seconds, NUMBER, field_number(tcplan_block_expression_seconds(r->expression)), "predicted time", ALWAYS) \
    F(T, measured_seconds, NUMBER, field_positive(r->measured ? r->measured[r->network->operand_count - 1] : 0), "median time of an execution") \
    F(T, planning_seconds, NUMBER, field_number(planning_seconds(r)), "time of planning the products of the chosen order", ALWAYS) \
    F(T, steps, LIST, each_step(visit, r), "the products, in the order of execution", .item = "step", .fields = step_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(step, shown_step, STEP);
FIELD_TABLE(order, block_order_report, ORDER);

/* Text. */

static void print_head(struct writer *writer, const struct block_order_report *report) {
    char *text = tcplan_network_text(report->network);
    fprintf(writer->file, "%s   %d tensors, %s, %s\n\n", text ? text : "", factors(report),
            quantity_flops(flops_of(report)).text,
            format_text_dtype((enum tcplan_dtype)report->options->dtype));
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

/** Prints the result in one line, such as "Fastest order: 19.71 us, 1.2 GFLOP/s." */
static void print_answer(struct writer *writer, const struct block_order_report *report) {
    const double predicted = tcplan_block_expression_seconds(report->expression),
                 seconds = report->measured ? report->measured[factors(report) - 1] : predicted,
                 written = tcplan_block_expression_estimate(report->expression, true),
                 estimate = tcplan_block_expression_estimate(report->expression, false);
    fprintf(writer->file, "%s %s%s",
            report->measured        ? "Measured:"
            : report->options->path ? "Order of --path:"
                                    : "Fastest order:",
            quantity_seconds(seconds).text,
            !report->measured && is_estimate(report) ? " by estimate (nothing was timed)" : "");
    if (seconds > 0) fprintf(writer->file, ", %.4g GFLOP/s", 1e-9 * flops_of(report) / seconds);
    if (report->measured && predicted > 0)
        fprintf(writer->file, "; predicted: %s, %+.1f %%", quantity_seconds(predicted).text,
                100 * (predicted - seconds) / seconds);
    fputs(".\n", writer->file);
    if (estimate > 0 && written > estimate * 1.0005)
        fprintf(writer->file,
                "Multiplying from left to right takes %.2f times as long, by "
                "estimate.\n",
                written / estimate);
    fputs("\n", writer->file);
}

/** Prints the ways of each product. */
static void print_products(struct writer *writer, const struct block_order_report *report) {
    struct shown_step step = {.report = report};
    for (; tcplan_block_expression_step(report->expression, step.number, &step.step);
         step.number++) {
        const struct blocks_report product = {.options = report->options,
                                              .explains = report->explains,
                                              .lists = report->lists,
                                              .product = step.step.product,
                                              .plan = step.step.plan};
        char *text = text_of(&step);
        fprintf(writer->file, "\nStep %d: %s\n\n", step.number + 1, text ? text : "");
        writer->no_memory = writer->no_memory || !text;
        free(text);
        if (report->lists) {
            blocks_print_list(writer, &product);
            continue;
        }
        blocks_print_ways(writer, &product);
        blocks_print_sectors(writer, &product);
    }
}

static void print(struct writer *writer, const void *record) {
    const struct block_order_report *report = record;
    print_head(writer, report);
    if (!report->lists) print_answer(writer, report);
    fields_print_list(writer, &(struct field){.fields = step_fields, .each = each_brief}, report);
    if (report->lists || report->explains) print_products(writer, report);
}

VIEW(block_order, order, "blocks-order", print, "The order of products of block-sparse tensors.");
