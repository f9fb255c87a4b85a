#include "cli/render/algorithms/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/common_fields.h"
#include "cli/render/format.h"
#include "cli/render/text/values.h"

enum { ROWS_BRIEF = 5, ROWS_VERBOSE = 12 };

/** An algorithm of the expression, or the expression on one process. */
struct shown_order {
    const struct distributed_order_report *report;
    int number; /* number of the algorithm, from 0; -1: the baseline */
    int place;  /* its row, from 0 */
    struct tcplan_distributed_entry entry;
    const struct distributed_measured *measured; /* NULL: not measured */
};

/** A step of the fastest algorithm. */
struct shown_distributed_step {
    const struct distributed_order_report *report;
    int s;
};

/** Returns the algorithm of a row. */
static struct shown_order shown(const struct distributed_order_report *report, int place) {
    const bool is_measured = report->measured && place < report->measured_count;
    const int number = is_measured ? report->shown[place] : place;
    return (struct shown_order){report, number, place,
                                tcplan_distributed_network_entry(report->network, number),
                                is_measured ? &report->measured[place] : NULL};
}

/** Returns the maximum number of algorithms in the list, by --top. */
static int listed(const struct distributed_order_report *report) {
    const int64_t top = report->options->top;
    const int count = report->in_detail  ? 1
                      : report->measured ? report->measured_count
                                         : tcplan_distributed_network_count(report->network);
    return top > 0 && top < count ? (int)top : count;
}

static const struct tcplan_tree *tree_of(const struct shown_order *row) {
    return tcplan_distributed_network_tree(row->report->network, row->number < 0 ? 0 : row->number);
}

static const char *name_of(const struct shown_order *row) {
    return row->number < 0 ? "1"
                           : tcplan_distributed_network_name(row->report->network, row->number);
}

static int tied_count(const struct distributed_order_report *report) {
    int count = 0;
    while (count < tcplan_distributed_network_count(report->network) &&
           tcplan_distributed_network_entry(report->network, count).tied)
        count++;
    return count;
}

static bool is_tied(const struct shown_order *row) {
    return row->number >= 0 && row->entry.tied && !row->measured && tied_count(row->report) > 1;
}

static int64_t enumerated(const struct distributed_order_report *report, bool over_memory) {
    int64_t over;
    const int64_t all = tcplan_distributed_network_enumerated(report->network, &over);
    return over_memory ? over : all;
}

static const struct tcplan_tree *any_tree(const struct distributed_order_report *report) {
    return tcplan_distributed_network_tree(report->network, 0);
}

static char *text_of_sizes(const struct distributed_order_report *report, bool joins) {
    const struct tcplan_tree *tree = any_tree(report);
    return sizes_text(tree->network->index_count, (const char *const *)tree->network->index,
                      tree->extent, joins);
}

static void each_shown_step(struct field_visit *visit,
                            const struct distributed_order_report *report) {
    const int steps =
        report->in_detail ? tcplan_distributed_network_step_count(report->network, 0) : 0;
    for (int s = 0; s < steps; s++) FIELD_VISIT(&(struct shown_distributed_step){report, s});
}

static void each_order_call(struct field_visit *visit,
                            const struct distributed_order_report *report) {
    const int steps = tcplan_distributed_network_step_count(report->network, 0);
    struct tcplan_distributed_call *call =
        report->in_detail ? calloc((size_t)steps * TCPLAN_DISTRIBUTED_MOST_CALLS, sizeof *call)
                          : NULL;
    const int count = call ? tcplan_distributed_network_calls(call, report->network, 0, 0) : 0;
    for (int c = 0; c < count; c++) FIELD_VISIT(&call[c]);
    free(call);
}

static struct field_value step_layout(const struct shown_distributed_step *step,
                                      enum tcplan_operand operand, bool at_work) {
    return field_owned(
        tcplan_distributed_network_layout(step->report->network, 0, step->s, operand, at_work));
}

static struct tcplan_distributed_entry step_entry(const struct shown_distributed_step *step) {
    return tcplan_distributed_entry(
        tcplan_distributed_network_step(step->report->network, 0, step->s, NULL));
}

