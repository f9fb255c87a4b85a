#include "plan/learn/surrogate.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "base/alloc.h"
#include "plan/learn/errors.h"
#include "plan/learn/learned.h"
#include "plan/learn/likeness.h"

/*
 * UNCERTAINTY: standard deviation of a correction far from all evaluations, as a logarithm.
 * PRIOR_WEIGHT: weight of the mean of all corrections. Both, and the distances of likeness.c, were
 * chosen so that 48 evaluations found the best of 700 candidates in nine contractions that no
 * library contains.
 */
#define UNCERTAINTY 0.5
#define PRIOR_WEIGHT 0.2

/* Weight of the prior of the uncertainty, in evaluations of the same search. */
#define UNCERTAINTY_EVALUATIONS 4.0

/* Prior variance of the error of corrections by stored evaluations, as a logarithm; and its weight
 * in evaluations. */
#define USUAL_ERROR 0.25
#define USUAL_EVALUATIONS 2.0

/* Share of the weight of stored evaluations that reduces a candidate's uncertainty; a larger share
 * would end searches too soon. */
#define EXPECTED_SHARE 0.2

/* Recorded ratios are rounded to multiples of 1 / EVALUATION_DIGITS. */
#define EVALUATION_DIGITS 1000.0

/*
 * Guessed kernel times may be wrong by a factor of two (plan/candidates.c). Timing a kernel costs
 * less than an evaluation, so the kernel is timed if its candidate would be selected with half its
 * guessed time.
 */
#define GUESS_FACTOR 2.0

/** What is known about a candidate. */
struct known {
    struct likeness like;
    bool taken;
    bool is_parent;    /* whether the neighbours of this candidate were added */
    size_t parent;     /* number of the entry of which it is a neighbour; SIZE_MAX: none */
    bool is_evaluated; /* whether `ratio` is valid */
    double ratio;      /* logarithm of measured divided by estimated time */
    double log_estimate;
    double weight;          /* sum of its similarities to evaluated candidates */
    double weighted_ratios; /* weighted sum of the ratios of evaluated candidates */
    struct expectation expected;
    double own_rate; /* expected improvement of the candidate per second of its evaluation */
    double kin_rate; /* the same of its neighbours */
};

struct surrogate {
    const struct tcplan_ranking *ranking;
    size_t count;            /* number of entries in `known` */
    size_t rated;            /* number of leading entries whose rates are valid, for `cost` */
    surrogate_cost_fn *cost; /* the cost of an evaluation, with its context */
    const void *context;
    struct known *known; /* one element for each entry */
    bool has_best;
    struct belief best;            /* belief about the fastest evaluated candidate */
    double ratios;                 /* sum of the ratios of all evaluated candidates */
    double evaluated;              /* number of evaluated candidates */
    double gain[TCPLAN_PROVIDERS]; /* for each provider, the lowest logarithm of a candidate's time
                                      divided by its parent's with another provider; at most 0 */
    double surprise;               /* sum over evaluations of squared error divided by variance */
    double surprises;

    struct tcplan_experience *experience; /* stored evaluations; NULL: none, and then `learned` is
                                             NULL */
    struct learned *learned;
    double excess; /* sums of the weighted errors of priors, of their squares, and of the weights */
    double errors;
    double trust;
    size_t noted_count;
    struct evaluation noted[EXPERIENCE_EVALUATIONS_OF_A_PROBLEM];
};

/** Adds the ratio of an evaluated candidate to the sums of another candidate, weighted by their
 * similarity. */
static void add_ratio(struct surrogate *surrogate, const struct tcplan_entry *evaluated,
                      double ratio, size_t other) {
    const struct tcplan_ranking *ranking = surrogate->ranking;
    struct known *known = &surrogate->known[other];
    assert(isfinite(ratio));
    const double distance =
        likeness_apart(&surrogate->known[evaluated - ranking->entry].like, &known->like) +
        likeness_apart_within(&evaluated->algorithm, &ranking->entry[other].algorithm,
                              ranking->problem.contraction->index_count);
    const double weight = exp(-distance * distance);
    known->weight += weight;
    known->weighted_ratios += weight * ratio;
}

/** Returns the logarithm of an estimate; if the kernel time is guessed, the logarithm of the
 * lowest estimate that the guess permits. */
