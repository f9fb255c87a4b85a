#include "plan/learn/learned.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/indexset.h"
#include "tcplan/canonical.h"

/*
 * How far algorithms of different contractions are apart that differ in one thing, as in
 * plan/learn/surrogate.c: chosen by hand, on replayed looks at candidates of 60 contractions, made
 * up at random or in six families; no study prints them. Extents tell little, strides and the sizes
 * of tensors nothing.
 */
static const struct {
    double kernel, provider, copied, inside, turned, streamed, inner, outer, tiled, extent, call;
} apart = {
    .kernel = 1.5,
    .provider = 0.75,
    .copied = 1,
    .inside = 0.3,
    .turned = 0.3,
    .streamed = 0.4,
    .inner = 0.4,
    .outer = 0.1,
    .tiled = 0.3,
    .extent = 0.05, /* for a factor of two */
    .call = 0.05,   /* likewise */
};

/* What is farther apart says nothing: less than a fiftieth. */
#define FAR 2.0

/* Looks at one problem weigh no more than so many together, and a trust of a half takes such a
 * weight. */
#define MOST_WEIGHT 3.3
#define HALF_WEIGHT 0.5

/** A look with logarithms of its numbers. */
struct past {
    struct look look;
    double m, n, k, call, ratio;
};

struct learned {
    const struct tcplan_problem *problem;
    bool cold;
    int64_t number; /* of the problem */
    size_t count;
    struct past past[];
};

static struct past past_of(const struct look *look) {
    return (struct past){.look = *look,
                         .m = log2(look->m),
                         .n = log2(look->n),
                         .k = log2(look->k),
                         .call = log2(look->call_ns),
                         .ratio = log(look->ratio)};
}

/** Equal problems have equal numbers; -1 when memory is out. */
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
        const struct look *look = &experience->look[i];
        if (look->dtype != problem->dtype || look->cold != learned->cold) continue;
        learned->past[learned->count++] = past_of(look);
    }
    if (learned->number >= 0) return learned;
    base_free(learned);
    return NULL;
}

void learned_free(struct learned *learned) {
    base_free(learned);
}

/* Describing. */

/** The extent of an index within a tile. */
static double extent_within(const struct tcplan_problem *problem,
                            const struct tcplan_algorithm *algorithm, int index) {
    double extent = (double)problem->extent[index];
    for (int s = 0; s < algorithm->split_count; s++) {
        if (algorithm->split[s].index == index) extent = fmin(extent, algorithm->split[s].step);
    }
    return extent;
}

/** The product of the extents of the indices in two roles, 1 without any. */
static double extent_of(const struct tcplan_problem *problem,
                        const struct tcplan_algorithm *algorithm, enum tcplan_role role,
                        enum tcplan_role other) {
    double extent = 1;
    for (uint64_t left = algorithm->group[role] | algorithm->group[other]; left; left &= left - 1) {
        extent *= extent_within(problem, algorithm, indexset_first(left));
    }
    return extent;
}

/** The tensors that the loop in a place moves in. */
static int tensors_of(const struct tcplan_problem *problem,
                      const struct tcplan_algorithm *algorithm, int place) {
    const int count = problem->contraction->index_count;
    int tensors = 0;
    if (place < 0 || place >= algorithm->loop_count) return 0;
    const int number = algorithm->loop[place];
    const int index = number < count ? number : algorithm->split[number - count].index;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        tensors |= (problem->stride_elems[t][index] != 0) << t;
    return tensors;
}

static int copy_of(struct tcplan_operand_copy copy) {
    if (copy.depth < 0) return copy.streamed ? LOOK_STREAMED : 0;
    return LOOK_COPIED | (copy.depth > 0 ? LOOK_INSIDE : 0) | (copy.turned ? LOOK_TURNED : 0) |
           (copy.streamed ? LOOK_STREAMED : 0);
}

