#include "routines/sampler/experiments/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "contractions/xml_text.h"
#include "routines/sampler/experiments/experiment_schema.h"
#include "routines/sampler/experiments/nest.h"

/** A report being read. */
struct reading {
    struct tcplan_experiment_report *report;
    struct xml_reader *xml;
    struct point_plan *plan; /* the loops of point `planned` */
    size_t planned;
    struct report_provenance *provenance; /* the open provenance, or the one read last */
    struct report_run *run;               /* the open run, or the one read last */
    struct report_samples *samples;       /* the samples read last, which belong to the run */
    bool in_run;
    uint32_t told, found; /* checksums of the open record, as stated and as computed */
    struct tcplan_error *error;
};

static const char *attribute_of(struct reading *reading, const char *name) {
    const char *value = xml_reader_attribute(reading->xml, name);
    return value ? value : "";
}

static const char *keep(struct reading *reading, const char *name) {
    const char *value = attribute_of(reading, name);
    return arena_strndup(&reading->report->arena, value, strlen(value));
}

/** Reads an integer that the schema has checked. */
static int64_t integer_of(struct reading *reading, const char *name) {
    return strtoll(attribute_of(reading, name), NULL, 10);
}

static double number_of(struct reading *reading, const char *name) {
    const char *value = attribute_of(reading, name);
    double number = 0;
    return decimal_read(&number, value, strlen(value)) && number <= XML_NUMBER_MAX ? number : 0;
}

static void begin_checksum(struct reading *reading) {
    reading->told = (uint32_t)strtoul(attribute_of(reading, "checksum"), NULL, 16);
    reading->found = xml_reader_checksum(reading->xml, 0, "checksum");
}

static enum tcplan_status check_checksum(struct reading *reading) {
    if (reading->told == reading->found) return TCPLAN_OK;
    return xml_reader_refuse(reading->xml, reading->error,
                             "element %s is damaged: its checksum is %08" PRIx32
                             ", expected %08" PRIx32,
                             xml_reader_name(reading->xml), reading->found, reading->told);
}

/* Reads the root element; shard = K "/" N */
static enum tcplan_status read_root(struct reading *reading) {
    const char *shard = xml_reader_attribute(reading->xml, "shard");
    begin_checksum(reading);
    if (shard) {
        char *slash;
        reading->report->shard = strtoll(shard, &slash, 10);
        reading->report->shards = strtoll(slash + 1, NULL, 10);
    }
    if (reading->report->shard > reading->report->shards)
        return xml_reader_refuse(reading->xml, reading->error, "unknown shard %s", shard);
    return check_checksum(reading);
}

static enum tcplan_status read_experiment(struct reading *reading) {
    struct tcplan_experiment_report *report = reading->report;
    const uint32_t told = (uint32_t)strtoul(attribute_of(reading, "checksum"), NULL, 16);
    enum tcplan_status status =
        experiment_read_element(&report->experiment, reading->xml, reading->error);
    if (status != TCPLAN_OK) return status;
    reading->told = told;
    reading->found = report->experiment->checksum;
    report->counter_count = report_counters(report->experiment);
    if (report->counter_count > REPORT_COUNTERS_MAX)
        return xml_reader_refuse(reading->xml, reading->error, "more than %d counters",
                                 REPORT_COUNTERS_MAX);
    report->at_point = arena_alloc(
        &report->arena, report->experiment->point_count *
                            sizeof *report->at_point); /* NOLINT(bugprone-sizeof-expression)
                                                        */
    return report->at_point ? check_checksum(reading) : error_no_memory(reading->error);
}

static const struct report_provenance *find_provenance(
    const struct tcplan_experiment_report *report, int64_t id) {
    const struct report_provenance *found = report->provenances;
    while (found && found->id != id) found = found->next;
    return found;
}

