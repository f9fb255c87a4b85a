#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/format.h"
#include "contractions/xml_text.h"
#include "routines/sampler/experiments/report.h"

/* The end tags of experiment, provenance and run are each on a line of their own, with their
 * indentation: contractions/document_source.c looks for these lines. */

const struct document_kind document_experiment_report = {
    .root = "report",
    .record = {"experiment", "provenance", "run"},
    .holds = "samples of an experiment"};

int report_counters(const struct tcplan_experiment *experiment) {
    int count = *experiment->counters != '\0';
    for (const char *at = experiment->counters; *at; at++) count += *at == ' ';
    return count;
}

void report_add_begin(struct strbuf *out, const struct tcplan_experiment *experiment, int64_t shard,
                      int64_t shards) {
    strbuf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    const size_t start = xml_text_element(out, 0, "report");
    xml_text_integer(out, "format", 1);
    if (shards > 0) strbuf_add(out, " shard=\"%" PRId64 "/%" PRId64 "\"", shard, shards);
    xml_text_add_checksum(out, xml_text_checksum(out, start, 0));
    strbuf_add(out, ">\n");
    experiment_add_element(out, experiment, 2, true);
}

/** Appends text and updates a checksum over it. */
static uint32_t add_part(struct strbuf *parts, const char *name, const char *value,
                         uint32_t checksum) {
    const size_t start = xml_text_element(parts, 4, "part");
    xml_text_attribute(parts, "name", name);
    xml_text_attribute(parts, "value", value);
    checksum = xml_text_checksum(parts, start, checksum);
    strbuf_add(parts, "/>\n");
    return checksum;
}

/** Closes an element that has nested elements, whose text is `content`. */
static void end_record(struct strbuf *out, const char *name, struct strbuf *content,
                       uint32_t checksum) {
    xml_text_add_checksum(out, checksum);
    strbuf_add(out, ">\n%s  </%s>\n", content->text ? content->text : "", name);
    out->failed = out->failed || content->failed;
    strbuf_free(content);
}

void report_add_provenance(struct strbuf *out, const struct report_provenance *provenance) {
    struct strbuf parts = {0};
    const size_t start = xml_text_element(out, 2, "provenance");
    xml_text_integer(out, "id", provenance->id);
    xml_text_attribute(out, "tcplan", provenance->tcplan);
    xml_text_attribute(out, "host", provenance->host);
    xml_text_attribute(out, "library", provenance->library);
    xml_text_number(out, "ticks_per_second", provenance->ticks_per_second);
    xml_text_integer(out, "cores", provenance->cores);
    if (provenance->flops_per_cycle > 0)
        xml_text_number(out, "flops_per_cycle", provenance->flops_per_cycle);
    uint32_t checksum = xml_text_checksum(out, start, 0);
    for (int p = 0; p < provenance->part_count; p++)
        checksum = add_part(&parts, provenance->part[p].name, provenance->part[p].value, checksum);
    end_record(out, "provenance", &parts, checksum);
}

static void add_ticks(struct strbuf *out, const struct report_samples *samples) {
    strbuf_add(out, " ticks=\"");
    for (size_t s = 0; s < samples->count; s++)
        strbuf_add(out, "%s%" PRIu64, s > 0 ? " " : "", samples->ticks[s]);
    strbuf_add(out, "\"");
}

static void add_disturbed(struct strbuf *out, const struct report_samples *samples) {
    bool any = false;
    for (size_t s = 0; s < samples->count; s++) {
        if (!samples->disturbed[s]) continue;
        strbuf_add(out, "%s%zu", any ? " " : " disturbed=\"", s);
        any = true;
    }
    if (any) strbuf_add(out, "\"");
}

static void add_counts(struct strbuf *out, const struct report_samples *samples,
                       int counter_count) {
    if (!samples->counts || counter_count == 0) return;
    strbuf_add(out, " counts=\"");
    for (size_t c = 0; c < samples->count * (size_t)counter_count; c++) {
        const double count = samples->counts[c];
        if (c > 0) strbuf_add(out, " ");
        if (count >= 0 && count <= XML_NUMBER_MAX) {
            decimal_print(out, count);
        } else {
            strbuf_add(out, "-");
        }
    }
    strbuf_add(out, "\"");
}

static uint32_t add_samples(struct strbuf *out, const struct report_samples *samples,
                            int counter_count, uint32_t checksum) {
    const size_t start = xml_text_element(out, 4, "samples");
    xml_text_integer(out, "point", (int64_t)samples->point);
    xml_text_integer(out, "repetition", samples->repetition);
    add_ticks(out, samples);
    add_disturbed(out, samples);
    add_counts(out, samples, counter_count);
    checksum = xml_text_checksum(out, start, checksum);
    strbuf_add(out, "/>\n");
    return checksum;
}

void report_add_run(struct strbuf *out, const struct report_run *run, int counter_count) {
    struct strbuf content = {0};
    const size_t start = xml_text_element(out, 2, "run");
    xml_text_integer(out, "unit", run->unit);
    xml_text_integer(out, "provenance", run->provenance->id);
    xml_text_attribute(out, "finished", run->finished);
    uint32_t checksum = xml_text_checksum(out, start, 0);
    for (const struct report_samples *samples = run->samples; samples; samples = samples->next) {
        checksum = add_samples(&content, samples, counter_count, checksum);
    }
    end_record(out, "run", &content, checksum);
}

void report_add_end(struct strbuf *out, int64_t runs) {
    if (runs >= 0) {
        const size_t start = xml_text_element(out, 2, "end");
        xml_text_integer(out, "runs", runs);
        xml_text_add_checksum(out, xml_text_checksum(out, start, 0));
        strbuf_add(out, "/>\n");
    }
    strbuf_add(out, "</report>\n");
}

static bool equal_text(const char *what, const char *a, const char *b, char *difference,
                       size_t size) {
    if (strcmp(a, b) == 0) return true;
    snprintf(difference, size, "%.40s: '%.70s' and '%.70s'", what, a, b);
    return false;
}

bool report_provenance_equal(const struct report_provenance *a, const struct report_provenance *b,
                             char *difference, size_t size) {
    if (!equal_text("version of tcplan", a->tcplan, b->tcplan, difference, size)) return false;
    if (!equal_text("library", a->library, b->library, difference, size)) return false;
    for (int p = 0; p < a->part_count && p < b->part_count; p++) {
        if (!equal_text(a->part[p].name, a->part[p].value, b->part[p].value, difference, size))
            return false;
    }
    if (fabs(a->ticks_per_second - b->ticks_per_second) <= 0.01 * a->ticks_per_second) return true;
    format_plain(difference, size, "ticks per second: %.4g and %.4g", a->ticks_per_second,
                 b->ticks_per_second);
    return false;
}

char *tcplan_experiment_report_text(const struct tcplan_experiment_report *report) {
    struct strbuf out = {0};
    report_add_begin(&out, report->experiment, report->shard, report->shards);
    for (const struct report_provenance *p = report->provenances; p; p = p->next)
        report_add_provenance(&out, p);
    for (const struct report_run *run = report->runs; run; run = run->next)
        report_add_run(&out, run, report->counter_count);
    report_add_end(&out, report->complete ? report->run_count : -1);
    return strbuf_finish(&out);
}
