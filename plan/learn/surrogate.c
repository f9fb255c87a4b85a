#include "plan/learn/surrogate.h"

#include <math.h>
#include <stdint.h>

#include "base/alloc.h"
#include "plan/learn/learned.h"
#include "plan/learn/likeness.h"

/*
 * Corrections are off by a factor of exp(0.5) where nothing like it was measured, and follow the
 * mean of all until what was measured of like ones has some weight. These two and the distances
 * were chosen where 48 looks found the best of 700 in each of nine contractions, none of them of a
 * library.
 */
#define UNCERTAINTY 0.5
#define PRIOR_WEIGHT 0.2

/* The uncertainty above counts as much as this number of looks of the same search. */
#define UNCERTAINTY_LOOKS 4.0

/* The square of what an experience is usually off by, of logarithms, as the studies of
 * plan/learn/learned.c have it, and how many looks that stands for. */
#define USUAL_ERROR 0.25
#define USUAL_LOOKS 2.0

/* What is expected makes a candidate this much less uncertain than a look at its like: with all of
 * it searches end too soon. */
#define EXPECTED_SHARE 0.2

/* Of ratios so many parts of 1 are told apart where they are kept. */
#define LOOK_DIGITS 1000.0

/*
 * Guesses of kernels that nobody timed err by a factor of two (plan/candidates.c). To time one
 * takes less than a look: what may be the most promising by half of its guess is timed to know.
 */
#define GUESS_FACTOR 2.0

/** What is known of one candidate. */
struct known {
    struct likeness like;
    bool taken;
    bool is_parent; /* its neighbours were proposed */
    size_t parent;  /* whose neighbour it is; SIZE_MAX: nobody's */
    bool has_told;  /* it was looked at, with the next */
    double ratio;   /* the logarithm of measured over estimated */
    double log_estimate;
    double weight;          /* of the measurements so far, by how alike they are */
    double weighted_ratios; /* logarithms of measured over estimated */
    struct expectation expected;
};

struct surrogate {
    const struct tcplan_ranking *ranking;
    size_t count;        /* of entries that are known */
    struct known *known; /* by entry */
    bool has_best;
    struct belief best;            /* the fastest of those that were looked at */
    double ratios;                 /* the sum of all logarithms */
    double told;                   /* how many */
    double gain[TCPLAN_PROVIDERS]; /* of the logarithm of seconds, over a parent by another
                                      provider: the most so far, 0 or less */
    double surprise; /* the sum of squares of what looks were off by, over the variance expected */
    double surprises;

    struct tcplan_experience *experience; /* NULL: none, and so is the next */
    struct learned *learned;
    double excess; /* the sums of what logarithms were above those expected, of the squares of that,
                      and of the trust in these */
    double errors;
    double trust;
    size_t noted_count;
    struct look noted[EXPERIENCE_LOOKS_OF_A_PROBLEM];
};

/* What is known. */

/** What a look at one candidate says of another. */
static void tell(struct surrogate *surrogate, const struct tcplan_entry *looked_at, double ratio,
                 size_t other) {
    const struct tcplan_ranking *ranking = surrogate->ranking;
    struct known *known = &surrogate->known[other];
    const double distance =
        likeness_apart(&surrogate->known[looked_at - ranking->entry].like, &known->like) +
        likeness_apart_within(&looked_at->algorithm, &ranking->entry[other].algorithm,
                              ranking->problem.contraction->index_count);
    const double weight = exp(-distance * distance);
    known->weight += weight;
    known->weighted_ratios += weight * ratio;
}

/** The estimate; of kernels that were guessed what it may be at least. */
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

/** Makes room for what is known of all entries of the ranking; false when memory is out. */
static bool make_room(struct surrogate *surrogate) {
    const size_t count = surrogate->ranking->entry_count + 1;
    struct known *known = base_realloc(surrogate->known, count * sizeof *known);
    if (!known) return false;
    surrogate->known = known;
    return true;
}

