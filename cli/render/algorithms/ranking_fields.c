#include "cli/render/algorithms/ranking_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Getters are called as the fields are; `r` is the record. */
#define GETTER(name, value)                                                                        \
    static struct field_value name(const void *record) {                                           \
        const struct ranked *r = record;                                                           \
        return value;                                                                              \
    }
#define APPLIES(name, condition)                                                                   \
    static bool name(const void *record) {                                                         \
        const struct ranked *r = record;                                                           \
        return condition;                                                                          \
    }
#define OPTIONS r->report->request->options
#define PROBLEM r->report->ranking->problem
#define RANKING r->report->ranking
#define WORD(words, number) field_text(tcplan_word(tcplan_words_##words, (int)(number)))

/* Of the whole ranking. */

GETTER(contraction, field_owned(tcplan_contraction_text(PROBLEM.contraction)))
GETTER(sizes, field_owned(report_sizes(&PROBLEM)))
GETTER(strides, field_owned(tcplan_strides_text(PROBLEM.contraction)))
GETTER(dtype, WORD(dtypes, OPTIONS->dtype))
GETTER(order, WORD(orders, OPTIONS->order))
GETTER(most_threads, field_integer(OPTIONS->threads))
GETTER(predictor, WORD(predictors, OPTIONS->predictor))
GETTER(stage, field_if(OPTIONS->predictor == TCPLAN_PREDICT_THESIS, WORD(stages, OPTIONS->stage)))
GETTER(limit_bytes, field_if(OPTIONS->limit_bytes > 0, field_integer(OPTIONS->limit_bytes)))
GETTER(cache, WORD(cache_states, OPTIONS->cache))
GETTER(flops, field_number(PROBLEM.flops))
GETTER(limit_seconds, field_positive(r->report->limit_seconds))
GETTER(planning_seconds, field_number(RANKING->planning_seconds))
GETTER(gemm_gflops, field_positive(RANKING->gemm_gflops))
GETTER(algorithm_count, field_number(RANKING->algorithm_count))
GETTER(candidate_count,
       field_if(OPTIONS->space == TCPLAN_SPACE_FULL, field_number(RANKING->candidate_count)))
GETTER(oversized_count, field_positive(RANKING->oversized_count))
GETTER(pruned_count, field_number(RANKING->pruned_count))
GETTER(open_count, field_number(RANKING->open_count))
GETTER(out_of_time, field_flag(RANKING->out_of_time))
GETTER(tied_count, field_integer((int64_t)RANKING->tied_count))
GETTER(any_compared, field_flag(RANKING->compared))
GETTER(missed_count, field_integer((int64_t)RANKING->missed_count))
GETTER(not_applicable_count, field_integer((int64_t)r->report->not_applicable_count))

/* Of an algorithm. */

static bool is_predicted(const struct ranked *r) {
    return r->entry->predicted;
}

static bool is_estimate(const struct ranked *r) {
    return is_predicted(r) && r->entry->basis == TCPLAN_BASIS_ESTIMATE;
}

/** An estimate has no interval among times that were measured. */
static bool has_interval(const struct ranked *r) {
    return is_predicted(r) && (!is_estimate(r) || RANKING->is_untimed);
}

static bool is_measured(const struct ranked *r) {
    return r->entry->status == TCPLAN_ENTRY_MEASURED;
}

static struct field_value names_of(const char *const *names, int count) {
    return (struct field_value){.known = true, .text = "", .names = names, .count = count};
}

/** The time that it stands with in the ranking. */
static double seconds(const struct ranked *r) {
    return report_seconds(r->entry);
}

static double speed(const struct ranked *r, double time) {
    return report_gflops(r->report, time);
}

GETTER(rank, field_integer(r->entry - RANKING->entry + 1))
GETTER(name, field_text(r->row.name))
GETTER(kernel, field_text(r->row.kernel))
GETTER(provider, field_text(r->row.provider))
GETTER(loops, names_of(r->row.loop, r->row.loop_count))
GETTER(listed_contraction, field_owned(tcplan_contraction_text(r->row.contraction)))
GETTER(model_seconds, field_if(r->row.model_seconds >= 0, field_number(r->row.model_seconds)))
GETTER(threads, field_integer(r->entry->threads))
GETTER(libraries, names_of(r->library_name, r->libraries))
GETTER(status, WORD(entry_statuses, r->entry->status))
GETTER(calls, field_integer(r->entry->calls))
GETTER(predicted, field_if(is_predicted(r), field_number(r->entry->prediction.seconds)))
GETTER(predicted_low, field_if(has_interval(r), field_number(r->entry->prediction.low)))
GETTER(predicted_high, field_if(has_interval(r), field_number(r->entry->prediction.high)))
GETTER(good, field_if(is_predicted(r), field_positive(r->entry->good_seconds)))
GETTER(follows,
       field_if(is_predicted(r) && r->entry->good_seconds > 0, field_number(r->entry->follows)))
