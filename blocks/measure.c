/* Measures several ways by executing them alternately on separate memory. Each round executes every
 * way once, in alternating order, so that drift of the machine's speed cancels in ratios of times
 * of the same round. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "blocks/block_plan.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

/* ROUNDS_SECONDS is the total time of the rounds, of which there are FEWEST_ROUNDS to BLOCK_ROUNDS.
 * A sample has several executions if one is shorter than LEAST_SAMPLE_SECONDS. */
#define ROUNDS_SECONDS 1.0
#define LEAST_SAMPLE_SECONDS 0.5e-3

enum { FEWEST_ROUNDS = 5, MOST_EXECUTIONS = 1000 };

/** Executes a candidate `executions` times, and computes the seconds per execution. */
static enum tcplan_status sample(double *seconds, const struct block_trial *trial, int way,
                                 int executions, struct tcplan_error *error) {
    const struct clock_start start = clock_start();
    enum tcplan_status status = TCPLAN_OK;
    for (int n = 0; n < executions && status == TCPLAN_OK; n++)
        status = block_plan_run(&trial->run, &trial->run.plan->candidate[way], error);
    *seconds = clock_stop(&start, trial->run.plan->threads == 1).ns * 1e-9 / executions;
    return status;
}

/** Executes each way twice. The second execution's time determines how many executions a sample
 * has. Computes the seconds of a round. */
static enum tcplan_status warm_up(double *round_seconds, int executions[BLOCK_CANDIDATES],
                                  const struct block_trial *trial, unsigned ways,
                                  struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    *round_seconds = 0;
    for (int w = 0; w < BLOCK_CANDIDATES && status == TCPLAN_OK; w++) {
        double seconds = 0;
        if (!(ways >> w & 1U)) continue;
        for (int n = 0; n < 2 && status == TCPLAN_OK; n++)
            status = sample(&seconds, trial, w, 1, error);
        const double count = LEAST_SAMPLE_SECONDS / fmax(seconds, 1e-9);
        executions[w] = count < 1 ? 1 : count > MOST_EXECUTIONS ? MOST_EXECUTIONS : (int)count;
        *round_seconds += seconds * executions[w];
    }
    return status;
}

static enum tcplan_status run_rounds(const struct block_trial *trial, unsigned ways,
                                     struct tcplan_error *error) {
    struct tcplan_block_plan *plan = trial->run.plan;
    int executions[BLOCK_CANDIDATES] = {0};
    double round_seconds;
    enum tcplan_status status = warm_up(&round_seconds, executions, trial, ways, error);
    const double wanted = ROUNDS_SECONDS / fmax(round_seconds, 1e-9);
    const int most = wanted < FEWEST_ROUNDS  ? FEWEST_ROUNDS
                     : wanted > BLOCK_ROUNDS ? BLOCK_ROUNDS
                                             : (int)wanted;
    for (plan->rounds = 0; plan->rounds < most && status == TCPLAN_OK; plan->rounds++) {
        if (plan->rounds >= 2 && deadline_is_over(plan->planning.deadline)) break;
        for (int n = 0; n < BLOCK_CANDIDATES && status == TCPLAN_OK; n++) {
            const int w = plan->rounds % 2 == 0 ? n : BLOCK_CANDIDATES - 1 - n;
            if (ways >> w & 1U)
                status = sample(&plan->candidate[w].sample[plan->rounds], trial, w, executions[w],
                                error);
        }
    }
    return status;
}

/** Stores the measured times in the candidates, and chooses the fastest way. */
static void take_times(struct tcplan_block_plan *plan, unsigned ways) {
    double least = INFINITY;
    for (int w = 0; w < BLOCK_CANDIDATES; w++) {
        struct tcplan_block_candidate *figures = &plan->candidate[w].figures;
        figures->seconds = 0;
        if (!(ways >> w & 1U)) continue;
        figures->seconds = statistics_median(plan->candidate[w].sample, plan->rounds);
        if (figures->seconds >= least) continue;
        least = figures->seconds;
        plan->chosen = w;
    }
}

enum tcplan_status block_measure(struct tcplan_block_plan *plan, unsigned ways,
                                 struct tcplan_error *error) {
    struct block_trial trial = {.run = {NULL}};
    bool has_pairs = false;
    for (int w = 0; w < BLOCK_CANDIDATES; w++)
        has_pairs = has_pairs || ((ways >> w & 1U) && plan->candidate[w].has_pairs);
    enum tcplan_status status = has_pairs ? pairwise_prepare_for(plan, NULL, error) : TCPLAN_OK;
    if (status == TCPLAN_OK) status = block_trial_begin(&trial, plan, error);
    if (status == TCPLAN_OK) status = run_rounds(&trial, ways, error);
    if (status == TCPLAN_OK) take_times(plan, ways);
    block_trial_end(&trial);
    return status;
}

/** Returns the measured candidate with the given name; NULL if there is none. */
static const struct block_candidate *measured(const struct tcplan_block_plan *plan,
                                              const char *way) {
    for (int w = 0; w < BLOCK_CANDIDATES && plan->rounds > 0; w++)
        if (plan->candidate[w].figures.seconds > 0 &&
            strcmp(plan->candidate[w].figures.way, way) == 0)
            return &plan->candidate[w];
    return NULL;
}

bool tcplan_block_plan_ratio(const struct tcplan_block_plan *plan, const char *way,
                             const char *other, double *ratio, double *low, double *high) {
    const struct block_candidate *a = measured(plan, way),
                                 *b = other ? measured(plan, other) : NULL;
    double shares[BLOCK_ROUNDS];
    if (!a || (other && !b)) return false;
    /* Estimation expects nanoseconds and returns seconds, so ratios are multiplied by 1e9. */
    for (int r = 0; r < plan->rounds; r++) shares[r] = 1e9 * a->sample[r] / (b ? b->sample[r] : 1);
    const struct tcplan_estimate estimate = statistics_median_estimate(shares, plan->rounds);
    *ratio = estimate.seconds;
    *low = estimate.low;
    *high = estimate.high;
    return true;
}
