#include "cli/survey.h"

#include <stdio.h>

#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/render/algorithms/report.h"
#include "cli/stored.h"
#include "cli/survey_plot.h"

/* Limit, in seconds, of the extra time that a ranking spends on its baseline. */
#define BASELINE_SECONDS 1.0

static struct tcplan_turns_options limits_of(const struct request *request) {
    const struct options *options = request->options;
    return (struct tcplan_turns_options){.threads = options->threads,
                                         .binding = request->binding,
                                         .alignment_bytes = options->alignment_bytes,
                                         .max_memory_bytes = options->max_memory_bytes,
                                         .time_limit_seconds = options->time_limit_seconds};
}

/** Measures the chosen algorithm of a ranking alternately with another one, for at most
 * BASELINE_SECONDS. Returns the other algorithm's time divided by the chosen one's; 0 if they were
 * not measured. */
static double contest_speedup(const struct request *request, const struct tcplan_ranking *ranking,
                              const struct tcplan_algorithm *other) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    struct tcplan_turns turns = {
        .count = 2,
        .contender = {{.algorithm = &chosen->algorithm, .threads = chosen->threads},
                      {.algorithm = other}}};
    struct tcplan_turns_options limits = limits_of(request);
    if (!(limits.time_limit_seconds > 0) || limits.time_limit_seconds > BASELINE_SECONDS)
        limits.time_limit_seconds = BASELINE_SECONDS;
    if (tcplan_turns_run(&turns, &ranking->problem, &limits, &failure) != TCPLAN_OK ||
        turns.rounds == 0)
        return 0;
    return turns.contender[1].ratio / turns.contender[0].ratio;
}

/* Time limit, in seconds, for Python to start on a busy machine. */
#define PATIENCE_SECONDS 10.0

enum exit_status contest_check_numpy(const struct options *options) {
    const double patience_seconds =
        options->time_limit_seconds > 0 ? options->time_limit_seconds : PATIENCE_SECONDS;
    return diagnosed(tcplan_turns_find_numpy(patience_seconds, &failure));
}

enum exit_status contest_run(struct tcplan_turns *turns, const struct request *request,
                             const struct tcplan_problem *problem) {
    struct tcplan_turns_options limits = limits_of(request);
    limits.progress = progress_update;
    return diagnosed(tcplan_turns_run(turns, problem, &limits, &failure));
}

/** Returns whether all three tensors share an index; numpy.einsum then uses no matrix product. */
static bool has_batch(const struct tcplan_contraction *contraction) {
    return tcplan_contraction_indices(contraction, TCPLAN_BATCH) != 0;
}

/** Measures the winner of a ranking alternately with the contender of --compare. */
static enum exit_status contest_run_winner(struct tcplan_turns *turns,
                                           const struct request *request,
                                           const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    *turns = (struct tcplan_turns){
        .count = 3,
        .contender = {{.algorithm = &chosen->algorithm, .threads = chosen->threads},
                      {.kind = TCPLAN_CONTENDER_NUMPY},
                      {.kind = TCPLAN_CONTENDER_NUMPY_BEST}}};
    if (has_batch(request->contraction))
        turns->contender[turns->count++].kind = TCPLAN_CONTENDER_NUMPY_MATMUL;
    return contest_run(turns, request, &ranking->problem);
}

/* Rankings. */

static enum tcplan_status rank(struct tcplan_ranking **out, const struct request *request,
                               int64_t point, const struct tcplan_rank_options *options) {
    const struct tcplan_problem problem = request_problem(request, point);
    if (request->options->algorithm)
        return tcplan_rank_one(out, &problem, &request->algorithm, options, &failure);
    return plans_rank(out, request, point, options);
}

/** Sets the text that is printed if ^C ends the command: the number of points ranked before
 * `point`. Clears the text for the last point. */
static void set_last_words(const struct request *request, int64_t point) {
    char text[CLEANUP_WORDS];
    if (point == request_points(request)) cleanup_set_words(NULL);
    if (point == request_points(request) || request->options->quiet) return;
    snprintf(text, sizeof text, "tcplan: interrupted at size point %lld of %lld%s\n",
             (long long)point + 1, (long long)request_points(request),
             request->plans ? "; the plans of earlier ones are stored" : "");
    cleanup_set_words(text);
}

enum exit_status survey_rank(struct tcplan_ranking **out, const struct request *request,
                             int64_t point, survey_step *step) {
    struct tcplan_rank_options options = request_rank_options(request);
    struct tcplan_ranking *ranking = NULL;
    options.progress = progress_update;
    progress_set_point(point, request_points(request));
    enum tcplan_status ranked = rank(&ranking, request, point, &options);
    if (ranked == TCPLAN_OK && step) ranked = step(ranking, request, &options);
    enum exit_status status = diagnosed(ranked);
    if (status == EXIT_DONE) status = stored_add_experience(request);
    if (status == EXIT_DONE) status = plans_keep(request, ranking, &options);
    if (status == EXIT_DONE) {
        set_last_words(request, point + 1);
        *out = ranking;
    } else {
        tcplan_ranking_free(ranking);
    }
    return status;
}

