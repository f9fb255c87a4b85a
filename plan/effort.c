#include "plan/effort.h"

const struct effort *effort_of(enum tcplan_effort effort) {
    static const struct effort efforts[] = {[TCPLAN_EFFORT_QUICK] = {.scouts = 1,
                                                                     .windows = 0,
                                                                     .most_orders = 12,
                                                                     .patience = 4,
                                                                     .most_contenders = 3,
                                                                     .executed_seconds = 2e-3,
                                                                     .least_rounds = 2,
                                                                     .most_rounds = 3,
                                                                     .precise_share = 0.05,
                                                                     .comparison_share = 0.5},
                                            [TCPLAN_EFFORT_NORMAL] = {.scouts = 2,
                                                                      .most_promoted = 24,
                                                                      .windows = 2,
                                                                      .most_orders = 120,
                                                                      .patience = 10,
                                                                      .most_contenders = 6,
                                                                      .executed_seconds = 20e-3,
                                                                      .least_rounds = 3,
                                                                      .most_rounds = 12,
                                                                      .precise_share = 0.02,
                                                                      .comparison_share = 1},
                                            [TCPLAN_EFFORT_THOROUGH] = {.windows = 4,
                                                                        .most_orders = 5040,
                                                                        .most_contenders = 8,
                                                                        .executed_seconds = 100e-3,
                                                                        .least_rounds = 6,
                                                                        .most_rounds = 24,
                                                                        .precise_share = 0.01,
                                                                        .comparison_share = 2}};
    return &efforts[effort];
}
