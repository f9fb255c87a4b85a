#include "cli/render/algorithms/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/render/algorithms/results.h"
#include "cli/render/common_fields.h"

/* Options of the command. For use in expressions of fields, whose record is `r`. */
#define OPTIONS r->report->request->options
#define RANKING r->report->ranking

/* Of an algorithm. */

static bool is_predicted(const struct ranked *r) {
    return r->entry->predicted;
}

static bool is_estimate(const struct ranked *r) {
    return is_predicted(r) && r->entry->basis == TCPLAN_BASIS_ESTIMATE;
}

/** Returns whether a time has an interval. An estimate has none if other algorithms were timed. */
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

/** Returns the time by which an entry is ranked. */
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

/* clang-format off */

/* Fields of a benchmark of the predictor `thesis`. */
#define BENCHMARK(F, T) \
    F(T, part, TEXT, FIELD_WORD(parts, r->part), "timed part", .words = tcplan_words_parts, ALWAYS) \
    F(T, class, TEXT, field_if(r->part == TCPLAN_NODE_KERNEL, FIELD_WORD(classes, r->kind)), "kind of the calls", .words = tcplan_words_classes) \
    F(T, loop, INTEGER, field_if(r->loop >= 0, field_integer(r->loop)), "index of the loop, from 0") \
    F(T, calls, NUMBER, field_number(r->calls), "calls that the benchmark represents", ALWAYS) \
    F(T, call_seconds, NUMBER, field_number(r->seconds), "time of a call", ALWAYS) \
    F(T, batch, INTEGER, field_integer(r->batch), "calls timed together", ALWAYS) \
    F(T, shared, FLAG, field_flag(r->shared), "whether other algorithms share the benchmark", ALWAYS)

/* clang-format on */

FIELD_TABLE(benchmark, tcplan_benchmark, BENCHMARK);

/* Cells of text. */

static struct field_value marked_rank(const void *record) {
    const struct ranked *r = record;
    size_t place = 1;
    while (place <= RANKING->entry_count && &RANKING->entry[place - 1] != r->entry) place++;
    /* The baseline was ranked separately, so it has no position. */
    if (place > RANKING->entry_count) return field_unknown();
    const bool is_starred = place > 1 && report_is_chosen(r->report, r->entry);
    const bool is_tied = report_ties(r->report, r->entry) && r->report->tied_count > 1;
    return field_printed("%zu%c", place, is_starred ? '*' : is_tied ? '=' : ' ');
}

FIELD_GETTER(struct ranked, marked_name,
             field_printed("%s%s", r->row.name, r->entry == r->baseline ? " (baseline)" : ""))

const char *ranking_basis_words(enum tcplan_basis basis) {
    static const char *const words[] = {[TCPLAN_BASIS_PROBE] = "short probe",
                                        [TCPLAN_BASIS_WINDOWS] = "part of a run",
                                        [TCPLAN_BASIS_LONG] = "long part of a run",
                                        [TCPLAN_BASIS_RUNS] = "whole runs",
                                        [TCPLAN_BASIS_OTHER] = "",
                                        [TCPLAN_BASIS_ESTIMATE] = "estimate"};
    return words[basis];
}

static struct field_value basis_words(const void *record) {
    const struct ranked *r = record;
    if (!is_predicted(r)) return field_unknown();
    return field_printed("%s%s%s", ranking_basis_words(r->entry->basis),
                         OPTIONS->verbose && r->entry->at_ceiling ? ", at the ceiling" : "",
                         OPTIONS->verbose && r->entry->missed ? ", not compared" : "");
}

FIELD_TEST(struct ranked, of_threads, OPTIONS->threads > 1)
FIELD_TEST(struct ranked, of_measured, r->report->measured_count > 0)
FIELD_TEST(struct ranked, of_predicted, r->report->measured_count == 0)
FIELD_TEST(struct ranked, of_timed, of_predicted(r) && !RANKING->is_untimed)
FIELD_TEST(struct ranked, of_untimed, of_predicted(r) && RANKING->is_untimed)
FIELD_TEST(struct ranked, of_limit, r->report->limit_seconds > 0)
FIELD_TEST(struct ranked, of_gemm, RANKING->gemm_gflops > 0)
FIELD_TEST(struct ranked, of_windows, OPTIONS->predictor == TCPLAN_PREDICT_WINDOW)

/* Of the whole. */

static void each_entry(struct field_visit *visit, const struct report *report) {
    for (size_t e = 0; e < report->ranking->entry_count && !visit->no_memory; e++) {
        struct ranked ranked;
        if (!report_lists(report, e)) continue;
        visit->no_memory = !ranked_make(&ranked, report, &report->ranking->entry[e]);
        if (visit->no_memory) return;
        FIELD_VISIT(&ranked);
        ranked_free(&ranked);
    }
}

