/* Measures an expression: executes its products one after the other, each on its own memory, so
 * that each product finds the caches as the previous one left them. */
#include "base/error.h"
#include "blocks/expression.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

/* ROUNDS_SECONDS is the total time of the rounds, of which there are FEWEST_ROUNDS to BLOCK_ROUNDS.
 * A round has several executions if one is shorter than LEAST_SAMPLE_SECONDS. */
#define ROUNDS_SECONDS 1.0
#define LEAST_SAMPLE_SECONDS 0.5e-3

enum { FEWEST_ROUNDS = 5, MOST_EXECUTIONS = 1000, STEPS = TCPLAN_BLOCK_TENSORS };

/** The memory of a measurement. */
struct subject {
    struct tcplan_block_expression *expression;
    struct block_trial trial[STEPS]; /* blocks of each product's tensors */
    const void *const *tensor[TCPLAN_BLOCK_TENSORS];
};

static enum tcplan_status begin(struct subject *out, struct tcplan_block_expression *expression,
                                struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    out->expression = expression;
    for (int s = 0; s < expression->count - 1 && status == TCPLAN_OK; s++) {
        const struct block_step *step = &expression->step[s];
        status = block_trial_allocate(&out->trial[s], step->plan, error);
        for (int f = 0; f < 2; f++)
            if (step->shown.factor[f] < expression->count)
                out->tensor[step->shown.factor[f]] =
                    (const void *const *)out->trial[s].tensor[f].block;
    }
    return status;
}

/** Executes the expression, and adds the seconds of each product and of the whole expression to
 * `seconds`. */
static enum tcplan_status run(const struct subject *subject, double seconds[STEPS],
                              struct tcplan_error *error) {
    const struct tcplan_block_expression *expression = subject->expression;
    const int steps = expression->count - 1;
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < steps && status == TCPLAN_OK; s++) {
        const struct block_step *step = &expression->step[s];
        const struct clock_start start = clock_start();
        status = tcplan_block_plan_execute(
            step->plan, block_step_factor(expression, s, 0, subject->tensor),
            block_step_factor(expression, s, 1, subject->tensor),
            step->block ? step->block : subject->trial[s].tensor[TCPLAN_C].block, error);
        const double own = clock_stop(&start, step->plan->threads == 1).ns * 1e-9;
        seconds[s] += own;
        seconds[steps] += own;
    }
    return status;
}

static enum tcplan_status run_rounds(double sample[STEPS][BLOCK_ROUNDS], int *rounds,
                                     const struct subject *subject, struct tcplan_error *error) {
    const int steps = subject->expression->count - 1;
    double warm[STEPS] = {0}, once[STEPS] = {0};
    enum tcplan_status status = run(subject, warm, error);
    if (status == TCPLAN_OK) status = run(subject, once, error);
    const double executions = LEAST_SAMPLE_SECONDS / (once[steps] + 1e-9),
                 wanted = ROUNDS_SECONDS / (once[steps] + LEAST_SAMPLE_SECONDS);
    const int repeated = executions < 1                 ? 1
                         : executions > MOST_EXECUTIONS ? MOST_EXECUTIONS
                                                        : (int)executions,
              most = wanted < FEWEST_ROUNDS  ? FEWEST_ROUNDS
                     : wanted > BLOCK_ROUNDS ? BLOCK_ROUNDS
                                             : (int)wanted;
    for (*rounds = 0; *rounds < most && status == TCPLAN_OK; ++*rounds) {
        double seconds[STEPS] = {0};
        for (int n = 0; n < repeated && status == TCPLAN_OK; n++)
            status = run(subject, seconds, error);
        for (int s = 0; s <= steps; s++) sample[s][*rounds] = seconds[s] / repeated;
    }
    return status;
}

enum tcplan_status tcplan_block_expression_measure(double seconds[TCPLAN_BLOCK_TENSORS],
                                                   struct tcplan_block_expression *expression,
                                                   struct tcplan_error *error) {
    double sample[STEPS][BLOCK_ROUNDS];
    struct subject subject = {0};
    int rounds = 0;
    enum tcplan_status status = begin(&subject, expression, error);
    if (status == TCPLAN_OK) status = run_rounds(sample, &rounds, &subject, error);
    for (int s = 0; s < expression->count && status == TCPLAN_OK; s++)
        seconds[s] = statistics_median(sample[s], rounds);
    for (int s = 0; s < expression->count - 1; s++) block_trial_end(&subject.trial[s]);
    return status;
}
