#include "plan/learn/surrogate.h"

#include <math.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/indexset.h"
#include "plan/learn/learned.h"

/* How far algorithms are apart that differ in one thing: what is measured of one says
 * exp(-distance^2) as much of the other as of itself. */
static const struct {
    double kernel, index, copied, depth, turned, streamed, split, step, provider, parallel, threads,
        inner_loop, outer_loop;
} apart = {
    .kernel = 1.5,
    .index = 0.75,
    .copied = 1.5,
    .depth = 0.45,
    .turned = 0.6,
    .streamed = 0.6,
    .split = 0.75,
    .step = 0.2, /* for a factor of two */
    .provider = 0.75,
    .parallel = 0.75,
    .threads = 0.75, /* for a factor of two */
    .inner_loop = 0.45,
    .outer_loop = 0.3,
};

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

    struct tcplan_experience *experience; /* NULL: none, and so are the next two */
    struct learned *learned;
    struct look *look; /* by entry; of those that cannot be described 0 threads */
    double excess; /* the sums of what logarithms were above those expected, of the squares of that,
                      and of the trust in these */
    double errors;
    double trust;
    size_t noted_count;
    struct look noted[EXPERIENCE_LOOKS_OF_A_PROBLEM];
};

/* Likeness. */

static int step_of(const struct tcplan_algorithm *algorithm, int index) {
    for (int s = 0; s < algorithm->split_count; s++) {
        if (algorithm->split[s].index == index) return algorithm->split[s].step;
    }
    return 0;
}

static double splits_apart(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    double distance = 0;
    for (int s = 0; s < a->split_count; s++) {
        const int other = step_of(b, a->split[s].index);
        distance +=
            other > 0 ? apart.step * fabs(log2((double)a->split[s].step / other)) : apart.split;
    }
    for (int s = 0; s < b->split_count; s++)
        distance += step_of(a, b->split[s].index) > 0 ? 0 : apart.split;
    return distance;
}

static double copies_apart(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    double distance = a->copy[TCPLAN_C].streamed != b->copy[TCPLAN_C].streamed ? apart.streamed : 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool copied = a->copy[t].depth >= 0;
        if (copied != (b->copy[t].depth >= 0)) {
            distance += apart.copied;
        } else if (copied) {
            distance += (a->copy[t].turned != b->copy[t].turned ? apart.turned : 0) +
                        (a->copy[t].depth != b->copy[t].depth ? apart.depth : 0);
        }
    }
    return distance;
}

/** The loop `from_inside` of an algorithm: a step of the index that is split when its number is not
 * one of the contraction's. */
static int loop_at(const struct tcplan_algorithm *algorithm, int from_inside, int index_count) {
    if (from_inside < 0 || from_inside >= algorithm->loop_count) return -1;
    const int number = algorithm->loop[algorithm->loop_count - 1 - from_inside];
    return number < index_count ? number
                                : TCPLAN_MAX_INDICES + algorithm->split[number - index_count].index;
}

static double loops_apart(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b,
                          int index_count) {
    const bool same_inner = loop_at(a, 0, index_count) == loop_at(b, 0, index_count);
    const bool same_outer =
        loop_at(a, a->loop_count - 1, index_count) == loop_at(b, b->loop_count - 1, index_count);
    return (same_inner ? 0 : apart.inner_loop) + (same_outer ? 0 : apart.outer_loop);
}

static double entries_apart(const struct tcplan_entry *x, const struct tcplan_entry *y,
                            int index_count) {
    const struct tcplan_algorithm *a = &x->algorithm, *b = &y->algorithm;
    double distance = a->kernel != b->kernel ? apart.kernel : 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        distance += apart.index * indexset_size(a->group[role] ^ b->group[role]);
    }
    distance += a->provider != b->provider ? apart.provider : 0;
    distance += (a->parallel >= 0) != (b->parallel >= 0) ? apart.parallel : 0;
    distance += apart.threads * fabs(log2((double)x->threads / y->threads));
    return distance + splits_apart(a, b) + copies_apart(a, b) + loops_apart(a, b, index_count);
}

/* What is known. */

/** What a look at one candidate says of another. */
static void tell(struct surrogate *surrogate, const struct tcplan_entry *looked_at, double ratio,
                 size_t other) {
    const struct tcplan_ranking *ranking = surrogate->ranking;
    struct known *known = &surrogate->known[other];
    const double distance =
        entries_apart(looked_at, &ranking->entry[other], ranking->problem.contraction->index_count);
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

static struct known known_of(const struct tcplan_entry *entry) {
    return (struct known){.taken = entry->status != TCPLAN_ENTRY_OPEN,
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
    if (!surrogate->learned) return true;
    struct look *look = base_realloc(surrogate->look, count * sizeof *look);
    if (!look) return false;
    surrogate->look = look;
    return true;
}

bool surrogate_extend(struct surrogate *surrogate, size_t parent) {
    const struct tcplan_ranking *ranking = surrogate->ranking;
    const size_t first = surrogate->count;
    if (!make_room(surrogate)) return false;
    for (size_t e = first; e < ranking->entry_count; e++) {
        struct known *known = &surrogate->known[e];
        *known = known_of(&ranking->entry[e]);
        known->parent = parent;
        if (surrogate->learned) {
            struct look *look = &surrogate->look[e];
            *look = (struct look){0};
            if (learned_describe(look, surrogate->learned, &ranking->entry[e]))
                known->expected = learned_expect(surrogate->learned, look);
        }
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
    base_free(surrogate->look);
    base_free(surrogate->known);
    base_free(surrogate);
}

void surrogate_keep(const struct surrogate *surrogate) {
    if (surrogate->experience)
        experience_add(surrogate->experience, surrogate->noted, surrogate->noted_count, NULL);
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
    if (!surrogate->look || surrogate->look[entry].threads == 0 ||
        surrogate->noted_count == EXPERIENCE_LOOKS_OF_A_PROBLEM)
        return;
    struct look *noted = &surrogate->noted[surrogate->noted_count++];
    *noted = surrogate->look[entry];
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