/** A stage of planning, in the output. */
struct planned {
    int stage;
    const struct tcplan_planning_part *part;
};

/** Visits the stages of planning that took time. */
static void each_stage(struct field_visit *visit, const struct tcplan_ranking *ranking) {
    for (int s = 0; s < TCPLAN_PLANNING_STAGES; s++) {
        if (ranking->part[s].seconds > 0) FIELD_VISIT(&(struct planned){s, &ranking->part[s]});
    }
}

struct compared_baseline {
    const struct tcplan_problem *problem;
    struct report_baseline baseline;
    bool has_interval;
};

static void visit_baseline(struct field_visit *visit, const struct report *report) {
    const struct report_baseline baseline = report_baseline(report);
    if (!baseline.entry) return;
    const bool timed = baseline.entry->basis != TCPLAN_BASIS_ESTIMATE;
    FIELD_VISIT(&(struct compared_baseline){&report->ranking->problem, baseline,
                                            timed || report->ranking->is_untimed});
}

/** Writes, for each source of kernel times, the number of estimates that used it. */
static void write_time_sources(struct document *document, const void *record) {
    const struct report *report = record;
    size_t count[TCPLAN_TIME_SOURCES];
    if (tcplan_ranking_time_sources(report->ranking, count) == 0) return;
    document_object(document, "kernel_times");
    for (int s = TCPLAN_TIME_NONE + 1; s < TCPLAN_TIME_SOURCES; s++) {
        if (count[s] > 0)
            document_integer(document, tcplan_word(tcplan_words_time_sources, s),
                             (int64_t)count[s]);
    }
    document_close(document);
}

FIELD_TEST(struct ranked, has_benchmarks, is_predicted(r) && r->entry->benchmark_count > 0)

#define ENTRY r->baseline.entry

/*
 * Each field is a line with its key, kind, value, description and columns. New CSV columns get the
 * next free position, so that existing columns keep theirs.
 */
/* clang-format off */