enum exit_status survey_rank_algorithm(struct tcplan_ranking **out, const struct request *request,
                                       int64_t point, const struct tcplan_algorithm *algorithm,
                                       survey_step *step) {
    const struct tcplan_problem problem = request_problem(request, point);
    struct tcplan_rank_options options = request_rank_options(request);
    options.gemm_gflops = -1; /* omits the measurement of gemm, which is not needed */
    *out = NULL;
    enum tcplan_status status = tcplan_rank_one(out, &problem, algorithm, &options, &failure);
    if (status == TCPLAN_NOT_APPLICABLE) {
        note(request->options, "at size %lld of the sweep: %s", (long long)point + 1,
             failure.message);
        return EXIT_DONE;
    }
    if (status == TCPLAN_OK && step) status = step(*out, request, &options);
    if (status == TCPLAN_OK) return EXIT_DONE;
    tcplan_ranking_free(*out);
    *out = NULL;
    return diagnose_failure(NULL);
}

/** State of ranking and printing size points one by one. */
struct survey {
    const struct request *request;
    survey_step *step;
    struct emission *emission;     /* emitted files; NULL: none */
    struct tcplan_node_lock *lock; /* lock of the machine; NULL: none */
    struct survey_plot plot;
};

/** Finds the entry of --baseline's algorithm; if there is none, predicts it in a separate
 * ranking. */
static enum exit_status find_baseline(const struct tcplan_entry **out, struct tcplan_ranking **own,
                                      const struct request *request,
                                      const struct tcplan_ranking *ranking) {
    struct tcplan_rank_options options = request_rank_options(request);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->predicted && tcplan_algorithm_equal(&entry->algorithm, &request->baseline))
            *out = entry;
    }
    if (*out) return EXIT_DONE;
    options.gemm_gflops = -1; /* omits the measurement of gemm, which is already known */
    if (tcplan_rank_one(own, &ranking->problem, &request->baseline, &options, &failure) !=
        TCPLAN_OK)
        return diagnose_failure(NULL);
    *out = (*own)->entry;
    return EXIT_DONE;
}

/** Sets the predicted time of an entry to `ratio` times the answer's, after both ran in the same
 * rounds. The table and the answer's line then state the same ratio. */
static void set_ratio(struct tcplan_entry *entry, const struct tcplan_entry *answer, double ratio) {
    struct tcplan_estimate *estimate = &entry->prediction;
    if (!(ratio > 0 && answer->prediction.seconds > 0 && estimate->seconds > 0)) return;
    const double factor = ratio * answer->prediction.seconds / estimate->seconds;
    estimate->seconds *= factor;
    estimate->low *= factor;
    estimate->high *= factor;
    entry->basis = TCPLAN_BASIS_RUNS;
}

/** Makes the additional measurements that a report needs, and prints the report. */
static enum exit_status report_point(const struct request *request, struct writer *writer,
                                     const struct tcplan_ranking *ranking) {
    struct report report = report_make(request, ranking);
    struct tcplan_ranking *own = NULL;
    struct tcplan_turns turns;
    enum exit_status status = request->options->baseline
                                  ? find_baseline(&report.named, &own, request, ranking)
                                  : EXIT_DONE;
    if (status == EXIT_DONE && report.named && !ranking->is_untimed &&
        !(report_baseline(&report).speedup > 0)) {
        report.named_speedup = contest_speedup(request, ranking, &report.named->algorithm);
        if (own) set_ratio(own->entry, tcplan_ranking_chosen(ranking), report.named_speedup);
    }
    if (status == EXIT_DONE && request->options->compared != TCPLAN_CONTENDER_ALGORITHM) {
        status = contest_run_winner(&turns, request, ranking);
        report.turns = &turns;
    }
    if (status == EXIT_DONE)
        status = printed_next(writer, request->options, &ranking_view, &report);
    tcplan_ranking_free(own);
    return status;
}

/** Ranks and prints a size point; implements printed_point. */
static enum exit_status run_point(void *context, struct writer *writer, int64_t point) {
    struct survey *survey = context;
    struct tcplan_ranking *ranking = NULL;
    enum exit_status status = lock_take(survey->lock, survey->request->options);
    if (status != EXIT_DONE) return status;
    status = survey_rank(&ranking, survey->request, point, survey->step);
    if (status == EXIT_DONE && ranking && survey->emission)
        status = emission_write_fastest(survey->emission, ranking);
    if (status == EXIT_DONE && ranking)
        status = report_point(survey->request, writer, ranking); /* The report may measure, so the
                                                                    lock must still be held. */
    if (status == EXIT_DONE && ranking && !survey_plot_add(&survey->plot, ranking))
        status = diagnose_no_memory();
    tcplan_node_lock_release(survey->lock);
    tcplan_ranking_free(ranking);
    return status;
}

enum exit_status survey_run(const struct request *request, survey_step *step,
                            struct emission *emission, struct tcplan_node_lock *lock) {
    struct survey survey = {.request = request, .step = step, .emission = emission, .lock = lock};
    if (request->options->compared != TCPLAN_CONTENDER_ALGORITHM) {
        const enum exit_status found = contest_check_numpy(request->options);
        if (found != EXIT_DONE) return found;
    }
    enum exit_status status = survey_plot_begin(&survey.plot, request);
    if (status == EXIT_DONE)
        status = printed_points(request->options, request_points(request), run_point, &survey);
    if (status == EXIT_DONE) status = survey_plot_write(&survey.plot, request);
    survey_plot_free(&survey.plot);
    return status;
}
