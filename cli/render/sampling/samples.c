#include "cli/render/sampling/sampling.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/render/common_fields.h"
#include "tcplan/blas.h"

/** Names of the fixed counters, which are CSV columns and JSON members. */
static const char *const counters[] = {"cycles", "instructions", "misses", "flops"};

/** Returns the position of a counter in a sample; -1 if it was not counted. */
static int find(const struct tcplan_call_sample *sample, const char *name) {
    for (int c = 0; c < sample->counters; c++) {
        if (sample->counted[c] && strcmp(sample->counter_name[c], name) == 0) return c;
    }
    return -1;
}

static void add_text(const struct samples *samples, const struct tcplan_call_sample *sample) {
    FILE *file = samples->writer.file;
    switch ((enum sample_unit)samples->unit) {
    case SAMPLE_CYCLES: fprintf(file, "%" PRIu64, sample->cycles); break;
    case SAMPLE_SECONDS: fprintf(file, "%.4e", sample->seconds); break;
    case SAMPLE_NANOSECONDS: fprintf(file, "%.1f", 1e9 * sample->seconds); break;
    }
    for (int c = 0; c < sample->counters; c++) {
        if (sample->counted[c]) {
            fprintf(file, " %.0f", sample->counter[c]);
        } else {
            fputs(" -", file);
        }
    }
    fputs(sample->disturbed ? " *\n" : "\n", file);
}

static struct field_value count_of(const struct tcplan_call_sample *sample, int counter) {
    const int c = find(sample, counters[counter]);
    return field_if(c >= 0, field_number(sample->counter[c < 0 ? 0 : c]));
}

/** A count of an event that the script names, which is not a fixed counter. */
struct named_count {
    const char *name;
    double count;
};

/** Visits the counts of events other than the fixed counters. */
static void visit_named(const struct tcplan_call_sample *sample, struct field_visit *visit) {
    for (int c = 0; c < sample->counters; c++) {
        bool is_fixed = false;
        for (size_t f = 0; f < sizeof counters / sizeof *counters; f++)
            is_fixed = is_fixed || strcmp(sample->counter_name[c], counters[f]) == 0;
        if (is_fixed || !sample->counted[c]) continue;
        const struct named_count named = {sample->counter_name[c], sample->counter[c]};
        FIELD_VISIT(&named);
    }
}

/** A text of counts, `NAME=COUNT NAME=COUNT`, to which add_named() adds. */
struct naming {
    struct field_visit visit;
    struct strbuf text;
};

/** Adds a count to a text; implements field_visit. */
static void add_named(struct field_visit *visit, const void *record) {
    struct naming *naming = (struct naming *)visit;
    const struct named_count *named = record;
    strbuf_add(&naming->text, "%s%s=%.0f", naming->text.length > 0 ? " " : "", named->name,
               named->count);
}

static struct field_value named_text(const struct tcplan_call_sample *sample) {
    struct naming naming = {.visit = {.use = add_named}};
    visit_named(sample, &naming.visit);
    return naming.text.length > 0 ? field_owned(strbuf_finish(&naming.text)) : field_unknown();
}

/* clang-format off */

#define NAMED(F, T) \
    F(T, name, TEXT, field_text(r->name), "name of the event", ALWAYS) \
    F(T, count, NUMBER, field_number(r->count), "its count", ALWAYS)

#define COUNTED(F, T) \
    F(T, cycles, NUMBER, count_of(r, 0), "cycles") \
    F(T, instructions, NUMBER, count_of(r, 1), "instructions") \
    F(T, misses, NUMBER, count_of(r, 2), "misses of the last cache") \
    F(T, flops, NUMBER, count_of(r, 3), "operations") \
    F(T, events, LIST, visit_named(r, visit), "events that the script names", .item = "event", .fields = named_fields)