/* Of an algorithm. */
#define ROW(F, T) \
    F(T, rank, INTEGER, field_integer(r->entry - RANKING->entry + 1), "rank by time, from 1", CSV(8), COLUMN(1, "rank"), .shown = marked_rank, ALWAYS) \
    F(T, name, TEXT, field_text(r->row.name), "name of the algorithm", CSV(9), COLUMN(2, "algorithm"), .shown = marked_name, ALWAYS) \
    F(T, kernel, TEXT, field_text(r->row.kernel), "name of the kernel, such as dgemm", CSV(10), ALWAYS) \
    F(T, provider, TEXT, field_text(r->row.provider), "library of the kernel", CSV(26), ALWAYS) \
    F(T, loops, NAMES, field_names(r->row.loop, r->row.loop_count), "loops, outermost first, such as c or a:8", CSV(11), ALWAYS) \
    F(T, threads, INTEGER, field_integer(r->entry->threads), "number of threads; the same algorithm with another number is another row", \
      CSV(5), COLUMN(3, "threads"), .applies = of_threads, ALWAYS) \
    F(T, libraries, NAMES, field_names(r->library_name, r->libraries), "libraries for linking the emitted C", CSV(30), ALWAYS) \
    F(T, status, TEXT, FIELD_WORD(entry_statuses, r->entry->status), "predicted, measured, pruned (ruled out by a lower bound) or open (not evaluated)", \
      CSV(13), .words = tcplan_words_entry_statuses, ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->entry->calls), "calls of the kernel", CSV(14), COLUMN(14, "calls"), .optional = '5', .verbose = true, ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_if(is_predicted(r), field_number(r->entry->prediction.seconds)), \
      "predicted time of one execution of the whole contraction", CSV(15), COLUMN(4, "time"), .format = FIELD_TIME, .applies = of_predicted) \
    F(T, predicted_low, NUMBER, field_if(has_interval(r), field_number(r->entry->prediction.low)), \
      "lower end of the 95 % interval; with --effort estimate, of the range of possible times", CSV(16)) \
    F(T, predicted_high, NUMBER, field_if(has_interval(r), field_number(r->entry->prediction.high)), \
      "upper end of the 95 % interval; with --effort estimate, of the range of possible times", CSV(17)) \
    F(T, predicted_gflops, NUMBER, field_if(is_predicted(r), field_number(speed(r, r->entry->prediction.seconds))), \
      "speed according to the predicted time", CSV(19)) \
    F(T, basis, TEXT, basis(r), \
      "basis of the time, followed by the word for scripts: short probe (probes), part of a run (windows), " \
      "long part of a run (long windows), whole runs (runs), or estimate (estimate)", \
      CSV(31), COLUMN(15, "based on"), .optional = '6', .applies = of_windows, .shown = basis_words) \
    F(T, kernel_time, TEXT, field_if(is_estimate(r), FIELD_WORD(time_sources, r->entry->kernel_source)), \
      "source of the kernel time of an estimate", CSV(33), .words = tcplan_words_time_sources) \
    F(T, copy_time, TEXT, field_if(is_estimate(r), FIELD_WORD(time_sources, r->entry->copy_source)), \
      "source of the copy times of an estimate", CSV(34), .words = tcplan_words_time_sources) \
    F(T, lower_bound_seconds, NUMBER, field_positive(r->entry->lower_bound_seconds), "time of the kernel calls alone, with operands in cache", CSV(18)) \
    F(T, compared, FLAG, field_if(is_predicted(r), field_flag(r->entry->compared)), "whether the algorithm ran in the same rounds as the answer", CSV(32)) \
    F(T, tied, FLAG, field_if(is_predicted(r), field_flag(r->entry->tied)), "whether the algorithm is as fast as the fastest", CSV(20)) \
    F(T, chosen, FLAG, field_flag(report_is_chosen(r->report, r->entry)), "whether the algorithm is the answer", CSV(29), ALWAYS) \
    F(T, measured_seconds, NUMBER, field_if(is_measured(r), field_number(r->entry->measured.seconds)), \
      "measured time of one execution", CSV(21), COLUMN(6, "measured"), .format = FIELD_TIME, .applies = of_measured) \
    F(T, measured_low, NUMBER, field_if(is_measured(r), field_number(r->entry->measured.low)), "lower end of the 95 % interval", CSV(35)) \
    F(T, measured_high, NUMBER, field_if(is_measured(r), field_number(r->entry->measured.high)), "upper end of the 95 % interval", CSV(36)) \
    F(T, measured_gflops, NUMBER, field_if(is_measured(r), field_number(speed(r, r->entry->measured.seconds))), "speed according to the measured " \
      "time", CSV(22)) \
    F(T, samples, INTEGER, samples(r), "number of samples of the time", CSV(23)) \
    F(T, sample_seconds, NUMBERS, sample_seconds(r), "the samples") \
    F(T, copied, TEXT, row_copies(&r->row), "copied operands, and the loop that carries the copy, such as A@c", CSV_AS(12, "copies"), .hidden = true) \
    F(T, copies, LIST, FIELD_VISIT_ALL(r->row.copy_count, &r->row.copy[i]), \
      "copied operands, and the loop that carries the copy (CSV: A@c)", .item = "copy", .fields = row_copy_fields, ALWAYS) \
    F(T, benchmarks, LIST, FIELD_VISIT_ALL(r->entry->benchmark_count, &r->entry->benchmark[i]), \
      "benchmarks of --predictor thesis", .item = "benchmark", .fields = benchmark_fields, .applies = has_benchmarks) \
    /* only in text: documents have the values from which this field follows */ \
    F(T, predicted, NUMBER, field_if(is_predicted(r), field_number(r->entry->prediction.seconds)), \
      "predicted time; present only if there is a measured one", COLUMN(5, "predicted"), .format = FIELD_TIME, .applies = of_measured, .hidden = true) \
    F(T, interval, NUMBER, interval(r), "range of 95 of 100 executions in the next minutes", \
      COLUMN(7, "95 % interval"), .format = FIELD_INTERVAL, .optional = '1', .applies = of_timed, .hidden = true) \
    F(T, range, NUMBER, interval(r), \
      "possible error of an estimate", COLUMN(8, "range"), .format = FIELD_INTERVAL, .optional = '1', .applies = of_untimed, .hidden = true) \
    F(T, error, NUMBER, field_if(is_predicted(r) && r->entry->measured.seconds > 0, field_number(r->entry->prediction.seconds / r->entry->measured.seconds)), \
      "predicted time over measured time", \
      COLUMN(9, "predicted/measured"), .format = FIELD_RATIO, .optional = '5', .verbose = true, .applies = of_measured, .hidden = true) \
    F(T, gflops, NUMBER, field_number(speed(r, seconds(r))), "operations per second", COLUMN(10, "GFLOP/s"), .format = FIELD_SPEED, .hidden = true) \
    F(T, limit_share, NUMBER, field_number(report_limit_share(r->report, seconds(r))), \
      "share of the speed that the measured ceilings allow", COLUMN(11, "of roofline"), .format = FIELD_SHARE, .optional = '3', .applies = of_limit, \
      .hidden = true) \
    F(T, slowdown, NUMBER, field_if(report_seconds(RANKING->entry) > 0, field_number(seconds(r) / report_seconds(RANKING->entry))), \
      "time relative to the first row", COLUMN(12, "slowdown"), .format = FIELD_FACTOR, .optional = '2', .applies = of_predicted, .hidden = true) \
    F(T, gemm_share, NUMBER, field_number(speed(r, seconds(r)) / RANKING->gemm_gflops), \
      "speed relative to a large square gemm of the BLAS with the largest number of threads", \
      COLUMN(13, "of gemm"), .format = FIELD_SHARE, .optional = '4', .verbose = true, .applies = of_gemm, .hidden = true)