static double log_hoped(const struct tcplan_entry *entry) {
    const bool is_guess =
        entry->kernel_source == TCPLAN_TIME_CEILINGS || entry->kernel_source == TCPLAN_TIME_NOMINAL;
    const double kernel_seconds = fmin(entry->lower_bound_seconds, entry->estimate_seconds);
    return log(entry->estimate_seconds - (is_guess ? (1 - 1 / GUESS_FACTOR) * kernel_seconds : 0));
}

static struct known known_of(const struct tcplan_problem *problem,
                             const struct tcplan_entry *entry) {
    return (struct known){.like = likeness_of(problem, entry),
                          .taken = entry->status != TCPLAN_ENTRY_OPEN,
                          .log_estimate = log_hoped(entry)};
}

double surrogate_learnt_seconds(const struct tcplan_entry *candidate) {
    const bool was_timed = candidate->predicted && candidate->basis != TCPLAN_BASIS_ESTIMATE;
    if (was_timed) return candidate->prediction.seconds;
    return candidate->status == TCPLAN_ENTRY_PRUNED ? candidate->lower_bound_seconds : INFINITY;
}

/** Reserves memory for all entries of the ranking; false if out of memory. */
static bool make_room(struct surrogate *surrogate) {
    const size_t count = surrogate->ranking->entry_count + 1;
    struct known *known = base_realloc(surrogate->known, count * sizeof *known);
    if (!known) return false;
    surrogate->known = known;
    return true;
}

bool surrogate_extend(struct surrogate *surrogate, size_t parent) {
    assert(surrogate->count <= surrogate->ranking->entry_count); /* no entry is removed */
    const struct tcplan_ranking *ranking = surrogate->ranking;
    const size_t first = surrogate->count;
    struct evaluation evaluation;
    if (!make_room(surrogate)) return false;
    for (size_t e = first; e < ranking->entry_count; e++) {
        struct known *known = &surrogate->known[e];
        *known = known_of(&ranking->problem, &ranking->entry[e]);
        known->parent = parent;
        if (surrogate->learned &&
            learned_describe(&evaluation, surrogate->learned, &ranking->entry[e]))
            known->expected = learned_expect(surrogate->learned, &evaluation);
        for (size_t other = 0; other < first; other++) {
            if (surrogate->known[other].is_evaluated)
                add_ratio(surrogate, &ranking->entry[other], surrogate->known[other].ratio, e);
        }
    }
    surrogate->count = ranking->entry_count;
    for (size_t e = first; e < ranking->entry_count; e++) {
        const double seconds = surrogate_learnt_seconds(&ranking->entry[e]);
        if (isfinite(seconds)) surrogate_learn(surrogate, &ranking->entry[e], seconds);
    }
    return true;
}

struct surrogate *surrogate_new(const struct tcplan_ranking *ranking,
                                const struct tcplan_rank_options *options) {
    struct surrogate *surrogate = base_alloc_zero(1, sizeof *surrogate);
    if (!surrogate) return NULL;
    surrogate->ranking = ranking;
    surrogate->experience = options->experience;
    if (surrogate->experience) surrogate->learned = learned_new(&ranking->problem, options);
    const bool recalls = !surrogate->experience || surrogate->learned;
    if (recalls && surrogate_extend(surrogate, SIZE_MAX)) return surrogate;
    surrogate_free(surrogate);
    return NULL;
}

void surrogate_free(struct surrogate *surrogate) {
    if (!surrogate) return;
    learned_free(surrogate->learned);
    base_free(surrogate->known);
    base_free(surrogate);
}

void surrogate_keep(const struct surrogate *surrogate) {
    if (surrogate->experience)
        experience_add(surrogate->experience, &store_kind_evaluations, surrogate->noted,
                       surrogate->noted_count);
}

/** Returns the weight of a candidate's prior, which is small if priors were wrong by more than
 * usual in this search. */
static double reliance(const struct surrogate *surrogate, const struct known *known) {
    const double error = (USUAL_EVALUATIONS * USUAL_ERROR + surrogate->errors) /
                         (USUAL_EVALUATIONS + surrogate->trust);
    const double share = fmin(1, 2 * USUAL_ERROR / error);
    return known->expected.trust * share * share;
}

/** Returns the expected correction of a candidate's estimate, as a logarithm. */
static double correction(const struct surrogate *surrogate, const struct known *known) {
    const double mean = surrogate->evaluated > 0 ? surrogate->ratios / surrogate->evaluated : 0;
    const double expected = known->expected.ratio + surrogate->excess / (surrogate->trust + 1);
    const double expected_weight = reliance(surrogate, known);
    const double prior = PRIOR_WEIGHT * mean + expected_weight * expected;
    return (known->weighted_ratios + prior) / (known->weight + PRIOR_WEIGHT + expected_weight);
}

