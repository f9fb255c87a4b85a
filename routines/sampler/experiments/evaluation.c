/*
 * Evaluates reports. For every repetition, ticks, operations, bytes and counts of the calls are
 * added over the values of the sum variable, each call with the selector's factor. Metrics are
 * computed from these sums, and statistics over the repetitions (dissertation, 2.2.2 and 4.2).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sorted.h"
#include "routines/sampler/experiments/nest.h"
#include "routines/sampler/experiments/report.h"
#include "routines/sampler/experiments/selector.h"

struct evaluating {
    struct arena arena;
    const struct tcplan_experiment_report *report;
    int metric; /* enum tcplan_metric, or TCPLAN_METRICS + c for counter number c */
    bool discard_first;
    struct selector selector[TCPLAN_SELECTORS_MAX];
    struct point_plan plan;
    double peak_factor; /* peak relative to the peak in double precision: 2 in single precision,
                           whose vectors have twice as many elements */
};

const char *tcplan_metric_name(enum tcplan_metric metric) {
    static const char *const names[TCPLAN_METRICS] = {
        "cycles",     "s",         "ms",    "flops",   "flops/cycle", "gflops",
        "efficiency", "bandwidth", "bytes", "written", "intensity"};
    return metric < TCPLAN_METRICS ? names[metric] : "";
}

const char *tcplan_metric_unit(enum tcplan_metric metric) {
    static const char *const units[TCPLAN_METRICS] = {
        "cycles", "s", "ms", "flop", "flop/cycle", "GFLOP/s", "%", "GB/s", "B", "B", "flop/B"};
    return metric < TCPLAN_METRICS ? units[metric] : "";
}

const char *tcplan_statistic_name(enum tcplan_statistic statistic) {
    static const char *const names[TCPLAN_STATISTICS] = {"min", "med", "max", "avg",
                                                         "std", "p25", "p75", "p90"};
    return statistic < TCPLAN_STATISTICS ? names[statistic] : "";
}

/** Returns the number of the experiment's counter with a name; -1: there is none. */
static int find_counter(const struct tcplan_experiment *experiment, const char *name) {
    int counter = 0;
    for (const char *at = experiment->counters; *at; counter++) {
        const size_t length = strcspn(at, " ");
        if (strlen(name) == length && memcmp(at, name, length) == 0) return counter;
        at += length + (at[length] == ' ');
    }
    return -1;
}

/** Finds a metric or counter by name. `counted-` precedes the two counters whose names are also
 * metrics, as in `counted-cycles`; other counters have their plain name, as `misses`. */
static enum tcplan_status find_metric(struct evaluating *evaluating, const char *name,
                                      struct tcplan_error *error) {
    const struct tcplan_experiment *experiment = evaluating->report->experiment;
    const bool counted = strncmp(name, "counted-", 8) == 0;
    const int counter = find_counter(experiment, counted ? name + 8 : name);
    int metric = 0;
    while (!counted && metric < TCPLAN_METRICS &&
           strcmp(name, tcplan_metric_name((enum tcplan_metric)metric)) != 0)
        metric++;
    evaluating->metric = metric;
    if (!counted && metric < TCPLAN_METRICS) return TCPLAN_OK;
    evaluating->metric = TCPLAN_METRICS + counter;
    if (counter >= 0) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "expected the metric cycles, s, ms, flops, flops/cycle, gflops, efficiency, bandwidth, bytes, "
        "written or intensity, or a counter of the experiment%s%.80s, found '%.60s'",
        *experiment->counters ? ": " : " (it has none)", experiment->counters, name);
}

static enum tcplan_status find_selectors(struct evaluating *evaluating,
                                         struct tcplan_evaluation *out,
                                         const struct tcplan_evaluation_choice *choice,
                                         struct tcplan_error *error) {
    const struct tcplan_experiment *experiment = evaluating->report->experiment;
    const bool whole = experiment->parallel_calls || experiment->parallel_sum;
    enum tcplan_status status = TCPLAN_OK;
    out->selector_count = choice->selector_count > 0 ? choice->selector_count : 1;
    for (int s = 0; s < out->selector_count && status == TCPLAN_OK; s++) {
        struct selector *selector = &evaluating->selector[s];
        status = selector_parse(selector, &evaluating->arena, experiment,
                                choice->selector_count > 0 ? choice->selector[s] : "all", error);
        for (int c = 1; c < experiment->call_count && whole && status == TCPLAN_OK; c++) {
            if (selector->factor[c] == selector->factor[0]) continue;
            status = error_set(
                error, TCPLAN_INVALID,
                "'%.80s': calls in parallel have one common time, so only the sum of all calls "
                "can be selected",
                selector->label);
        }
        out->selector[s] = selector->label;
    }
    return status;
}

