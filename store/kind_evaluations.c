/*
 * Evaluations of algorithms. The evaluations of a problem are adjacent, and problems are sorted by
 * age, the youngest last. So the oldest problems are dropped from the front, and the evaluations of
 * a problem are found in one pass.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "store/experience.h"

enum { DAYS = 90, TENSOR_SETS = 8 };

/* The largest plausible ratio of measured to estimated seconds. */
#define MOST_RATIO 1e6

static const struct field fields[] = {
    {INT64_OF("made", evaluation, made, 0, INT64_MAX)},
    {INT64_OF("problem", evaluation, problem, 0, INT64_MAX)},
    {WORD_OF("type", evaluation, dtype, fields_dtypes)},
    {FIELD_OF("kernel", WORD, evaluation, kernel), .word_at = observation_kernel_name},
    {FIELD_OF("provider", WORD, evaluation, provider), .word_at = observation_provider_name},
    {INT_OF("threads", evaluation, threads, 1, INT_MAX)},
    {FIELD_OF("parallel", FLAG, evaluation, parallel)},
    {FIELD_OF("cold", FLAG, evaluation, cold)},
    {FIELD_OF("tiled", FLAG, evaluation, tiled)},
    {INT_OF("inner", evaluation, inner, 0, TENSOR_SETS - 1)},
    {INT_OF("outer", evaluation, outer, 0, TENSOR_SETS - 1)},
    {INT_OF("copyA", evaluation, copy[TCPLAN_A], 0, EVALUATION_COPIES - 1)},
    {INT_OF("copyB", evaluation, copy[TCPLAN_B], 0, EVALUATION_COPIES - 1)},
    {INT_OF("copyC", evaluation, copy[TCPLAN_C], 0, EVALUATION_COPIES - 1)},
    {FIELD_OF("m", REAL, evaluation, m)},
    {FIELD_OF("n", REAL, evaluation, n)},
    {FIELD_OF("k", REAL, evaluation, k)},
    {FIELD_OF("ns", REAL, evaluation, call_ns)},
    {FIELD_OF("ratio", REAL, evaluation, ratio)},
    {FIELD_OF("cut", FLAG, evaluation, censored)},
    {0},
};

static bool can_be(const void *observation) {
    const struct evaluation *evaluation = observation;
    return evaluation->threads >= 1 && evaluation->m >= 1 && evaluation->n >= 1 &&
           evaluation->k >= 1 && evaluation->call_ns > 0 && evaluation->ratio > 1 / MOST_RATIO &&
           evaluation->ratio < MOST_RATIO;
}

bool evaluation_is_alike(const struct evaluation *a, const struct evaluation *b) {
    return a->dtype == b->dtype && a->kernel == b->kernel && a->provider == b->provider &&
           a->threads == b->threads && a->parallel == b->parallel && a->cold == b->cold &&
           a->tiled == b->tiled && a->inner == b->inner && a->outer == b->outer &&
           memcmp(a->copy, b->copy, sizeof a->copy) == 0 && a->m == b->m && a->n == b->n &&
           a->k == b->k;
}

/** Moves the evaluations of a problem after all others; returns the position of the first one. */
static size_t bring_last(struct tcplan_experience *experience, int64_t problem) {
    struct evaluation *evaluation = experience->evaluation,
                      group[EXPERIENCE_EVALUATIONS_OF_A_PROBLEM];
    size_t first = experience->count, end;
    while (first > 0 && evaluation[first - 1].problem == problem) first--;
    if (first < experience->count) return first;
    for (first = 0; first < experience->count && evaluation[first].problem != problem; first++)
        continue;
    for (end = first; end < experience->count && evaluation[end].problem == problem; end++)
        group[end - first] = evaluation[end];
    const size_t count = end - first;
    experience_drop(evaluation, sizeof *evaluation, &experience->count, first, count);
    memcpy(&evaluation[experience->count], group, count * sizeof *group);
    experience->count += count;
    return experience->count - count;
}

/** Evaluations with the same `made` belong to one ranking and do not replace each other. */
static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    const struct evaluation *added = observation;
    struct evaluation *evaluation = experience->evaluation;
    if (!evaluation)
        experience->evaluation = evaluation =
            base_alloc(EXPERIENCE_EVALUATIONS * sizeof *evaluation);
    if (!evaluation) return TCPLAN_NO_MEMORY;
    if (experience->count == EXPERIENCE_EVALUATIONS)
        experience_drop(evaluation, sizeof *evaluation, &experience->count, 0,
                        EXPERIENCE_EVALUATIONS / EXPERIENCE_FORGOTTEN_SHARE);
    const size_t first = bring_last(experience, added->problem);
    for (size_t i = experience->count; i-- > first;) {
        if (evaluation[i].made != added->made && evaluation_is_alike(&evaluation[i], added))
            experience_drop(evaluation, sizeof *evaluation, &experience->count, i, 1);
    }
    if (experience->count - first == EXPERIENCE_EVALUATIONS_OF_A_PROBLEM)
        experience_drop(evaluation, sizeof *evaluation, &experience->count, first, 1);
    evaluation[experience->count++] = *added;
    return TCPLAN_OK;
}

/* Showing. */

static size_t count_problems(const struct tcplan_experience *experience) {
    size_t count = 0;
    for (size_t i = 0; i < experience->count; i++)
        count +=
            i == 0 || experience->evaluation[i].problem != experience->evaluation[i - 1].problem;
    return count;
}

/** Prints the number of evaluations with one kernel, and the mean of their ratios. */
static void show_kernel(struct strbuf *out, const struct tcplan_experience *experience, int kernel,
                        int provider) {
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; i < experience->count; i++) {
        const struct evaluation *evaluation = &experience->evaluation[i];
        if ((int)evaluation->kernel != kernel || (int)evaluation->provider != provider) continue;
        logs += log(evaluation->ratio);
        count++;
    }
    if (count == 0) return;
    strbuf_add(out, "%-6s of %-8s %5zu evaluation%s  %6.2f times the estimate\n",
               observation_kernel_name(kernel), observation_provider_name(provider), count,
               count == 1 ? " " : "s", exp(logs / (double)count));
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    const size_t problems = count_problems(experience);
    strbuf_add(out, "%zu evaluation%s of algorithms of %zu problem%s\n\n", experience->count,
               experience->count == 1 ? "" : "s", problems, problems == 1 ? "" : "s");
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++) show_kernel(out, experience, k, p);
    }
}

static const struct fields_line lines[] = {
    {LINE_GROWN("look", fields, tcplan_experience, evaluation, count)}, {0}};

const struct store_kind store_kind_evaluations = {.name = "evaluations",
                                                  .former = "looks",
                                                  .version = 1,
                                                  .days = DAYS,
                                                  .parts = TCPLAN_FINGERPRINT_PARTS,
                                                  .line = lines,
                                                  .can_be = can_be,
                                                  .fold = fold,
                                                  .print = print};