FIELD_GETTER(struct shown_order, marked_rank,
             r->number >= 0 ? field_printed("%d%c", r->place + 1, is_tied(r) ? '=' : ' ')
                            : field_printed("  "))
FIELD_GETTER(struct shown_order, marked_name,
             r->number >= 0 ? field_text(name_of(r)) : field_text("1 (baseline)"))
FIELD_GETTER(struct shown_order, shown_path,
             r->number >= 0 ? field_owned(tcplan_tree_path(tree_of(r))) : field_text("-"))
FIELD_TEST(struct shown_order, is_measured, r->report->measured_count > 0)
FIELD_TEST(struct shown_order, is_mixed, shown(r->report, 0).entry.timed)

/* clang-format off */

#define MEASURED(value) field_if(r->measured != NULL, r->measured ? (value) : field_unknown())

#define ROW(F, T) \
    F(T, rank, INTEGER, field_if(r->number >= 0, field_integer(r->place + 1)), "rank by time, from 1", CSV(8), COLUMN(1, "rank"), \
      .shown = marked_rank, ALWAYS) \
    F(T, name, TEXT, field_text(name_of(r)), "algorithms of the steps, separated by semicolons", CSV(1), COLUMN(2, "algorithms"), \
      .shown = marked_name, ALWAYS) \
    F(T, path, TEXT, field_owned(tcplan_tree_path(tree_of(r))), "order as a path of opt_einsum", CSV(2), COLUMN(3, "order"), .shown = shown_path, ALWAYS) \
    F(T, tree, TEXT, field_owned(tcplan_tree_text(tree_of(r))), "steps and layouts of intermediates as one text", CSV(3), ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->entry.seconds), "predicted time", CSV(4), COLUMN(4, "time"), .format = FIELD_TIME, ALWAYS) \
    F(T, local_seconds, NUMBER, field_number(r->entry.local_seconds), "part of the time for the largest local products", CSV(5), COLUMN(5, "local"), \
      .format = FIELD_TIME, ALWAYS) \
    F(T, communication_seconds, NUMBER, field_positive(r->entry.communication_seconds), \
      "part of the time for communication and packing; absent: none", CSV(6), COLUMN(6, "communication"), .format = FIELD_TIME) \
    F(T, moved_bytes, NUMBER, field_number(r->entry.moved_bytes), "bytes that rank 0, with the largest blocks, receives from other ranks", \
      CSV(7), COLUMN(7, "bytes/rank"), .format = FIELD_BYTES, ALWAYS) \
    F(T, total_bytes, NUMBER, field_number(r->entry.total_bytes), \
      "bytes that all ranks receive from other ranks; with more than 1,024 processes an estimate: bytes of rank 0 times the processes", \
      CSV(9), COLUMN(8, "all bytes"), .format = FIELD_BYTES, .optional = '2', ALWAYS) \
    F(T, memory_bytes, INTEGER, field_if(r->number >= 0, field_integer(r->entry.memory_bytes)), \
      "maximum size of tensors, intermediates and buffers on a rank", CSV(10), COLUMN(9, "memory/rank"), .format = FIELD_BYTES, .optional = '1') \
    F(T, timed, FLAG, field_flag(r->entry.timed), "whether the local products were timed, not estimated", CSV(11), ALWAYS) \
    F(T, tied, FLAG, field_flag(r->entry.tied), "whether the prediction is within 2 % of the fastest algorithm", CSV(12), ALWAYS) \
    F(T, measured_seconds, NUMBER, MEASURED(field_number(r->measured->seconds)), "median time of the rounds", \
      CSV(13), COLUMN(11, "measured"), .format = FIELD_TIME, .applies = is_measured) \
    F(T, measured_fastest, NUMBER, MEASURED(field_number(r->measured->fastest)), "time of the fastest round", CSV(14)) \
    F(T, measured_slowest, NUMBER, MEASURED(field_number(r->measured->slowest)), "time of the slowest round", CSV(15)) \
    F(T, rounds, INTEGER, MEASURED(field_integer(r->measured->rounds)), "number of rounds", CSV(16)) \
    F(T, bytes_as_predicted, FLAG, MEASURED(field_flag(r->measured->as_predicted)), \
      "whether rank 0 passed the predicted bytes to every collective", CSV(17)) \
    F(T, error, NUMBER, MEASURED(field_number(r->entry.seconds / r->measured->seconds)), "predicted time over measured time", \
      COLUMN(12, "predicted/measured"), .format = FIELD_RATIO, .applies = is_measured, .hidden = true) \
    F(T, basis, TEXT, field_text(r->entry.timed ? "timing" : "estimate"), "basis of the local time", COLUMN(10, "local time by"), .optional = '3', \
      .applies = is_mixed, .hidden = true)

