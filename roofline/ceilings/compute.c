#include <stdio.h>

#include "roofline/ceilings/known.h"
#include "roofline/ceilings/limit.h"
#include "roofline/ceilings/measuring.h"

enum { TRIAL_ROUNDS = 4096 };

/** The work of each thread in a window: `calls` calls of a kernel. */
struct work {
    const struct compute_kernel *kernel;
    int64_t rounds; /* number of rounds in one call */
    int64_t calls;
};

static bool run(void *context, int thread, int64_t window) {
    const struct work *work = context;
    bool correct = true;
    (void)thread;
    (void)window;
    for (int64_t c = 0; c < work->calls; c++) correct = work->kernel->run(work->rounds) && correct;
    return correct;
}

/** Returns the work that fills a window. */
static struct work fill_window(struct measuring *measuring, const struct compute_kernel *kernel,
                               int threads) {
    struct work work = {.kernel = kernel, .rounds = TRIAL_ROUNDS, .calls = 1};
    const int64_t rounds = measuring_repetitions(
        measuring, measuring_trial(measuring, threads, run, &work), TRIAL_ROUNDS);
    work.calls = (rounds + COMPUTE_MAX_ROUNDS - 1) / COMPUTE_MAX_ROUNDS;
    work.rounds = rounds / work.calls;
    return work;
}

static enum tcplan_status measure(struct measuring *measuring, const struct compute_kernel *kernel,
                                  int threads, struct tcplan_error *error) {
    struct tcplan_ceiling ceiling = {.precision = kernel->precision,
                                     .mix = compute_mix(kernel->operation),
                                     .vector_bits = kernel->vector_bits,
                                     .threads = threads,
                                     .cache = -1};
    snprintf(ceiling.name, sizeof ceiling.name, "%s", compute_name(kernel->operation));
    if (known_is_settled(measuring, &ceiling)) return TCPLAN_OK;
    struct work work = fill_window(measuring, kernel, threads);
    struct team_series series = measuring_series(measuring);
    measuring_time(measuring, &ceiling, threads, run, &work, &series);
    const double flops = compute_flops(kernel, work.rounds) * (double)work.calls * threads;
    return measuring_add(measuring, &ceiling, &series, flops, limit_flops(kernel), error);
}

static int count_kernels(const struct measuring *measuring) {
    int kernels = 0;
    for (int s = 0; s < KERNEL_SETS && measuring->set[s]; s++)
        kernels += measuring->set[s]->compute_count;
    return kernels;
}

enum tcplan_status compute_measure(struct measuring *measuring, int threads,
                                   struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    measuring_begin(measuring, "computing", threads, count_kernels(measuring));
    for (int s = 0; s < KERNEL_SETS && measuring->set[s]; s++) {
        const struct kernel_set *set = measuring->set[s];
        for (int k = 0; k < set->compute_count && status == TCPLAN_OK; k++) {
            status = measure(measuring, &set->compute[k], threads, error);
        }
    }
    return status;
}
