#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/deadline.h"
#include "base/error.h"
#include "routines/blocked/predict/sources.h"

static size_t place_of(const struct tcplan_blocked_map *map, int algorithm, int point, int block) {
    return ((size_t)algorithm * (size_t)map->points + (size_t)point) * (size_t)map->blocks +
           (size_t)block;
}

const struct tcplan_blocked_prediction *tcplan_blocked_map_at(const struct tcplan_blocked_map *map,
                                                              int algorithm, int point, int block) {
    return &map->prediction[place_of(map, algorithm, point, block)];
}

static enum tcplan_status fill_algorithm(struct tcplan_blocked_map *map, int algorithm,
                                         const struct tcplan_blocked_predictor *predictor,
                                         tcplan_progress_fn *progress, void *context,
                                         struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0; p < map->points && status == TCPLAN_OK; p++) {
        struct tcplan_blocked_sizes sizes = map->point[p];
        for (int b = 0; b < map->blocks && status == TCPLAN_OK; b++) {
            sizes.block = map->block[b];
            status = tcplan_blocked_predict(&map->prediction[place_of(map, algorithm, p, b)], NULL,
                                            NULL, predictor, &sizes, error);
        }
        if (progress)
            progress(context, "predicting", (double)algorithm * map->points + p + 1,
                     (double)map->algorithms * map->points);
    }
    return status;
}

enum tcplan_status tcplan_blocked_map_make(struct tcplan_blocked_map *map,
                                           const struct tcplan_models *models,
                                           const struct tcplan_model_setup *setup,
                                           tcplan_progress_fn *progress, void *progress_context,
                                           struct tcplan_error *error) {
    const double begun = monotonic_seconds();
    size_t rows, places;
    enum tcplan_status status = TCPLAN_OK;
    if (!checked_mul_size((size_t)map->algorithms, (size_t)map->points, &rows) ||
        !checked_mul_size(rows, (size_t)map->blocks, &places))
        return error_set(error, TCPLAN_OVERFLOW,
                         "%d algorithms, %d sizes and %d block sizes are too many combinations",
                         map->algorithms, map->points, map->blocks);
    map->prediction = base_alloc_zero(places + 1, sizeof *map->prediction);
    if (!map->prediction) return error_no_memory(error);
    for (int a = 0; a < map->algorithms && status == TCPLAN_OK; a++) {
        struct tcplan_blocked_predictor *predictor;
        status = tcplan_blocked_predictor_new(&predictor, map->blocked[a], models, setup, error);
        if (status == TCPLAN_OK && map->extrapolates)
            tcplan_blocked_predictor_extrapolate(predictor);
        if (status == TCPLAN_OK)
            status = fill_algorithm(map, a, predictor, progress, progress_context, error);
        tcplan_blocked_predictor_free(predictor);
    }
    map->spent_seconds = monotonic_seconds() - begun;
    return status;
}

void tcplan_blocked_map_free(struct tcplan_blocked_map *map) {
    base_free(map->prediction);
    map->prediction = NULL;
}

static double median_at(const struct tcplan_blocked_map *map, int algorithm, int point, int block) {
    return tcplan_blocked_map_at(map, algorithm, point, block)->seconds[TCPLAN_MODEL_MEDIAN];
}

/** A ranking entry with its sort key. */
struct ranked {
    struct tcplan_blocked_rank rank;
    double seconds;
};

static int compare_ranked(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return x->rank.algorithm - y->rank.algorithm;
}

static struct ranked best_of(const struct tcplan_blocked_map *map, int algorithm, int point,
                             double tie) {
    struct ranked best = {.rank = {.algorithm = algorithm}, .seconds = INFINITY};
    for (int b = 0; b < map->blocks; b++) {
        const double seconds = median_at(map, algorithm, point, b);
        if (!(seconds < best.seconds)) continue;
        best.seconds = seconds;
        best.rank.block = b;
    }
    int first = best.rank.block, last = best.rank.block;
    while (first > 0 && median_at(map, algorithm, point, first - 1) <= best.seconds * (1 + tie))
        first--;
    while (last + 1 < map->blocks &&
           median_at(map, algorithm, point, last + 1) <= best.seconds * (1 + tie))
        last++;
    best.rank.alike_first = first;
    best.rank.alike_last = last;
    return best;
}

/** Inserts an entry by its sort key, by linear search because there are few algorithms. */
static void insert(struct tcplan_blocked_rank out[], int count,
                   const struct tcplan_blocked_map *map, int point, const struct ranked *entry) {
    int place = count;
    while (place > 0) {
        const struct tcplan_blocked_rank *before = &out[place - 1];
        const struct ranked other = {
            .rank = *before, .seconds = median_at(map, before->algorithm, point, before->block)};
        if (compare_ranked(&other, entry) <= 0) break;
        out[place] = *before;
        place--;
    }
    out[place] = entry->rank;
}

static double seconds_of(const struct tcplan_blocked_rank *rank,
                         const struct tcplan_blocked_map *map, int point) {
    return median_at(map, rank->algorithm, point, rank->block);
}

static uint64_t calls_of(const struct tcplan_blocked_rank *rank,
                         const struct tcplan_blocked_map *map, int point) {
    struct tcplan_blocked_sizes sizes = map->point[point];
    sizes.block = map->block[rank->block];
    return tcplan_blocked_call_hash(map->blocked[rank->algorithm], &sizes);
}

/** Returns the first algorithm of the ranking that makes the same calls. Equal calls have equal
 * predictions, so such algorithms are adjacent. */
static int first_with_calls(const struct tcplan_blocked_rank rank[],
                            const struct tcplan_blocked_map *map, int point, int place) {
    int first = place;
    for (int r = place - 1; r >= 0; r--) {
        if (seconds_of(&rank[r], map, point) != seconds_of(&rank[place], map, point)) break;
        if (calls_of(&rank[r], map, point) == calls_of(&rank[place], map, point)) first = r;
    }
    return first;
}

void tcplan_blocked_rank(struct tcplan_blocked_rank out[], const struct tcplan_blocked_map *map,
                         int point, double tie) {
    for (int a = 0; a < map->algorithms; a++) {
        const struct ranked entry = best_of(map, a, point, tie);
        insert(out, a, map, point, &entry);
    }
    for (int r = 0; r < map->algorithms; r++) {
        out[r].tied = seconds_of(&out[r], map, point) <= seconds_of(out, map, point) * (1 + tie);
        out[r].same = first_with_calls(out, map, point, r);
    }
}