static const struct report_provenance *first_provenance(
    const struct tcplan_experiment_report *report) {
    return report->runs ? report->runs->provenance : report->provenances;
}

/** Checks that the peaks are known, which the metric `efficiency` requires. */
static enum tcplan_status check_peak(struct evaluating *evaluating, struct tcplan_error *error) {
    const struct tcplan_experiment *experiment = evaluating->report->experiment;
    const enum tcplan_dtype dtype = experiment->call[0].signature->dtype;
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    evaluating->peak_factor = single ? 2 : 1;
    if (evaluating->metric != TCPLAN_METRIC_EFFICIENCY) return TCPLAN_OK;
    for (int c = 1; c < experiment->call_count; c++) {
        const enum tcplan_dtype other = experiment->call[c].signature->dtype;
        if ((other == TCPLAN_FLOAT || other == TCPLAN_FLOAT_COMPLEX) == single) continue;
        return error_set(
            error, TCPLAN_INVALID,
            "the calls are of single and of double precision, which have different peaks");
    }
    for (const struct report_provenance *p = evaluating->report->provenances; p; p = p->next) {
        if (p->flops_per_cycle > 0) continue;
        return error_set(
            error, TCPLAN_INVALID,
            "efficiency needs flops_per_cycle in the experiment, or stored ceilings at the time "
            "of the run: `tcplan roofline` measures and stores them");
    }
    return TCPLAN_OK;
}

/** Sums over all calls and values of the sum variable. */
struct sums {
    double ticks, flops, bytes, written, count;
};

/** Adds the operations and bytes of a call at one value of the sum variable. */
static void add_call(struct sums *out, const struct evaluating *evaluating, size_t place,
                     double factor) {
    const struct tcplan_experiment *experiment = evaluating->report->experiment;
    const struct signature *signature =
        experiment->call[place % (size_t)experiment->call_count].signature;
    const int64_t *value = evaluating->plan.call[place].value;
    out->flops += factor * signature_flops(signature, value);
    out->bytes += factor * signature_movement(signature, value);
    out->written += factor * signature_written(signature, value);
}

static struct sums sum_up(const struct evaluating *evaluating, const struct selector *selector,
                          const struct report_samples *samples) {
    const struct tcplan_experiment *experiment = evaluating->report->experiment;
    const size_t calls = (size_t)experiment->call_count, all = evaluating->plan.sum_count * calls;
    const bool whole =
        samples->count != all || experiment->parallel_calls || experiment->parallel_sum;
    const int counter = evaluating->metric - TCPLAN_METRICS,
              counters = evaluating->report->counter_count;
    struct sums out = {0};
    for (size_t i = 0; i < all; i++) add_call(&out, evaluating, i, selector->factor[i % calls]);
    for (size_t i = 0; i < samples->count; i++) {
        const double factor = selector->factor[whole ? 0 : i % calls];
        if (factor == 0) continue;
        out.ticks += factor * (double)samples->ticks[i];
        if (counter >= 0)
            out.count +=
                factor *
                (samples->counts ? samples->counts[i * (size_t)counters + (size_t)counter] : NAN);
    }
    return out;
}

static double metric_of(const struct evaluating *evaluating, const struct sums *sums,
                        const struct report_provenance *provenance) {
    const double seconds = sums->ticks / provenance->ticks_per_second;
    const int64_t threads = evaluating->plan.threads;
    const int64_t cores = provenance->cores < threads ? provenance->cores : threads;
    switch (evaluating->metric) {
    case TCPLAN_METRIC_CYCLES: return sums->ticks;
    case TCPLAN_METRIC_SECONDS: return seconds;
    case TCPLAN_METRIC_MILLISECONDS: return 1e3 * seconds;
    case TCPLAN_METRIC_COST: return sums->flops;
    case TCPLAN_METRIC_FLOPS_PER_CYCLE: return sums->flops / sums->ticks;
    case TCPLAN_METRIC_GFLOPS: return 1e-9 * sums->flops / seconds;
    case TCPLAN_METRIC_EFFICIENCY:
        return sums->flops / (provenance->flops_per_cycle * evaluating->peak_factor * sums->ticks *
                              (double)cores);
    case TCPLAN_METRIC_BANDWIDTH: return 1e-9 * sums->bytes / seconds;
    case TCPLAN_METRIC_BYTES: return sums->bytes;
    case TCPLAN_METRIC_WRITTEN: return sums->written;
    case TCPLAN_METRIC_INTENSITY: return sums->flops / sums->bytes;
    default: return sums->count;
    }
}