static enum tcplan_status begin_provenance(struct reading *reading) {
    struct tcplan_experiment_report *report = reading->report;
    const int64_t id = integer_of(reading, "id");
    int count = 0;
    for (const struct report_provenance *p = report->provenances; p; p = p->next) count++;
    if (find_provenance(report, id))
        return xml_reader_refuse(reading->xml, reading->error,
                                 "provenance %" PRId64 " occurs twice", id);
    if (count == REPORT_PROVENANCES_MAX)
        return xml_reader_refuse(reading->xml, reading->error, "more than %d provenances",
                                 REPORT_PROVENANCES_MAX);
    struct report_provenance *out = arena_alloc(&report->arena, sizeof *out);
    if (!out) return error_no_memory(reading->error);
    *out = (struct report_provenance){.id = id,
                                      .tcplan = keep(reading, "tcplan"),
                                      .host = keep(reading, "host"),
                                      .library = keep(reading, "library"),
                                      .ticks_per_second = number_of(reading, "ticks_per_second"),
                                      .cores = integer_of(reading, "cores"),
                                      .flops_per_cycle = number_of(reading, "flops_per_cycle")};
    if (!out->tcplan || !out->host || !out->library) return error_no_memory(reading->error);
    if (!(out->ticks_per_second >= 1)) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "ticks_per_second: expected a number from 1 to 1e300");
    }
    if (reading->provenance) {
        reading->provenance->next = out;
    } else {
        report->provenances = out;
    }
    reading->provenance = out;
    begin_checksum(reading);
    return TCPLAN_OK;
}

static enum tcplan_status read_part(struct reading *reading) {
    struct report_provenance *provenance = reading->provenance;
    if (provenance->part_count == TCPLAN_FINGERPRINT_PARTS)
        return xml_reader_refuse(reading->xml, reading->error, "a provenance has too many parts");
    const char *name = keep(reading, "name"), *value = keep(reading, "value");
    if (!name || !value) return error_no_memory(reading->error);
    provenance->part[provenance->part_count].name = name;
    provenance->part[provenance->part_count++].value = value;
    reading->found = xml_reader_checksum(reading->xml, reading->found, "checksum");
    return TCPLAN_OK;
}

static enum tcplan_status begin_run(struct reading *reading) {
    struct tcplan_experiment_report *report = reading->report;
    int64_t units = 0;
    const struct report_provenance *provenance =
        find_provenance(report, integer_of(reading, "provenance"));
    enum tcplan_status status = nest_units(&units, report->experiment, reading->error);
    if (status != TCPLAN_OK) return status;
    if (!provenance) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "provenance %" PRId64 " is not defined before this run",
                                 integer_of(reading, "provenance"));
    }
    const int64_t unit = integer_of(reading, "unit");
    if (unit >= units)
        return xml_reader_refuse(reading->xml, reading->error,
                                 "unit: expected a number below %" PRId64 ", found %" PRId64, units,
                                 unit);
    struct report_run *out = arena_alloc(&report->arena, sizeof *out);
    if (!out) return error_no_memory(reading->error);
    *out = (struct report_run){
        .unit = unit, .provenance = provenance, .finished = keep(reading, "finished")};
    if (!out->finished) return error_no_memory(reading->error);
    if (reading->run) {
        reading->run->next = out;
    } else {
        report->runs = out;
    }
    reading->run = out;
    reading->samples = NULL;
    reading->in_run = true;
    report->run_count++;
    begin_checksum(reading);
    return TCPLAN_OK;
}

/** Sets the number of repetitions and samples of a point. */
static enum tcplan_status plan_point(struct reading *reading, size_t point) {
    if (reading->planned == point) return TCPLAN_OK;
    enum tcplan_status status =
        point_plan_loops(reading->plan, reading->report->experiment, point, reading->error);
    reading->planned = status == TCPLAN_OK ? point : SIZE_MAX;
    if (status == TCPLAN_INVALID || status == TCPLAN_OVERFLOW) {
        struct tcplan_error found = reading->error ? *reading->error : (struct tcplan_error){0};
        return xml_reader_refuse(reading->xml, reading->error, "%.250s", found.message);
    }
    return status;
}

static size_t count_words(const char *text) {
    size_t count = *text != '\0';
    for (; *text; text++) count += *text == ' ';
    return count;
}

static enum tcplan_status read_ticks(struct reading *reading, struct report_samples *out) {
    const char *text = attribute_of(reading, "ticks");
    const size_t expected = point_plan_samples(reading->plan, reading->report->experiment);
    out->count = count_words(text);
    if (out->count != expected) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "ticks: expected %zu numbers, found %zu", expected, out->count);
    }
    uint64_t *ticks = arena_alloc(&reading->report->arena, expected * sizeof *ticks);
    if (!ticks) return error_no_memory(reading->error);
    for (size_t s = 0; s < expected; s++) {
        char *end;
        ticks[s] = strtoull(text, &end, 10);
        text = *end == ' ' ? end + 1 : end;
    }
    out->ticks = ticks;
    return TCPLAN_OK;
}

