#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/algorithms/explain.h"
#include "cli/render/text/table.h"

enum { SENTENCE_WIDTH = 110, MARGIN = 3 };

static void print_table(struct writer *writer, struct table *table) {
    if (!table_print(table, writer->file)) writer->no_memory = true;
}

static void print_head(struct writer *writer, const struct explained_report *report) {
    const struct tcplan_machine *machine = &report->explanation->machine;
    const struct options *options = report->request->options;
    fputs("contraction  ", writer->file);
    writer_print_owned(writer, tcplan_contraction_text(report->request->contraction));
    fprintf(writer->file, "; %s, type %s\n",
            tcplan_word(tcplan_words_orders, report->request->contraction->order),
            tcplan_word(tcplan_words_dtypes, options->dtype));
    format_text_strides(writer, report->request->contraction);
    fputs("sizes        ", writer->file);
    writer_print_owned(writer, report_sizes(&report->explanation->problem));
    fprintf(writer->file, "; %s\n", quantity_flops(report->explanation->problem.flops).text);
    format_text_machine_name(writer->file, machine);
    fputs("; ", writer->file);
    for (int c = 0; c < machine->cache_count; c++) {
        fprintf(writer->file, "L%d %s, ", machine->cache[c].level,
                quantity_bytes(machine->cache[c].size_bytes).text);
    }
    fprintf(writer->file, "lines of %lld bytes\n", (long long)machine->line_bytes);
    fprintf(writer->file, "prediction   window, %s cache, %d thread%s\n",
            tcplan_word(tcplan_words_cache_states, options->cache), options->threads,
            options->threads == 1 ? "" : "s");
}

/* Side by side: a label, a value and a share for each side, and where they are from. */

/** A quantity of one side. */
typedef struct quantity value_fn(const struct tcplan_explained *side);

static struct quantity format(const char *text, ...) __attribute__((format(printf, 1, 2)));
static struct quantity format(const char *text, ...) {
    struct quantity quantity;
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(quantity.text, sizeof quantity.text, text, arguments);
    va_end(arguments);
    return quantity;
}

static struct quantity place_value(const struct tcplan_explained *side) {
    return side->pruned
               ? format("%s", "not predicted")
               : format("%zu%s", side->place + 1, side->tied && side->place > 0 ? ", tied" : "");
}

static struct quantity time_value(const struct tcplan_explained *side) {
    return explain_seconds(side->prediction.seconds);
}

static struct quantity low_value(const struct tcplan_explained *side) {
    return explain_seconds(side->prediction.low);
}

static struct quantity high_value(const struct tcplan_explained *side) {
    return explain_seconds(side->prediction.high);
}

static struct quantity estimate_value(const struct tcplan_explained *side) {
    return isfinite(side->estimate_seconds) ? explain_seconds(side->estimate_seconds)
                                            : format("%s", "-");
}

static struct quantity word_value(enum tcplan_time_source source) {
    const char *word = tcplan_word(tcplan_words_time_sources, (int)source);
    return format("%s", *word ? word : "-");
}

static struct quantity kernel_source_value(const struct tcplan_explained *side) {
    return word_value(side->kernel_source);
}

static struct quantity copy_source_value(const struct tcplan_explained *side) {
    return word_value(side->copy_source);
}

static struct quantity calls_value(const struct tcplan_explained *side) {
    return format("%lld", (long long)side->calls);
}

static struct quantity call_value(const struct tcplan_explained *side) {
    return explain_seconds(side->call_seconds);
}

static struct quantity kernel_call_value(const struct tcplan_explained *side) {
    return explain_seconds(side->kernel_seconds / ((double)side->calls * side->share));
}

static struct quantity smallest_value(const struct tcplan_explained *side) {
    return explain_seconds(side->smallest_call_seconds);
}

static struct quantity speed_value(const struct tcplan_explained *side) {
    return format("%.4g GFLOP/s", side->kernel_gflops);
}