#define ORDER_STEP(F, T) \
    F(T, step, INTEGER, field_integer(r->s + 1), "number of the step", COLUMN(1, "step"), ALWAYS) \
    F(T, product, TEXT, field_owned(tcplan_tree_step_text(any_tree(r->report), r->s)), "product of the step", COLUMN(2, "product"), ALWAYS) \
    F(T, algorithm, TEXT, field_printed("%s", step_entry(r).name), "distributed algorithm of the step", COLUMN(3, "algorithm"), ALWAYS) \
    F(T, left, TEXT, step_layout(r, TCPLAN_A, false), "grid and splits of the left tensor before the step", COLUMN(4, "left lies as"), ALWAYS) \
    F(T, left_work, TEXT, step_layout(r, TCPLAN_A, true), "grid and splits of the left tensor during the local products") \
    F(T, right, TEXT, step_layout(r, TCPLAN_B, false), "grid and splits of the right tensor before the step", COLUMN(5, "right lies as"), ALWAYS) \
    F(T, right_work, TEXT, step_layout(r, TCPLAN_B, true), "grid and splits of the right tensor during the local products") \
    F(T, result, TEXT, step_layout(r, TCPLAN_RESULT, false), "grid and splits of the result after the step", COLUMN(6, "result lies as"), ALWAYS) \
    F(T, seconds, NUMBER, field_number(step_entry(r).seconds), "predicted time", COLUMN(7, "time"), .format = FIELD_SECONDS, ALWAYS) \
    F(T, communication_seconds, NUMBER, field_positive(step_entry(r).communication_seconds), "part of the time for communication and packing", \
      COLUMN(8, "communication"), .format = FIELD_SECONDS)

#define ORDER_CALL(F, T) \
    F(T, collective, TEXT, field_text(r->collective), "function of MPI", COLUMN(1, "call"), ALWAYS) \
    F(T, tensor, TEXT, field_text(r->tensor), "tensor that the call moves; status: the ranks agree on errors", COLUMN(2, "of"), ALWAYS) \
    F(T, ranks, INTEGER, field_integer(r->ranks), "number of ranks that take part", COLUMN(3, "ranks"), ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->calls), "calls", COLUMN(4, "calls"), ALWAYS) \
    F(T, sent_bytes, INTEGER, field_integer(r->sent), "bytes that rank 0 passes to the calls", COLUMN(5, "sent bytes"), ALWAYS) \
    F(T, received_bytes, INTEGER, field_integer(r->received), "bytes that rank 0 receives from the calls", COLUMN(6, "received bytes"), ALWAYS) \
    F(T, moved_bytes, INTEGER, field_integer(r->moved), "bytes that rank 0 receives from other ranks") \
    F(T, seconds, NUMBER, field_positive(r->seconds), "predicted time; absent: none", COLUMN(7, "time"), .format = FIELD_SECONDS)

#define NODE r->options->distributed.ranks_per_node