static enum tcplan_status read_disturbed(struct reading *reading, struct report_samples *out) {
    bool *disturbed = arena_alloc(&reading->report->arena, out->count * sizeof *disturbed);
    if (!disturbed) return error_no_memory(reading->error);
    out->disturbed = disturbed;
    for (const char *text = attribute_of(reading, "disturbed"); *text;) {
        char *end;
        const uint64_t place = strtoull(text, &end, 10);
        if (place >= out->count) {
            return xml_reader_refuse(reading->xml, reading->error,
                                     "disturbed: expected numbers below %zu, found %" PRIu64,
                                     out->count, place);
        }
        disturbed[place] = true;
        text = *end == ' ' ? end + 1 : end;
    }
    return TCPLAN_OK;
}

static enum tcplan_status read_counts(struct reading *reading, struct report_samples *out) {
    const char *text = attribute_of(reading, "counts");
    const size_t expected = out->count * (size_t)reading->report->counter_count;
    if (count_words(text) != expected) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "counts: expected %zu numbers, found %zu", expected,
                                 count_words(text));
    }
    if (expected == 0) return TCPLAN_OK;
    double *counts = arena_alloc(&reading->report->arena, expected * sizeof *counts);
    if (!counts) return error_no_memory(reading->error);
    for (size_t c = 0; c < expected; c++) {
        const size_t length = strcspn(text, " ");
        counts[c] = NAN;
        if (!(length == 1 && *text == '-') &&
            (!decimal_read(&counts[c], text, length) || counts[c] > XML_NUMBER_MAX)) {
            return xml_reader_refuse(reading->xml, reading->error,
                                     "counts: expected numbers up to 1e300 or -, found '%.*s'",
                                     (int)(length < 40 ? length : 40), text);
        }
        text += length + (text[length] == ' ');
    }
    out->counts = counts;
    return TCPLAN_OK;
}

/** Checks where samples belong: to an existing point and repetition of the experiment, in the unit
 * of their run, and for the first time. */
static enum tcplan_status check_place(struct reading *reading,
                                      const struct report_samples *samples) {
    struct tcplan_experiment_report *report = reading->report;
    const bool shuffle = report->experiment->shuffle;
    const uint64_t id = hash_spread((uint64_t)samples->point * EXPERIMENT_REPETITIONS_MAX +
                                    (uint64_t)samples->repetition + 1);
    if (samples->repetition >= reading->plan->repetitions) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "repetition: expected a number below %" PRId64 ", found %" PRId64,
                                 reading->plan->repetitions, samples->repetition);
    }
    if (reading->run->unit != (shuffle ? samples->repetition : (int64_t)samples->point)) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "the samples are of another unit than the run");
    }
    if (id_set_has(&report->seen, id)) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "samples of point %zu, repetition %" PRId64 " occur twice",
                                 samples->point, samples->repetition);
    }
    return id_set_add(&report->seen, id) ? TCPLAN_OK : error_no_memory(reading->error);
}

static enum tcplan_status read_samples(struct reading *reading) {
    struct tcplan_experiment_report *report = reading->report;
    const int64_t point = integer_of(reading, "point");
    if ((uint64_t)point >= report->experiment->point_count) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "point: expected a number below %zu, found %" PRId64,
                                 report->experiment->point_count, point);
    }
    struct report_samples *out = arena_alloc(&report->arena, sizeof *out);
    if (!out) return error_no_memory(reading->error);
    *out = (struct report_samples){.provenance = reading->run->provenance,
                                   .point = (size_t)point,
                                   .repetition = integer_of(reading, "repetition")};
    enum tcplan_status status = plan_point(reading, out->point);
    if (status == TCPLAN_OK) status = check_place(reading, out);
    if (status == TCPLAN_OK) status = read_ticks(reading, out);
    if (status == TCPLAN_OK) status = read_disturbed(reading, out);
    if (status == TCPLAN_OK) status = read_counts(reading, out);
    if (status != TCPLAN_OK) return status;
    out->at_point = report->at_point[point];
    report->at_point[point] = out;
    if (reading->samples) {
        reading->samples->next = out;
    } else {
        reading->run->samples = out;
    }
    reading->samples = out;
    reading->found = xml_reader_checksum(reading->xml, reading->found, "checksum");
    return TCPLAN_OK;
}

