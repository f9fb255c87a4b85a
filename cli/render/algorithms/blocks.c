#include "cli/render/algorithms/blocks.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/common_fields.h"
#include "cli/render/format.h"

enum { ROWS_BRIEF = 5, SECTORS_BRIEF = 12 };

/* Ways are equally fast if their times differ by less than this share of the time. */
#define TIE 0.02

/** A way to compute a block-sparse product, in the output. */
struct shown_way {
    const struct blocks_report *report;
    struct tcplan_block_candidate figures;
    int rank;
};

/** A sector of a block-sparse product, for printing. */
struct shown_sector {
    const struct blocks_report *report;
    struct tcplan_block_sector figures;
    int number;
};

/** Returns whether the output contains a way: if ways were measured, only the measured ones. */
static bool is_shown(const struct blocks_report *report,
                     const struct tcplan_block_candidate *figures) {
    return !report->measures || figures->seconds > 0 || figures->why_not;
}

static void each_way(struct field_visit *visit, const struct blocks_report *report) {
    struct shown_way way = {.report = report};
    for (int n = 0; tcplan_block_plan_candidate(report->plan, n, &way.figures); n++) {
        if (!is_shown(report, &way.figures)) continue;
        way.rank++;
        FIELD_VISIT(&way);
    }
}

/** Visits up to `most` sectors. */
static void each_sector(struct field_visit *visit, const struct blocks_report *report, int most) {
    struct shown_sector sector = {.report = report};
    for (int n = 0; n < most && tcplan_block_plan_sector(report->plan, n, &sector.figures); n++) {
        sector.number = n;
        FIELD_VISIT(&sector);
    }
}

FIELD_EACH(struct blocks_report, each_brief,
           each_sector(visit, r, r->options->verbose ? INT_MAX : SECTORS_BRIEF))

static double seconds_of(const struct tcplan_block_candidate *figures) {
    if (figures->why_not) return 0;
    return figures->seconds > 0 ? figures->seconds : figures->predicted_seconds;
}

static int64_t blocks_of(const struct blocks_report *report, enum tcplan_operand operand) {
    return tcplan_block_product_blocks(report->product, operand);
}

static const char *basis_of(const struct shown_way *way) {
    if (way->figures.why_not || way->report->lists) return NULL;
    if (way->figures.seconds > 0) return way->report->measures ? "measured" : "compared";
    return way->report->options->effort == TCPLAN_EFFORT_ESTIMATE ? "estimate" : "sectors";
}

/** Returns whether the report has both predicted and measured times. */
FIELD_TEST(struct shown_way, is_measured, r->report->measures)

/** Returns the time of a way divided by the time of the fastest one: the median, or an end of its
 * 95 % interval. */
static struct field_value ratio(const struct shown_way *way, int which) {
    const struct tcplan_block_plan *plan = way->report->plan;
    double value[3];
    if (!tcplan_block_plan_ratio(plan, way->figures.way, tcplan_block_plan_way(plan), &value[0],
                                 &value[1], &value[2]))
        return field_unknown();
    return field_number(value[which]);
}

/* clang-format off */

#define WAY(F, T) \
    F(T, rank, INTEGER, field_if(!r->figures.why_not, field_integer(r->rank)), "rank by time, from 1", COLUMN(1, "rank")) \
    F(T, way, TEXT, field_text(r->figures.way), "name of the way to multiply", COLUMN(2, "way"), ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_if(r->report->measures, field_positive(r->figures.why_not ? 0 : r->figures.predicted_seconds)), \
      "predicted time; present only if times are measured", COLUMN(3, "predicted"), .format = FIELD_TIME, .applies = is_measured) \
    F(T, seconds, NUMBER, field_if(!r->report->lists, field_positive(seconds_of(&r->figures))), "time of one execution", COLUMN(4, "time"), \
      .format = FIELD_TIME) \
    F(T, ratio, NUMBER, ratio(r, 0), "measured time over that of the fastest, in the same rounds") \
    F(T, ratio_low, NUMBER, ratio(r, 1), "lower end of the 95 % interval") \
    F(T, ratio_high, NUMBER, ratio(r, 2), "upper end of the 95 % interval") \
    F(T, packing_seconds, NUMBER, field_positive(r->figures.packing_seconds), "part of the time for packing and unpacking, by the model; absent: none", \
      COLUMN(6, "packing"), .format = FIELD_TIME) \
    F(T, calls, INTEGER, field_if(!r->figures.why_not, field_integer(r->figures.calls)), "dense products of one execution", COLUMN(7, "products")) \
    F(T, flops, NUMBER, field_positive(r->figures.why_not ? 0 : r->figures.flops), "floating-point operations, including operations on zeros") \
    F(T, workspace_bytes, INTEGER, field_if(!r->figures.why_not, field_integer(r->figures.workspace_bytes)), "memory for packed matrices", \
      COLUMN(8, "workspace"), .format = FIELD_BYTES) \
    F(T, basis, TEXT, field_text(basis_of(r)), "basis of the time: measured or compared (whole executions), sectors (each executed alone), estimate", \
      COLUMN(9, "time by")) \
    F(T, chosen, FLAG, field_flag(r->figures.chosen), "whether the plan executes the product in this way", ALWAYS) \
    F(T, says, TEXT, field_text(r->figures.says), "description of the way", ALWAYS) \
    F(T, why_not, TEXT, field_text(r->figures.why_not), "reason why this way is not considered; absent: it is considered")