static struct belief believe(const struct surrogate *surrogate, const struct known *known) {
    assert(known->weight >= 0);
    const double evaluations =
        (known->weight + EXPECTED_SHARE * reliance(surrogate, known)) / PRIOR_WEIGHT;
    const double scale = (UNCERTAINTY_EVALUATIONS + surrogate->surprise) /
                         (UNCERTAINTY_EVALUATIONS + surrogate->surprises);
    return (struct belief){.mean = known->log_estimate + correction(surrogate, known),
                           .variance = scale * UNCERTAINTY * UNCERTAINTY / (1 + evaluations)};
}

struct belief surrogate_belief(const struct surrogate *surrogate,
                               const struct tcplan_entry *candidate) {
    assert((size_t)(candidate - surrogate->ranking->entry) < surrogate->count);
    return believe(surrogate, &surrogate->known[candidate - surrogate->ranking->entry]);
}

/** Returns the expected improvement of the best candidate by another one. Before any evaluation,
 * returns a score that is higher for shorter possible times. */
static double improvement_of(const struct surrogate *surrogate, struct belief own) {
    return surrogate->has_best ? belief_improvement(surrogate->best, own)
                               : exp(sqrt(own.variance) - own.mean);
}

/** Returns the expected logarithm of the factor by which a provider's kernel makes a candidate
 * faster: that of the largest factor so far. */
static double gain_of(const struct surrogate *surrogate, enum tcplan_provider own) {
    double gain = 0;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        gain = p == (int)own ? gain : fmin(gain, surrogate->gain[p]);
    return gain;
}

/**
 * Returns the belief about a neighbour of a candidate. If the candidate was evaluated, the
 * neighbour has its mean, with a large variance. If not, the neighbour's mean is lower by the gain
 * that other providers brought so far, and its variance is smaller.
 */
static struct belief kin_of(const struct surrogate *surrogate, size_t entry) {
    const struct known *known = &surrogate->known[entry];
    const double variance = UNCERTAINTY * UNCERTAINTY;
    if (known->is_evaluated)
        return (struct belief){.mean = known->log_estimate + known->ratio, .variance = variance};
    const enum tcplan_provider own = surrogate->ranking->entry[entry].algorithm.provider;
    return (struct belief){.mean = believe(surrogate, known).mean + gain_of(surrogate, own),
                           .variance = variance / 4};
}

/** Sets the rates of a candidate. */
static void rate(struct surrogate *surrogate, size_t entry) {
    struct known *known = &surrogate->known[entry];
    struct tcplan_entry *candidate = &surrogate->ranking->entry[entry];
    const bool is_parent = known->is_parent || (known->taken && !known->is_evaluated);
    known->own_rate = known->kin_rate = 0;
    if (known->taken && is_parent) return;
    const double seconds = surrogate->cost(surrogate->context, candidate);
    if (!known->taken)
        known->own_rate = improvement_of(surrogate, believe(surrogate, known)) / seconds;
    if (!is_parent && surrogate->has_best)
        known->kin_rate = belief_improvement(surrogate->best, kin_of(surrogate, entry)) / seconds;
}

/** Sets the rates of the candidates that were added since the last call, or of all if a time was
 * learnt since. The best candidate is determined after every added neighbour. */
static void rate_all(struct surrogate *surrogate, surrogate_cost_fn *cost, const void *context) {
    if (surrogate->cost != cost || surrogate->context != context) surrogate->rated = 0;
    surrogate->cost = cost;
    surrogate->context = context;
    while (surrogate->rated < surrogate->count) rate(surrogate, surrogate->rated++);
}

struct tcplan_entry *surrogate_next(struct surrogate *surrogate, surrogate_cost_fn *cost,
                                    const void *context, double *per_second) {
    struct tcplan_entry *next = NULL;
    *per_second = 0;
    rate_all(surrogate, cost, context);
    for (size_t e = 0; e < surrogate->count; e++) {
        const struct known *known = &surrogate->known[e];
        if (known->taken || (next && known->own_rate <= *per_second)) continue;
        *per_second = known->own_rate;
        next = &surrogate->ranking->entry[e];
    }
    if (!surrogate->has_best) *per_second = INFINITY;
    return next;
}