/* The baseline. */
#define BASELINE(F, T) \
    F(T, name, TEXT, field_owned(tcplan_algorithm_name(&ENTRY->algorithm, r->problem->contraction, r->problem->dtype)), "name of the algorithm", ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_number(ENTRY->prediction.seconds), "predicted time", ALWAYS) \
    F(T, predicted_low, NUMBER, field_if(r->has_interval, field_number(ENTRY->prediction.low)), \
      "lower end of the 95 % interval; with --effort estimate, of the range of possible times") \
    F(T, predicted_high, NUMBER, field_if(r->has_interval, field_number(ENTRY->prediction.high)), \
      "upper end of the 95 % interval; with --effort estimate, of the range of possible times") \
    F(T, basis, TEXT, field_if(ENTRY->basis == TCPLAN_BASIS_ESTIMATE, FIELD_WORD(bases, ENTRY->basis)), \
      "estimate: not timed, because the model predicts a far longer time", .schema = "\"const\": \"estimate\"") \
    F(T, compared, FLAG, field_flag(r->baseline.speedup > 0), "whether the baseline was compared with the answer, in the same rounds or by measurements of " \
      "both", ALWAYS) \
    F(T, measured_seconds, NUMBER, field_if(ENTRY->status == TCPLAN_ENTRY_MEASURED, field_number(ENTRY->measured.seconds)), "measured time") \
    F(T, speedup, NUMBER, field_positive(r->baseline.speedup), "time of the baseline relative to the answer; absent: not compared")

#define STAGE(F, T) \
    F(T, stage, TEXT, FIELD_WORD(planning_stages, r->stage), "part of planning", .words = tcplan_words_planning_stages, ALWAYS) \
    F(T, seconds, NUMBER, field_number(r->part->seconds), "elapsed time of the part", ALWAYS) \
    F(T, cpu_seconds, NUMBER, field_number(r->part->cpu_seconds), "CPU time of the planning thread", ALWAYS) \
    F(T, steps, INTEGER, field_integer(r->part->steps), \
      "number of steps of this part: backed pages, generated candidates, timed or compiled kernels, evaluated algorithms, or compared samples", ALWAYS)

