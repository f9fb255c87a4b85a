#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/clock.h"
#include "microbench/repeated.h"
#include "microbench/statistics.h"
#include "plan/predictor.h"

/* A bound within this much of the best prediction does not exclude: both are measured. */
#define BOUND_MARGIN 1.05

/* Algorithms this close to the best are sampled again, interleaved, so that drift of the machine hits all alike. */
#define CONTENDER_FACTOR 1.15

/* Contenders are known well enough when their intervals are this share of their times to either side. */
#define PRECISE_SHARE 0.02
#define LEAST_COMPARISON_NS 20e6

enum { LEAST_ROUNDS = 4, MOST_ROUNDS = 24, MAX_CONTENDERS = 8 };

/** One algorithm under prediction, with the nest its window replays. */
struct trial {
    struct tcplan_nest *nest;
    struct window window;
};

static void report(const struct ranker *ranker, const char *activity, double done, double total) {
    if (ranker->options.progress) ranker->options.progress(ranker->options.progress_context, activity, done, total);
}

static bool prunes(const struct ranker *ranker) {
    return predictor_of(ranker->options.predictor)->samples_windows && !ranker->options.predict_all;
}

static void trial_end(struct trial *trial) {
    window_free(&trial->window);
    tcplan_nest_free(trial->nest);
    *trial = (struct trial){0};
}

/**
 * Prepares an entry's windows; NOT_APPLICABLE is noted in the entry. The seed depends on the algorithm and whether this is its second
 * series, not on the order of the search.
 */
static enum tcplan_status trial_start(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    *out = (struct trial){0};
    enum tcplan_status status = tcplan_nest_build(&out->nest, problem->contraction, &entry->algorithm, error);
    if (status != TCPLAN_OK) return status;
    const uint64_t seed = (ranker->options.seed << 32 ^ entry->ordinal) + (entry->predicted ? (uint64_t)1 << 31 : 0);
    status = window_init(&out->window, out->nest, problem, ranker->ranking->buffers, &ranker->settings, seed, error);
    if (status == TCPLAN_NOT_APPLICABLE) entry->status = TCPLAN_ENTRY_NOT_APPLICABLE;
    if (status == TCPLAN_OK) {
        entry->calls = out->window.total_calls;
    } else {
        trial_end(out);
    }
    return status;
}

/** The prediction from the samples of a first series and those that a second one has so far. */
static void note_more(struct tcplan_entry *entry, const struct tcplan_estimate *first_series, const struct window *window) {
    double sample_ns[TCPLAN_MAX_SAMPLES];
    int count = first_series->sample_count;
    for (int i = 0; i < count; i++) sample_ns[i] = first_series->sample[i] * 1e9;
    for (int i = 0; i < window->sample_count && count < TCPLAN_MAX_SAMPLES; i++) sample_ns[count++] = window->sample_ns[i];
    note_prediction(entry, statistics_mean_estimate(sample_ns, count));
}

static enum tcplan_status predict(struct ranker *ranker, struct tcplan_entry *entry, double best_seconds, struct tcplan_error *error) {
    struct trial trial;
    enum tcplan_status status = trial_start(&trial, ranker, entry, error);
    if (status != TCPLAN_OK) return status;
    const struct prediction_task task = {.ranker = ranker, .entry = entry, .window = &trial.window, .best_seconds = best_seconds};
    status = predictor_of(ranker->options.predictor)->predict(&task, error);
    trial_end(&trial);
    return status;
}

enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry, struct tcplan_error *error) {
    return predict(ranker, entry, INFINITY, error);
}

/* Families: algorithms with the same kernel indices make the same calls in another order, so one warm kernel bounds them all. */

struct family {
    size_t first; /**< entries [first, first + count) in the order of the enumeration */
    size_t count;
    double bound_seconds;
};

static bool same_family(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    return a->role[TCPLAN_M] == b->role[TCPLAN_M] && a->role[TCPLAN_N] == b->role[TCPLAN_N] && a->role[TCPLAN_K] == b->role[TCPLAN_K];
}

static size_t find_families(const struct tcplan_ranking *ranking, struct family *family) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (count == 0 || !same_family(&ranking->entry[e].algorithm, &ranking->entry[family[count - 1].first].algorithm)) {
            family[count++] = (struct family){.first = e};
        }
        family[count - 1].count++;
    }
    return count;
}

/** Times the family's kernel in place. A first algorithm that does not apply leaves the bound at 0. */
static enum tcplan_status bound_family(struct ranker *ranker, struct family *family, struct tcplan_error *error) {
    struct tcplan_entry *entry = &ranker->ranking->entry[family->first];
    struct trial trial;
    enum tcplan_status status = trial_start(&trial, ranker, entry, error);
    if (status == TCPLAN_NOT_APPLICABLE) return TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    double sample_ns[REPEATED_REPETITIONS];
    status = repeated_kernel(&trial.window, sample_ns, error);
    if (status == TCPLAN_OK) family->bound_seconds = statistics_smallest(sample_ns, REPEATED_REPETITIONS) * 1e-9;
    for (size_t e = 0; e < family->count; e++) {
        entry[e].lower_bound_seconds = family->bound_seconds;
        entry[e].calls = trial.window.total_calls;
    }
    trial_end(&trial);
    return status;
}