struct tcplan_entry *surrogate_next_parent(struct surrogate *surrogate, surrogate_cost_fn *cost,
                                           const void *context, double least_per_second) {
    struct known *next = NULL;
    rate_all(surrogate, cost, context);
    for (size_t e = 0; e < surrogate->count; e++) {
        struct known *known = &surrogate->known[e];
        if (known->kin_rate <= least_per_second) continue;
        least_per_second = known->kin_rate;
        next = known;
    }
    if (!next) return NULL;
    next->is_parent = true;
    next->kin_rate = 0;
    return &surrogate->ranking->entry[next - surrogate->known];
}

void surrogate_reconsider(struct surrogate *surrogate, const struct tcplan_entry *candidate) {
    const size_t entry = (size_t)(candidate - surrogate->ranking->entry);
    surrogate->known[entry].log_estimate = log_hoped(candidate);
    if (entry < surrogate->rated) rate(surrogate, entry);
}

/** Stores an evaluation for later processes. */
static void note(struct surrogate *surrogate, size_t entry, double ratio, bool censored) {
    const struct expectation expected = surrogate->known[entry].expected;
    const double excess = ratio - expected.ratio;
    surrogate->excess += expected.trust * excess;
    surrogate->errors += expected.trust * excess * excess;
    surrogate->trust += expected.trust;
    if (!surrogate->learned || surrogate->noted_count == EXPERIENCE_EVALUATIONS_OF_A_PROBLEM)
        return;
    struct evaluation *noted = &surrogate->noted[surrogate->noted_count];
    if (!learned_describe(noted, surrogate->learned, &surrogate->ranking->entry[entry])) return;
    surrogate->noted_count++;
    noted->ratio = fmax(rint(exp(ratio) * EVALUATION_DIGITS), 1) / EVALUATION_DIGITS;
    noted->censored = censored;
}

/** Combines an evaluation with the prior belief, because the fastest of many measurements is partly
 * lucky. The belief's error updates the uncertainty of other candidates. */
static void observe(struct surrogate *surrogate, const struct tcplan_entry *entry,
                    double log_seconds) {
    const struct belief before = surrogate_belief(surrogate, entry);
    const double spread = errors_spread(surrogate->experience, entry->basis);
    const double variance = spread * spread;
    const double off = log_seconds - before.mean;
    const struct belief own = belief_observe(before, log_seconds, variance);
    surrogate->surprise += off * off / (before.variance + variance);
    surrogate->surprises++;
    if (surrogate->has_best && own.mean >= surrogate->best.mean) return;
    surrogate->has_best = true;
    surrogate->best = own;
}

/** Updates the best factor of a candidate's provider, compared with its parent's provider. */
static void note_gain(struct surrogate *surrogate, const struct tcplan_entry *candidate,
                      double log_seconds) {
    const struct tcplan_entry *entry = surrogate->ranking->entry;
    const size_t parent = surrogate->known[candidate - entry].parent;
    const enum tcplan_provider own = candidate->algorithm.provider;
    if (parent == SIZE_MAX || entry[parent].algorithm.provider == own) return;
    const struct known *known = &surrogate->known[parent];
    const double before =
        known->is_evaluated ? known->log_estimate + known->ratio : believe(surrogate, known).mean;
    surrogate->gain[own] = fmin(surrogate->gain[own], log_seconds - before);
}

void surrogate_learn(struct surrogate *surrogate, const struct tcplan_entry *candidate,
                     double seconds) {
    const size_t number = (size_t)(candidate - surrogate->ranking->entry);
    const bool censored = candidate->status == TCPLAN_ENTRY_PRUNED;
    double ratio = log(seconds / candidate->estimate_seconds);
    surrogate->known[number].taken = true;
    surrogate->rated = 0;
    if (!isfinite(ratio)) return;
    note(surrogate, number, ratio, censored);
    if (!censored) {
        note_gain(surrogate, candidate, log(seconds));
        observe(surrogate, candidate, log(seconds));
    }
    if (censored)
        ratio = fmax(ratio, correction(surrogate, &surrogate->known[number])); /* right-censored */
    surrogate->ratios += ratio;
    surrogate->evaluated++;
    surrogate->known[number].is_evaluated = true;
    surrogate->known[number].ratio = ratio;
    for (size_t e = 0; e < surrogate->count; e++) {
        if (!surrogate->known[e].taken) add_ratio(surrogate, candidate, ratio, e);
    }
}
