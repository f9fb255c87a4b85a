#include "plan/learn/learned.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "plan/learn/likeness.h"
#include "tcplan/canonical.h"

/* MOST_WEIGHT: largest total weight of the evaluations of one problem. HALF_WEIGHT: total weight
 * of similar evaluations at which they count as much as no correction. */
#define MOST_WEIGHT 3.3
#define HALF_WEIGHT 0.5

struct past {
    struct likeness like;
    double ratio; /* logarithm of the ratio */
};

struct learned {
    const struct tcplan_problem *problem;
    bool cold;
    int64_t number; /* number that identifies the problem */
    size_t count;
    struct past past[];
};

/** Returns a number that equal problems share; -1 if out of memory. */
static int64_t number_of(const struct tcplan_problem *problem) {
    char *text = tcplan_problem_canonical(problem);
    size_t length = 0;
    while (text && text[length]) length++;
    const int64_t number = text ? (int64_t)checksum_add(0, text, length) : -1;
    free(text);
    return number;
}

struct learned *learned_new(const struct tcplan_problem *problem,
                            const struct tcplan_rank_options *options) {
    const struct tcplan_experience *experience = options->experience;
    struct learned *learned =
        base_alloc(sizeof *learned + experience->count * sizeof *learned->past);
    if (!learned) return NULL;
    *learned = (struct learned){.problem = problem,
                                .cold = options->cache == TCPLAN_CACHE_COLD,
                                .number = number_of(problem)};
    for (size_t i = 0; i < experience->count; i++) {
        const struct evaluation *evaluation = &experience->evaluation[i];
        if (evaluation->dtype != problem->dtype || evaluation->cold != learned->cold) continue;
        assert(evaluation->ratio > 0);
        learned->past[learned->count++] = (struct past){.like = likeness_of_evaluation(evaluation),
                                                        .ratio = log(evaluation->ratio)};
    }
    if (learned->number >= 0) return learned;
    base_free(learned);
    return NULL;
}

void learned_free(struct learned *learned) {
    base_free(learned);
}

bool learned_describe(struct evaluation *out, const struct learned *learned,
                      const struct tcplan_entry *candidate) {
    if (candidate->algorithm.provider >= TCPLAN_PROVIDER_FILE_1 ||
        !(candidate->lower_bound_seconds > 0) || !isfinite(candidate->estimate_seconds))
        return false;
    *out = likeness_of(learned->problem, candidate).evaluation;
    out->problem = learned->number;
    out->cold = learned->cold;
    return true;
}

struct sum {
    double weight, ratios;
};

/** Adds evaluations of one problem: either all completed ones or all right-censored ones. A
 * censored ratio counts at least as much as the completed ones predict. */
static void add_evaluations(struct sum *sum, const struct likeness *candidate,
                            const struct past *past, size_t count, bool censored) {
    const double finished = sum->weight > 0 ? sum->ratios / sum->weight : -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (past[i].like.evaluation.censored != censored) continue;
        const double distance = likeness_apart(candidate, &past[i].like);
        if (distance >= LIKENESS_FAR) continue;
        const double weight = exp(-distance * distance);
        sum->weight += weight;
        sum->ratios += weight * (censored ? fmax(past[i].ratio, finished) : past[i].ratio);
    }
}

struct expectation learned_expect(const struct learned *learned,
                                  const struct evaluation *evaluation) {
    const struct likeness candidate = likeness_of_evaluation(evaluation);
    struct sum all = {0};
    for (size_t i = 0, count; i < learned->count; i += count) {
        const struct past *past = &learned->past[i];
        struct sum own = {0};
        for (count = 1; i + count < learned->count &&
                        past[count].like.evaluation.problem == past->like.evaluation.problem;)
            count++;
        add_evaluations(&own, &candidate, past, count, false);
        add_evaluations(&own, &candidate, past, count, true);
        if (!(own.weight > 0)) continue;
        const double weight = own.weight / (1 + own.weight / MOST_WEIGHT);
        all.weight += weight;
        all.ratios += weight * own.ratios / own.weight;
    }
    if (!(all.weight > 0)) return (struct expectation){0};
    assert(isfinite(all.ratios));
    return (struct expectation){.ratio = all.ratios / all.weight,
                                .trust = all.weight / (all.weight + HALF_WEIGHT)};
}

static void correct(struct tcplan_entry *entry, const struct learned *learned) {
    assert(entry->estimate_seconds >= 0 && isfinite(entry->estimate_seconds));
    struct evaluation evaluation;
    /* Without elements there is nothing to compute, and no ratio of times. */
    if (entry->estimate_seconds == 0 || entry->kernel_source != TCPLAN_TIME_STORED ||
        !learned_describe(&evaluation, learned, entry))
        return;
    const struct expectation expected = learned_expect(learned, &evaluation);
    const double factor = exp(expected.trust * expected.ratio);
    entry->estimate_seconds *= factor;
    entry->estimate_low *= factor;
    entry->estimate_high *= factor;
}

/** Returns the entry with the lowest estimate among those that were not corrected yet;
 * `entry_count` if all were. */
static size_t least_of(const struct tcplan_ranking *ranking, const bool corrected[]) {
    size_t least = ranking->entry_count;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (corrected[e] || !isfinite(ranking->entry[e].estimate_seconds)) continue;
        if (least == ranking->entry_count ||
            ranking->entry[e].estimate_seconds < ranking->entry[least].estimate_seconds)
            least = e;
    }
    return least;
}

enum tcplan_status learned_correct(struct tcplan_ranking *ranking,
                                   const struct tcplan_rank_options *options, int most,
                                   struct tcplan_error *error) {
    if (!options->experience || options->experience->count == 0) return TCPLAN_OK;
    struct learned *learned = learned_new(&ranking->problem, options);
    bool *corrected = base_alloc_zero(ranking->entry_count + 1, sizeof *corrected);
    for (int i = 0; i < most && learned && corrected; i++) {
        const size_t least = least_of(ranking, corrected);
        if (least == ranking->entry_count) break;
        correct(&ranking->entry[least], learned);
        corrected[least] = true;
    }
    const enum tcplan_status status = learned && corrected ? TCPLAN_OK : error_no_memory(error);
    learned_free(learned);
    base_free(corrected);
    return status;
}
