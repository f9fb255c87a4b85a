#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/algorithms/explain.h"
#include "cli/render/text/table.h"

enum { SENTENCE_WIDTH = 110, MARGIN = 3 };

static void print_head(struct writer *writer, const struct explained_report *report) {
    const struct options *options = report->request->options;
    format_text_problem(writer, &report->explanation->problem);
    format_text_machine(writer, &report->explanation->machine);
    fprintf(writer->file, "prediction   window, %s cache, %d thread%s\n",
            tcplan_word(tcplan_words_cache_states, options->cache), options->threads,
            options->threads == 1 ? "" : "s");
}

/* Side by side: a label, a value and a share for each side, and their source. */

/** A line of the table. */
struct line {
    const struct explained_report *report;
    const char *label, *source;
    struct field_value (*text)(const struct tcplan_explained *side); /* NULL: a part of the time */
    enum tcplan_part part;
};

static const char *source_word(enum tcplan_time_source source) {
    const char *word = tcplan_word(tcplan_words_time_sources, (int)source);
    return *word ? word : "-";
}

static double alone_seconds(const struct tcplan_explained *side) {
    return side->kernel_seconds / ((double)side->calls * side->share);
}

static struct field_value place_text(const struct tcplan_explained *side) {
    return side->pruned ? field_text("not predicted")
                        : field_printed("%zu%s", side->place + 1,
                                        side->tied && side->place > 0 ? ", tied" : "");
}

/** Defines a function that prints a value of `side`. */
#define VALUE(name, ...)                                                                           \
    static struct field_value name(const struct tcplan_explained *side) {                          \
        return field_printed(__VA_ARGS__);                                                         \
    }
#define SECONDS(name, value) VALUE(name, "%s", explain_seconds(value).text)

SECONDS(time_text, side->prediction.seconds)
SECONDS(low_text, side->prediction.low)
SECONDS(high_text, side->prediction.high)
VALUE(estimate_text, "%s",
      isfinite(side->estimate_seconds) ? explain_seconds(side->estimate_seconds).text : "-")
VALUE(kernel_source_text, "%s", source_word(side->kernel_source))
VALUE(copy_source_text, "%s", source_word(side->copy_source))
VALUE(calls_text, "%lld", (long long)side->calls)
SECONDS(call_text, side->call_seconds)
SECONDS(alone_text, alone_seconds(side))
SECONDS(smallest_text, side->smallest_call_seconds)
VALUE(speed_text, "%.4g GFLOP/s", side->kernel_gflops)

static void each_line(const void *record, struct field_visit *visit) {
    static const struct line lines[] = {
        {NULL, "rank", "the ranking", place_text, 0},
        {NULL, "predicted time", "predicted: stretches of real calls", time_text, 0},
        {NULL, "  lower end", "95 % interval", low_text, 0},
        {NULL, "  upper end", "95 % interval", high_text, 0},
        {NULL, "estimated time", "before any timing", estimate_text, 0},
        {NULL, "  its kernel", "source of its kernel time", kernel_source_text, 0},
        {NULL, "  its copies", "source of its copy times", copy_source_text, 0},
        {NULL, "kernel calls", "counted", calls_text, 0},
        {NULL, "time of a call", "predicted, including its loops", call_text, 0},
        {NULL, "  alone", "measured: same operands repeatedly", alone_text, 0},
        {NULL, "  smallest", "measured: the same, all extents 1", smallest_text, 0},
        {NULL, "speed of the kernel alone", "measured", speed_text, 0},
        {NULL, NULL, "measured: smallest call times calls", NULL, TCPLAN_PART_OVERHEAD},
        {NULL, NULL, "measured: call alone times calls, minus overhead", NULL, TCPLAN_PART_KERNEL},
        {NULL, NULL, "measured, see below", NULL, TCPLAN_PART_COPIES},
        {NULL, NULL, "the rest of the predicted time", NULL, TCPLAN_PART_WAITING}};
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        struct line line = lines[l];
        line.report = record;
        if (!line.text) line.label = tcplan_word(tcplan_words_time_parts, (int)line.part);
        FIELD_VISIT(&line);
    }
}

/** Two columns for each side: a value and its share of the time. */
static int side_columns(const void *record) {
    return 2 * ((const struct explained_report *)record)->explanation->side_count;
}

static struct field_value side_heading(const void *record, int of) {
    const struct explained_report *report = record;
    return field_word(of % 2 ? "share" : report->row[of / 2].name);
}

