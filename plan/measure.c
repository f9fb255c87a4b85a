#include "microbench/predict/measure.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/session.h"
#include "plan/options.h"
#include "plan/rank.h"
#include "store/code_stored.h"

/* Share of the free memory that tensors may take. */
#define MEMORY_SHARE 0.9

/** An entry while it is measured. */
struct run {
    struct tcplan_entry *entry;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    struct measurement measurement;
};

/** All entries that are measured alternately, and their common state. */
struct series {
    struct tcplan_ranking *ranking;
    struct tcplan_rank_options options;
    struct kernel_maker maker;
    struct buffers *buffers;
    struct reference *reference;
    struct run *run;
    size_t count;
};

static enum tcplan_status check_memory(const struct tcplan_problem *problem,
                                       int64_t max_memory_bytes, struct tcplan_error *error) {
    double bytes = 0;
    for (int t = 0; t < TCPLAN_TENSORS; t++)
        bytes += (double)problem->elems[t] * (double)problem->element_bytes;
    const double allowed = max_memory_bytes > 0 ? (double)max_memory_bytes
                                                : MEMORY_SHARE * (double)buffers_available_bytes();
    if (bytes <= allowed) return TCPLAN_OK;
    return error_set(error, TCPLAN_NO_MEMORY, "the tensors take %s to run, more than the %s %s",
                     quantity_bytes(bytes).text, quantity_bytes(allowed).text,
                     max_memory_bytes > 0 ? "allowed" : "free");
}

enum tcplan_status tcplan_measure_check(const struct tcplan_problem *problem,
                                        const struct tcplan_rank_options *options,
                                        struct tcplan_error *error) {
    return check_memory(problem, options ? options->max_memory_bytes : 0, error);
}

static enum tcplan_status start_run(struct series *series, struct run *run,
                                    struct tcplan_error *error) {
    const struct tcplan_problem *problem = &series->ranking->problem;
    enum tcplan_status status =
        tcplan_nest_build(&run->nest, problem->contraction, &run->entry->algorithm, error);
    if (status == TCPLAN_OK)
        status = program_build_on(&run->program, run->nest, problem, &series->buffers->scratch,
                                  &series->maker, error);
    if (status == TCPLAN_OK)
        status = tcplan_program_set_threads(run->program, run->entry->threads, error);
    if (status != TCPLAN_OK) return status;
    blas_set_threads(run->entry->threads);
    measurement_start(&run->measurement, run->program, series->reference, series->buffers,
                      run->entry->threads);
    return status;
}

static void report(const struct series *series, const char *activity, double done, double total) {
    if (series->options.progress)
        series->options.progress(series->options.progress_context, activity, done, total);
}

/** Starts every run, then samples them alternately, so that drift of the machine affects all alike.
 */
static enum tcplan_status run_series(struct series *series, struct tcplan_error *error) {
    for (size_t r = 0; r < series->count; r++) {
        struct run *run = &series->run[r];
        report(series, "running", (double)r, (double)series->count);
        enum tcplan_status status = start_run(series, run, error);
        if (status == TCPLAN_NOT_APPLICABLE) ranking_exclude(series->ranking, run->entry, error);
        if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
    }
    for (int sample = 0; sample < MEASUREMENT_MAX_SAMPLES; sample++) {
        report(series, "running again", sample, MEASUREMENT_MAX_SAMPLES);
        for (size_t r = 0; r < series->count; r++) {
            struct run *run = &series->run[r];
            if (!run->program) continue;
            blas_set_threads(run->entry->threads);
            measurement_sample(&run->measurement, series->buffers, run->entry->threads);
        }
    }
    return TCPLAN_OK;
}

/** Records the times of all runs, corrected by the mean of the references that were measured
 * with them. */
static enum tcplan_status note_times(const struct series *series, struct tcplan_error *error) {
    const struct measurement **measurement = base_alloc(series->count * sizeof(void *));
    struct tcplan_load *load = &series->ranking->load;
    size_t count = 0;
    if (!measurement) return error_no_memory(error);
    for (size_t r = 0; r < series->count; r++) {
        if (series->run[r].measurement.sample_count > 0)
            measurement[count++] = &series->run[r].measurement;
    }
    const struct ranker ranker = {
        .ranking = series->ranking, .options = series->options, .reference = series->reference};
    const double seconds = count > 0 ? measurement[0]->sample[0].seconds : 0;
    if (count > 0)
        load->elasticity = measurement_elasticity(measurement, count,
                                                  ranker_expected_elasticity(&ranker, seconds));
    for (size_t r = 0; r < series->count; r++) {
        struct tcplan_entry *entry = series->run[r].entry;
        if (series->run[r].measurement.sample_count == 0) continue;
        entry->measured = measurement_estimate(&series->run[r].measurement, load->elasticity,
                                               ranker_drift(&ranker).mean_seconds);
        drift_widen(&entry->measured, ranker_error(&ranker, entry->measured.seconds));
        entry->lower_bound_seconds = fmin(entry->lower_bound_seconds, entry->measured.seconds);
        entry->status = TCPLAN_ENTRY_MEASURED;
    }
    if (count > 0) ranker_note_speed(&ranker);
    base_free((void *)measurement);
    return TCPLAN_OK;
}

static enum tcplan_status measure_entries(struct series *series, size_t first,
                                          struct tcplan_error *error) {
    for (size_t r = 0; r < series->count; r++)
        series->run[r] = (struct run){.entry = &series->ranking->entry[first + r]};
    struct session session;
    const struct session_options wanted = {.threads = series->options.threads,
                                           .binding = &series->options.binding};
    enum tcplan_status status = session_begin_with(&session, &wanted, error);
    if (status != TCPLAN_OK) return status;
    series->reference = reference_new();
    buffers_back_all(series->buffers);
    status = run_series(series, error);
    if (status == TCPLAN_OK && series->count > 0) status = note_times(series, error);
    for (size_t r = 0; r < series->count; r++) {
        tcplan_program_free(series->run[r].program);
        tcplan_nest_free(series->run[r].nest);
    }
    reference_free(series->reference);
    session_end(&session);
    return status;
}

enum tcplan_status tcplan_ranking_measure(struct tcplan_ranking *ranking, size_t first,
                                          size_t count, const struct tcplan_rank_options *options,
                                          struct tcplan_error *error) {
    struct series series = {.ranking = ranking,
                            .options = options ? *options : tcplan_rank_defaults()};
    series.maker = (struct kernel_maker){.keeper = store_code_keeper(series.options.code)};
    if (first > ranking->entry_count) first = ranking->entry_count;
    series.count = count < ranking->entry_count - first ? count : ranking->entry_count - first;
    enum tcplan_status status = rank_options_check(&series.options, error);
    if (status == TCPLAN_OK)
        status = check_memory(&ranking->problem, series.options.max_memory_bytes, error);
    if (status == TCPLAN_OK)
        status = ranking_buffers(&series.buffers, ranking, &series.options, error);
    if (status != TCPLAN_OK) return status;
    series.run = base_alloc(series.count * sizeof *series.run);
    status = series.run ? measure_entries(&series, first, error) : error_no_memory(error);
    base_free(series.run);
    return status;
}