static int compare_bounds(const void *a, const void *b) {
    const struct family *x = a;
    const struct family *y = b;
    if (x->bound_seconds != y->bound_seconds) return x->bound_seconds < y->bound_seconds ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

static enum tcplan_status predict_family(struct ranker *ranker, const struct family *family, double *best_seconds,
                                         struct tcplan_error *error) {
    for (size_t e = family->first; e < family->first + family->count; e++) {
        struct tcplan_entry *entry = &ranker->ranking->entry[e];
        if (entry->status == TCPLAN_ENTRY_NOT_APPLICABLE) continue;
        enum tcplan_status status = predict(ranker, entry, prunes(ranker) ? *best_seconds : INFINITY, error);
        if (status == TCPLAN_NOT_APPLICABLE) continue;
        if (status != TCPLAN_OK) return status;
        *best_seconds = fmin(*best_seconds, entry->prediction.seconds);
    }
    return TCPLAN_OK;
}

static void prune_family(struct tcplan_ranking *ranking, const struct family *family) {
    for (size_t e = family->first; e < family->first + family->count; e++) {
        if (ranking->entry[e].status != TCPLAN_ENTRY_NOT_APPLICABLE) ranking->entry[e].status = TCPLAN_ENTRY_PRUNED;
    }
}

/** Families in the order of their bounds, each left out as soon as its bound exceeds the best prediction. */
static enum tcplan_status predict_families(struct ranker *ranker, const struct family *family, size_t count, struct tcplan_error *error) {
    double best_seconds = INFINITY;
    double done = 0;
    enum tcplan_status status = TCPLAN_OK;
    for (size_t f = 0; f < count && status == TCPLAN_OK; f++) {
        report(ranker, "predicting", done, (double)ranker->ranking->entry_count);
        if (prunes(ranker) && family[f].bound_seconds > BOUND_MARGIN * best_seconds) {
            prune_family(ranker->ranking, &family[f]);
        } else {
            status = predict_family(ranker, &family[f], &best_seconds, error);
        }
        done += (double)family[f].count;
    }
    return status;
}

/* Contenders: the entries closest to the best are sampled again, in turns, until they can be told apart or it costs too much. */

struct contender {
    struct tcplan_entry *entry;
    struct tcplan_estimate first_series;
    struct trial trial;
    bool beaten;
};

static double best_high(const struct contender *contender, size_t count) {
    const struct tcplan_estimate *best = &contender[0].entry->prediction;
    for (size_t c = 1; c < count; c++) {
        if (contender[c].entry->prediction.seconds < best->seconds) best = &contender[c].entry->prediction;
    }
    return best->high;
}

/** Drops those whose interval lies beyond the best one's; true when one is left or all that are left are known well enough. */
static bool is_settled(struct contender *contender, size_t count) {
    const double high = best_high(contender, count);
    size_t left = 0;
    bool precise = true;
    for (size_t c = 0; c < count; c++) {
        const struct tcplan_estimate *prediction = &contender[c].entry->prediction;
        contender[c].beaten = prediction->low > high;
        if (contender[c].beaten) continue;
        left++;
        precise = precise && prediction->high - prediction->low <= 2 * PRECISE_SHARE * prediction->seconds;
    }
    return left <= 1 || precise;
}

static size_t start_contenders(struct ranker *ranker, struct contender *contender, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count && count < MAX_CONTENDERS; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->prediction.low > CONTENDER_FACTOR * ranking->entry[0].prediction.seconds) break;
        contender[count] = (struct contender){.entry = entry, .first_series = entry->prediction};
        if (trial_start(&contender[count].trial, ranker, entry, error) == TCPLAN_OK) count++;
    }
    return count;
}

static enum tcplan_status sample_contenders(struct contender *contender, size_t count, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t c = 0; c < count && status == TCPLAN_OK; c++) {
        if (contender[c].beaten) continue;
        status = window_sample(&contender[c].trial.window, error);
        if (status == TCPLAN_OK) note_more(contender[c].entry, &contender[c].first_series, &contender[c].trial.window);
    }
    return status;
}

/** `search_ns`: what the search has taken so far; the comparison takes no more than half of that again. */
static enum tcplan_status compare_contenders(struct ranker *ranker, double search_ns, struct tcplan_error *error) {
    struct contender contender[MAX_CONTENDERS];
    const uint64_t start_ns = clock_now_ns();
    const double allowed_ns = search_ns / 2 > LEAST_COMPARISON_NS ? search_ns / 2 : LEAST_COMPARISON_NS;
    ranker_sort(ranker->ranking);
    const size_t count = start_contenders(ranker, contender, error);
    enum tcplan_status status = TCPLAN_OK;
    for (int round = 0; round < MOST_ROUNDS && count > 1 && status == TCPLAN_OK; round++) {
        report(ranker, "comparing the fastest", round, MOST_ROUNDS);
        status = sample_contenders(contender, count, error);
        const bool spent = (double)(clock_now_ns() - start_ns) > allowed_ns;
        if (round + 1 >= LEAST_ROUNDS && (is_settled(contender, count) || spent)) break;
    }
    for (size_t c = 0; c < count; c++) trial_end(&contender[c].trial);
    return status;
}

enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error) {
    struct family *family = base_alloc(ranker->ranking->entry_count * sizeof *family);
    if (!family) return error_no_memory(error);
    const uint64_t start_ns = clock_now_ns();
    const size_t count = find_families(ranker->ranking, family);
    enum tcplan_status status = TCPLAN_OK;
    for (size_t f = 0; f < count && status == TCPLAN_OK; f++) {
        report(ranker, "timing kernels", (double)f, (double)count);
        status = bound_family(ranker, &family[f], error);
    }
    qsort(family, count, sizeof *family, compare_bounds);
    if (status == TCPLAN_OK) status = predict_families(ranker, family, count, error);
    base_free(family);
    if (status == TCPLAN_OK && predictor_of(ranker->options.predictor)->samples_windows) {
        status = compare_contenders(ranker, (double)(clock_now_ns() - start_ns), error);
    }
    return status;
}