static struct field_value side_value(const void *record, int of) {
    const struct line *line = record;
    const struct tcplan_explained *side = &line->report->explanation->side[of / 2];
    const double seconds = side->part_seconds[line->part];
    if (line->text) return of % 2 ? field_word("") : line->text(side);
    return of % 2 ? field_printed("%.1f %%", 100 * seconds / side->prediction.seconds)
                  : field_printed("%s", explain_seconds(seconds).text);
}

static const struct field_spread sides = {side_columns, side_heading, side_value};

/* clang-format off */

#define LINE(F, T) \
    F(T, label, TEXT, field_text(r->label), "quantity", COLUMN(1, "")) \
    F(T, sides, TEXT, field_unknown(), "value and share", COLUMN(2, ""), .right = true, .spread = &sides) \
    F(T, source, TEXT, field_text(r->source), "source", COLUMN(3, "from"), .optional = '3')

#define OPERAND(F, T) \
    F(T, margin, TEXT, field_word("  "), "margin", COLUMN(1, "  ")) \
    F(T, operand, TEXT, field_owned(explain_slice_text(r->report, r->side, r->operand->slice)), "slice", COLUMN(2, "operand")) \
    F(T, bytes, INTEGER, field_integer(r->operand->bytes), "size", COLUMN(3, "bytes"), .format = FIELD_BYTES) \
    F(T, distance, TEXT, field_printed("%s", r->operand->never ? "never" : quantity_bytes(r->operand->distance_bytes).text), "distance", \
      COLUMN(4, "touched since"), .right = true, .optional = '3') \
    F(T, found, TEXT, LEVEL(level), "level before the call", COLUMN(5, "found in")) \
    F(T, prefetched, TEXT, r->operand->prefetched ? field_printed("into %s", LEVEL_TEXT(prefetch_level)) : field_word("no"), "target of prefetches", \
      COLUMN(6, "prefetched"), .optional = '1') \
    F(T, lines, TEXT, field_printed("%s", explain_number(r->operand->lines).text), "cache lines", COLUMN(7, "lines"), .right = true, .optional = '2') \
    F(T, pages, TEXT, field_printed("%s", explain_number(r->operand->pages).text), "pages", COLUMN(8, "pages"), .right = true, .optional = '4') \
    F(T, used, TEXT, field_printed("%.3g %%", 100 * r->operand->used_share), "needed share", COLUMN(9, "bytes used"), .right = true, .optional = '5')

/* clang-format on */

#define LEVEL_TEXT(member) explain_level(&r->report->explanation->machine, r->operand->member).text
#define LEVEL(member) field_printed("%s", LEVEL_TEXT(member))

/** An operand of a side. */
struct operand {
    const struct explained_report *report;
    const struct tcplan_explained *side;
    const struct tcplan_explained_operand *operand;
};

FIELD_TABLE(line, line, LINE);
FIELD_TABLE(operand, operand, OPERAND);

/* Each side. */

static void each_operand(const void *record, struct field_visit *visit) {
    struct operand of = *(const struct operand *)record;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        of.operand = &of.side->operand[t];
        FIELD_VISIT(&of);
    }
}

static void print_operands(struct writer *writer, const struct explained_report *report,
                           const struct tcplan_explained *side) {
    fprintf(writer->file, "    a steady call, analytic, lines of %lld bytes:\n",
            (long long)report->explanation->machine.line_bytes);
    fields_print_list(writer, &(struct field){.fields = operand_fields, .each = each_operand},
                      &(struct operand){.report = report, .side = side});
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
        table_add(&table, "%s", explain_seconds(copy->seconds).text);
        table_add(&table, "%.1f %%", 100 * copy->seconds / side->prediction.seconds);
        table_add(&table, "%s", copy->apart ? "where it stands" : "in cache");
    }
    fputs("    copies and scalings, measured:\n", writer->file);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
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
                "\n%s is the only algorithm that can run; there is no other to compare it with.\n",
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

/** Prints a warning first, because it concerns all numbers. */
static void print_reliability(struct writer *writer, const struct tcplan_explanation *explanation) {
    char load[REPORT_LOAD_CHARS];
    if (!explanation->unreliable) return;
    fprintf(
        writer->file,
        "unreliable   %s; the separately timed parts may not add up: try again on an idle machine\n",
        report_load(load, &explanation->load));
}

void explain_print(struct writer *writer, const void *record) {
    const struct explained_report *report = record;
    print_reliability(writer, report->explanation);
    print_head(writer, report);
    fputs("\n", writer->file);
    fields_print_list(writer, &(struct field){.fields = line_fields, .each = each_line}, report);
    for (int s = 0; s < report->explanation->side_count; s++) print_side(writer, report, s);
    print_reasons(writer, report);
}
