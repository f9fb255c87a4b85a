#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "microbench/clock.h"
#include "microbench/cutoff.h"
#include "microbench/statistics.h"
#include "plan/predictor.h"
#include "plan/trial.h"

/* Algorithms this close to the best are compared with it, as their kind of prediction has it. */
static const double contender_factor[] = {
    [TCPLAN_BASIS_SCOUT] = 1.5, [TCPLAN_BASIS_WINDOWS] = 1.4, [TCPLAN_BASIS_LONG] = 1.15, [TCPLAN_BASIS_RUNS] = 1.15};

#define LEAST_COMPARISON_NS 20e6
#define RUN_LIMIT_NS 1e9

/* Caches are warm after a small part of a longer run, and what disturbs it is a small part of it. */
#define LONG_RUN_NS 2e6

enum { MOST_CONTENDERS = 8, MOST_LONG_RUNS = 4, RUNS_IN_ROUND = 2 };

#define FEW_RUNS_SECONDS 20e-3

/** One of the fastest, sampled anew. */
struct contender {
    struct tcplan_entry *entry;
    bool executes; /**< whole runs are its samples, not windows */
    struct trial trial;
    struct tcplan_program *program; /**< where it executes */
    int sample_count;
    double sample_ns[TCPLAN_MAX_SAMPLES];
    struct tcplan_estimate estimate; /**< of these */
    bool beaten;
};

/** Whether whole runs, which windows are only a part of, are cheap enough, and find their data where a repeated run leaves them. */
static bool is_to_be_executed(const struct ranker *ranker, const struct tcplan_entry *entry) {
    if (entry->basis == TCPLAN_BASIS_RUNS) return true;
    return ranker->options.cache == TCPLAN_CACHE_WARM && entry->prediction.seconds <= ranker->effort.executed_seconds &&
           buffers_all_backed(ranker->ranking->buffers);
}

static enum tcplan_status start_contender(struct contender *contender, struct ranker *ranker, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    contender->executes = is_to_be_executed(ranker, contender->entry);
    if (!contender->executes) return trial_start(&contender->trial, ranker, contender->entry, WINDOW_LONG, error);
    enum tcplan_status status = tcplan_nest_build(&contender->trial.nest, problem->contraction, &contender->entry->algorithm, error);
    if (status == TCPLAN_OK)
        status = program_build_on(&contender->program, contender->trial.nest, problem, &ranker->ranking->buffers->scratch, error);
    if (status == TCPLAN_OK) status = tcplan_program_set_threads(contender->program, ranker->options.threads, error);
    return status;
}

static void end_contender(struct contender *contender, struct ranker *ranker) {
    tcplan_program_free(contender->program);
    trial_end(&contender->trial, ranker);
}

static void run_once(struct contender *contender, struct ranker *ranker) {
    const double expected_ns = contender->entry->prediction.seconds * 1e9;
    const struct cutoff_run run = cutoff_repeat(contender->program, ranker->ranking->buffers, expected_ns);
    ranker->ranking->load.windows++;
    ranker->ranking->load.disturbed += run.disturbed;
    if (!run.disturbed || expected_ns > LONG_RUN_NS) contender->sample_ns[contender->sample_count++] = run.ns;
}

/** Takes no more samples; one that has none is compared with nothing. */
static void withdraw(struct contender *contender) {
    contender->beaten = true;
    if (contender->sample_count == 0)
        contender->estimate = (struct tcplan_estimate){.seconds = INFINITY, .low = INFINITY, .high = INFINITY};
}

/** Short runs in a row behind some that are not timed: the first ones meet what the others left in the caches. Long ones once a round. */
static void run_contender(struct contender *contender, struct ranker *ranker) {
    const bool is_long = contender->entry->prediction.seconds * 1e9 > LONG_RUN_NS;
    if (contender->entry->prediction.seconds > deadline_left_seconds(ranker->deadline)) {
        withdraw(contender); /* a run would not end in time */
        return;
    }
    const int runs = is_long ? 1 : RUNS_IN_ROUND;
    if (!is_long || contender->sample_count == 0) cutoff_warm_up(contender->program, ranker->ranking->buffers, RUN_LIMIT_NS);
    for (int r = 0; r < runs && contender->sample_count < TCPLAN_MAX_SAMPLES && !ranker_is_late(ranker); r++) run_once(contender, ranker);
}

static enum tcplan_basis basis_of(const struct contender *contender) {
    return contender->executes ? TCPLAN_BASIS_RUNS : TCPLAN_BASIS_LONG;
}

static enum tcplan_status sample_contender(struct contender *contender, struct ranker *ranker, struct tcplan_error *error) {
    struct window *window = &contender->trial.window;
    enum tcplan_status status = TCPLAN_OK;
    if (contender->executes) {
        run_contender(contender, ranker);
    } else if (contender->sample_count < TCPLAN_MAX_SAMPLES) {
        status = window_sample(window, error);
        if (status == TCPLAN_OK) contender->sample_ns[contender->sample_count++] = window->sample_ns[window->sample_count - 1];
        if (ranker_forgives(ranker, contender->entry, status)) {
            contender->sample_count = 0;
            withdraw(contender);
            return TCPLAN_OK;
        }
    }
    if (contender->sample_count > 0) contender->estimate = estimate_of(contender->sample_ns, contender->sample_count, basis_of(contender));
    return status;
}