/* Fields of the whole ranking. */
#define RANKING_FIELDS(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, &r->ranking->problem}), "the contraction", .fields = asked_fields) \
    F(T, contraction, TEXT, field_owned(tcplan_contraction_text(r->ranking->problem.contraction)), "the contraction in tcplan's notation", CSV(1), \
      .hidden = true) \
    F(T, sizes, SIZES, field_owned(report_sizes(&r->ranking->problem)), "extent of each index", CSV(2), .hidden = true, .columns = "extent_") \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, r->request->options->dtype), "element type: s, d, c or z", CSV(3), .hidden = true) \
    F(T, order, TEXT, FIELD_WORD(orders, r->request->options->order), "storage order", CSV(4), .hidden = true) \
    F(T, strides, TEXT, field_owned(tcplan_strides_text(r->ranking->problem.contraction)), "strides of tensors that are parts of larger ones", \
      CSV(27), .hidden = true) \
    F(T, threads, INTEGER, field_integer(r->request->options->threads), "largest number of threads", ALWAYS) \
    F(T, predictor, TEXT, FIELD_WORD(predictors, r->request->options->predictor), "predictor", CSV(6), .words = tcplan_words_predictors, ALWAYS) \
    F(T, stage, TEXT, field_if(r->request->options->predictor == TCPLAN_PREDICT_THESIS, FIELD_WORD(stages, r->request->options->stage)), \
      "stage of --predictor thesis") \
    F(T, limit_bytes, INTEGER, field_if(r->request->options->limit_bytes > 0, field_integer(r->request->options->limit_bytes)), \
      "limit of cache setups of --predictor thesis") \
    F(T, cache, TEXT, FIELD_WORD(cache_states, r->request->options->cache), "caches before the first call", CSV(7), \
      .words = tcplan_words_cache_states, ALWAYS) \
    F(T, flops, NUMBER, field_number(r->ranking->problem.flops), "operations of the contraction", CSV(24), ALWAYS) \
    F(T, limit_seconds, NUMBER, field_positive(r->limit_seconds), "shortest time that the measured ceilings allow", CSV(28)) \
    F(T, planning_seconds, NUMBER, field_number(r->ranking->planning_seconds), "planning time", ALWAYS) \
    F(T, gemm_gflops, NUMBER, field_positive(r->ranking->gemm_gflops), "speed of a large square gemm of the BLAS with the largest number of threads", CSV(25)) \
    F(T, settings, GROUP, FIELD_VISIT(r->request->options), "settings of planning", .fields = planning_fields) \
    F(T, algorithm_count, NUMBER, field_number(r->ranking->algorithm_count), "number of algorithms, including candidates", ALWAYS) \
    F(T, candidate_count, NUMBER, field_if(r->request->options->space == TCPLAN_SPACE_FULL, field_number(r->ranking->candidate_count)), \
      "candidates of the space full") \
    F(T, oversized_count, NUMBER, field_positive(r->ranking->oversized_count), "algorithms whose temporaries exceed --max-workspace") \
    F(T, pruned_count, NUMBER, field_number(r->ranking->pruned_count), "algorithms that a lower bound rules out", ALWAYS) \
    F(T, open_count, NUMBER, field_number(r->ranking->open_count), "algorithms that were not evaluated", ALWAYS) \
    F(T, out_of_time, FLAG, field_flag(r->ranking->out_of_time), "whether the time limit ended planning", ALWAYS) \
    F(T, tied_count, INTEGER, field_integer((int64_t)r->ranking->tied_count), "algorithms that are as fast as the fastest", ALWAYS) \
    F(T, compared, FLAG, field_flag(r->ranking->compared), "whether the answer was compared with others in the same rounds", ALWAYS) \
    F(T, missed_count, INTEGER, field_integer((int64_t)r->ranking->missed_count), \
      "algorithms that may be as fast as the answer but were not compared with it", ALWAYS) \
    F(T, not_applicable_count, INTEGER, field_integer((int64_t)r->not_applicable_count), "algorithms that cannot run at these sizes", ALWAYS) \
    F(T, load, OBJECT, FIELD_VISIT(&r->ranking->load), "load by other programs", .fields = tcplan_load_fields, ALWAYS) \
    F(T, planning, LIST, each_stage(visit, r->ranking), "parts of planning_seconds", .item = "part", .fields = stage_fields, ALWAYS) \
    F(T, kernel_times, TEXT, field_if(r->ranking->is_untimed, field_word("")), "number of estimates by the source of their kernel time", \
      .write = write_time_sources, \
      .schema = "\"type\": \"object\", \"propertyNames\": {\"enum\": [\"model\", \"stored\", \"beyond-model\", \"ceilings\", \"nominal\"]}") \
    F(T, baseline, OBJECT, visit_baseline(visit, r), "baseline of the answer; absent: the baseline is the answer, or was not evaluated", \
      .fields = baseline_fields) \
    F(T, machine, OBJECT, FIELD_VISIT(&r->request->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, libraries, GROUP, FIELD_VISIT(&r->blas), "libraries of kernels", .fields = libraries_fields) \
    F(T, algorithms, LIST, each_entry(visit, r), "algorithms, fastest first", .item = "algorithm", .fields = ranked_fields, ALWAYS) \
    F(T, turns, GROUP, if (r->turns) FIELD_VISIT(&(struct in_turns){r->turns, &r->ranking->problem}), "interleaved runs", .fields = in_turns_fields)

/* clang-format on */

FIELD_TABLE_SHARED(ranked, ranked, ROW);
FIELD_TABLE(baseline, compared_baseline, BASELINE);
FIELD_TABLE(stage, planned, STAGE);
FIELD_TABLE(ranking, report, RANKING_FIELDS);

static void print_text(struct writer *writer, const void *record) {
    if (sweep_is_brief(record)) {
        sweep_print_text(writer, record);
    } else {
        ranking_print_text(writer, record);
    }
}

const struct view ranking_view = {.element = "ranking",
                                  .says = "Algorithms of a contraction, the fastest first.",
                                  .fields = ranking_fields,
                                  .list = "rankings",
                                  .text = print_text};

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