static void summarise(struct tcplan_figure *figure, double *sorted) {
    const size_t n = figure->count;
    double sum = 0, squares = 0;
    if (n == 0) return;
    memcpy(sorted, figure->sample, n * sizeof *sorted);
    sort_numbers(sorted, n);
    for (size_t i = 0; i < n; i++) sum += sorted[i];
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    figure->statistic[TCPLAN_STATISTIC_MIN] = sorted[0];
    figure->statistic[TCPLAN_STATISTIC_MEDIAN] = sorted_median(sorted, n);
    figure->statistic[TCPLAN_STATISTIC_MAX] = sorted[n - 1];
    figure->statistic[TCPLAN_STATISTIC_MEAN] = mean;
    figure->statistic[TCPLAN_STATISTIC_DEVIATION] = sqrt(squares / (double)n);
    figure->statistic[TCPLAN_STATISTIC_P25] = sorted_quantile(sorted, n, 0.25);
    figure->statistic[TCPLAN_STATISTIC_P75] = sorted_quantile(sorted, n, 0.75);
    figure->statistic[TCPLAN_STATISTIC_P90] = sorted_quantile(sorted, n, 0.9);
}

static int compare_samples(const void *a, const void *b) {
    const struct report_samples *x = *(const struct report_samples *const *)a,
                                *y = *(const struct report_samples *const *)b;
    return (x->repetition > y->repetition) - (x->repetition < y->repetition);
}

/** Returns the repetitions of a point in order; NULL if memory runs out. */
static const struct report_samples **list_samples(struct evaluating *evaluating, size_t point,
                                                  size_t *count) {
    size_t total = 0, at = 0;
    for (const struct report_samples *s = evaluating->report->at_point[point]; s; s = s->at_point)
        total++;
    const struct report_samples **list = arena_alloc(
        &evaluating->arena, (total + 1) * sizeof *list); /* NOLINT(bugprone-sizeof-expression) */
    for (const struct report_samples *s = evaluating->report->at_point[point]; list && s;
         s = s->at_point) {
        if (!evaluating->discard_first || s->repetition > 0) list[at++] = s;
    }
    if (list) /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
        qsort(list, at, sizeof *list, compare_samples);
    *count = at;
    return list;
}

static bool is_disturbed(const struct report_samples *samples, const struct selector *selector,
                         int calls) {
    for (size_t s = 0; s < samples->count; s++) {
        if (samples->disturbed[s] &&
            selector->factor[samples->count == 1 ? 0 : s % (size_t)calls] != 0)
            return true;
    }
    return false;
}

static enum tcplan_status evaluate_selector(struct evaluating *evaluating,
                                            struct tcplan_figure *out,
                                            const struct selector *selector,
                                            const struct report_samples *const *list, size_t count,
                                            struct tcplan_error *error) {
    double *sample = arena_alloc(&evaluating->arena, (count + 1) * sizeof *sample);
    double *sorted = arena_alloc(&evaluating->arena, (count + 1) * sizeof *sorted);
    if (!sample || !sorted) return error_no_memory(error);
    out->sample = sample;
    for (size_t i = 0; i < count; i++) {
        const struct sums sums = sum_up(evaluating, selector, list[i]);
        const double value = metric_of(evaluating, &sums, list[i]->provenance);
        if (!isfinite(value))
            continue; /* not finite if the events were not counted, or the time is 0 */
        sample[out->count++] = value;
        out->disturbed +=
            is_disturbed(list[i], selector, evaluating->report->experiment->call_count);
    }
    summarise(out, sorted);
    return TCPLAN_OK;
}

