#include "cli/render/algorithms/distributed.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "cli/render/common_fields.h"
#include "cli/render/format.h"

/** Where a tensor lies. */
struct shown_tensor {
    const struct distributed_report *report;
    enum tcplan_operand operand;
};

static void each_entry(struct field_visit *visit, const struct distributed_report *report) {
    const int64_t top = report->options->top;
    for (int e = 0; e < report->ranking.count && (top == 0 || e < top); e++)
        FIELD_VISIT(&report->ranking.entry[e]);
}

static void each_tensor(struct field_visit *visit, const struct distributed_report *report) {
    for (int t = 0; t < TCPLAN_OPERANDS && report->distributed; t++)
        FIELD_VISIT(&(struct shown_tensor){report, (enum tcplan_operand)t});
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

/* clang-format off */

#define ENTRY(F, T) \
    F(T, name, TEXT, field_text(r->name), "name of the algorithm: a grid and the index that each axis splits", CSV(1), COLUMN(1, "algorithm"), ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->seconds), "predicted time", CSV(2), COLUMN(2, "time"), .format = FIELD_SECONDS, ALWAYS) \
    F(T, local_seconds, NUMBER, field_number(r->local_seconds), "of it, the largest local product", CSV(3), COLUMN(3, "local"), \
      .format = FIELD_SECONDS, ALWAYS) \
    F(T, communication_seconds, NUMBER, field_number(r->communication_seconds), "of it, communication and packing", \
      CSV(4), COLUMN(4, "communication"), .format = FIELD_SECONDS, ALWAYS) \
    F(T, moved_bytes, NUMBER, field_number(r->moved_bytes), "bytes that rank 0, with the largest blocks, receives from others", \
      CSV(5), COLUMN(5, "bytes/rank"), .format = FIELD_BYTES, ALWAYS) \
    F(T, total_bytes, NUMBER, field_number(r->total_bytes), \
      "bytes that all ranks receive from others; beyond 1,024 processes an estimate, those of rank 0 times the processes", \
      CSV(6), COLUMN(6, "all bytes"), .format = FIELD_BYTES, .optional = '2', ALWAYS) \
    F(T, memory_bytes, INTEGER, field_integer(r->memory_bytes), "tensors and buffers of the rank with most", CSV(7), COLUMN(7, "memory/rank"), \
      .format = FIELD_BYTES, .optional = '1', ALWAYS)

#define TENSOR(F, T) \
    F(T, name, TEXT, field_text(tensor_name(r)), "name of the tensor", COLUMN(1, "tensor"), ALWAYS) \
    F(T, home, TEXT, layout(r, false), "its distribution before and after", COLUMN(2, "lies as"), ALWAYS) \
    F(T, work, TEXT, layout(r, true), "its distribution in the local products", COLUMN(3, "multiplied as"), ALWAYS) \
    F(T, block_elements, INTEGER, block_elements(r), "elements of rank 0, the largest block", COLUMN(4, "largest block"), ALWAYS)

#define CALL(F, T) \
    F(T, collective, TEXT, field_text(r->collective), "function of MPI", COLUMN(1, "call"), ALWAYS) \
    F(T, tensor, TEXT, field_text(r->tensor), "tensor that it moves; status: ranks agree on errors", COLUMN(2, "of"), ALWAYS) \
    F(T, ranks, INTEGER, field_integer(r->ranks), "ranks that take part", COLUMN(3, "ranks"), ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->calls), "calls", COLUMN(4, "calls"), ALWAYS) \
    F(T, sent_bytes, INTEGER, field_integer(r->sent), "bytes that rank 0 passes to them", COLUMN(5, "sent bytes"), ALWAYS) \
    F(T, received_bytes, INTEGER, field_integer(r->received), "bytes that rank 0 receives from them", COLUMN(6, "received bytes"), ALWAYS) \
    F(T, moved_bytes, INTEGER, field_integer(r->moved), "of these, from other ranks") \
    F(T, seconds, NUMBER, field_number(r->seconds), "predicted time", COLUMN(7, "time"), .format = FIELD_SECONDS, ALWAYS)