static enum tcplan_status read_end(struct reading *reading) {
    const int64_t told = integer_of(reading, "runs");
    if (told != reading->report->run_count) {
        return xml_reader_refuse(reading->xml, reading->error,
                                 "expected %" PRId64 " runs, the count at the end, found %" PRId64,
                                 told, reading->report->run_count);
    }
    reading->report->complete = true;
    begin_checksum(reading);
    return check_checksum(reading);
}

static enum tcplan_status begin(struct reading *reading) {
    const char *name = xml_reader_name(reading->xml);
    if (strcmp(name, "report") == 0) return read_root(reading);
    if (strcmp(name, "experiment") == 0) return read_experiment(reading);
    if (strcmp(name, "provenance") == 0) return begin_provenance(reading);
    if (strcmp(name, "part") == 0) return read_part(reading);
    if (strcmp(name, "run") == 0) return begin_run(reading);
    return strcmp(name, "samples") == 0 ? read_samples(reading) : read_end(reading);
}

static enum tcplan_status end(struct reading *reading) {
    const char *name = xml_reader_name(reading->xml);
    return strcmp(name, "provenance") == 0 || strcmp(name, "run") == 0 ? check_checksum(reading)
                                                                       : TCPLAN_OK;
}

static enum tcplan_status read_all(struct reading *reading) {
    for (;;) {
        enum xml_event event;
        enum tcplan_status status = xml_reader_next(reading->xml, &event, reading->error);
        if (status != TCPLAN_OK || event == XML_EVENT_DONE) return status;
        if (event == XML_EVENT_BEGIN) status = begin(reading);
        if (event == XML_EVENT_END) status = end(reading);
        if (status != TCPLAN_OK) return status;
    }
}

enum tcplan_status tcplan_experiment_report_from(struct tcplan_experiment_report **out,
                                                 tcplan_read_fn *read, void *context,
                                                 struct tcplan_error *error) {
    struct reading reading = {.planned = SIZE_MAX, .error = error};
    *out = NULL;
    reading.report = base_alloc_zero(1, sizeof *reading.report);
    reading.plan = base_alloc_zero(1, sizeof *reading.plan);
    if (!reading.report || !reading.plan) {
        base_free(reading.report);
        base_free(reading.plan);
        return error_no_memory(error);
    }
    enum tcplan_status status =
        xml_reader_new(&reading.xml, &schema_experiment_report, read, context, error);
    if (status == TCPLAN_OK) status = read_all(&reading);
    xml_reader_free(reading.xml);
    point_plan_free(reading.plan);
    base_free(reading.plan);
    if (status == TCPLAN_OK) {
        *out = reading.report;
    } else {
        tcplan_experiment_report_free(reading.report);
    }
    return status;
}

static enum tcplan_status cannot_read(const char *path, struct tcplan_error *error) {
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s': %s", path, strerror(errno));
}

enum tcplan_status tcplan_experiment_report_read(struct tcplan_experiment_report **out,
                                                 const char *path, struct tcplan_error *error) {
    struct document_source source;
    *out = NULL;
    enum tcplan_status status = input_file_check("", path, error);
    if (status != TCPLAN_OK) return status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return cannot_read(path, error);
    status = document_source_init(&source, &document_experiment_report, descriptor, path, error);
    if (status == TCPLAN_OK)
        status = tcplan_experiment_report_from(out, document_source_read, &source, error);
    close(descriptor);
    if ((status != TCPLAN_INVALID && status != TCPLAN_OVERFLOW) || !error) return status;
    const struct tcplan_error found = *error;
    snprintf(error->message, sizeof error->message, "%.100s:%zu: %.180s", path, found.line,
             found.message);
    return status;
}

void tcplan_experiment_report_free(struct tcplan_experiment_report *report) {
    if (!report) return;
    tcplan_experiment_free(report->experiment);
    id_set_free(&report->seen);
    arena_free(&report->arena);
    base_free(report);
}

bool tcplan_experiment_report_is_complete(const struct tcplan_experiment_report *report) {
    return report->complete;
}