bool learned_describe(struct look *out, const struct learned *learned,
                      const struct tcplan_entry *candidate) {
    const struct tcplan_algorithm *algorithm = &candidate->algorithm;
    const struct tcplan_problem *problem = learned->problem;
    const double kernel_seconds = candidate->lower_bound_seconds;
    if (algorithm->provider >= TCPLAN_PROVIDER_FILE_1 || !(kernel_seconds > 0) ||
        !isfinite(candidate->estimate_seconds))
        return false;
    *out = (struct look){
        .problem = learned->number,
        .dtype = problem->dtype,
        .kernel = algorithm->kernel,
        .provider = algorithm->provider,
        .threads = candidate->threads,
        .parallel = algorithm->parallel >= 0,
        .cold = learned->cold,
        .tiled = algorithm->split_count > 0,
        .inner = tensors_of(problem, algorithm, algorithm->loop_count - 1),
        .outer = tensors_of(problem, algorithm, 0),
        .m = extent_of(problem, algorithm, TCPLAN_M, TCPLAN_H),
        .n = extent_of(problem, algorithm, TCPLAN_N, TCPLAN_N),
        .k = extent_of(problem, algorithm, TCPLAN_K, TCPLAN_R),
        .call_ns = fmax(
            rint(kernel_seconds / (double)(candidate->calls > 0 ? candidate->calls : 1) * 1e9), 1)};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) out->copy[t] = copy_of(algorithm->copy[t]);
    return true;
}

/* Expecting. */

static double copies_apart(int a, int b) {
    if ((a ^ b) & LOOK_COPIED) return apart.copied;
    return ((a ^ b) & LOOK_INSIDE ? apart.inside : 0) + ((a ^ b) & LOOK_TURNED ? apart.turned : 0) +
           ((a ^ b) & LOOK_STREAMED ? apart.streamed : 0);
}

static double looks_apart(const struct past *a, const struct past *b) {
    const struct look *x = &a->look, *y = &b->look;
    double distance = (x->kernel != y->kernel ? apart.kernel : 0) +
                      (x->provider != y->provider ? apart.provider : 0) +
                      (x->inner != y->inner ? apart.inner : 0) +
                      (x->outer != y->outer ? apart.outer : 0) +
                      (x->tiled != y->tiled ? apart.tiled : 0) +
                      (x->parallel != y->parallel || x->threads != y->threads ? FAR : 0);
    for (int t = 0; t < TCPLAN_OPERANDS && distance < FAR; t++)
        distance += copies_apart(x->copy[t], y->copy[t]);
    if (distance >= FAR) return distance;
    return distance + apart.extent * (fabs(a->m - b->m) + fabs(a->n - b->n) + fabs(a->k - b->k)) +
           apart.call * fabs(a->call - b->call);
}

struct sum {
    double weight, ratios;
};

/** Adds those of the looks at one problem that were finished, or those that were cut off: these
 * took at least what the others let expect. */
static void add_looks(struct sum *sum, const struct past *candidate, const struct past *past,
                      size_t count, bool cut) {
    const double finished = sum->weight > 0 ? sum->ratios / sum->weight : -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (past[i].look.cut != cut) continue;
        const double distance = looks_apart(candidate, &past[i]);
        if (distance >= FAR) continue;
        const double weight = exp(-distance * distance);
        sum->weight += weight;
        sum->ratios += weight * (cut ? fmax(past[i].ratio, finished) : past[i].ratio);
    }
}

struct expectation learned_expect(const struct learned *learned, const struct look *look) {
    struct past candidate = past_of(look);
    struct sum all = {0};
    for (size_t i = 0, count; i < learned->count; i += count) {
        const struct past *past = &learned->past[i];
        struct sum own = {0};
        for (count = 1;
             i + count < learned->count && past[count].look.problem == past->look.problem;)
            count++;
        add_looks(&own, &candidate, past, count, false);
        add_looks(&own, &candidate, past, count, true);
        if (!(own.weight > 0)) continue;
        const double weight = own.weight / (1 + own.weight / MOST_WEIGHT);
        all.weight += weight;
        all.ratios += weight * own.ratios / own.weight;
    }
    if (!(all.weight > 0)) return (struct expectation){0};
    return (struct expectation){.ratio = all.ratios / all.weight,
                                .trust = all.weight / (all.weight + HALF_WEIGHT)};
}

/* Correcting. */

static void correct(struct tcplan_entry *entry, const struct learned *learned) {
    struct look look;
    if (entry->kernel_source != TCPLAN_TIME_KEPT || !learned_describe(&look, learned, entry))
        return;
    const struct expectation expected = learned_expect(learned, &look);
    const double factor = exp(expected.trust * expected.ratio);
    entry->estimate_seconds *= factor;
    entry->estimate_low *= factor;
    entry->estimate_high *= factor;
}

/** The entry with the least estimate that was not corrected; `entry_count` where there is none. */
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