#define ORDER_REPORT(F, T) \
    F(T, expression, TEXT, field_owned(tcplan_network_text(any_tree(r)->network)), "the expression in tcplan's notation", ALWAYS) \
    F(T, sizes, SIZES, field_owned(text_of_sizes(r, false)), "extent of each index", .columns = "extent_", ALWAYS) \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, any_tree(r)->dtype), "element type", .words = tcplan_words_dtypes, ALWAYS) \
    F(T, order, TEXT, FIELD_WORD(orders, any_tree(r)->network->order), "whether the first or the last index is contiguous", \
      .words = tcplan_words_orders, ALWAYS) \
    F(T, processes, INTEGER, field_integer(tcplan_distributed_network_processes(r->network)), "number of processes", ALWAYS) \
    F(T, ranks_per_node, INTEGER, field_if(NODE > 0, field_integer(NODE)), "consecutive ranks that share a node; absent: all") \
    F(T, communication, TEXT, field_text(r->communication ? "measured" : "assumed"), "whether the models of MPI's collectives are measured", ALWAYS) \
    F(T, enumerated, INTEGER, field_integer(enumerated(r, false)), "compared algorithms", ALWAYS) \
    F(T, over_memory, INTEGER, field_integer(enumerated(r, true)), "algorithms excluded by --max-memory", ALWAYS) \
    F(T, baseline_seconds, NUMBER, field_positive(tcplan_distributed_network_serial_seconds(r->network)), \
      "predicted time of the fastest order on one process, by estimates") \
    F(T, algorithms, LIST, for (int i = 0; i < listed(r); i++) { const struct shown_order one = shown(r, i); FIELD_VISIT(&one); }, \
      "the algorithms, fastest first", .item = "algorithm", .fields = order_row_fields, ALWAYS) \
    F(T, steps, LIST, each_shown_step(visit, r), "steps of the fastest algorithm", .item = "step", .fields = order_step_fields, ALWAYS) \
    F(T, calls, LIST, each_order_call(visit, r), "MPI calls of rank 0, in order; those in which the ranks agree on errors come last", .item = "call", \
      .fields = order_call_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(order_row, shown_order, ROW);
FIELD_TABLE(order_step, shown_distributed_step, ORDER_STEP);
FIELD_TABLE(order_call, tcplan_distributed_call, ORDER_CALL);
FIELD_TABLE(distributed_order, distributed_order_report, ORDER_REPORT);

static void print_head(struct writer *writer, const struct distributed_order_report *report) {
    const int processes = tcplan_distributed_network_processes(report->network);
    const int node = report->options->distributed.ranks_per_node;
    const struct tcplan_tree *tree = any_tree(report);
    writer_print_owned(writer, "", tcplan_network_text(tree->network), "   ");
    writer_print_owned(writer, "", text_of_sizes(report, true), "");
    fprintf(writer->file, "   %s, %s-major, %d process%s", format_text_dtype(tree->dtype),
            tree->network->order == TCPLAN_COLUMN_MAJOR ? "column" : "row", processes,
            processes == 1 ? "" : "es");
    if (node > 0 && node < processes) fprintf(writer->file, ", %d on each node", node);
    fputs("\n\n", writer->file);
}

static void print_answer(struct writer *writer, const struct distributed_order_report *report) {
    const struct shown_order best = shown(report, 0);
    const double serial = tcplan_distributed_network_serial_seconds(report->network);
    const struct terminal terminal = terminal_of(writer->file);
    FILE *file = writer->file;
    const double seconds = best.measured ? best.measured->seconds : best.entry.seconds;
    if (!report->is_named && best.measured) {
        fprintf(file, "Fastest of %d measured is ", report->measured_count);
    } else if (!report->is_named) {
        fputs(best.entry.timed ? "Fastest is " : "Fastest by estimate is ", file);
    }
    terminal_style(file, &terminal, STYLE_BEST);
    fputs(name_of(&best), file);
    terminal_style(file, &terminal, STYLE_PLAIN);
    fprintf(file, ": %s", quantity_seconds(seconds).text);
    if (best.measured)
        fprintf(file, "; predicted %s, %+.1f %%", quantity_seconds(best.entry.seconds).text,
                100 * (best.entry.seconds / seconds - 1));
    if (!best.entry.timed && !best.measured) fputs(" (nothing was timed)", file);
    if (best.entry.seconds > 0 && serial > 0 && !best.measured) {
        const double factor = serial / best.entry.seconds;
        fprintf(file, ", %.1f times %s than one process by estimate",
                factor < 1 ? 1 / factor : factor, factor < 1 ? "slower" : "faster");
    }
    const int others = tied_count(report) - 1;
    if (!report->is_named && others > 0 && !best.measured)
        fprintf(file, "; %s may be as fast (=)", counted(others, "other").text);
    fputs(".\n\n", file);
}

static void print_rows(struct writer *writer, const struct distributed_order_report *report) {
    const double serial = tcplan_distributed_network_serial_seconds(report->network);
    const struct shown_order baseline = {
        report, -1, 0, {.seconds = serial, .local_seconds = serial}, NULL};
    const bool has_baseline = !report->is_named && serial > 0 && !report->measured;
    const int most = (report->options->verbose ? ROWS_VERBOSE : ROWS_BRIEF) - has_baseline;
    const bool all =
        report->lists_all || report->measured || report->options->top > 0 || listed(report) < most;
    const int rows = all ? listed(report) : most;
    const struct shown_order first = shown(report, 0);
    struct field_table table;
    bool is_printed = !has_baseline;
    fields_table_begin(&table, order_row_fields, report->options->verbose,
                       time_unit_for(first.entry.seconds), &first);
    for (int a = 0; a < rows; a++) {
        const struct shown_order row = shown(report, a);
        table.table.style = STYLE_PLAIN;
        if (!is_printed && serial < row.entry.seconds) {
            fields_table_row(&table, &baseline);
            is_printed = true;
        }
        table.table.style = a == 0 ? STYLE_BEST : is_tied(&row) ? STYLE_GOOD : STYLE_PLAIN;
        fields_table_row(&table, &row);
    }
    table.table.style = STYLE_PLAIN;
    if (!is_printed) fields_table_row(&table, &baseline);
    if (!table_print(&table.table, writer->file)) writer->no_memory = true;
    const int64_t over = enumerated(report, true), slower = enumerated(report, false) - over - rows;
    if (slower > 0) fprintf(writer->file, "\nNot shown: %" PRId64 " slower.\n", slower);
    if (over > 0)
        fprintf(writer->file, "\nNot shown: %" PRId64 " need%s more than --max-memory.\n", over,
                over == 1 ? "s" : "");
}

/** Prints whether the bytes of rank 0 are as predicted. */
static void print_measured(struct writer *writer, const struct distributed_order_report *report) {
    int differing = 0;
    for (int e = 0; e < report->measured_count; e++) differing += !report->measured[e].as_predicted;
    if (report->measured_count > 0 && differing == 0)
        fputs("Rank 0 passed the predicted bytes to every call of MPI.\n", writer->file);
    if (differing > 0)
        fprintf(writer->file, "warning: %s passed other bytes to MPI than predicted\n",
                counted(differing, "algorithm").text);
}

static void print(struct writer *writer, const void *record) {
    const struct distributed_order_report *report = record;
    const int processes = tcplan_distributed_network_processes(report->network);
    print_head(writer, report);
    print_answer(writer, report);
    if (report->in_detail) {
        fields_print_list(writer, field_named(distributed_order_fields, "steps"), report);
        fputs("\nCalls of rank 0, which holds the largest blocks:\n\n", writer->file);
        fields_print_list(writer, field_named(distributed_order_fields, "calls"), report);
    } else {
        print_rows(writer, report);
    }
    fputs("\n", writer->file);
    print_measured(writer, report);
    if (!report->communication && processes > 1)
        fputs("Communication: assumed latency and bandwidth; tcplan-mpi-sample measures them.\n",
              writer->file);
    if (report->communication)
        fprintf(writer->file, "Communication: measured times from %s.\n",
                report->communication_source);
    writer_print_command(writer, "C code: ",
                         report->options->emit ? strdup(report->options->emit)
                                               : emit_distributed_order_command(report));
}

VIEW(distributed_order, distributed_order, "distributed-order", print,
     "Algorithms of an expression of several tensors over several processes.");
