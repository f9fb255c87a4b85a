#include "plan/effort.h"

#include <math.h>

/* Seats, rounds and samples of the comparison: bench_selection prints what they are worth. */

double effort_seconds(struct effort_share share, double fastest_seconds) {
    return isfinite(fastest_seconds) ? fmax(share.runs * fastest_seconds, share.least_seconds)
                                     : share.least_seconds;
}

/*
 * Work of an estimate. Up to so many indices the best is mostly among what so few sketches and
 * arrangements find, in less than a millisecond. Beyond that an estimate may take some
 * milliseconds.
 */
enum {
    FEW_INDICES = 6,
    FEW_SKETCHED = 800,
    MORE_SKETCHED = 2000,
    FEW_ARRANGED = 50,
    MORE_ARRANGED = 120,
    RATED = 250
};

struct effort_work effort_work(const struct effort *effort, int index_count) {
    if (!effort->times_nothing) return (struct effort_work){0};
    const bool few = index_count <= FEW_INDICES;
    return (struct effort_work){.sketched = few ? FEW_SKETCHED : MORE_SKETCHED,
                                .arranged = few ? FEW_ARRANGED : MORE_ARRANGED,
                                .rated = RATED};
}

bool effort_is_over(struct effort_share share, double taken_seconds, double fastest_seconds) {
    return taken_seconds > effort_seconds(share, fastest_seconds);
}

/* The samples of a comparison may take so many times what that may. */
#define SAMPLES_FACTOR 2.0

bool effort_ends_comparison(const struct effort *effort, const struct effort_field *field,
                            int samples, double taken_seconds, double fastest_seconds) {
    return effort_is_over(effort->comparing,
                          samples >= field->most_samples ? taken_seconds
                                                         : taken_seconds / SAMPLES_FACTOR,
                          fastest_seconds);
}

double effort_price(const struct effort *effort, double fastest_seconds) {
    return effort->worth * effort->comparing.runs /
           effort_seconds(effort->comparing, fastest_seconds);
}

double effort_compile_factor(const struct effort *effort, double fastest_seconds) {
    const double run_seconds =
        effort_seconds(effort->comparing, fastest_seconds) / effort->comparing.runs;
    return effort->compiles || isinf(fastest_seconds) ? 1 : run_seconds / fastest_seconds;
}

/* A sample of several threads takes some milliseconds, as they have to be awake. */
#define THREADS_FACTOR 2.5

void effort_of_threads(struct effort *effort) {
    effort->comparing.least_seconds *= THREADS_FACTOR;
}

const struct effort *effort_of(enum tcplan_effort effort) {
    static const struct effort efforts[] = {
        [TCPLAN_EFFORT_ESTIMATE] = {.times_nothing = true, .most_looks = 24, .beginnings = 3},
        [TCPLAN_EFFORT_QUICK] =
            {.skips_baseline = true,
             .skips_memory = true,
             .scouts = 1,
             .windows = 0,
             .most_looks = 24,
             .generating = {.runs = 0.5, .least_seconds = 14e-3},
             .beginnings = 4,
             .comparing = {.runs = 1, .least_seconds = 4e-3},
             .field = {.contenders = 5, .most_samples = 5, .final_rounds = 1, .agreeing_rounds = 1},
             .costly_field =
                 {.contenders = 3, .most_samples = 3, .final_rounds = 1, .agreeing_rounds = 1},
             .filled_seconds = 40e-3,
             .executed_seconds = 10e-3,
             .least_rounds = 2,
             .most_rounds = 4,
             .precise_share = 0.05,
             .worth = 0.05},
        [TCPLAN_EFFORT_NORMAL] = {.scouts = 2,
                                  .windows = 2,
                                  .most_looks = 80,
                                  .generating = {.runs = 1, .least_seconds = 20e-3},
                                  .beginnings = 4,
                                  .comparing = {.runs = 2, .least_seconds = 12e-3},
                                  .field = {.contenders = 8,
                                            .most_samples = 12,
                                            .final_rounds = 2,
                                            .agreeing_rounds = 1},
                                  .costly_field = {.contenders = 4,
                                                   .most_samples = 4,
                                                   .final_rounds = 1,
                                                   .agreeing_rounds = 1},
                                  .filled_seconds = 100e-3,
                                  .executed_seconds = 100e-3,
                                  .least_rounds = 2,
                                  .most_rounds = 12,
                                  .precise_share = 0.02,
                                  .worth = 0.015},
        [TCPLAN_EFFORT_THOROUGH] = {
            .compiles = true,
            .windows = 4,
            .most_looks = 160,
            .generating = {.runs = 100, .least_seconds = 1},
            .beginnings = 6,
            .comparing = {.runs = 10, .least_seconds = 40e-3},
            .field = {.contenders = 8, .most_samples = 120, .final_rounds = 6},
            .costly_field = {.contenders = 6, .most_samples = 60, .final_rounds = 6},
            .filled_seconds = 100e-3,
            .executed_seconds = 100e-3,
            .least_rounds = 6,
            .most_rounds = 24,
            .precise_share = 0.01,
            .worth = 0.0001}};
    return &efforts[effort];
}