bool surrogate_extend(struct surrogate *surrogate, size_t parent) {
    const struct tcplan_ranking *ranking = surrogate->ranking;
    const size_t first = surrogate->count;
    struct look look;
    if (!make_room(surrogate)) return false;
    for (size_t e = first; e < ranking->entry_count; e++) {
        struct known *known = &surrogate->known[e];
        *known = known_of(&ranking->problem, &ranking->entry[e]);
        known->parent = parent;
        if (surrogate->learned && learned_describe(&look, surrogate->learned, &ranking->entry[e]))
            known->expected = learned_expect(surrogate->learned, &look);
        for (size_t told = 0; told < first; told++) {
            if (surrogate->known[told].has_told)
                tell(surrogate, &ranking->entry[told], surrogate->known[told].ratio, e);
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
        experience_add(surrogate->experience, &store_kind_looks, surrogate->noted,
                       surrogate->noted_count);
}

/* Choosing. */

/** What is expected of a candidate counts as far as expectations held so far: hardly where they
 * were wrong by more than they usually are. */
static double reliance(const struct surrogate *surrogate, const struct known *known) {
    const double error =
        (USUAL_LOOKS * USUAL_ERROR + surrogate->errors) / (USUAL_LOOKS + surrogate->trust);
    const double share = fmin(1, 2 * USUAL_ERROR / error);
    return known->expected.trust * share * share;
}

/** The logarithm of what a candidate takes over its estimate, as far as that is known. */
static double correction(const struct surrogate *surrogate, const struct known *known) {
    const double mean = surrogate->told > 0 ? surrogate->ratios / surrogate->told : 0;
    const double expected = known->expected.ratio + surrogate->excess / (surrogate->trust + 1);
    const double expected_weight = reliance(surrogate, known);
    const double prior = PRIOR_WEIGHT * mean + expected_weight * expected;
    return (known->weighted_ratios + prior) / (known->weight + PRIOR_WEIGHT + expected_weight);
}

static struct belief believe(const struct surrogate *surrogate, const struct known *known) {
    const double looks =
        (known->weight + EXPECTED_SHARE * reliance(surrogate, known)) / PRIOR_WEIGHT;
    const double scale =
        (UNCERTAINTY_LOOKS + surrogate->surprise) / (UNCERTAINTY_LOOKS + surrogate->surprises);
    return (struct belief){.mean = known->log_estimate + correction(surrogate, known),
                           .variance = scale * UNCERTAINTY * UNCERTAINTY / (1 + looks)};
}

struct belief surrogate_belief(const struct surrogate *surrogate,
                               const struct tcplan_entry *candidate) {
    return believe(surrogate, &surrogate->known[candidate - surrogate->ranking->entry]);
}

/** Where nothing is known to be faster than, what may be the fastest of all. */
static double promise(const struct surrogate *surrogate, struct belief own) {
    return surrogate->has_best ? belief_improvement(surrogate->best, own)
                               : exp(sqrt(own.variance) - own.mean);
}

struct tcplan_entry *surrogate_next(const struct surrogate *surrogate, surrogate_cost_fn *cost,
                                    const void *context, double *per_second) {
    struct tcplan_entry *next = NULL;
    *per_second = 0;
    for (size_t e = 0; e < surrogate->count; e++) {
        const struct known *known = &surrogate->known[e];
        struct tcplan_entry *entry = &surrogate->ranking->entry[e];
        if (known->taken) continue;
        const double own = promise(surrogate, believe(surrogate, known)) / cost(context, entry);
        if (next && own <= *per_second) continue;
        *per_second = own;
        next = entry;
    }
    if (!surrogate->has_best) *per_second = INFINITY;
    return next;
}

/** What another provider's kernel is expected to gain, a logarithm: as much as one of them did. */
static double gain_of(const struct surrogate *surrogate, enum tcplan_provider own) {
    double gain = 0;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        gain = p == (int)own ? gain : fmin(gain, surrogate->gain[p]);
    return gain;
}

/** What is believed of a neighbour of a candidate: the same, but hardly for certain. Of one that
 * nobody looked at it has to be for a reason. */
static struct belief kin_of(const struct surrogate *surrogate, size_t entry) {
    const struct known *known = &surrogate->known[entry];
    const double variance = UNCERTAINTY * UNCERTAINTY;
    if (known->has_told)
        return (struct belief){.mean = known->log_estimate + known->ratio, .variance = variance};
    const enum tcplan_provider own = surrogate->ranking->entry[entry].algorithm.provider;
    return (struct belief){.mean = believe(surrogate, known).mean + gain_of(surrogate, own),
                           .variance = variance / 4};
}

struct tcplan_entry *surrogate_next_parent(struct surrogate *surrogate, surrogate_cost_fn *cost,
                                           const void *context, double least_per_second) {
    struct known *next = NULL;
    for (size_t e = 0; e < surrogate->count && surrogate->has_best; e++) {
        struct known *known = &surrogate->known[e];
        if (known->is_parent || (known->taken && !known->has_told)) continue;
        const double promise = belief_improvement(surrogate->best, kin_of(surrogate, e));
        const double own = promise / cost(context, &surrogate->ranking->entry[e]);
        if (own <= least_per_second) continue;
        least_per_second = own;
        next = known;
    }
    if (!next) return NULL;
    next->is_parent = true;
    return &surrogate->ranking->entry[next - surrogate->known];
}

void surrogate_reconsider(struct surrogate *surrogate, const struct tcplan_entry *candidate) {
    surrogate->known[candidate - surrogate->ranking->entry].log_estimate = log_hoped(candidate);
}

/** Keeps a look for the experience. */
static void note(struct surrogate *surrogate, size_t entry, double ratio, bool cut) {
    const struct expectation expected = surrogate->known[entry].expected;
    const double excess = ratio - expected.ratio;
    surrogate->excess += expected.trust * excess;
    surrogate->errors += expected.trust * excess * excess;
    surrogate->trust += expected.trust;
    if (!surrogate->learned || surrogate->noted_count == EXPERIENCE_LOOKS_OF_A_PROBLEM) return;
    struct look *noted = &surrogate->noted[surrogate->noted_count];
    if (!learned_describe(noted, surrogate->learned, &surrogate->ranking->entry[entry])) return;
    surrogate->noted_count++;
    noted->ratio = fmax(rint(exp(ratio) * LOOK_DIGITS), 1) / LOOK_DIGITS;
    noted->cut = cut;
}

/** What a look saw, beside what was believed before it: the fastest of many was lucky. How far off
 * that was says how sure others are. */
static void observe(struct surrogate *surrogate, const struct known *known, double log_seconds) {
    const struct belief before = believe(surrogate, known);
    const double variance = LOOK_SPREAD * LOOK_SPREAD;
    const double off = log_seconds - before.mean;
    const struct belief own = belief_observe(before, log_seconds, variance);
    surrogate->surprise += off * off / (before.variance + variance);
    surrogate->surprises++;
    if (surrogate->has_best && own.mean >= surrogate->best.mean) return;
    surrogate->has_best = true;
    surrogate->best = own;
}

/** By how much another provider's kernel makes it faster than its parent is, or is believed to be.
 */
static void note_gain(struct surrogate *surrogate, const struct tcplan_entry *candidate,
                      double log_seconds) {
    const struct tcplan_entry *entry = surrogate->ranking->entry;
    const size_t parent = surrogate->known[candidate - entry].parent;
    const enum tcplan_provider own = candidate->algorithm.provider;
    if (parent == SIZE_MAX || entry[parent].algorithm.provider == own) return;
    const struct known *known = &surrogate->known[parent];
    const double before =
        known->has_told ? known->log_estimate + known->ratio : believe(surrogate, known).mean;
    surrogate->gain[own] = fmin(surrogate->gain[own], log_seconds - before);
}

void surrogate_learn(struct surrogate *surrogate, const struct tcplan_entry *candidate,
                     double seconds) {
    const size_t number = (size_t)(candidate - surrogate->ranking->entry);
    const bool cut = candidate->status == TCPLAN_ENTRY_PRUNED;
    double ratio = log(seconds / candidate->estimate_seconds);
    surrogate->known[number].taken = true;
    if (!isfinite(ratio)) return;
    note(surrogate, number, ratio, cut);
    if (!cut) {
        note_gain(surrogate, candidate, log(seconds));
        observe(surrogate, &surrogate->known[number], log(seconds));
    }
    if (cut)
        ratio = fmax(ratio,
                     correction(surrogate, &surrogate->known[number])); /* it takes that or more */
    surrogate->ratios += ratio;
    surrogate->told++;
    surrogate->known[number].has_told = true;
    surrogate->known[number].ratio = ratio;
    for (size_t e = 0; e < surrogate->count; e++) {
        if (!surrogate->known[e].taken) tell(surrogate, candidate, ratio, e);
    }
}