static enum tcplan_status evaluate_point(struct evaluating *evaluating,
                                         struct tcplan_evaluation *out, size_t point,
                                         struct tcplan_error *error) {
    size_t count = 0;
    const struct report_samples **list = list_samples(evaluating, point, &count);
    if (!list) return error_no_memory(error);
    enum tcplan_status status =
        point_plan_make(&evaluating->plan, evaluating->report->experiment, point, error);
    if (status != TCPLAN_OK) return status;
    if ((int64_t)count < evaluating->plan.repetitions - evaluating->discard_first) out->missing++;
    for (int s = 0; s < out->selector_count && status == TCPLAN_OK; s++) {
        struct tcplan_figure *figure =
            &out->figure[point * (size_t)out->selector_count + (size_t)s];
        figure->threads = evaluating->plan.threads;
        status =
            evaluate_selector(evaluating, figure, &evaluating->selector[s], list, count, error);
    }
    return status;
}

/** Sets the description of an evaluation: title, variable, and machine. The CPU is the first part
 * of a fingerprint. */
static void describe(struct tcplan_evaluation *out, const struct tcplan_experiment_report *report) {
    const struct tcplan_experiment *experiment = report->experiment;
    const struct report_provenance *provenance = first_provenance(report);
    out->name = experiment->name;
    out->title = *experiment->title ? experiment->title : experiment->name;
    out->machine = provenance && provenance->part_count > 0 ? provenance->part[0].value : "";
    out->library = provenance ? provenance->library : "";
    out->cores = report->experiment->cores;
    out->nodes = report->experiment->memory;
    out->variable = experiment->variable[EXPRESSION_RANGE];
    out->point_count = experiment->point_count;
    out->point = experiment->point;
    out->dtype = (int)experiment->call[0].signature->dtype;
    for (int c = 1; c < experiment->call_count; c++) {
        if ((int)experiment->call[c].signature->dtype != out->dtype) out->dtype = -1;
    }
}

enum tcplan_status tcplan_experiment_evaluate(struct tcplan_evaluation *out,
                                              const struct tcplan_experiment_report *report,
                                              const struct tcplan_evaluation_choice *choice,
                                              struct tcplan_error *error) {
    *out = (struct tcplan_evaluation){.metric = choice->metric};
    struct evaluating *evaluating = base_alloc_zero(1, sizeof *evaluating);
    if (!evaluating) return error_no_memory(error);
    out->memory = evaluating;
    evaluating->report = report;
    evaluating->discard_first = choice->discard_first;
    describe(out, report);
    enum tcplan_status status = find_metric(evaluating, choice->metric, error);
    if (status == TCPLAN_OK) status = find_selectors(evaluating, out, choice, error);
    if (status == TCPLAN_OK) status = check_peak(evaluating, error);
    if (status != TCPLAN_OK) return status;
    out->unit = evaluating->metric < TCPLAN_METRICS
                    ? tcplan_metric_unit((enum tcplan_metric)evaluating->metric)
                    : "";
    out->figure = arena_alloc(&evaluating->arena,
                              out->point_count * (size_t)out->selector_count * sizeof *out->figure);
    if (!out->figure) return error_no_memory(error);
    for (size_t p = 0; p < out->point_count && status == TCPLAN_OK; p++)
        status = evaluate_point(evaluating, out, p, error);
    return status;
}

/* Side by side. */

static enum tcplan_status check_joined(const struct tcplan_evaluation of[], int count,
                                       struct tcplan_error *error) {
    int selectors = 0;
    for (int e = 0; e < count; e++) {
        const char *variable = of[e].variable ? of[e].variable : "",
                   *first = of[0].variable ? of[0].variable : "";
        selectors += of[e].selector_count;
        if (strcmp(of[e].metric, of[0].metric) != 0)
            return error_set(error, TCPLAN_INVALID,
                             "the metrics '%.60s' and '%.60s' cannot be compared", of[0].metric,
                             of[e].metric);
        if (strcmp(variable, first) != 0)
            return error_set(error, TCPLAN_INVALID,
                             "the reports have ranges of different variables: '%.60s' and '%.60s'",
                             first, variable);
    }
    if (selectors <= TCPLAN_JOINED_MAX) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "%d curves; expected at most %d", selectors,
                     TCPLAN_JOINED_MAX);
}