GETTER(predicted_gflops,
       field_if(is_predicted(r), field_number(speed(r, r->entry->prediction.seconds))))
GETTER(kernel_time, field_if(is_estimate(r), WORD(time_sources, r->entry->kernel_source)))
GETTER(copy_time, field_if(is_estimate(r), WORD(time_sources, r->entry->copy_source)))
GETTER(lower_bound, field_positive(r->entry->lower_bound_seconds))
GETTER(compared, field_if(is_predicted(r), field_flag(r->entry->compared)))
GETTER(tied, field_if(is_predicted(r), field_flag(r->entry->tied)))
GETTER(chosen, field_flag(report_is_chosen(r->report, r->entry)))
GETTER(measured, field_if(is_measured(r), field_number(r->entry->measured.seconds)))
GETTER(measured_low, field_if(is_measured(r), field_number(r->entry->measured.low)))
GETTER(measured_high, field_if(is_measured(r), field_number(r->entry->measured.high)))
GETTER(measured_good, field_if(is_measured(r), field_positive(r->entry->measured_good_seconds)))
GETTER(measured_gflops,
       field_if(is_measured(r), field_number(speed(r, r->entry->measured.seconds))))
GETTER(gflops, field_number(speed(r, seconds(r))))
GETTER(limit_share, field_number(report_limit_share(r->report, seconds(r))))
GETTER(gemm_share, field_number(speed(r, seconds(r)) / RANKING->gemm_gflops))
GETTER(slowdown, field_if(report_seconds(RANKING->entry) > 0,
                          field_number(seconds(r) / report_seconds(RANKING->entry))))
GETTER(error, field_if(is_predicted(r) && r->entry->measured.seconds > 0,
                       field_number(r->entry->prediction.seconds / r->entry->measured.seconds)))

static struct field_value basis(const void *record) {
    const struct ranked *r = record;
    char text[REPORT_BASIS_CHARS];
    if (!is_predicted(r) || r->entry->basis == TCPLAN_BASIS_OTHER) return field_unknown();
    return field_owned(strdup(report_basis(text, r->entry)));
}

static struct field_value samples(const void *record) {
    const struct tcplan_estimate *estimate =
        report_estimate(((const struct ranked *)record)->entry);
    return estimate ? field_integer(estimate->sample_count) : field_unknown();
}

static struct field_value sample_seconds(const void *record) {
    const struct tcplan_estimate *estimate =
        report_estimate(((const struct ranked *)record)->entry);
    if (!estimate) return field_unknown();
    return (struct field_value){
        .known = true, .numbers = estimate->sample, .count = estimate->sample_count};
}

/** "A@i B@": operands and, behind the @, the loop that carries the copy. */
static struct field_value copies(const void *record) {
    const struct row *row = &((const struct ranked *)record)->row;
    struct strbuf text = {0};
    strbuf_add(&text, "%s", "");
    for (int c = 0; c < row->copy_count; c++)
        strbuf_add(&text, "%s%s@%s", c > 0 ? " " : "", row->copy[c].operand,
                   row->copy[c].inside ? row->copy[c].inside : "");
    struct field_value value = field_owned(strbuf_finish(&text));
    value.known = true;
    return value;
}

static void write_copies(struct document *document, const void *record) {
    const struct row *row = &((const struct ranked *)record)->row;
    const struct document_kind *kind = document->kind;
    for (int c = 0; c < row->copy_count; c++) {
        kind->object(document, "copy");
        kind->text(document, "operand", row->copy[c].operand);
        if (row->copy[c].inside) kind->text(document, "inside", row->copy[c].inside);
        if (row->copy[c].turned) kind->boolean(document, "turned", true);
        if (row->copy[c].streamed) kind->boolean(document, "streamed", true);
        kind->end(document);
    }
}

static struct field_value benchmarks(const void *record) {
    const struct tcplan_entry *entry = ((const struct ranked *)record)->entry;
    return field_if(entry->predicted && entry->benchmark_count > 0, field_flag(true));
}

