/*
 * Evaluations of algorithms. Those of a problem are adjacent, the youngest problem last. So the
 * oldest problems are dropped from the front, and the evaluations of a problem are found in one
 * pass.
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
    {INT64_OF("made", look, made, 0, INT64_MAX)},
    {INT64_OF("problem", look, problem, 0, INT64_MAX)},
    {WORD_OF("type", look, dtype, fields_dtypes)},
    {FIELD_OF("kernel", WORD, look, kernel), .word_at = observation_kernel_name},
    {FIELD_OF("provider", WORD, look, provider), .word_at = observation_provider_name},
    {INT_OF("threads", look, threads, 1, INT_MAX)},
    {FIELD_OF("parallel", FLAG, look, parallel)},
    {FIELD_OF("cold", FLAG, look, cold)},
    {FIELD_OF("tiled", FLAG, look, tiled)},
    {INT_OF("inner", look, inner, 0, TENSOR_SETS - 1)},
    {INT_OF("outer", look, outer, 0, TENSOR_SETS - 1)},
    {INT_OF("copyA", look, copy[TCPLAN_A], 0, LOOK_COPIES - 1)},
    {INT_OF("copyB", look, copy[TCPLAN_B], 0, LOOK_COPIES - 1)},
    {INT_OF("copyC", look, copy[TCPLAN_C], 0, LOOK_COPIES - 1)},
    {FIELD_OF("m", REAL, look, m)},
    {FIELD_OF("n", REAL, look, n)},
    {FIELD_OF("k", REAL, look, k)},
    {FIELD_OF("ns", REAL, look, call_ns)},
    {FIELD_OF("ratio", REAL, look, ratio)},
    {FIELD_OF("cut", FLAG, look, cut)},
    {0},
};

static bool can_be(const void *observation) {
    const struct look *look = observation;
    return look->threads >= 1 && look->m >= 1 && look->n >= 1 && look->k >= 1 &&
           look->call_ns > 0 && look->ratio > 1 / MOST_RATIO && look->ratio < MOST_RATIO;
}

bool look_is_alike(const struct look *a, const struct look *b) {
    return a->dtype == b->dtype && a->kernel == b->kernel && a->provider == b->provider &&
           a->threads == b->threads && a->parallel == b->parallel && a->cold == b->cold &&
           a->tiled == b->tiled && a->inner == b->inner && a->outer == b->outer &&
           memcmp(a->copy, b->copy, sizeof a->copy) == 0 && a->m == b->m && a->n == b->n &&
           a->k == b->k;
}

/** Moves the evaluations of a problem behind all others; returns where they begin. */
static size_t bring_last(struct tcplan_experience *experience, int64_t problem) {
    struct look *look = experience->look, group[EXPERIENCE_LOOKS_OF_A_PROBLEM];
    size_t first = experience->count, end;
    while (first > 0 && look[first - 1].problem == problem) first--;
    if (first < experience->count) return first;
    for (first = 0; first < experience->count && look[first].problem != problem; first++) continue;
    for (end = first; end < experience->count && look[end].problem == problem; end++)
        group[end - first] = look[end];
    const size_t count = end - first;
    experience_drop(look, sizeof *look, &experience->count, first, count);
    memcpy(&look[experience->count], group, count * sizeof *group);
    experience->count += count;
    return experience->count - count;
}

/** Evaluations of one ranking have the same `made` and do not replace each other. */
static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    const struct look *added = observation;
    struct look *look = experience->look;
    if (!look) experience->look = look = base_alloc(EXPERIENCE_LOOKS * sizeof *look);
    if (!look) return TCPLAN_NO_MEMORY;
    if (experience->count == EXPERIENCE_LOOKS)
        experience_drop(look, sizeof *look, &experience->count, 0,
                        EXPERIENCE_LOOKS / EXPERIENCE_FORGOTTEN_SHARE);
    const size_t first = bring_last(experience, added->problem);
    for (size_t i = experience->count; i-- > first;) {
        if (look[i].made != added->made && look_is_alike(&look[i], added))
            experience_drop(look, sizeof *look, &experience->count, i, 1);
    }
    if (experience->count - first == EXPERIENCE_LOOKS_OF_A_PROBLEM)
        experience_drop(look, sizeof *look, &experience->count, first, 1);
    look[experience->count++] = *added;
    return TCPLAN_OK;
}

/* Showing. */

static size_t count_problems(const struct tcplan_experience *experience) {
    size_t count = 0;
    for (size_t i = 0; i < experience->count; i++)
        count += i == 0 || experience->look[i].problem != experience->look[i - 1].problem;
    return count;
}

/** Prints the evaluations of algorithms with one kernel: how many, and the mean of their ratios. */
static void show_kernel(struct strbuf *out, const struct tcplan_experience *experience, int kernel,
                        int provider) {
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; i < experience->count; i++) {
        const struct look *look = &experience->look[i];
        if ((int)look->kernel != kernel || (int)look->provider != provider) continue;
        logs += log(look->ratio);
        count++;
    }
    if (count == 0) return;
    strbuf_add(out, "%-6s of %-8s %5zu look%s  %6.2f times the estimate\n",
               observation_kernel_name(kernel), observation_provider_name(provider), count,
               count == 1 ? " " : "s", exp(logs / (double)count));
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    const size_t problems = count_problems(experience);
    strbuf_add(out, "%zu look%s at algorithms of %zu problem%s\n\n", experience->count,
               experience->count == 1 ? "" : "s", problems, problems == 1 ? "" : "s");
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++) show_kernel(out, experience, k, p);
    }
}

static const struct fields_line lines[] = {
    {LINE_GROWN("look", fields, tcplan_experience, look, count)}, {0}};

const struct store_kind store_kind_looks = {.name = "looks",
                                            .version = 1,
                                            .days = DAYS,
                                            .parts = TCPLAN_FINGERPRINT_PARTS,
                                            .line = lines,
                                            .can_be = can_be,
                                            .fold = fold,
                                            .print = print};