static int compare_points(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/** Lists the points of all ranges, each once, in increasing order. */
static bool join_points(struct tcplan_evaluation *out, struct arena *arena,
                        const struct tcplan_evaluation of[], int count) {
    size_t all = 0, kept = 0;
    for (int e = 0; e < count; e++) all += of[e].point_count;
    int64_t *point = arena_alloc(arena, (all + 1) * sizeof *point);
    if (!point) return false;
    all = 0;
    for (int e = 0; e < count; e++) {
        memcpy(point + all, of[e].point, of[e].point_count * sizeof *point);
        all += of[e].point_count;
    }
    qsort(point, all, sizeof *point, compare_points);
    for (size_t p = 0; p < all; p++) {
        if (p == 0 || point[p] != point[p - 1]) point[kept++] = point[p];
    }
    out->point = point;
    out->point_count = kept;
    return true;
}

/** Returns the name of a selector in a joined evaluation: the label of its evaluation, followed by
 * the selector's own name unless every evaluation has only one selector, of the same name. */
static const char *join_name(struct arena *arena, const struct tcplan_evaluation of[], int count,
                             const char *label, const char *selector) {
    char name[160];
    bool alone = true;
    for (int e = 0; e < count; e++)
        alone =
            alone && of[e].selector_count == 1 && strcmp(of[e].selector[0], of[0].selector[0]) == 0;
    snprintf(name, sizeof name, "%.80s%s%.70s", label, alone ? "" : ": ", alone ? "" : selector);
    return arena_strndup(arena, name, strlen(name));
}

/** Copies the figures of one evaluation to the selectors from number `first` on. */
static void join_figures(struct tcplan_evaluation *out, const struct tcplan_evaluation *from,
                         int first) {
    for (size_t p = 0; p < from->point_count; p++) {
        const int64_t *at = bsearch(&from->point[p], out->point, out->point_count,
                                    sizeof *out->point, compare_points);
        const size_t row = (size_t)(at - out->point) * (size_t)out->selector_count;
        memcpy(&out->figure[row + (size_t)first], &from->figure[p * (size_t)from->selector_count],
               (size_t)from->selector_count * sizeof *out->figure);
    }
}

static const char *same_or(const char *a, const char *b, const char *other) {
    return strcmp(a, b) == 0 ? a : other;
}

enum tcplan_status tcplan_evaluations_join(struct tcplan_evaluation *out,
                                           const struct tcplan_evaluation of[],
                                           const char *const label[], int count,
                                           struct tcplan_error *error) {
    struct evaluating *joined = base_alloc_zero(1, sizeof *joined);
    *out = of[0];
    out->memory = joined;
    out->selector_count = 0;
    out->missing = 0;
    enum tcplan_status status = joined ? check_joined(of, count, error) : error_no_memory(error);
    if (status == TCPLAN_OK && !join_points(out, &joined->arena, of, count))
        status = error_no_memory(error);
    for (int e = 0; e < count && status == TCPLAN_OK; e++) {
        for (int s = 0; s < of[e].selector_count; s++)
            out->selector[out->selector_count++] =
                join_name(&joined->arena, of, count, label[e], of[e].selector[s]);
        out->missing += of[e].missing;
        out->title = same_or(out->title, of[e].title, "side by side");
        out->machine = same_or(out->machine, of[e].machine, "several machines");
        out->library = same_or(out->library, of[e].library, "several libraries");
        out->cores = same_or(out->cores, of[e].cores, "several");
        out->nodes = same_or(out->nodes, of[e].nodes, "several");
        if (of[e].dtype != out->dtype) out->dtype = -1;
    }
    const size_t figures = out->point_count * (size_t)out->selector_count;
    for (int s = 0; s < out->selector_count && status == TCPLAN_OK; s++) {
        if (!out->selector[s]) status = error_no_memory(error);
    }
    out->figure = status == TCPLAN_OK
                      ? arena_alloc(&joined->arena, (figures + 1) * sizeof *out->figure)
                      : NULL;
    if (!out->figure) return status == TCPLAN_OK ? error_no_memory(error) : status;
    memset(out->figure, 0, figures * sizeof *out->figure);
    for (int e = 0, first = 0; e < count; first += of[e++].selector_count)
        join_figures(out, &of[e], first);
    return TCPLAN_OK;
}

void tcplan_evaluation_free(struct tcplan_evaluation *evaluation) {
    struct evaluating *evaluating = evaluation->memory;
    if (evaluating) {
        point_plan_free(&evaluating->plan);
        arena_free(&evaluating->arena);
    }
    base_free(evaluating);
    *evaluation = (struct tcplan_evaluation){0};
}