/** What the dissertation's method timed. */
static void write_benchmarks(struct document *document, const void *record) {
    const struct tcplan_entry *entry = ((const struct ranked *)record)->entry;
    const struct document_kind *kind = document->kind;
    for (int b = 0; b < entry->benchmark_count; b++) {
        const struct tcplan_benchmark *benchmark = &entry->benchmark[b];
        kind->object(document, "benchmark");
        kind->text(document, "part", tcplan_word(tcplan_words_parts, benchmark->part));
        if (benchmark->part == TCPLAN_NODE_KERNEL)
            kind->text(document, "class", tcplan_word(tcplan_words_classes, benchmark->kind));
        if (benchmark->loop >= 0) kind->integer(document, "loop", benchmark->loop);
        kind->number(document, "calls", benchmark->calls);
        kind->number(document, "call_seconds", benchmark->seconds);
        kind->integer(document, "batch", benchmark->batch);
        kind->boolean(document, "shared", benchmark->shared);
        kind->end(document);
    }
}

/* As text shows it. */

static struct field_value print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static struct field_value print(const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return field_owned(length >= 0 ? text : NULL);
}

static struct field_value marked_rank(const void *record) {
    const struct ranked *r = record;
    const long long place = r->entry - RANKING->entry + 1;
    const bool is_starred = place > 1 && report_is_chosen(r->report, r->entry);
    const bool is_tied = r->entry->tied && RANKING->tied_count > 1;
    return print("%lld%c", place, is_starred ? '*' : is_tied ? '=' : ' ');
}

static struct field_value marked_name(const void *record) {
    const struct ranked *r = record;
    return print("%s%s", r->row.name, r->entry == r->baseline ? " (baseline)" : "");
}

static struct field_value interval(const void *record) {
    const struct ranked *r = record;
    const struct time_unit unit = r->unit;
    if (!has_interval(r)) return field_unknown();
    return print("%.*f - %.*f", unit.decimals, r->entry->prediction.low / unit.seconds,
                 unit.decimals, r->entry->prediction.high / unit.seconds);
}

static struct field_value basis_words(const void *record) {
    static const char *const words[] = {[TCPLAN_BASIS_SCOUT] = "short probe",
                                        [TCPLAN_BASIS_WINDOWS] = "part of a run",
                                        [TCPLAN_BASIS_LONG] = "long part of a run",
                                        [TCPLAN_BASIS_RUNS] = "whole runs",
                                        [TCPLAN_BASIS_OTHER] = "",
                                        [TCPLAN_BASIS_ESTIMATE] = "estimate"};
    const struct ranked *r = record;
    if (!is_predicted(r)) return field_unknown();
    return print("%s%s%s", words[r->entry->basis],
                 OPTIONS->verbose && r->entry->at_ceiling ? ", at the ceiling" : "",
                 OPTIONS->verbose && r->entry->missed ? ", not compared" : "");
}

APPLIES(of_threads, OPTIONS->threads > 1)
APPLIES(of_measured, r->report->measured_count > 0)
APPLIES(of_predicted, r->report->measured_count == 0)
APPLIES(of_timed, of_predicted(r) && !RANKING->is_untimed)
APPLIES(of_untimed, of_predicted(r) && RANKING->is_untimed)
APPLIES(of_limit, r->report->limit_seconds > 0)
APPLIES(of_gemm, RANKING->gemm_gflops > 0)
APPLIES(of_windows, OPTIONS->predictor == TCPLAN_PREDICT_WINDOW)

/* A field is a line. New columns of CSV get the next free place, so that scripts find the others.
 */
#define SETTING .part = RANKING_SETTINGS
#define COUNTED .part = RANKING_COUNTS
#define ROW .part = RANKING_ROW
#define CSV(place) .csv = (place)
#define COLUMN(place, title) .column = (place), .heading = (title)

