#include "plan/effort.h"

#include <assert.h>
#include <math.h>

#include "ast/algorithm/provider.h"

double effort_seconds(struct effort_share share, double fastest_seconds) {
    return isfinite(fastest_seconds) ? fmax(share.runs * fastest_seconds, share.least_seconds)
                                     : share.least_seconds;
}

/*
 * Limits on the work of an estimate. With few indices, the best algorithm is mostly among these
 * structures, and an estimate takes less than a millisecond; with more indices it may take some
 * milliseconds. The time to arrange a structure grows with the square of the number of loops, so
 * fewer structures are arranged then.
 */
enum {
    FEW_INDICES = 6,
    MANY_INDICES = 20,
    FEW_SKETCHED = 800,
    MORE_SKETCHED = 2000,
    FEW_ARRANGED = 50,
    MORE_ARRANGED = 120,
    RATED = 250
};

struct effort_work effort_work(const struct effort *effort, int index_count) {
    assert(index_count >= 0);
    if (!effort->times_nothing) return (struct effort_work){0};
    const bool few = index_count <= FEW_INDICES;
    const int beyond = index_count > MANY_INDICES ? index_count : MANY_INDICES;
    const int more_arranged = MORE_ARRANGED * MANY_INDICES * MANY_INDICES / (beyond * beyond);
    return (struct effort_work){.sketched = few ? FEW_SKETCHED : MORE_SKETCHED,
                                .arranged = few ? FEW_ARRANGED : more_arranged,
                                .rated = RATED};
}

/* With several threads, a sample takes longer, because threads have to be woken up. */
#define THREADS_FACTOR 2.5

/* For the price of compiling, runs count as at least this many seconds: the code is stored, so
 * later plans of the product find it compiled. */
#define LEAST_COMPILED_SECONDS 30e-3

static double run_seconds(const struct effort *effort, double fastest_seconds) {
    const double least = effort->least_run_seconds * (effort->has_threads ? THREADS_FACTOR : 1);
    if (isinf(fastest_seconds)) return least;
    return fmin(fmax(fastest_seconds, least), effort->most_run_seconds);
}

double effort_price(const struct effort *effort, double fastest_seconds) {
    return effort->worth / run_seconds(effort, fastest_seconds);
}

double effort_compile_factor(const struct effort *effort, double fastest_seconds) {
    assert(fastest_seconds > 0);
    if (isinf(fastest_seconds)) return 1;
    const double counted_seconds =
        effort->compiles ? fmax(fastest_seconds, LEAST_COMPILED_SECONDS) : fastest_seconds;
    return run_seconds(effort, fastest_seconds) / fmin(counted_seconds, effort->most_run_seconds);
}

bool effort_uses_built_in(bool estimates, enum tcplan_provider provider) {
    return estimates && provider_traits_of(provider)->is_compiled;
}

/* bench_selection measures how the members `worth` and `rounds` change the choice. */
const struct effort *effort_of(enum tcplan_effort effort) {
    static const struct effort efforts[] = {
        [TCPLAN_EFFORT_ESTIMATE] = {.times_nothing = true, .most_evaluations = 24},
        [TCPLAN_EFFORT_QUICK] = {.worth = 0.05,
                                 .least_run_seconds = 1e-3,
                                 .most_run_seconds = 0.15,
                                 .skips_memory = true,
                                 .samples = 1,
                                 .most_evaluations = 24,
                                 .generating = {.runs = 0.5, .least_seconds = 14e-3},
                                 .baseline = {.runs = 1, .least_seconds = 2e-3},
                                 .executed_seconds = 10e-3,
                                 .executed_part_seconds = 10e-3,
                                 .rounds = 1},
        [TCPLAN_EFFORT_NORMAL] = {.worth = 0.015,
                                  .least_run_seconds = 3e-3,
                                  .most_run_seconds = 0.15,
                                  .compiles = true,
                                  .samples = 2,
                                  .most_evaluations = 80,
                                  .generating = {.runs = 1, .least_seconds = 20e-3},
                                  .baseline = {.runs = 10, .least_seconds = 10e-3},
                                  .executed_seconds = 100e-3,
                                  .executed_part_seconds = 2,
                                  .rounds = 2},
        [TCPLAN_EFFORT_THOROUGH] = {.worth = 0.0005,
                                    .least_run_seconds = 1e-3,
                                    .most_run_seconds = INFINITY,
                                    .compiles = true,
                                    .is_full = true,
                                    .samples = 4,
                                    .most_evaluations = 160,
                                    .generating = {.runs = 100, .least_seconds = 1},
                                    .baseline = {.runs = 100, .least_seconds = 1},
                                    .executed_seconds = 100e-3,
                                    .executed_part_seconds = 2,
                                    .rounds = 6}};
    return &efforts[effort];
}