#define SAMPLE(F, T) \
    F(T, line, INTEGER, field_integer((int64_t)r->line), "line of the script", ALWAYS, CSV(1)) \
    F(T, kernel, TEXT, field_text(r->kernel), "the routine, or omp", ALWAYS, CSV(2)) \
    F(T, calls, INTEGER, field_integer(r->calls), "calls timed together", ALWAYS, CSV(3)) \
    F(T, cycles, INTEGER, field_integer((int64_t)r->cycles), "cycles of the time-stamp counter", ALWAYS, CSV(4)) \
    F(T, seconds, NUMBER, field_number(r->seconds), "time", ALWAYS, CSV(5)) \
    F(T, disturbed, FLAG, field_flag(r->disturbed), "whether other load used the core during the call", ALWAYS, CSV(6)) \
    F(T, flops, NUMBER, field_number(r->flops), "operations of the calls", ALWAYS, CSV(7)) \
    F(T, counted_cycles, NUMBER, count_of(r, 0), "counted cycles", CSV(8), .hidden = true) \
    F(T, counted_instructions, NUMBER, count_of(r, 1), "instructions", CSV(9), .hidden = true) \
    F(T, counted_misses, NUMBER, count_of(r, 2), "misses of the last cache", CSV(10), .hidden = true) \
    F(T, counted_flops, NUMBER, count_of(r, 3), "operations", CSV(11), .hidden = true) \
    F(T, hertz, NUMBER, field_positive(r->hz), "frequency of the core, if the system reports it", CSV(12)) \
    F(T, events, TEXT, named_text(r), "counts of events that the script names: `branch-misses=12 page-faults=0`", CSV(13), .hidden = true) \
    F(T, counters, OBJECT, if (r->counters > 0) FIELD_VISIT(r), "event counts", .fields = counted_fields)

#define HEAD(F, T) \
    F(T, threads, INTEGER, field_integer(r->threads), "threads", ALWAYS) \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "the libraries", .fields = libraries_fields)

/* Fields of a sample. Samples are printed one by one as they arrive. */
#define SAMPLES(F, T) \
    F(T, head, GROUP, FIELD_VISIT(r), "of all", .fields = head_fields) \
    F(T, samples, LIST, (void)visit, "the samples", .item = "sample", .fields = sample_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(named, named_count, NAMED);
FIELD_TABLE(counted, tcplan_call_sample, COUNTED);
FIELD_TABLE(sample, tcplan_call_sample, SAMPLE);
FIELD_TABLE(head, samples, HEAD);
FIELD_TABLE(samples, samples, SAMPLES);

VIEW(samples, samples, "samples", NULL, "Times of calls of a script.");

static void add_csv(struct samples *samples, const struct tcplan_call_sample *sample) {
    struct csv_line line = {0};
    fields_csv(&line, sample_fields, sample);
    if (!csv_print(&line, samples->writer.file)) samples->writer.no_memory = true;
}

static void add_object(struct document *document, const struct tcplan_call_sample *sample) {
    document_object(document, "sample");
    fields_document(document, sample_fields, sample);
    document_close(document);
}

void samples_begin(struct samples *samples) {
    struct writer *writer = &samples->writer;
    struct csv_line line = {0};
    if (samples->format == OUTPUT_CSV) {
        fields_csv_headings(&line, sample_fields, NULL);
        if (!csv_print(&line, writer->file)) writer->no_memory = true;
    }
    if (samples->format != OUTPUT_JSON) return;
    writer->points = 1;
    format_json.begin(writer);
    if (!writer->document) return;
    document_open(writer->document, samples_view.element);
    fields_document(writer->document, head_fields, samples);
    document_list(writer->document, "samples");
}

void samples_add(struct samples *samples, const struct tcplan_call_sample *sample) {
    samples->count++;
    samples->disturbed += sample->disturbed;
    switch (samples->format) {
    case OUTPUT_JSON:
        if (samples->writer.document) add_object(samples->writer.document, sample);
        break;
    case OUTPUT_CSV: add_csv(samples, sample); break;
    default: add_text(samples, sample); break;
    }
}

void samples_end(struct samples *samples) {
    struct writer *writer = &samples->writer;
    if (samples->format != OUTPUT_JSON || !writer->document) return;
    document_close(writer->document);
    document_close(writer->document);
    format_json.end(writer);
}
