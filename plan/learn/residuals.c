#include "plan/learn/residuals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/checksum.h"
#include "microbench/timing/quantile.h"
#include "plan/predictor.h"
#include "store/experience.h"
#include "tcplan/canonical.h"

/* Processes within that met much the same. */
enum { MINUTE = 60 };

/* What half an interval of 95 % is in standard deviations. */
#define LEVEL 0.95

double residuals_drawn(const struct residual *known, double assumed) {
    return sqrt((RESIDUALS_ASSUMED * assumed * assumed + known->squares) /
                (RESIDUALS_ASSUMED + known->count));
}

static struct residual known_of(const struct ranker *ranker, enum residual_kind kind) {
    const struct tcplan_experience *experience = ranker->options.experience;
    const bool memory = reference_kind(ranker->reference) == REFERENCE_MEMORY;
    return experience ? experience_residual(experience, kind, memory)
                      : (struct residual){.kind = kind, .memory = memory};
}

/** What the shares of plan/predictor.c say, as a standard deviation. */
static double assumed_of(enum tcplan_basis basis) {
    return predictor_systematic_share(basis) / quantile_normal(LEVEL);
}

static enum residual_kind kind_of_comparison(enum tcplan_basis basis) {
    return basis == TCPLAN_BASIS_RUNS ? RESIDUAL_COMPARED_RUNS : RESIDUAL_COMPARED_WINDOWS;
}

static enum residual_kind kind_of_look(enum tcplan_basis basis) {
    return basis == TCPLAN_BASIS_RUNS    ? RESIDUAL_RUNS
           : basis == TCPLAN_BASIS_SCOUT ? RESIDUAL_SCOUTS
                                         : RESIDUAL_WINDOWS;
}

static bool is_look(enum tcplan_basis basis) {
    return basis == TCPLAN_BASIS_SCOUT || basis == TCPLAN_BASIS_WINDOWS ||
           basis == TCPLAN_BASIS_RUNS;
}

double residuals_of_look(const struct ranker *ranker, enum tcplan_basis basis) {
    if (!is_look(basis)) return 0;
    const struct residual known = known_of(ranker, kind_of_look(basis));
    return residuals_drawn(&known, assumed_of(basis));
}

double residuals_of_comparison(const struct ranker *ranker, enum tcplan_basis basis) {
    const struct residual known = known_of(ranker, kind_of_comparison(basis));
    return residuals_drawn(&known, assumed_of(basis));
}

double residuals_unwatched(const struct ranker *ranker) {
    const struct residual windows = known_of(ranker, RESIDUAL_COMPARED_WINDOWS),
                          runs = known_of(ranker, RESIDUAL_COMPARED_RUNS);
    return STATES_USUAL_CHANGE *
           sqrt(RESIDUALS_ASSUMED / (RESIDUALS_ASSUMED + windows.count + runs.count));
}

/* Learning. */

/*
 * One that is off by more than that of what is usual, and by more than half, as beside sudden load,
 * counts as if it were that, and none counts for more than three times too long or too short:
 * intervals would be of no use for long.
 */
#define MOST_DEVIATIONS 3.0
#define LEAST_OFF 1.5
#define MOST_OFF 3.0

/** The standard error of the mean's logarithm, by its samples; 0 for fewer than two. */
static double error_of(const struct tcplan_estimate *estimate) {
    struct running_mean logs = {0};
    for (int s = 0; s < estimate->sample_count; s++)
        running_mean_add(&logs, log(estimate->sample[s]));
    return logs.count > 1 ? sqrt(running_mean_variance(&logs) / (double)logs.count) : 0;
}

/**
 * Learns from the difference of two times. The error of their samples is subtracted: a prediction
 * adds that of its own samples (states_fit()), so that it would count twice. If the times are of
 * two processes, both are off, and so are a prediction and the run of a later process that it is
 * for: the difference is not halved.
 *
 * @param residual  the difference, in logarithms
 * @param error     of the difference, a standard deviation
 * @param usual     what is known of the kind, a standard deviation
 */
