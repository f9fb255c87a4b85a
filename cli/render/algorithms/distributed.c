#include "cli/render/algorithms/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/common_fields.h"
#include "cli/render/format.h"

enum { ROWS_BRIEF = 5, ROWS_VERBOSE = 12 };

/** A row of the table: an algorithm, or the whole product on one process. */
struct shown_entry {
    const struct distributed_report *report;
    const struct tcplan_distributed_entry *entry;
    int rank;                                    /* position in the ranking; 0: the baseline */
    const struct distributed_measured *measured; /* measurement of the algorithm; NULL: not measured
                                                  */
};

/** Distribution of a tensor over the processes. */
struct shown_tensor {
    const struct distributed_report *report;
    enum tcplan_operand operand;
};

#define SHOWN_ENTRY(report, e)                                                                     \
    (struct shown_entry) {                                                                         \
        (report), &(report)->ranking.entry[e], (e) + 1,                                            \
            (e) < (report)->measured_count ? &(report)->measured[e] : NULL                         \
    }

/** Returns the maximum number of algorithms in the list, by --top. */
static int listed(const struct distributed_report *report) {
    const int64_t top = report->options->top;
    return top > 0 && top < report->ranking.count ? (int)top : report->ranking.count;
}

static void each_call(struct field_visit *visit, const struct distributed_report *report) {
    struct tcplan_distributed_call call[TCPLAN_DISTRIBUTED_MOST_CALLS];
    const int count =
        report->distributed ? tcplan_distributed_calls(call, report->distributed, 0) : 0;
    for (int c = 0; c < count; c++) FIELD_VISIT(&call[c]);
}

static struct field_value bound(const struct distributed_report *report, bool dependent) {
    if (!report->distributed) return field_unknown();
    const struct tcplan_distributed_bounds bounds = tcplan_distributed_bounds(report->distributed);
    return field_positive(dependent ? bounds.dependent : bounds.independent);
}

static struct field_value layout(const struct shown_tensor *tensor, bool at_work) {
    return field_owned(
        tcplan_distributed_layout(tensor->report->distributed, tensor->operand, at_work));
}

static struct field_value block_elements(const struct shown_tensor *tensor) {
    return field_integer(
        tcplan_distributed_block(tensor->report->distributed, tensor->operand, 0, NULL, NULL));
}

static const char *tensor_name(const struct shown_tensor *tensor) {
    return tensor->report->problem.contraction->tensor[tensor->operand].name;
}

static bool is_tied(const struct shown_entry *row) {
    return row->rank > 0 && row->entry->tied && row->report->ranking.tied_count > 1;
}

FIELD_GETTER(struct shown_entry, marked_rank,
             r->rank > 0 ? field_printed("%d%c", r->rank, is_tied(r) ? '=' : ' ')
                         : field_printed("  "))
FIELD_GETTER(struct shown_entry, marked_name,
             field_printed("%s%s", r->entry->name, r->rank > 0 ? "" : " (baseline)"))

/* Returns whether some times were measured and others estimated; a column then distinguishes
 * them. */
FIELD_TEST(struct shown_entry, is_mixed, r->report->ranking.entry[0].timed)
FIELD_TEST(struct shown_entry, is_measured, r->report->measured_count > 0)

/* clang-format off */

#define MEASURED(value) field_if(r->measured != NULL, r->measured ? (value) : field_unknown())