static const struct {
    const char *label;
    value_fn *value;
    const char *source;
} values[] = {
    {"place in the ranking", place_value, "the ranking"},
    {"predicted time", time_value, "predicted: stretches of real calls"},
    {"  lower end", low_value, "95 % interval"},
    {"  upper end", high_value, "95 % interval"},
    {"estimated time", estimate_value, "before it was looked at"},
    {"  its kernel", kernel_source_value, "where the estimate had it from"},
    {"  its copies", copy_source_value, "likewise"},
    {"kernel calls", calls_value, "counted"},
    {"time of a call", call_value, "predicted, with the loops around it"},
    {"  alone", kernel_call_value, "measured: the same operands again and again"},
    {"  smallest", smallest_value, "measured: the same, all extents 1"},
    {"speed of the kernel alone", speed_value, "measured"},
};

static void add_share(struct table *table, const struct tcplan_explained *side, double seconds) {
    table_add(table, "%s", explain_seconds(seconds).text);
    table_add(table, "%.1f %%", 100 * seconds / side->prediction.seconds);
}

static void add_values(struct table *table, const struct explained_report *report) {
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        table_add(table, "%s", values[v].label);
        for (int s = 0; s < report->explanation->side_count; s++) {
            table_add(table, "%s", values[v].value(&report->explanation->side[s]).text);
            table_add(table, "%s", "");
        }
        table_add(table, "%s", values[v].source);
    }
}

static void add_parts(struct table *table, const struct explained_report *report) {
    static const char *const sources[TCPLAN_PARTS] = {
        [TCPLAN_PART_OVERHEAD] = "measured: smallest call times calls",
        [TCPLAN_PART_KERNEL] = "measured: call alone times calls, less overhead",
        [TCPLAN_PART_COPIES] = "measured, see below",
        [TCPLAN_PART_WAITING] = "the rest of the predicted time"};
    for (int part = 0; part < TCPLAN_PARTS; part++) {
        table_add(table, "%s", tcplan_word(tcplan_words_time_parts, part));
        for (int s = 0; s < report->explanation->side_count; s++) {
            const struct tcplan_explained *side = &report->explanation->side[s];
            add_share(table, side, side->part_seconds[part]);
        }
        table_add(table, "%s", sources[part]);
    }
}

static void print_sides(struct writer *writer, const struct explained_report *report) {
    struct table table = {.columns = report->explanation->side_count == 1 ? "lrrl" : "lrrrrl",
                          .optional = report->explanation->side_count == 1 ? "0012" : "001023"};
    table_add(&table, "%s", "");
    for (int s = 0; s < report->explanation->side_count; s++) {
        table_add(&table, "%s", report->row[s].name);
        table_add(&table, "%s", "share");
    }
    table_add(&table, "from");
    add_values(&table, report);
    add_parts(&table, report);
    fputs("\n", writer->file);
    print_table(writer, &table);
}

/* Each side. */

static void add_operand(struct table *table, const struct explained_report *report,
                        const struct tcplan_explained *side,
                        const struct tcplan_explained_operand *operand) {
    const struct tcplan_machine *machine = &report->explanation->machine;
    table_add(table, "  ");
    table_add_owned(table, explain_slice_text(report, side, operand->slice));
    table_add(table, "%s", quantity_bytes(operand->bytes).text);
    table_add(table, "%s", operand->never ? "never" : quantity_bytes(operand->distance_bytes).text);
    table_add(table, "%s", explain_level(machine, operand->level).text);
    table_add(table, "%s%s", operand->prefetched ? "into " : "no",
              operand->prefetched ? explain_level(machine, operand->prefetch_level).text : "");
    table_add(table, "%s", explain_number(operand->lines).text);
    table_add(table, "%s", explain_number(operand->pages).text);
    table_add(table, "%.3g %%", 100 * operand->used_share);
}

static void print_operands(struct writer *writer, const struct explained_report *report,
                           const struct tcplan_explained *side) {
    static const char *const heads[] = {"  ",        "operand",    "bytes", "touched since",
                                        "found in",  "prefetched", "lines", "pages",
                                        "bytes used"};
    struct table table = {.columns = "llrrllrrr", .optional = "000301245"};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) table_add(&table, "%s", heads[h]);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) add_operand(&table, report, side, &side->operand[t]);
    fputs("    a steady call, analytic:\n", writer->file);
    print_table(writer, &table);
}

