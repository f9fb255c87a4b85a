#include "plan/effort.h"

#include <math.h>

/* Seats, rounds and samples of the comparison: bench_selection prints what they are worth. */

double effort_seconds(struct effort_share share, double fastest_seconds) {
    return isfinite(fastest_seconds) ? fmax(share.runs * fastest_seconds, share.least_seconds) : share.least_seconds;
}

const struct effort *effort_of(enum tcplan_effort effort) {
    static const struct effort efforts[] = {
        [TCPLAN_EFFORT_ESTIMATE] = {.times_nothing = true, .most_looks = 24, .generating = {.least_seconds = 3e-3}, .beginnings = 3},
        [TCPLAN_EFFORT_QUICK] = {.skips_memory = true,
                                 .scouts = 1,
                                 .windows = 0,
                                 .most_looks = 24,
                                 .unlikely_margin = 0,
                                 .generating = {.runs = 0.5, .least_seconds = 14e-3},
                                 .beginnings = 6,
                                 .looking = {.runs = 1.5, .least_seconds = 5e-3},
                                 .varying = {.runs = 0.5, .least_seconds = 1e-3},
                                 .promoting = {.runs = 0.5, .least_seconds = 1e-3},
                                 .comparing = {.runs = 1, .least_seconds = 4e-3},
                                 .least_looks = 6,
                                 .field = {.contenders = 5, .most_samples = 10},
                                 .costly_field = {.contenders = 4, .most_samples = 8},
                                 .executed_seconds = 10e-3,
                                 .least_rounds = 2,
                                 .most_rounds = 4,
                                 .precise_share = 0.05,
                                 .final_rounds = 1},
        [TCPLAN_EFFORT_NORMAL] = {.scouts = 2,
                                  .most_promoted = 8,
                                  .windows = 2,
                                  .most_looks = 80,
                                  .unlikely_margin = 0.6,
                                  .generating = {.runs = 2, .least_seconds = 20e-3},
                                  .beginnings = 6,
                                  .looking = {.runs = 5, .least_seconds = 16e-3},
                                  .varying = {.runs = 2, .least_seconds = 4e-3},
                                  .promoting = {.runs = 2, .least_seconds = 6e-3},
                                  .comparing = {.runs = 4, .least_seconds = 12e-3},
                                  .least_looks = 12,
                                  .field = {.contenders = 8, .most_samples = 30},
                                  .costly_field = {.contenders = 6, .most_samples = 12},
                                  .executed_seconds = 100e-3,
                                  .least_rounds = 2,
                                  .most_rounds = 12,
                                  .precise_share = 0.02,
                                  .final_rounds = 3},
        [TCPLAN_EFFORT_THOROUGH] = {.windows = 4,
                                    .most_looks = 160,
                                    .unlikely_margin = 1,
                                    .generating = {.runs = 100, .least_seconds = 1},
                                    .beginnings = 6,
                                    .looking = {.runs = 100, .least_seconds = 2},
                                    .varying = {.runs = 100, .least_seconds = 1},
                                    .promoting = {.runs = 100, .least_seconds = 1},
                                    .comparing = {.runs = 10, .least_seconds = 40e-3},
                                    .least_looks = 160,
                                    .field = {.contenders = 8, .most_samples = 120},
                                    .costly_field = {.contenders = 6, .most_samples = 60},
                                    .executed_seconds = 100e-3,
                                    .least_rounds = 6,
                                    .most_rounds = 24,
                                    .precise_share = 0.01,
                                    .final_rounds = 6}};
    return &efforts[effort];
}