#define ENTRY(F, T) \
    F(T, rank, INTEGER, field_if(r->rank > 0, field_integer(r->rank)), "rank by time, from 1", CSV(8), COLUMN(1, "rank"), .shown = marked_rank, ALWAYS) \
    F(T, name, TEXT, field_text(r->entry->name), "name of the algorithm: a grid and the index that each axis splits", \
      CSV(1), COLUMN(2, "algorithm"), .shown = marked_name, ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->entry->seconds), "predicted time", CSV(2), COLUMN(3, "time"), .format = FIELD_TIME, ALWAYS) \
    F(T, local_seconds, NUMBER, field_number(r->entry->local_seconds), "part of the time for the largest local product", CSV(3), COLUMN(4, "local"), \
      .format = FIELD_TIME, ALWAYS) \
    F(T, communication_seconds, NUMBER, field_positive(r->entry->communication_seconds), "part of the time for communication and packing; absent: none", \
      CSV(4), COLUMN(5, "communication"), .format = FIELD_TIME) \
    F(T, moved_bytes, NUMBER, field_number(r->entry->moved_bytes), "bytes that rank 0, with the largest blocks, receives from other ranks", \
      CSV(5), COLUMN(6, "bytes/rank"), .format = FIELD_BYTES, ALWAYS) \
    F(T, total_bytes, NUMBER, field_number(r->entry->total_bytes), \
      "bytes that all ranks receive from other ranks; with more than 1,024 processes an estimate: bytes of rank 0 times the processes", \
      CSV(6), COLUMN(7, "all bytes"), .format = FIELD_BYTES, .optional = '2', ALWAYS) \
    F(T, memory_bytes, INTEGER, field_integer(r->entry->memory_bytes), "maximum size of tensors and buffers on a rank", CSV(7), COLUMN(8, "memory/rank"), \
      .format = FIELD_BYTES, .optional = '1', ALWAYS) \
    F(T, timed, FLAG, field_flag(r->entry->timed), "whether the local product was timed, not estimated", CSV(9), ALWAYS) \
    F(T, tied, FLAG, field_flag(r->entry->tied), "whether the prediction is within 2 % of the fastest algorithm", CSV(10), ALWAYS) \
    F(T, measured_seconds, NUMBER, MEASURED(field_number(r->measured->seconds)), "median time of the rounds", \
      CSV(11), COLUMN(10, "measured"), .format = FIELD_TIME, .applies = is_measured) \
    F(T, measured_fastest, NUMBER, MEASURED(field_number(r->measured->fastest)), "time of the fastest round", CSV(12)) \
    F(T, measured_slowest, NUMBER, MEASURED(field_number(r->measured->slowest)), "time of the slowest round", CSV(13)) \
    F(T, rounds, INTEGER, MEASURED(field_integer(r->measured->rounds)), "number of rounds", CSV(14)) \
    F(T, bytes_as_predicted, FLAG, field_if(!r->entry->scalapack, MEASURED(field_flag(r->measured->as_predicted))), \
      "whether rank 0 passed the predicted bytes to every collective; absent for ScaLAPACK, whose bytes are estimates", CSV(15)) \
    F(T, scalapack, FLAG, field_flag(r->entry->scalapack), "whether ScaLAPACK multiplies; its bytes are estimates", CSV(16), ALWAYS) \
    F(T, measured_sent_bytes, INTEGER, MEASURED(field_integer(r->measured->sent)), "bytes that rank 0 passed to MPI to send in the first execution", CSV(17)) \
    F(T, error, NUMBER, MEASURED(field_number(r->entry->seconds / r->measured->seconds)), "predicted time over measured time", \
      COLUMN(11, "predicted/measured"), .format = FIELD_RATIO, .applies = is_measured, .hidden = true) \
    F(T, basis, TEXT, field_text(r->entry->timed ? "timing" : "estimate"), "basis of the local time", COLUMN(9, "local time by"), .optional = '3', \
      .applies = is_mixed, .hidden = true)

#define TENSOR(F, T) \
    F(T, name, TEXT, field_text(tensor_name(r)), "name of the tensor", COLUMN(1, "tensor"), ALWAYS) \
    F(T, home, TEXT, layout(r, false), "distribution of the tensor before and after the contraction", COLUMN(2, "lies as"), ALWAYS) \
    F(T, work, TEXT, layout(r, true), "distribution of the tensor in the local products", COLUMN(3, "multiplied as"), ALWAYS) \
    F(T, block_elements, INTEGER, block_elements(r), "elements on rank 0, which has the largest block", COLUMN(4, "largest block"), ALWAYS)

#define CALL(F, T) \
    F(T, collective, TEXT, field_text(r->collective), "function of MPI", COLUMN(1, "call"), ALWAYS) \
    F(T, tensor, TEXT, field_text(r->tensor), \
      "tensor that the call moves, or `status` for a call in which the ranks agree on errors", COLUMN(2, "of"), ALWAYS) \
    F(T, ranks, INTEGER, field_integer(r->ranks), "number of ranks that take part", COLUMN(3, "ranks"), ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->calls), "calls", COLUMN(4, "calls"), ALWAYS) \
    F(T, sent_bytes, INTEGER, field_integer(r->sent), "bytes that rank 0 passes to the calls", COLUMN(5, "sent bytes"), ALWAYS) \
    F(T, received_bytes, INTEGER, field_integer(r->received), "bytes that rank 0 receives from the calls", COLUMN(6, "received bytes"), ALWAYS) \
    F(T, moved_bytes, INTEGER, field_integer(r->moved), "bytes that rank 0 receives from other ranks") \
    F(T, seconds, NUMBER, field_positive(r->seconds), "predicted time; absent: none", COLUMN(7, "time"), .format = FIELD_SECONDS)