/** One round: each that is not beaten in turn, so that drift of the machine hits all alike. */
static enum tcplan_status sample_round(struct contender *contender, size_t count, struct ranker *ranker, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t c = 0; c < count && status == TCPLAN_OK && !ranker_is_late(ranker); c++) {
        if (!contender[c].beaten) status = sample_contender(&contender[c], ranker, error);
    }
    return status;
}

static const struct tcplan_estimate *best_estimate(const struct contender *contender, size_t count) {
    const struct tcplan_estimate *best = &contender[0].estimate;
    for (size_t c = 1; c < count; c++) {
        if (contender[c].estimate.seconds < best->seconds) best = &contender[c].estimate;
    }
    return best;
}

/** Drops those whose interval lies beyond the best one's; true when one is left or all that are left are known well enough. */
static bool is_settled(struct contender *contender, size_t count, double precise_share) {
    const struct tcplan_estimate *best = best_estimate(contender, count);
    size_t left = 0;
    bool precise = true;
    for (size_t c = 0; c < count; c++) {
        const struct tcplan_estimate *estimate = &contender[c].estimate;
        contender[c].beaten = contender[c].beaten || estimate->low > best->high;
        if (contender[c].beaten) continue;
        left++;
        precise = precise && estimate->high - estimate->low <= 2 * precise_share * estimate->seconds;
    }
    return precise || (left <= 1 && count > 1);
}

/** Opens the comparison with those that may be the fastest. */
static enum tcplan_status start_contenders(struct ranker *ranker, struct contender *contender, size_t *count, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t e = 0; e < ranking->entry_count && *count < (size_t)ranker->effort.most_contenders && status == TCPLAN_OK; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || ranker_is_late(ranker)) break;
        if (entry->basis == TCPLAN_BASIS_ESTIMATE) continue; /* there was no time to look at it, and even less to compare it */
        /* Whole runs of that length tell more than windows, and cost more. */
        if (*count >= MOST_LONG_RUNS && entry->prediction.seconds > FEW_RUNS_SECONDS && is_to_be_executed(ranker, entry)) break;
        const double smallest = statistics_smallest(entry->prediction.sample, entry->prediction.sample_count);
        if (fmin(smallest, entry->prediction.seconds) > contender_factor[entry->basis] * ranking->entry[0].prediction.seconds) continue;
        contender[*count] = (struct contender){.entry = entry};
        status = start_contender(&contender[(*count)++], ranker, error);
        if (!ranker_forgives(ranker, entry, status)) continue;
        end_contender(&contender[--(*count)], ranker);
        status = TCPLAN_OK;
    }
    return status;
}

/** `allowed_ns`: what rounds beyond the least may take. */
static enum tcplan_status compare(struct ranker *ranker, struct contender *contender, size_t count, double allowed_ns,
                                  struct tcplan_error *error) {
    const struct effort *effort = &ranker->effort;
    const uint64_t start_ns = clock_now_ns();
    enum tcplan_status status = TCPLAN_OK;
    for (int round = 0; round < effort->most_rounds && status == TCPLAN_OK && !ranker_is_late(ranker); round++) {
        ranker_report(ranker, "comparing the fastest", round, effort->most_rounds);
        status = sample_round(contender, count, ranker, error);
        const bool spent = (double)(clock_now_ns() - start_ns) > allowed_ns;
        if (round + 1 >= effort->least_rounds && (is_settled(contender, count, effort->precise_share) || spent)) break;
    }
    return status;
}

enum tcplan_status ranker_compare_contenders(struct ranker *ranker, double search_ns, struct tcplan_error *error) {
    struct contender contender[MOST_CONTENDERS];
    size_t count = 0;
    assert(ranker->effort.most_contenders <= MOST_CONTENDERS);
    ranker_sort(ranker->ranking);
    enum tcplan_status status = start_contenders(ranker, contender, &count, error);
    const double allowed_ns = fmax(ranker->effort.comparison_share * search_ns, LEAST_COMPARISON_NS);
    const bool undecided = count > 1 || (count == 1 && contender[0].entry->basis != TCPLAN_BASIS_RUNS);
    if (status == TCPLAN_OK && undecided) status = compare(ranker, contender, count, allowed_ns, error);
    for (size_t c = 0; c < count; c++) {
        /* One sample alone says less than what it would replace. */
        if (status == TCPLAN_OK && contender[c].sample_count > 1) {
            note_samples(contender[c].entry, contender[c].sample_ns, contender[c].sample_count, basis_of(&contender[c]));
        }
        end_contender(&contender[c], ranker);
    }
    return status;
}
