#include "plan/learn/likeness.h"

#include <assert.h>
#include <math.h>

#include "base/indexset.h"
#include "base/units.h"

/*
 * Distances of candidates that differ in one property. They were chosen by hand: searches in nine
 * contractions had to find the best of 700 candidates by 48 evaluations, and evaluations of 60
 * other contractions were replayed. Strides and tensor sizes did not help.
 */
static const struct {
    double kernel, provider, copied, inside, transposed, streamed, inner_loop, outer_loop, tiled,
        parallel, threads, extent, call;
} apart = {
    .kernel = 1.5,
    .provider = 0.75,
    .copied = 1.25,
    .inside = 0.3,
    .transposed = 0.45,
    .streamed = 0.5,
    .inner_loop = 0.4,
    .outer_loop = 0.1,
    .tiled = 0.3,
    .parallel = 0.75,
    .threads = 1,   /* for each factor of two between their thread counts */
    .extent = 0.05, /* for each factor of two between their extents */
    .call = 0.05,   /* for each factor of two between the times of their calls */
};

/* Additional distances of two candidates for the same contraction; `step` is for each factor of
 * two between their tiles. */
static const struct {
    double index, depth, loop, split, step;
} within = {
    .index = 0.6,
    .depth = 0.3,
    .loop = 0.15,
    .split = 0.45,
    .step = 0.2,
};

/** Returns the extent of an index within a tile. */
static double extent_within(const struct tcplan_problem *problem,
                            const struct tcplan_algorithm *algorithm, int index) {
    double extent = (double)problem->extent[index];
    for (int s = 0; s < algorithm->split_count; s++) {
        if (algorithm->split[s].index == index) extent = fmin(extent, algorithm->split[s].step);
    }
    return extent;
}

/** Returns the product of the extents of the indices in two roles; 1 if there are none. */
static double extent_of(const struct tcplan_problem *problem,
                        const struct tcplan_algorithm *algorithm, enum tcplan_role role,
                        enum tcplan_role other) {
    double extent = 1;
    for (uint64_t left = algorithm->group[role] | algorithm->group[other]; left; left &= left - 1) {
        extent *= extent_within(problem, algorithm, indexset_first(left));
    }
    return extent;
}

/** Returns the tensors along which the loop at a position has a stride. */
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
    if (copy.depth < 0) return copy.streamed ? EVALUATION_STREAMED : 0;
    return EVALUATION_COPIED | (copy.depth > 0 ? EVALUATION_INSIDE : 0) |
           (copy.transposed ? EVALUATION_TRANSPOSED : 0) |
           (copy.streamed ? EVALUATION_STREAMED : 0);
}

struct likeness likeness_of_evaluation(const struct evaluation *evaluation) {
    assert(evaluation->m > 0 && evaluation->n > 0 && evaluation->k > 0);
    assert(evaluation->call_ns > 0 && evaluation->threads > 0);
    return (struct likeness){.evaluation = *evaluation,
                             .m = log2(evaluation->m),
                             .n = log2(evaluation->n),
                             .k = log2(evaluation->k),
                             .call = log2(evaluation->call_ns)};
}

struct likeness likeness_of(const struct tcplan_problem *problem,
                            const struct tcplan_entry *candidate) {
    const struct tcplan_algorithm *algorithm = &candidate->algorithm;
    const double calls = fmax(1, (double)candidate->calls);
    struct evaluation evaluation = {
        .dtype = problem->dtype,
        .kernel = algorithm->kernel,
        .provider = algorithm->provider,
        .threads = candidate->threads,
        .parallel = algorithm->parallel >= 0,
        .tiled = algorithm->split_count > 0,
        .inner = tensors_of(problem, algorithm, algorithm->loop_count - 1),
        .outer = tensors_of(problem, algorithm, 0),
        .m = extent_of(problem, algorithm, TCPLAN_M, TCPLAN_H),
        .n = extent_of(problem, algorithm, TCPLAN_N, TCPLAN_N),
        .k = extent_of(problem, algorithm, TCPLAN_K, TCPLAN_R),
        .call_ns = fmax(rint(candidate->lower_bound_seconds / calls * NS_PER_SECOND), 1)};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) evaluation.copy[t] = copy_of(algorithm->copy[t]);
    return likeness_of_evaluation(&evaluation);
}

static double copies_apart(int a, int b) {
    if ((a ^ b) & EVALUATION_COPIED) return apart.copied;
    return ((a ^ b) & EVALUATION_INSIDE ? apart.inside : 0) +
           ((a ^ b) & EVALUATION_TRANSPOSED ? apart.transposed : 0) +
           ((a ^ b) & EVALUATION_STREAMED ? apart.streamed : 0);
}

double likeness_apart(const struct likeness *a, const struct likeness *b) {
    const struct evaluation *x = &a->evaluation, *y = &b->evaluation;
    double distance = (x->kernel != y->kernel ? apart.kernel : 0) +
                      (x->provider != y->provider ? apart.provider : 0) +
                      (x->inner != y->inner ? apart.inner_loop : 0) +
                      (x->outer != y->outer ? apart.outer_loop : 0) +
                      (x->tiled != y->tiled ? apart.tiled : 0) +
                      (x->parallel != y->parallel ? apart.parallel : 0);
    for (int t = 0; t < TCPLAN_OPERANDS && distance < LIKENESS_FAR; t++)
        distance += copies_apart(x->copy[t], y->copy[t]);
    if (distance >= LIKENESS_FAR) return distance;
    if (x->threads != y->threads)
        distance += apart.threads * fabs(log2((double)x->threads / y->threads));
    return distance + apart.extent * (fabs(a->m - b->m) + fabs(a->n - b->n) + fabs(a->k - b->k)) +
           apart.call * fabs(a->call - b->call);
}

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
            other > 0 ? within.step * fabs(log2((double)a->split[s].step / other)) : within.split;
    }
    for (int s = 0; s < b->split_count; s++)
        distance += step_of(a, b->split[s].index) > 0 ? 0 : within.split;
    return distance;
}

/** Returns the index of loop number `from_inside`, counted from the innermost; for a divided index,
 * the number of its step. */
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
    return within.loop * (!same_inner + !same_outer);
}

double likeness_apart_within(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b,
                             int index_count) {
    double distance = splits_apart(a, b) + loops_apart(a, b, index_count);
    for (int role = 0; role < TCPLAN_ROLES; role++)
        distance += within.index * indexset_size(a->group[role] ^ b->group[role]);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int depth = a->copy[t].depth, other = b->copy[t].depth;
        distance += depth > 0 && other > 0 && depth != other ? within.depth : 0;
    }
    return distance;
}