/* clang-format off */
const struct field ranking_fields[] = {
    /* of the whole ranking, in documents and in each line of CSV */
    {"contraction", FIELD_TEXT, contraction, CSV(1)},
    {"sizes", FIELD_TEXT, sizes, CSV(2)},
    {"dtype", FIELD_TEXT, dtype, CSV(3)},
    {"order", FIELD_TEXT, order, CSV(4)},
    {"strides", FIELD_TEXT, strides, CSV(27)},
    {"threads", FIELD_INTEGER, most_threads, SETTING},
    {"predictor", FIELD_TEXT, predictor, SETTING, CSV(6)},
    {"stage", FIELD_TEXT, stage, SETTING},
    {"limit_bytes", FIELD_INTEGER, limit_bytes, SETTING},
    {"cache", FIELD_TEXT, cache, SETTING, CSV(7)},
    {"flops", FIELD_NUMBER, flops, SETTING, CSV(24)},
    {"limit_seconds", FIELD_NUMBER, limit_seconds, SETTING, CSV(28)},
    {"planning_seconds", FIELD_NUMBER, planning_seconds, SETTING},
    {"gemm_gflops", FIELD_NUMBER, gemm_gflops, SETTING, CSV(25)},
    {"algorithm_count", FIELD_NUMBER, algorithm_count, COUNTED},
    {"candidate_count", FIELD_NUMBER, candidate_count, COUNTED},
    {"oversized_count", FIELD_NUMBER, oversized_count, COUNTED},
    {"pruned_count", FIELD_NUMBER, pruned_count, COUNTED},
    {"open_count", FIELD_NUMBER, open_count, COUNTED},
    {"out_of_time", FIELD_FLAG, out_of_time, COUNTED},
    {"tied_count", FIELD_INTEGER, tied_count, COUNTED},
    {"compared", FIELD_FLAG, any_compared, COUNTED},
    {"missed_count", FIELD_INTEGER, missed_count, COUNTED},
    {"not_applicable_count", FIELD_INTEGER, not_applicable_count, COUNTED},
    /* of an algorithm */
    {"rank", FIELD_INTEGER, rank, "place by time, from 1", ROW, CSV(8), COLUMN(1, "rank"), .shown = marked_rank, .required = true},
    {"name", FIELD_TEXT, name, "name of the algorithm", ROW, CSV(9), COLUMN(2, "algorithm"), .shown = marked_name, .required = true},
    {"kernel", FIELD_TEXT, kernel, "name of its kernel, as dgemm", ROW, CSV(10), .required = true},
    {"provider", FIELD_TEXT, provider, "library that has the kernel", ROW, CSV(26), .required = true},
    {"loops", FIELD_NAMES, loops, "loops from the outside in, as c or a:8", ROW, CSV(11), .required = true},
    {"threads", FIELD_INTEGER, threads, "threads that execute it; the same algorithm with other threads is another row",
     ROW, CSV(5), COLUMN(3, "threads"), .applies = of_threads, .required = true},
    {"libraries", FIELD_NAMES, libraries, "libraries that emitted C is linked with", ROW, CSV(30), .required = true},
    {"status", FIELD_TEXT, status, "predicted, measured, pruned (ruled out by a lower bound) or open (not evaluated)",
     ROW, CSV(13), .required = true,
     .schema = "\"enum\": [\"predicted\", \"pruned\", \"measured\", \"open\"]"},
    {"calls", FIELD_INTEGER, calls, "calls of the kernel", ROW, CSV(14), COLUMN(14, "calls"), .optional = '5', .verbose = true, .required = true},
    {"predicted_seconds", FIELD_NUMBER, predicted, "predicted time of one execution of the whole contraction",
     ROW, CSV(15), COLUMN(4, "time"), .format = FIELD_TIME, .applies = of_predicted},
    {NULL, FIELD_NUMBER, predicted, "predicted time, next to a measured one", COLUMN(5, "predicted"), .format = FIELD_TIME, .applies = of_measured},
    {"predicted_low", FIELD_NUMBER, predicted_low, "lower end of its 95 % interval; with --effort estimate, of its possible error", ROW, CSV(16)},
    {"predicted_high", FIELD_NUMBER, predicted_high, "upper end of it", ROW, CSV(17)},
    {NULL, FIELD_NUMBER, predicted, "95 of 100 executions in the next minutes take that long",
     COLUMN(7, "95 % interval"), .optional = '1', .applies = of_timed, .shown = interval},
    {NULL, FIELD_NUMBER, predicted, "possible error of an estimate",
     COLUMN(8, "range"), .optional = '1', .applies = of_untimed, .shown = interval},
    {"good_seconds", FIELD_NUMBER, good, "predicted time while the core has its best speed", ROW, CSV(35)},
    {"follows", FIELD_NUMBER, follows, "elasticity: times change by this power of the reference's time", ROW, CSV(36)},
    {"predicted_gflops", FIELD_NUMBER, predicted_gflops, "speed by the predicted time", ROW, CSV(19)},
    {"basis", FIELD_TEXT, basis, "what was timed: scouts (short probes), windows or long windows (parts of a run), runs; or nothing: estimate",
     ROW, CSV(31), COLUMN(15, "based on"), .optional = '6', .applies = of_windows, .shown = basis_words},
    {"kernel_time", FIELD_TEXT, kernel_time, "source of the kernel time of an estimate",
     ROW, CSV(33), .schema = "\"$ref\": \"common.json#/$defs/kernel_time\""},
    {"copy_time", FIELD_TEXT, copy_time, "source of the copy times of an estimate",
     ROW, CSV(34), .schema = "\"$ref\": \"common.json#/$defs/copy_time\""},
    {"lower_bound_seconds", FIELD_NUMBER, lower_bound, "no execution takes less", ROW, CSV(18)},
    {"compared", FIELD_FLAG, compared, "whether it ran in the same rounds as the answer", ROW, CSV(32)},
    {"tied", FIELD_FLAG, tied, "whether it is as fast as the fastest", ROW, CSV(20)},
    {"chosen", FIELD_FLAG, chosen, "whether it is the answer", ROW, CSV(29), .required = true},
    {"measured_seconds", FIELD_NUMBER, measured, "measured time of one execution",
     ROW, CSV(21), COLUMN(6, "measured"), .format = FIELD_TIME, .applies = of_measured},
    {"measured_low", FIELD_NUMBER, measured_low, "lower end of its 95 % interval", ROW, CSV(37)},
    {"measured_high", FIELD_NUMBER, measured_high, "upper end of its 95 % interval", ROW, CSV(38)},
    {"measured_good_seconds", FIELD_NUMBER, measured_good, "measured time while the core has its best speed", ROW, CSV(39)},
    {"measured_gflops", FIELD_NUMBER, measured_gflops, "speed by the measured time", ROW, CSV(22)},
    {"samples", FIELD_INTEGER, samples, "number of samples behind the time", ROW, CSV(23)},
    {"sample_seconds", FIELD_NUMBERS, sample_seconds, "the samples", ROW},
    {"copies", FIELD_LIST, copies, "operands that are copied, and the loop that carries the copy (CSV: A@c)",
     ROW, CSV(12), .write = write_copies, .required = true, .schema = "\"$ref\": \"common.json#/$defs/copies\""},
    {"benchmarks", FIELD_LIST, benchmarks, "what --predictor thesis timed",
     ROW, .write = write_benchmarks, .schema = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/benchmark\"}"},
    {NULL, FIELD_NUMBER, error, "predicted time over measured time",
     COLUMN(9, "predicted/measured"), .format = FIELD_RATIO, .optional = '5', .verbose = true, .applies = of_measured},
    {NULL, FIELD_NUMBER, gflops, "operations by time", COLUMN(10, "GFLOP/s"), .format = FIELD_SPEED},
    {NULL, FIELD_NUMBER, limit_share, "share of the speed that the measured ceilings allow",
     COLUMN(11, "of roofline"), .format = FIELD_SHARE, .optional = '3', .applies = of_limit},
    {NULL, FIELD_NUMBER, slowdown, "time over that of the first row",
     COLUMN(12, "slowdown"), .format = FIELD_FACTOR, .optional = '2', .applies = of_predicted},
    {NULL, FIELD_NUMBER, gemm_share, "speed over that of a large square gemm of the BLAS",
     COLUMN(13, "of gemm"), .format = FIELD_SHARE, .optional = '4', .verbose = true, .applies = of_gemm},
    {0},
};
/* clang-format on */