#define SECTOR(F, T) \
    F(T, number, INTEGER, field_integer(r->number), "number of the sector, from 0", COLUMN(1, "sector"), ALWAYS) \
    F(T, blocks, INTEGER, field_integer(r->figures.blocks), "blocks of the result in the sector", COLUMN(2, "blocks"), ALWAYS) \
    F(T, pairs, INTEGER, field_integer(r->figures.pairs), "pairs of blocks of A and B", COLUMN(3, "pairs"), ALWAYS) \
    F(T, flops, NUMBER, field_number(r->figures.flops), "floating-point operations of the pairs", COLUMN(4, "flops"), ALWAYS) \
    F(T, fused_flops, NUMBER, field_positive(r->figures.fused_flops), \
      "floating-point operations if the sector is computed as one product, including operations on zeros", COLUMN(5, "fused")) \
    F(T, seconds, NUMBER, field_positive(r->figures.seconds), "time of the sector; absent: all sectors are computed together", COLUMN(6, "time"), \
      .format = FIELD_SECONDS) \
    F(T, way, TEXT, field_text(r->figures.way), "way in which the sector is computed", COLUMN(7, "way"), ALWAYS)

#define REPORT(F, T) \
    F(T, contraction, TEXT, field_owned(tcplan_block_product_text(r->product)), "the contraction", ALWAYS) \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, r->options->dtype), "type of the elements", .words = tcplan_words_dtypes, ALWAYS) \
    F(T, threads, INTEGER, field_integer(r->options->threads), "number of threads of an execution", ALWAYS) \
    F(T, blocks_a, INTEGER, field_integer(blocks_of(r, TCPLAN_A)), "nonzero blocks of the first factor", ALWAYS) \
    F(T, blocks_b, INTEGER, field_integer(blocks_of(r, TCPLAN_B)), "nonzero blocks of the second factor", ALWAYS) \
    F(T, blocks_result, INTEGER, field_integer(blocks_of(r, TCPLAN_C)), "blocks of the result", ALWAYS) \
    F(T, pairs, INTEGER, field_integer(tcplan_block_product_pairs(r->product)), "pairs of blocks that contribute", ALWAYS) \
    F(T, unreached, INTEGER, field_integer(tcplan_block_product_unreached(r->product)), "declared blocks of the result that no pair reaches", ALWAYS) \
    F(T, flops, NUMBER, field_number(tcplan_block_product_flops(r->product)), "floating-point operations of all pairs", ALWAYS) \
    F(T, planning_seconds, NUMBER, field_number(tcplan_block_plan_planning_seconds(r->plan)), "time of planning", ALWAYS) \
    F(T, stored, FLAG, field_flag(tcplan_block_plan_is_stored(r->plan)), "whether the plan is from the store, so that nothing was timed", ALWAYS) \
    F(T, ways, LIST, each_way(visit, r), "the ways to compute the product, fastest first", .item = "way", .fields = way_fields, ALWAYS) \
    F(T, sectors, LIST, each_sector(visit, r, r->explains ? INT_MAX : 0), "sectors of the product, by decreasing operations", .item = "sector", \
      .fields = sector_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(way, shown_way, WAY);
FIELD_TABLE(sector, shown_sector, SECTOR);
FIELD_TABLE_SHARED(blocks_report, blocks_report, REPORT);

static void print_head(struct writer *writer, const struct blocks_report *report) {
    const int64_t pairs = tcplan_block_product_pairs(report->product),
                  unreached = tcplan_block_product_unreached(report->product);
    char *text = tcplan_block_product_text(report->product);
    fprintf(writer->file, "%s   %" PRId64 " x %" PRId64 " blocks, %s, %s, %s\n\n", text ? text : "",
            blocks_of(report, TCPLAN_A), blocks_of(report, TCPLAN_B), counted(pairs, "pair").text,
            quantity_flops(tcplan_block_product_flops(report->product)).text,
            format_text_dtype((enum tcplan_dtype)report->options->dtype));
    writer->no_memory = writer->no_memory || !text;
    free(text);
    if (unreached > 0)
        fprintf(writer->file,
                "Note: no pair of blocks contributes to %s of the result; beta only "
                "scales %s.\n\n",
                counted(unreached, "block").text, unreached == 1 ? "it" : "them");
}

/** Prints the result in one line, such as "Fastest is fused: 117 us, 24.9 GFLOP/s, 19.6 times
 * faster than one product per pair." */
static void print_answer(struct writer *writer, const struct blocks_report *report) {
    const bool is_estimate = report->options->effort == TCPLAN_EFFORT_ESTIMATE && !report->measures;
    const double flops = tcplan_block_product_flops(report->product);
    struct tcplan_block_candidate best, other;
    if (!tcplan_block_plan_candidate(report->plan, 0, &best)) return;
    fprintf(writer->file, "%s %s: %s", is_estimate ? "Fastest by estimate is" : "Fastest is",
            best.way, quantity_seconds(seconds_of(&best)).text);
    if (is_estimate) fputs(" (nothing was timed)", writer->file);
    if (flops > 0 && seconds_of(&best) > 0)
        fprintf(writer->file, ", %.4g GFLOP/s", 1e-9 * flops / seconds_of(&best));
    for (int n = 1; tcplan_block_plan_candidate(report->plan, n, &other); n++) {
        const double factor = seconds_of(&other) / seconds_of(&best);
        if (strcmp(other.way, "blocks") == 0 && factor > 1 && is_shown(report, &other))
            fprintf(writer->file, ", %.1f times faster than one product per pair", factor);
    }
    fputs(".\n\n", writer->file);
}

void blocks_print_ways(struct writer *writer, const struct blocks_report *report) {
    struct shown_way way = {.report = report};
    struct field_table table;
    tcplan_block_plan_candidate(report->plan, 0, &way.figures);
    fields_table_begin(&table, way_fields, report->options->verbose,
                       time_unit_for(seconds_of(&way.figures)), &way);
    for (int n = 0; n < ROWS_BRIEF; n++) {
        if (!tcplan_block_plan_candidate(report->plan, n, &way.figures) || way.figures.why_not ||
            !is_shown(report, &way.figures))
            continue;
        way.rank++;
        table.table.style = way.figures.chosen ? STYLE_BEST : STYLE_PLAIN;
        fields_table_row(&table, &way);
    }
    if (!table_print(&table.table, writer->file)) writer->no_memory = true;
    fputs("\n", writer->file);
    for (int n = 0; tcplan_block_plan_candidate(report->plan, n, &way.figures); n++)
        if (way.figures.why_not)
            fprintf(writer->file, "Not considered: %s (%s).\n", way.figures.way,
                    way.figures.why_not);
}

void blocks_print_sectors(struct writer *writer, const struct blocks_report *report) {
    struct tcplan_block_sector figures;
    int count = 0;
    while (tcplan_block_plan_sector(report->plan, count, &figures)) count++;
    if (count == 0) return;
    fputs("\nSectors, those with most operations first:\n\n", writer->file);
    fields_print_list(writer, &(struct field){.fields = sector_fields, .each = each_brief}, report);
    if (count > SECTORS_BRIEF && !report->options->verbose)
        fprintf(writer->file, "\n%d smaller sectors are not shown (-v).\n", count - SECTORS_BRIEF);
}

/** Prints a line for each way, such as "fused: the blocks of each sector packed into one product".
 */
void blocks_print_list(struct writer *writer, const struct blocks_report *report) {
    struct tcplan_block_candidate figures;
    for (int n = 0; tcplan_block_plan_candidate(report->plan, n, &figures); n++)
        fprintf(writer->file, "%-8s %s%s%s%s\n", figures.way, figures.says,
                figures.why_not ? " (not considered: " : "", figures.why_not ? figures.why_not : "",
                figures.why_not ? ")" : "");
}

/** Prints ratios of times, such as "fused takes 1.31 times as long as blocks (1.29 to 1.34)." */
static void print_ratios(struct writer *writer, const struct blocks_report *report) {
    const char *best = tcplan_block_plan_way(report->plan);
    struct tcplan_block_candidate figures;
    double ratio, low, high;
    fputs("\n", writer->file);
    for (int n = 0; tcplan_block_plan_candidate(report->plan, n, &figures); n++) {
        if (figures.chosen ||
            !tcplan_block_plan_ratio(report->plan, figures.way, best, &ratio, &low, &high))
            continue;
        if (low < 1 + TIE && high > 1 - TIE)
            fprintf(writer->file, "%s and %s may be equally fast: ratio %.3f (%.3f to %.3f).\n",
                    best, figures.way, ratio, low, high);
        else
            fprintf(writer->file, "%s takes %.3f times as long as %s (%.3f to %.3f).\n",
                    figures.way, ratio, best, low, high);
    }
}

static void print(struct writer *writer, const void *record) {
    const struct blocks_report *report = record;
    print_head(writer, report);
    if (report->lists) {
        blocks_print_list(writer, report);
        return;
    }
    print_answer(writer, report);
    blocks_print_ways(writer, report);
    if (report->measures) print_ratios(writer, report);
    if (report->explains) blocks_print_sectors(writer, report);
}

VIEW(blocks, blocks_report, "blocks", print, "Ways to multiply block-sparse tensors.");