#define NODE r->options->distributed.ranks_per_node

#define REPORT(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, &r->problem}), "the contraction", .fields = asked_fields) \
    F(T, processes, INTEGER, field_integer(r->processes), "number of processes", ALWAYS) \
    F(T, ranks_per_node, INTEGER, field_if(NODE > 0, field_integer(NODE)), \
      "consecutive ranks that share a node; absent: all") \
    F(T, communication, TEXT, field_text(r->communication ? "measured" : "assumed"), "whether models of MPI's collectives are measured", ALWAYS) \
    F(T, enumerated, INTEGER, field_integer(r->ranking.enumerated), "compared algorithms", ALWAYS) \
    F(T, over_memory, INTEGER, field_integer(r->ranking.over_memory), "of these, excluded by --max-memory", ALWAYS) \
    F(T, bound_bytes, NUMBER, bound(r, false), "lower bound of the bytes of some rank, for any memory (Al Daas and others 2022)") \
    F(T, memory_bound_bytes, NUMBER, bound(r, true), "lower bound for the memory that the algorithm uses (Irony, Toledo, Tiskin 2004)") \
    F(T, algorithms, LIST, each_entry(visit, r), "the algorithms, fastest first", .item = "algorithm", .fields = entry_fields, ALWAYS) \
    F(T, tensors, LIST, each_tensor(visit, r), "where the tensors lie", .item = "tensor", .fields = tensor_fields, ALWAYS) \
    F(T, calls, LIST, each_call(visit, r), "calls of MPI of rank 0, in order", .item = "call", .fields = call_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(entry, tcplan_distributed_entry, ENTRY);
FIELD_TABLE(tensor, shown_tensor, TENSOR);
FIELD_TABLE(call, tcplan_distributed_call, CALL);
FIELD_TABLE(report, distributed_report, REPORT);

static void print_head(struct writer *writer, const struct distributed_report *report) {
    const int node = report->options->distributed.ranks_per_node;
    format_text_problem(writer, &report->problem);
    fprintf(writer->file, "processes    %d", report->processes);
    if (node > 0 && node < report->processes) fprintf(writer->file, ", %d on each node", node);
    fprintf(writer->file, "\nlocal        estimated, not timed\nMPI          %s\n\n",
            report->communication ? "measured models (--communication)"
                                  : "assumed latency and bandwidth: --communication FILE uses "
                                    "measured models");
}

static void print_details(struct writer *writer, const struct distributed_report *report) {
    const struct tcplan_distributed_bounds bounds = tcplan_distributed_bounds(report->distributed);
    const struct tcplan_distributed_entry *entry = &report->ranking.entry[0];
    fputs("\n", writer->file);
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
        fprintf(writer->file, "With this memory, some rank sends or receives at least %s.\n",
                quantity_bytes(bounds.dependent).text);
}

static void print(struct writer *writer, const void *record) {
    const struct distributed_report *report = record;
    print_head(writer, report);
    fields_print_list(writer, field_named(report_fields, "algorithms"), report);
    if (report->processes > TCPLAN_DISTRIBUTED_EXACT_PROCESSES)
        fprintf(writer->file,
                "\nBeyond %d processes, 'all bytes' is an estimate: the bytes of rank 0 times the "
                "processes.\n",
                TCPLAN_DISTRIBUTED_EXACT_PROCESSES);
    if (report->distributed) print_details(writer, report);
    if (report->ranking.over_memory > 0)
        fprintf(writer->file, "\n%" PRId64 " of %" PRId64 " algorithms exceed --max-memory.\n",
                report->ranking.over_memory, report->ranking.enumerated);
}

VIEW(distributed, report, "distributed", print,
     "Algorithms of a contraction over several processes.");