static void print_copies(struct writer *writer, const struct explained_report *report,
                         const struct tcplan_explained *side) {
    struct table table = {.columns = "llrrrl", .headless = true};
    if (side->copy_count == 0) return;
    for (int c = 0; c < side->copy_count; c++) {
        const struct tcplan_explained_copy *copy = &side->copy[c];
        table_add(&table, "  ");
        table_add_owned(&table, explain_copy_text(report, side, copy));
        table_add(&table, "%.0f times", copy->times);
        add_share(&table, side, copy->seconds);
        table_add(&table, "%s", copy->apart ? "where it stands" : "in cache");
    }
    fputs("    copies and scalings, measured:\n", writer->file);
    print_table(writer, &table);
}

static void print_classes(struct writer *writer, const struct row *row,
                          const struct tcplan_explained *side) {
    fputs("    calls, counted: ", writer->file);
    for (int c = 0; c < side->class_count; c++) {
        const struct tcplan_explained_class *call_class = &side->call_class[c];
        fprintf(writer->file, "%s%s", c > 0 ? ", " : "",
                tcplan_word(tcplan_words_classes, (int)call_class->kind));
        for (int l = call_class->loop; l >= 0 && l < row->loop_count; l++) {
            fprintf(writer->file, "%s%s", l == call_class->loop ? " of " : "+", row->loop[l]);
        }
        fprintf(writer->file, " %lld (%.3g %%)", (long long)call_class->calls,
                100 * (double)call_class->calls / (double)side->calls);
    }
    fputs("\n", writer->file);
}

static void print_side(struct writer *writer, const struct explained_report *report, int number) {
    const struct tcplan_explained *side = &report->explanation->side[number];
    fprintf(writer->file, "\n%s\n", report->row[number].name);
    writer_print_nest(writer, &report->row[number], &report->explanation->problem);
    print_operands(writer, report, side);
    print_copies(writer, report, side);
    print_classes(writer, &report->row[number], side);
}

/** Breaks lines between words. */
static void print_sentence(struct writer *writer, const char *text) {
    const size_t columns = terminal_of(writer->file).columns;
    const size_t room =
        columns > MARGIN && columns - MARGIN < SENTENCE_WIDTH ? columns - MARGIN : SENTENCE_WIDTH;
    size_t column = 0;
    fputs("  -", writer->file);
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + length + 1 > room) {
            fputs("\n   ", writer->file);
            column = 0;
        }
        fprintf(writer->file, " %.*s", (int)length, text);
        column += length + 1;
        text += length + (text[length] == ' ');
    }
    fputs("\n", writer->file);
}

static void print_reasons(struct writer *writer, const struct explained_report *report) {
    const struct tcplan_explanation *explanation = report->explanation;
    if (explanation->side_count == 1) {
        fprintf(writer->file,
                "\n%s is the only algorithm that can run: there is nothing to compare it with.\n",
                report->row[0].name);
        return;
    }
    fprintf(writer->file, "\nWhy %s and not %s:\n", report->row[TCPLAN_WINNER].name,
            report->row[TCPLAN_LOSER].name);
    for (int r = 0; r < explanation->reason_count; r++) {
        char *sentence = explain_sentence(report, &explanation->reason[r]);
        print_sentence(writer, sentence ? sentence : "");
        writer->no_memory = writer->no_memory || !sentence;
        free(sentence);
    }
}

/** Above everything, as it is about all numbers. */
static void print_reliability(struct writer *writer, const struct tcplan_explanation *explanation) {
    char load[REPORT_LOAD_CHARS];
    if (!explanation->unreliable) return;
    fprintf(
        writer->file,
        "unreliable   %s; parts were timed by themselves and may not add up: explain again on a quiet machine\n",
        report_load(load, &explanation->load));
}

void explain_print(struct writer *writer, const void *record) {
    const struct explained_report *report = record;
    print_reliability(writer, report->explanation);
    print_head(writer, report);
    print_sides(writer, report);
    for (int s = 0; s < report->explanation->side_count; s++) print_side(writer, report, s);
    print_reasons(writer, report);
}