/* clang-format off */
const struct field list_fields[] = {
    {"contraction", FIELD_TEXT, listed_contraction, CSV(1)},
    {"name", FIELD_TEXT, name, ROW, CSV(2)},
    {"kernel", FIELD_TEXT, kernel, ROW, CSV(3)},
    {"provider", FIELD_TEXT, provider, ROW, CSV(6)},
    {"loops", FIELD_NAMES, loops, ROW, CSV(4)},
    {"model_seconds", FIELD_NUMBER, model_seconds, ROW, CSV(7)},
    {"copies", FIELD_LIST, copies, ROW, CSV(5), .write = write_copies},
    {0},
};
/* clang-format on */

bool ranked_make(struct ranked *out, const struct report *report,
                 const struct tcplan_entry *entry) {
    const struct tcplan_problem *problem = &report->ranking->problem;
    *out = (struct ranked){.report = report, .entry = entry};
    out->libraries = tcplan_algorithm_libraries(&entry->algorithm, out->library);
    for (int l = 0; l < out->libraries; l++)
        out->library_name[l] = tcplan_provider_name(out->library[l]);
    return row_make(&out->row, &entry->algorithm, problem->contraction, problem->dtype);
}

void ranked_free(struct ranked *ranked) {
    row_free(&ranked->row);
}
