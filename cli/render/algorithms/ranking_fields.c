#include "cli/render/algorithms/ranking_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the value of a field `r` is the record. */
#define GETTER(name, value) FIELD_GETTER(struct ranked, name, value)
#define APPLIES(name, condition)                                                                   \
    static bool name(const void *record) {                                                         \
        const struct ranked *r = record;                                                           \
        return condition;                                                                          \
    }
#define OPTIONS r->report->request->options
#define PROBLEM r->report->ranking->problem
#define RANKING r->report->ranking

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

static struct field_value interval(const struct ranked *r) {
    const struct tcplan_estimate *prediction = &r->entry->prediction;
    return field_if(has_interval(r), field_interval(prediction->low, prediction->high));
}

static bool is_measured(const struct ranked *r) {
    return r->entry->status == TCPLAN_ENTRY_MEASURED;
}

/** The time that it stands with in the ranking. */
static double seconds(const struct ranked *r) {
    return report_seconds(r->entry);
}

static double speed(const struct ranked *r, double time) {
    return report_gflops(r->report, time);
}

static struct field_value basis(const struct ranked *r) {
    char text[REPORT_BASIS_CHARS];
    if (!is_predicted(r) || r->entry->basis == TCPLAN_BASIS_OTHER) return field_unknown();
    return field_owned(strdup(report_basis(text, r->entry)));
}

static struct field_value samples(const struct ranked *r) {
    const struct tcplan_estimate *estimate = report_estimate(r->entry);
    return estimate ? field_integer(estimate->sample_count) : field_unknown();
}

static struct field_value sample_seconds(const struct ranked *r) {
    const struct tcplan_estimate *estimate = report_estimate(r->entry);
    if (!estimate) return field_unknown();
    return (struct field_value){
        .known = true, .numbers = estimate->sample, .count = estimate->sample_count};
}

FIELD_EACH(struct ranked, each_copy,
           for (int c = 0; c < r->row.copy_count; c++) FIELD_VISIT(&r->row.copy[c]))
FIELD_EACH(struct ranked, each_benchmark,
           for (int b = 0; b < r->entry->benchmark_count; b++) FIELD_VISIT(&r->entry->benchmark[b]))

/* clang-format off */

/* What the dissertation's method timed. */
#define BENCHMARK(F, T) \
    F(T, part, TEXT, FIELD_WORD(parts, r->part), "what was timed", .words = tcplan_words_parts, ALWAYS) \
    F(T, class, TEXT, field_if(r->part == TCPLAN_NODE_KERNEL, FIELD_WORD(classes, r->kind)), "kind of its calls", .words = tcplan_words_classes) \
    F(T, loop, INTEGER, field_if(r->loop >= 0, field_integer(r->loop)), "loop that it is about, from 0") \
    F(T, calls, NUMBER, field_number(r->calls), "calls that it stands for", ALWAYS) \
    F(T, call_seconds, NUMBER, field_number(r->seconds), "time of a call", ALWAYS) \
    F(T, batch, INTEGER, field_integer(r->batch), "calls that were timed together", ALWAYS) \
    F(T, shared, FLAG, field_flag(r->shared), "whether others have the same", ALWAYS)

/* clang-format on */

FIELD_TABLE(benchmark, tcplan_benchmark, BENCHMARK);

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

#define SETTING .part = RANKING_SETTINGS
#define COUNTED .part = RANKING_COUNTS
#define ROW .part = RANKING_ROW

/*
 * A field is a line: its key, kind, value, what it is, and where it is shown. New columns of CSV
 * get the next free place, so that scripts find the others.
 */
/* clang-format off */

