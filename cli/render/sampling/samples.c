#include "cli/render/sampling/samples.h"

#include <inttypes.h>
#include <string.h>

#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "tcplan/blas.h"

/** The columns of CSV, and the members of JSON: all that can be counted. */
static const char *const counters[] = {"cycles", "instructions", "misses", "flops"};
enum { COUNTERS = sizeof counters / sizeof *counters };

/** The place of a counter in a sample; -1 where it was not counted. */
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

static void add_csv(struct samples *samples, const struct tcplan_call_sample *sample) {
    struct csv_line line = {0};
    csv_add_integer(&line, (int64_t)sample->line);
    csv_add_text(&line, sample->kernel);
    csv_add_integer(&line, sample->calls);
    csv_add_integer(&line, (int64_t)sample->cycles);
    csv_add_number(&line, true, sample->seconds);
    csv_add_text(&line, sample->disturbed ? "true" : "false");
    csv_add_number(&line, true, sample->flops);
    for (int n = 0; n < COUNTERS; n++) {
        const int c = find(sample, counters[n]);
        csv_add_number(&line, c >= 0, c >= 0 ? sample->counter[c] : 0);
    }
    if (!csv_print(&line, samples->writer.file)) samples->writer.no_memory = true;
}

static void add_object(struct document *document, const struct tcplan_call_sample *sample) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "sample");
    kind->integer(document, "line", (int64_t)sample->line);
    kind->text(document, "kernel", sample->kernel);
    kind->integer(document, "calls", sample->calls);
    kind->integer(document, "cycles", (int64_t)sample->cycles);
    kind->number(document, "seconds", sample->seconds);
    kind->boolean(document, "disturbed", sample->disturbed);
    kind->number(document, "flops", sample->flops);
    if (sample->counters > 0) {
        kind->object(document, "counters");
        for (int n = 0; n < COUNTERS; n++) {
            const int c = find(sample, counters[n]);
            if (c >= 0) kind->number(document, counters[n], sample->counter[c]);
        }
        kind->end(document);
    }
    kind->end(document);
}

void samples_begin(struct samples *samples) {
    struct writer *writer = &samples->writer;
    const struct tcplan_blas blas = tcplan_blas_info();
    if (samples->format == OUTPUT_CSV) {
        fputs(
            "line,kernel,calls,cycles,seconds,disturbed,flops,counted_cycles,counted_instructions,counted_misses,counted_flops\n",
            writer->file);
    }
    if (samples->format != OUTPUT_JSON) return;
    writer->points = 1;
    document_begin(writer, &document_json);
    if (!writer->document) return;
    document_open(writer->document, "samples");
    writer->document->kind->integer(writer->document, "threads", samples->threads);
    document_blas(writer->document, &blas);
    writer->document->kind->list(writer->document, "samples");
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
    writer->document->kind->end(writer->document);
    writer->document->kind->end(writer->document);
    document_end(writer);
}
