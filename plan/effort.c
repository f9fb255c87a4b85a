#include "plan/effort.h"

/* Seats, rounds and samples of the comparison: bench_selection prints what they are worth. */

const struct effort *effort_of(enum tcplan_effort effort) {
    static const struct effort efforts[] = {[TCPLAN_EFFORT_QUICK] = {.scouts = 1,
                                                                     .windows = 0,
                                                                     .most_looks = 24,
                                                                     .unlikely_margin = 0,
                                                                     .generating_seconds = 0.3,
                                                                     .field = {.contenders = 3, .most_samples = 8},
                                                                     .costly_field = {.contenders = 3, .most_samples = 6},
                                                                     .executed_seconds = 2e-3,
                                                                     .least_rounds = 2,
                                                                     .most_rounds = 4,
                                                                     .precise_share = 0.05,
                                                                     .final_rounds = 1},
                                            [TCPLAN_EFFORT_NORMAL] = {.scouts = 2,
                                                                      .most_promoted = 8,
                                                                      .windows = 2,
                                                                      .most_looks = 80,
                                                                      .unlikely_margin = 0.6,
                                                                      .generating_seconds = 1,
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
                                                                        .generating_seconds = 10,
                                                                        .field = {.contenders = 8, .most_samples = 120},
                                                                        .costly_field = {.contenders = 6, .most_samples = 60},
                                                                        .executed_seconds = 100e-3,
                                                                        .least_rounds = 6,
                                                                        .most_rounds = 24,
                                                                        .precise_share = 0.01,
                                                                        .final_rounds = 6}};
    return &efforts[effort];
}