/* Of the whole ranking: in documents, and in each line of CSV. */
#define WHOLE(FIELD) \
    FIELD(contraction, TEXT, field_owned(tcplan_contraction_text(PROBLEM.contraction)), "as tcplan reads it", CSV(1)) \
    FIELD(sizes, TEXT, field_owned(report_sizes(&PROBLEM)), "extent of each index", CSV(2)) \
    FIELD(dtype, TEXT, FIELD_WORD(dtypes, OPTIONS->dtype), "element type: s, d, c or z", CSV(3)) \
    FIELD(order, TEXT, FIELD_WORD(orders, OPTIONS->order), "storage order", CSV(4)) \
    FIELD(strides, TEXT, field_owned(tcplan_strides_text(PROBLEM.contraction)), "strides of tensors that are parts of larger ones", CSV(27)) \
    FIELD(threads, INTEGER, field_integer(OPTIONS->threads), "threads at most", SETTING) \
    FIELD(predictor, TEXT, FIELD_WORD(predictors, OPTIONS->predictor), "how times are predicted", SETTING, CSV(6)) \
    FIELD(stage, TEXT, field_if(OPTIONS->predictor == TCPLAN_PREDICT_THESIS, FIELD_WORD(stages, OPTIONS->stage)), "stage of --predictor thesis", SETTING) \
    FIELD(limit_bytes, INTEGER, field_if(OPTIONS->limit_bytes > 0, field_integer(OPTIONS->limit_bytes)), \
          "bound on cache setups of --predictor thesis", SETTING) \
    FIELD(cache, TEXT, FIELD_WORD(cache_states, OPTIONS->cache), "caches before the first call", SETTING, CSV(7)) \
    FIELD(flops, NUMBER, field_number(PROBLEM.flops), "operations of the contraction", SETTING, CSV(24)) \
    FIELD(limit_seconds, NUMBER, field_positive(r->report->limit_seconds), "shortest time that the measured ceilings allow", SETTING, CSV(28)) \
    FIELD(planning_seconds, NUMBER, field_number(RANKING->planning_seconds), "time that planning took", SETTING) \
    FIELD(gemm_gflops, NUMBER, field_positive(RANKING->gemm_gflops), "speed of a large square gemm of the BLAS", SETTING, CSV(25)) \
    FIELD(algorithm_count, NUMBER, field_number(RANKING->algorithm_count), "algorithms, candidates included", COUNTED) \
    FIELD(candidate_count, NUMBER, field_if(OPTIONS->space == TCPLAN_SPACE_FULL, field_number(RANKING->candidate_count)), \
          "candidates of the space full", COUNTED) \
    FIELD(oversized_count, NUMBER, field_positive(RANKING->oversized_count), "algorithms whose temporaries exceed --max-workspace", COUNTED) \
    FIELD(pruned_count, NUMBER, field_number(RANKING->pruned_count), "algorithms that a lower bound rules out", COUNTED) \
    FIELD(open_count, NUMBER, field_number(RANKING->open_count), "algorithms that were not evaluated", COUNTED) \
    FIELD(out_of_time, FLAG, field_flag(RANKING->out_of_time), "whether the time limit ended planning", COUNTED) \
    FIELD(tied_count, INTEGER, field_integer((int64_t)RANKING->tied_count), "algorithms that are as fast as the fastest", COUNTED) \
    FIELD(compared, FLAG, field_flag(RANKING->compared), "whether the answer was compared with others in the same rounds", COUNTED) \
    FIELD(missed_count, INTEGER, field_integer((int64_t)RANKING->missed_count), \
          "algorithms that may be as fast as the answer and were not compared with it", COUNTED) \
    FIELD(not_applicable_count, INTEGER, field_integer((int64_t)r->report->not_applicable_count), "algorithms that cannot run at these sizes", COUNTED)