#define NODE r->options->distributed.ranks_per_node

#define REPORT(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, &r->problem}), "the contraction", .fields = asked_fields) \
    F(T, processes, INTEGER, field_integer(r->processes), "number of processes", ALWAYS) \
    F(T, ranks_per_node, INTEGER, field_if(NODE > 0, field_integer(NODE)), "consecutive ranks that share a node; absent: all") \
    F(T, communication, TEXT, field_text(r->communication ? "measured" : "assumed"), "whether the models of MPI's collectives are measured", ALWAYS) \
    F(T, enumerated, INTEGER, field_integer(r->ranking.enumerated), "compared algorithms", ALWAYS) \
    F(T, over_memory, INTEGER, field_integer(r->ranking.over_memory), "algorithms excluded by --max-memory", ALWAYS) \
    F(T, tied_count, INTEGER, field_integer(r->ranking.tied_count), "number of algorithms within 2 % of the fastest, including the fastest", ALWAYS) \
    F(T, baseline_seconds, NUMBER, field_number(r->ranking.serial_seconds), "predicted time of the whole contraction on one process", ALWAYS) \
    F(T, baseline_timed, FLAG, field_flag(r->ranking.serial_timed), "whether the time on one process is based on timings", ALWAYS) \
    F(T, bound_bytes, NUMBER, bound(r, false), "lower bound of the bytes that some rank sends or receives, for any size of memory (Al Daas and others 2022)") \
    F(T, memory_bound_bytes, NUMBER, bound(r, true), "lower bound of the bytes that some rank sends or receives, for the memory that the " \
      "algorithm uses (Irony, Toledo, Tiskin 2004)") \
    F(T, algorithms, LIST, FIELD_VISIT_ALL(listed(r), &SHOWN_ENTRY(r, i)), "the algorithms, fastest first", \
      .item = "algorithm", .fields = entry_fields, ALWAYS) \
    F(T, tensors, LIST, FIELD_VISIT_ALL(r->distributed ? TCPLAN_OPERANDS : 0, &(struct shown_tensor){r, (enum tcplan_operand)i}), \
      "distributions of the tensors", \
      .item = "tensor", .fields = tensor_fields, ALWAYS) \
    F(T, calls, LIST, each_call(visit, r), "MPI calls of rank 0, in order", .item = "call", .fields = call_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(entry, shown_entry, ENTRY);
FIELD_TABLE(tensor, shown_tensor, TENSOR);
FIELD_TABLE(call, tcplan_distributed_call, CALL);
FIELD_TABLE(report, distributed_report, REPORT);

static void print_head(struct writer *writer, const struct distributed_report *report) {
    const int node = report->options->distributed.ranks_per_node;
    format_text_heading(writer, &report->problem);
    fprintf(writer->file, ", %d process%s", report->processes, report->processes == 1 ? "" : "es");
    if (node > 0 && node < report->processes) fprintf(writer->file, ", %d on each node", node);
    if (report->options->threads > 1)
        fprintf(writer->file, ", up to %d threads each", report->options->threads);
    fputs("\n\n", writer->file);
}

/** Prints the result in one line, such as "Fastest by estimate is 2x2:a,b: 21.59 ms (nothing was
 * timed), 92.63 GFLOP/s, 3.0 times faster than one process; 2 others may be as fast (=)." */
static void print_answer(struct writer *writer, const struct distributed_report *report) {
    const struct tcplan_distributed_ranking *ranking = &report->ranking;
    const struct tcplan_distributed_entry *best = &ranking->entry[0];
    const struct terminal terminal = terminal_of(writer->file);
    const struct distributed_measured *measured = report->measured;
    const bool is_ranked = !report->is_named, comparable = best->timed == ranking->serial_timed;
    FILE *file = writer->file;
    if (measured && is_ranked) {
        fprintf(file, "Fastest of %d measured is ", report->measured_count);
    } else if (is_ranked) {
        fputs(best->timed ? "Fastest is " : "Fastest by estimate is ", file);
    }
    terminal_style(file, &terminal, STYLE_BEST);
    fputs(best->name, file);
    terminal_style(file, &terminal, STYLE_PLAIN);
    const double seconds = measured ? measured->seconds : best->seconds;
    fprintf(file, ": %s", quantity_seconds(seconds).text);
    if (!best->timed && !measured) fputs(" (nothing was timed)", file);
    if (seconds > 0 && report->problem.flops > 0)
        fprintf(file, ", %.4g GFLOP/s", 1e-9 * report->problem.flops / seconds);
    if (measured)
        fprintf(file, "; predicted %s, %+.1f %%", quantity_seconds(best->seconds).text,
                100 * (best->seconds / seconds - 1));
    if (report->processes > 1 && !measured && comparable && best->seconds > 0) {
        const double factor = ranking->serial_seconds / best->seconds;
        fprintf(file, ", %.1f times %s than one process", factor < 1 ? 1 / factor : factor,
                factor < 1 ? "slower" : "faster");
    }
    const int others = ranking->tied_count - 1;
    if (is_ranked && others > 0 && !measured)
        fprintf(file, "; %s may be as fast (=)", counted(others, "other").text);
    fputs(".\n\n", file);
}

/** Returns the position of ScaLAPACK's fastest algorithm in a ranking; -1 if there is none. */
static int first_of_scalapack(const struct tcplan_distributed_ranking *ranking) {
    for (int e = 0; e < ranking->count; e++) {
        if (ranking->entry[e].scalapack) return e;
    }
    return -1;
}

/** Prints the first rows. The baseline is at its position by time; ScaLAPACK's fastest algorithm is
 * always included. */
static void print_rows(struct writer *writer, const struct distributed_report *report) {
    const struct tcplan_distributed_ranking *ranking = &report->ranking;
    struct tcplan_distributed_entry serial = {.name = "1",
                                              .seconds = ranking->serial_seconds,
                                              .local_seconds = ranking->serial_seconds,
                                              .timed = ranking->serial_timed,
                                              .memory_bytes = report->serial_bytes};
    const bool has_baseline =
        report->processes > 1 && !report->is_named && report->measured_count == 0;
    const int most = report->options->verbose ? ROWS_VERBOSE : ROWS_BRIEF,
              brief = most - has_baseline;
    const bool all = report->lists_all || report->options->top > 0 || listed(report) < brief;
    const int rows = report->measured_count > 0 ? report->measured_count
                     : all                      ? listed(report)
                                                : brief;
    const struct shown_entry first = SHOWN_ENTRY(report, 0), baseline = {report, &serial, 0, NULL};
    struct field_table table;
    bool is_printed = !has_baseline;
    fields_table_begin(&table, entry_fields, report->options->verbose,
                       time_unit_for(ranking->entry[0].seconds), &first);
    for (int e = 0; e < rows; e++) {
        const struct shown_entry row = SHOWN_ENTRY(report, e);
        table.table.style = STYLE_PLAIN;
        if (!is_printed && serial.seconds < row.entry->seconds) {
            fields_table_row(&table, &baseline);
            is_printed = true;
        }
        table.table.style = e == 0 ? STYLE_BEST : is_tied(&row) ? STYLE_GOOD : STYLE_PLAIN;
        fields_table_row(&table, &row);
    }
    table.table.style = STYLE_PLAIN;
    if (!is_printed) fields_table_row(&table, &baseline);
    const int scalapack = all || report->is_named ? -1 : first_of_scalapack(ranking);
    if (scalapack >= rows) {
        const struct shown_entry row = SHOWN_ENTRY(report, scalapack);
        fields_table_row(&table, &row);
    }
    if (!table_print(&table.table, writer->file)) writer->no_memory = true;
    fputs("\n", writer->file);
    const int64_t slower = report->ranking.enumerated - report->ranking.over_memory -
                           (int64_t)rows - (scalapack >= rows);
    const char *before = "Not shown: ";
    if (slower > 0) {
        fprintf(writer->file, "%s%" PRId64 " slower", before, slower);
        before = ", ";
    }
    if (report->ranking.over_memory > 0) {
        fprintf(writer->file, "%s%" PRId64 " need%s more than --max-memory", before,
                report->ranking.over_memory, report->ranking.over_memory == 1 ? "s" : "");
        before = ", ";
    }
    if (*before == ',') fputs(".\n", writer->file);
}

/** Prints for which distribution of ranks over nodes the local times hold, and the source of the
 * communication times. */
static void print_basis(struct writer *writer, const struct distributed_report *report) {
    const int given = report->options->distributed.ranks_per_node;
    const int per_node = given > 0 && given < report->processes ? given : report->processes;
    const int cores = report->request->machine.cores;
    if (report->processes == 1) return;
    if (cores > 0 && per_node > cores)
        fprintf(writer->file,
                "The local times assume a core for each rank: %d in a node; this machine has %d.\n",
                per_node, cores);
    if (!report->communication) {
        fputs("Communication: assumed latency and bandwidth; tcplan-mpi-sample measures them.\n",
              writer->file);
        return;
    }
    const struct tcplan_communication_error error =
        tcplan_communication_check(report->communication, TCPLAN_COMMUNICATION_CALLS);
    fprintf(writer->file, "Communication: measured times from %s", report->communication_source);
    if (error.count > 0) fprintf(writer->file, ", median error %.0f %%", 100 * error.median);
    fputs(".\n", writer->file);
}

/** Prints how measured times and bytes compare with the predicted ones. */
static void print_measured(struct writer *writer, const struct distributed_report *report) {
    int differing = 0, predicted = 0, ours = 0;
    for (int e = 0; e < report->measured_count; e++) {
        const struct tcplan_distributed_entry *entry = report->ranking.entry;
        differing += !report->measured[e].as_predicted && !entry[e].scalapack;
        if (entry[e].scalapack)
            fprintf(writer->file, "%s sent %s from rank 0; %s were estimated for each rank.\n",
                    entry[e].name, quantity_bytes((double)report->measured[e].sent).text,
                    quantity_bytes(entry[e].moved_bytes).text);
        ours += !entry[e].scalapack;
        if (entry[e].seconds < entry[predicted].seconds) predicted = e;
    }
    if (report->measured_count == 0) return;
    if (ours > 0 && differing == 0) {
        fputs("Rank 0 passed the predicted bytes to every call of MPI.\n", writer->file);
    } else if (ours > 0) {
        fprintf(writer->file, "warning: %s passed other bytes to MPI than predicted\n",
                counted(differing, "algorithm").text);
    }
    if (predicted > 0)
        fprintf(writer->file, "The fastest by prediction, %s, took %.2f times as long.\n",
                report->ranking.entry[predicted].name,
                report->measured[predicted].seconds / report->measured[0].seconds);
}

static void print_details(struct writer *writer, const struct distributed_report *report) {
    const struct tcplan_distributed_bounds bounds = tcplan_distributed_bounds(report->distributed);
    const struct tcplan_distributed_entry *entry = &report->ranking.entry[0];
    fields_print_list(writer, field_named(report_fields, "tensors"), report);
    fputs("\nCalls of rank 0, which holds the largest blocks:\n\n", writer->file);
    fields_print_list(writer, field_named(report_fields, "calls"), report);
    fprintf(writer->file, "\nRank 0 receives %s from others",
            quantity_bytes(entry->moved_bytes).text);
    if (bounds.independent > 0)
        fprintf(writer->file, ", %.2f times the lower bound of %s",
                entry->moved_bytes / bounds.independent, quantity_bytes(bounds.independent).text);
    fprintf(writer->file, ".\n");
    if (bounds.dependent > 0)
        fprintf(
            writer->file,
            "With the memory that the algorithm uses, some rank sends or receives at least %s.\n",
            quantity_bytes(bounds.dependent).text);
}

static void print(struct writer *writer, const void *record) {
    const struct distributed_report *report = record;
    print_head(writer, report);
    print_answer(writer, report);
    print_rows(writer, report);
    if (report->processes > TCPLAN_DISTRIBUTED_EXACT_PROCESSES)
        fprintf(writer->file,
                "Beyond %d processes, 'all bytes' is an estimate: the bytes of rank 0 times the "
                "processes.\n",
                TCPLAN_DISTRIBUTED_EXACT_PROCESSES);
    if (report->distributed) print_details(writer, report);
    print_measured(writer, report);
    print_basis(writer, report);
    writer_print_command(writer, "C code: ",
                         report->options->emit
                             ? strdup(report->options->emit)
                             : emit_distributed_command(report->options, &report->problem,
                                                        report->ranking.entry[0].name));
}

VIEW(distributed, report, "distributed", print,
     "Algorithms of a contraction over several processes.");
