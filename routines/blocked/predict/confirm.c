/*
 * Confirms a choice by runs: sequential halving (Z. Karnin, T. Koren, O. Somekh, Almost optimal
 * exploration in multi-armed bandits, 2013), which here keeps a quarter. All candidates run a few
 * times, the fastest quarter of them runs twice as often, and so on; the last stage compares
 * medians of at least LAST_RUNS runs.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tcplan/blocked_measure.h"

enum { LAST = 4, KEPT_OF = 4, MOST_RUNS = 20, LAST_RUNS = 10 };

/* Each candidate of the first stage runs about this long, but at most MOST_RUNS times. */
#define STAGE_SECONDS 20e-3

/** An algorithm that competes, and the others with the same calls, which share its time. */
struct candidate {
    struct tcplan_blocked_rank rank;
    int place; /* in the ranking by predictions */
    int stage; /* the last stage in which it ran; 0: none */
};

static const struct tcplan_blocked_prediction *predicted(const struct tcplan_blocked_map *map,
                                                         int point,
                                                         const struct tcplan_blocked_rank *rank) {
    return tcplan_blocked_map_at(map, rank->algorithm, point, rank->block);
}

/** Returns whether predictions leave open which of two algorithms is faster: their times with the
 * models' errors overlap. */
static bool is_open(const struct tcplan_blocked_rank *rank,
                    const struct tcplan_blocked_prediction *it,
                    const struct tcplan_blocked_prediction *first) {
    return rank->tied || it->seconds[TCPLAN_MODEL_MEDIAN] * (1 - it->error) <=
                             first->seconds[TCPLAN_MODEL_MEDIAN] * (1 + first->error);
}

/** Sorts candidates of the latest stage first, and those of a stage by time. */
static int compare(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    const double s = x->rank.measured_seconds, t = y->rank.measured_seconds;
    if (x->stage != y->stage) return y->stage - x->stage;
    if (x->stage > 0 && s != t) return s < t ? -1 : 1;
    return x->place - y->place;
}

/** Runs the first `count` candidates, and sorts them. */
static enum tcplan_status run_stage(struct candidate candidate[], int count, int stage,
                                    const struct tcplan_blocked_map *map, int point,
                                    const struct tcplan_blocked_measure_options *options,
                                    struct tcplan_error *error) {
    struct tcplan_blocked_measured *of = base_alloc_zero((size_t)count, sizeof *of);
    struct tcplan_blocked_measuring measuring;
    if (!of) return error_no_memory(error);
    for (int c = 0; c < count; c++) {
        of[c].blocked = map->blocked[candidate[c].rank.algorithm];
        of[c].sizes = map->point[point];
        of[c].sizes.block = map->block[candidate[c].rank.block];
    }
    const enum tcplan_status status =
        tcplan_blocked_measure(&measuring, of, (size_t)count, options, error);
    for (int c = 0; c < count && status == TCPLAN_OK; c++) {
        if (of[c].count == 0) continue;
        candidate[c].rank.measured_seconds = of[c].seconds[TCPLAN_MODEL_MEDIAN];
        candidate[c].stage = stage;
    }
    base_free(of);
    qsort(candidate, (size_t)count, sizeof *candidate, compare);
    return status;
}

static enum tcplan_status run_stages(struct candidate candidate[], int count,
                                     const struct tcplan_blocked_map *map, int point,
                                     const struct tcplan_blocked_measure_options *options,
                                     struct tcplan_error *error) {
    const double seconds = predicted(map, point, &candidate[0].rank)->seconds[TCPLAN_MODEL_MEDIAN];
    struct tcplan_blocked_measure_options own = *options;
    enum tcplan_status status = TCPLAN_OK;
    own.repetitions = (int)fmax(1, fmin(MOST_RUNS, ceil(STAGE_SECONDS / fmax(seconds, 1e-9))));
    for (int stage = 1; status == TCPLAN_OK; stage++) {
        if (count <= LAST && own.repetitions < LAST_RUNS) own.repetitions = LAST_RUNS;
        status = run_stage(candidate, count, stage, map, point, &own, error);
        if (count <= LAST) break;
        count = count / KEPT_OF > LAST ? count / KEPT_OF : LAST;
        own.repetitions *= 2;
    }
    return status;
}

/** Lists the candidates first, then the other algorithms; returns the number of candidates. */
static int list(struct candidate out[], const struct tcplan_blocked_rank rank[],
                const struct tcplan_blocked_map *map, int point) {
    const struct tcplan_blocked_prediction *first = predicted(map, point, &rank[0]);
    int count = 0, filled = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < map->algorithms; r++) {
            const bool competes =
                rank[r].same == r && is_open(&rank[r], predicted(map, point, &rank[r]), first);
            if (competes == (pass == 1)) continue;
            out[filled++] = (struct candidate){.rank = rank[r], .place = r};
            count += competes;
        }
    }
    return count;
}

/** Gives each algorithm with the calls of another one the time and stage of that one. */
static void share_times(struct candidate candidate[], int count) {
    for (int c = 0; c < count; c++) {
        for (int o = 0; o < count && candidate[c].rank.same != candidate[c].place; o++) {
            if (candidate[o].place != candidate[c].rank.same) continue;
            candidate[c].rank.measured_seconds = candidate[o].rank.measured_seconds;
            candidate[c].stage = candidate[o].stage;
        }
    }
}

/** Writes the new ranking; `same` refers to its places. */
static void finish(struct tcplan_blocked_rank rank[], const struct candidate candidate[], int count,
                   double tie) {
    const double best = candidate[0].rank.measured_seconds;
    for (int c = 0; c < count; c++) {
        rank[c] = candidate[c].rank;
        rank[c].tied =
            c == 0 || (candidate[c].stage > 0 && candidate[c].stage == candidate[0].stage &&
                       rank[c].measured_seconds <= best * (1 + tie));
        for (int o = 0; o < count; o++) {
            if (candidate[o].place == candidate[c].rank.same) rank[c].same = o;
        }
    }
}

enum tcplan_status tcplan_blocked_confirm(struct tcplan_blocked_rank rank[],
                                          const struct tcplan_blocked_map *map, int point,
                                          double tie,
                                          const struct tcplan_blocked_measure_options *options,
                                          struct tcplan_error *error) {
    struct candidate *candidate = base_alloc_zero((size_t)map->algorithms, sizeof *candidate);
    if (!candidate) return error_no_memory(error);
    const int count = list(candidate, rank, map, point);
    const enum tcplan_status status =
        count > 1 ? run_stages(candidate, count, map, point, options, error) : TCPLAN_OK;
    if (status == TCPLAN_OK && count > 1) {
        share_times(candidate, map->algorithms);
        qsort(candidate, (size_t)map->algorithms, sizeof *candidate, compare);
        finish(rank, candidate, map->algorithms, tie);
    }
    base_free(candidate);
    return status;
}