/* Of an algorithm. */
#define ALGORITHM(FIELD) \
    FIELD(rank, INTEGER, field_integer(r->entry - RANKING->entry + 1), \
          "place by time, from 1", ROW, CSV(8), COLUMN(1, "rank"), .shown = marked_rank, .required = true) \
    FIELD(name, TEXT, field_text(r->row.name), "name of the algorithm", ROW, CSV(9), COLUMN(2, "algorithm"), .shown = marked_name, .required = true) \
    FIELD(kernel, TEXT, field_text(r->row.kernel), "name of its kernel, as dgemm", ROW, CSV(10), .required = true) \
    FIELD(provider, TEXT, field_text(r->row.provider), "library that has the kernel", ROW, CSV(26), .required = true) \
    FIELD(loops, NAMES, field_names(r->row.loop, r->row.loop_count), "loops from the outside in, as c or a:8", ROW, CSV(11), .required = true) \
    FIELD(threads, INTEGER, field_integer(r->entry->threads), \
          "threads that execute it; the same algorithm with other threads is another row", \
          ROW, CSV(5), COLUMN(3, "threads"), .applies = of_threads, .required = true) \
    FIELD(libraries, NAMES, field_names(r->library_name, r->libraries), "libraries that emitted C is linked with", ROW, CSV(30), .required = true) \
    FIELD(status, TEXT, FIELD_WORD(entry_statuses, r->entry->status), \
          "predicted, measured, pruned (ruled out by a lower bound) or open (not evaluated)", \
          ROW, CSV(13), .required = true, .schema = "\"enum\": [\"predicted\", \"pruned\", \"measured\", \"open\"]") \
    FIELD(calls, INTEGER, field_integer(r->entry->calls), \
          "calls of the kernel", ROW, CSV(14), COLUMN(14, "calls"), .optional = '5', .verbose = true, .required = true) \
    FIELD(predicted_seconds, NUMBER, field_if(is_predicted(r), field_number(r->entry->prediction.seconds)), \
          "predicted time of one execution of the whole contraction", ROW, CSV(15), COLUMN(4, "time"), .format = FIELD_TIME, .applies = of_predicted) \
    FIELD(predicted_low, NUMBER, field_if(has_interval(r), field_number(r->entry->prediction.low)), \
          "lower end of its 95 % interval; with --effort estimate, of its possible error", ROW, CSV(16)) \
    FIELD(predicted_high, NUMBER, field_if(has_interval(r), field_number(r->entry->prediction.high)), "upper end of it", ROW, CSV(17)) \
    FIELD(good_seconds, NUMBER, field_if(is_predicted(r), field_positive(r->entry->good_seconds)), \
          "predicted time while the core has its best speed", ROW, CSV(35)) \
    FIELD(follows, NUMBER, field_if(is_predicted(r) && r->entry->good_seconds > 0, field_number(r->entry->follows)), \
          "elasticity: times change by this power of the reference's time", ROW, CSV(36)) \
    FIELD(predicted_gflops, NUMBER, field_if(is_predicted(r), field_number(speed(r, r->entry->prediction.seconds))), \
          "speed by the predicted time", ROW, CSV(19)) \
    FIELD(basis, TEXT, basis(r), \
          "what was timed: scouts (short probes), windows or long windows (parts of a run), runs; or nothing: estimate", \
          ROW, CSV(31), COLUMN(15, "based on"), .optional = '6', .applies = of_windows, .shown = basis_words) \
    FIELD(kernel_time, TEXT, field_if(is_estimate(r), FIELD_WORD(time_sources, r->entry->kernel_source)), \
          "source of the kernel time of an estimate", ROW, CSV(33), .schema = "\"$ref\": \"common.json#/$defs/kernel_time\"") \
    FIELD(copy_time, TEXT, field_if(is_estimate(r), FIELD_WORD(time_sources, r->entry->copy_source)), \
          "source of the copy times of an estimate", ROW, CSV(34), .schema = "\"$ref\": \"common.json#/$defs/copy_time\"") \
    FIELD(lower_bound_seconds, NUMBER, field_positive(r->entry->lower_bound_seconds), "time of its kernels alone, on operands in cache", ROW, CSV(18)) \
    FIELD(compared, FLAG, field_if(is_predicted(r), field_flag(r->entry->compared)), "whether it ran in the same rounds as the answer", ROW, CSV(32)) \
    FIELD(tied, FLAG, field_if(is_predicted(r), field_flag(r->entry->tied)), "whether it is as fast as the fastest", ROW, CSV(20)) \
    FIELD(chosen, FLAG, field_flag(report_is_chosen(r->report, r->entry)), "whether it is the answer", ROW, CSV(29), .required = true) \
    FIELD(measured_seconds, NUMBER, field_if(is_measured(r), field_number(r->entry->measured.seconds)), \
          "measured time of one execution", ROW, CSV(21), COLUMN(6, "measured"), .format = FIELD_TIME, .applies = of_measured) \
    FIELD(measured_low, NUMBER, field_if(is_measured(r), field_number(r->entry->measured.low)), "lower end of its 95 % interval", ROW, CSV(37)) \
    FIELD(measured_high, NUMBER, field_if(is_measured(r), field_number(r->entry->measured.high)), "upper end of its 95 % interval", ROW, CSV(38)) \
    FIELD(measured_good_seconds, NUMBER, field_if(is_measured(r), field_positive(r->entry->measured_good_seconds)), \
          "measured time while the core has its best speed", ROW, CSV(39)) \
    FIELD(measured_gflops, NUMBER, field_if(is_measured(r), field_number(speed(r, r->entry->measured.seconds))), "speed by the measured time", ROW, CSV(22)) \
    FIELD(samples, INTEGER, samples(r), "number of samples behind the time", ROW, CSV(23)) \
    FIELD(sample_seconds, NUMBERS, sample_seconds(r), "the samples", ROW) \
    FIELD(copies, LIST, row_copies(&r->row), \
          "operands that are copied, and the loop that carries the copy (CSV: A@c)", \
          ROW, CSV(12), .each = each_copy, .fields = row_copy_fields, .item = "copy", .required = true, .schema = "\"$ref\": \"common.json#/$defs/copies\"") \
    FIELD(benchmarks, LIST, field_if(is_predicted(r) && r->entry->benchmark_count > 0, field_flag(true)), \
          "what --predictor thesis timed", ROW, .each = each_benchmark, .fields = benchmark_fields, .item = "benchmark", \
          .schema = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/benchmark\"}")