static void learn(const struct ranker *ranker, enum residual_kind kind, double residual,
                  double error, double usual) {
    const double most = fmin(fmax(MOST_DEVIATIONS * usual, log(LEAST_OFF)), log(MOST_OFF));
    const double counted = fmin(sqrt(fmax(residual * residual - error * error, 0)), most);
    const struct residual one = {.kind = kind,
                                 .memory = reference_kind(ranker->reference) == REFERENCE_MEMORY,
                                 .count = 1,
                                 .squares = counted * counted};
    if (isfinite(residual)) experience_add_residual(ranker->options.experience, &one);
}

void residuals_learn_look(const struct ranker *ranker, const struct tcplan_entry *entry,
                          const struct tcplan_estimate *look, enum tcplan_basis basis) {
    if (!ranker->options.experience || !is_look(basis) || entry->at_ceiling || !(look->seconds > 0))
        return;
    learn(ranker, kind_of_look(basis), log(entry->prediction.seconds / look->seconds),
          hypot(error_of(look), entry->good_error), residuals_of_look(ranker, basis));
}

/** Equal algorithms of equal problems under equal settings have equal numbers; -1 when memory is
 * out. */
static int64_t number_of(const struct ranker *ranker, const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    const struct tcplan_rank_options *options = &ranker->options;
    const int64_t setting[] = {problem->dtype, options->threads, options->cache,
                               options->alignment_bytes};
    char *text = tcplan_problem_canonical(problem);
    char *name = tcplan_algorithm_name(algorithm, problem->contraction, problem->dtype);
    int64_t number = -1;
    if (text && name) {
        number = (int64_t)checksum_add(
            checksum_add(checksum_add(0, text, strlen(text)), name, strlen(name)), setting,
            sizeof setting);
    }
    free(text);
    free(name);
    return number;
}

double residuals_between(const struct said *before, const struct said *now,
                         double reference_seconds) {
    const double then =
        before->good_seconds *
        states_factor(before->follows, before->good_reference_seconds, reference_seconds);
    return log(now->good_seconds *
               states_factor(now->follows, now->good_reference_seconds, reference_seconds) / then);
}

/** Said within the minute before, so that it tells nothing of others. */
static bool is_recent(const struct said *before, const struct said *now) {
    return before->made > now->made - MINUTE && before->made <= now->made;
}

static struct said said_of(const struct ranker *ranker, const struct tcplan_entry *entry,
                           const struct states *met) {
    return (struct said){.of = number_of(ranker, &entry->algorithm),
                         .made = time(NULL),
                         .kind = kind_of_comparison(entry->basis),
                         .memory = reference_kind(ranker->reference) == REFERENCE_MEMORY,
                         .good_seconds = entry->good_seconds,
                         .good_reference_seconds = met->good,
                         .follows = entry->follows,
                         .error = entry->good_error};
}

void residuals_learn_comparison(const struct ranker *ranker, const struct states *met) {
    const struct tcplan_ranking *ranking = ranker->ranking;
    struct tcplan_experience *experience = ranker->options.experience;
    enum tcplan_basis basis = TCPLAN_BASIS_RUNS;
    double squares = 0, errors = 0;
    int count = 0;
    for (size_t e = 0; experience && e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->compared || entry->at_ceiling || !(entry->good_seconds > 0)) continue;
        const struct said now = said_of(ranker, entry, met);
        if (now.of < 0) continue;
        const struct said *before = experience_said(experience, now.of);
        if (before && is_recent(before, &now)) continue;
        if (before && before->kind == now.kind && before->memory == now.memory) {
            const double residual = residuals_between(before, &now, states_mean_reference(met));
            squares += residual * residual;
            errors += before->error * before->error + now.error * now.error;
            basis = entry->basis;
            count++;
        }
        experience_add_said(experience, &now);
    }
    if (count > 0)
        learn(ranker, kind_of_comparison(basis), sqrt(squares / count), sqrt(errors / count),
              residuals_of_comparison(ranker, basis));
}