/* Only in text: these follow from others. */
#define TEXT_ONLY(FIELD) \
    FIELD(predicted, NUMBER, field_if(is_predicted(r), field_number(r->entry->prediction.seconds)), \
          "predicted time, next to a measured one", COLUMN(5, "predicted"), .format = FIELD_TIME, .applies = of_measured) \
    FIELD(interval, NUMBER, interval(r), \
          "95 of 100 executions in the next minutes take that long", \
          COLUMN(7, "95 % interval"), .format = FIELD_INTERVAL, .optional = '1', .applies = of_timed) \
    FIELD(range, NUMBER, interval(r), \
          "possible error of an estimate", COLUMN(8, "range"), .format = FIELD_INTERVAL, .optional = '1', .applies = of_untimed) \
    FIELD(error, NUMBER, field_if(is_predicted(r) && r->entry->measured.seconds > 0, field_number(r->entry->prediction.seconds / r->entry->measured.seconds)), \
          "predicted time over measured time", \
          COLUMN(9, "predicted/measured"), .format = FIELD_RATIO, .optional = '5', .verbose = true, .applies = of_measured) \
    FIELD(gflops, NUMBER, field_number(speed(r, seconds(r))), "operations by time", COLUMN(10, "GFLOP/s"), .format = FIELD_SPEED) \
    FIELD(limit_share, NUMBER, field_number(report_limit_share(r->report, seconds(r))), \
          "share of the speed that the measured ceilings allow", COLUMN(11, "of roofline"), .format = FIELD_SHARE, .optional = '3', .applies = of_limit) \
    FIELD(slowdown, NUMBER, field_if(report_seconds(RANKING->entry) > 0, field_number(seconds(r) / report_seconds(RANKING->entry))), \
          "time over that of the first row", COLUMN(12, "slowdown"), .format = FIELD_FACTOR, .optional = '2', .applies = of_predicted) \
    FIELD(gemm_share, NUMBER, field_number(speed(r, seconds(r)) / RANKING->gemm_gflops), \
          "speed over that of a large square gemm of the BLAS", \
          COLUMN(13, "of gemm"), .format = FIELD_SHARE, .optional = '4', .verbose = true, .applies = of_gemm)

/* clang-format on */

#define GET_WHOLE(name, kind, value, ...) GETTER(whole_##name, value)
#define GET_ALGORITHM(name, kind, value, ...) GETTER(algorithm_##name, value)
#define GET_TEXT(name, kind, value, ...) GETTER(text_##name, value)
WHOLE(GET_WHOLE)
ALGORITHM(GET_ALGORITHM)
TEXT_ONLY(GET_TEXT)

#define WHOLE_FIELD(name, kind, value, ...) {#name, FIELD_##kind, whole_##name, __VA_ARGS__},
#define ALGORITHM_FIELD(name, kind, value, ...)                                                    \
    {#name, FIELD_##kind, algorithm_##name, __VA_ARGS__},
#define TEXT_FIELD(name, kind, value, ...) {NULL, FIELD_##kind, text_##name, __VA_ARGS__},
const struct field ranking_fields[] = {WHOLE(WHOLE_FIELD) ALGORITHM(ALGORITHM_FIELD)
                                           TEXT_ONLY(TEXT_FIELD){0}};

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
