#include "tcplan/blocked_windows.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "routines/blocked/cache/stretches.h"
#include "routines/blocked/cache/timings.h"

enum { TRIES = 5 };

#define MEMORY_SHARE 0.75
/** If stretches cover more than this share of the algorithm's work, they take as long as whole
 * runs, because matrices must be restored before each stretch. */
#define WHOLE_SHARE 0.8

struct work {
    struct tcplan_blocked_windows *out;
    struct sequence sequence;
    struct timings *timings;
    struct stretch_call *call;
    struct stretches stretches;
    struct random random;
    double *ns;       /* for each call of a stretch, its shortest time */
    bool *settled;    /* for each call of a stretch, whether an undisturbed time exists */
    double *tried_ns; /* times of the present attempt */
    bool *tried_disturbed;
    double *of_statement; /* for each statement, its nanoseconds in one sample */
    double *sum;          /* for each statement, its nanoseconds in all samples */
    int64_t *timed;       /* for each statement, the number of timed calls in all samples */
    double executed;      /* work of the calls executed so far */
};

static enum tcplan_status open_work(struct work *work, const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes,
                                    const struct tcplan_blocked_windows_options *options,
                                    struct tcplan_error *error) {
    const int64_t most = options->max_memory_bytes > 0
                             ? options->max_memory_bytes
                             : (int64_t)(MEMORY_SHARE * (double)buffers_available_bytes());
    const struct timings_setting setting = {.provider = options->provider,
                                            .threads = options->threads > 0 ? options->threads : 1};
    enum tcplan_status status =
        sequence_open(&work->sequence, blocked, sizes, options->provider, most, error);
    if (status != TCPLAN_OK) return status;
    const size_t calls = (size_t)work->sequence.count,
                 statements = (size_t)blocked->statement_count;
    work->call = base_alloc_zero(calls, sizeof *work->call);
    work->ns = base_alloc_zero(calls, sizeof *work->ns);
    work->settled = base_alloc_zero(calls, sizeof *work->settled);
    work->tried_ns = base_alloc_zero(calls, sizeof *work->tried_ns);
    work->tried_disturbed = base_alloc_zero(calls, sizeof *work->tried_disturbed);
    work->of_statement = base_alloc_zero(statements, sizeof *work->of_statement);
    work->sum = base_alloc_zero(statements, sizeof *work->sum);
    work->timed = base_alloc_zero(statements, sizeof *work->timed);
    work->out->kernel = base_alloc_zero(statements, sizeof *work->out->kernel);
    if (!work->call || !work->ns || !work->settled || !work->tried_ns || !work->tried_disturbed)
        return error_no_memory(error);
    if (!work->of_statement || !work->sum || !work->timed || !work->out->kernel)
        return error_no_memory(error);
    for (int64_t c = 0; c < work->sequence.count; c++) {
        work->call[c] = (struct stretch_call){.statement = work->sequence.call[c].statement,
                                              .work = work->sequence.call[c].work};
    }
    work->stretches =
        (struct stretches){.count = work->sequence.count,
                           .call = work->call,
                           .statements = blocked->statement_count,
                           .strata = options->strata > 0 ? options->strata : TCPLAN_WINDOWS_STRATA};
    if (!stretches_init(&work->stretches)) return error_no_memory(error);
    return timings_open(&work->timings, &work->sequence, &setting, error);
}

static void close_work(struct work *work) {
    timings_close(work->timings);
    stretches_free(&work->stretches);
    sequence_close(&work->sequence);
    base_free(work->call);
    base_free(work->ns);
    base_free(work->settled);
    base_free(work->tried_ns);
    base_free(work->tried_disturbed);
    base_free(work->of_statement);
    base_free(work->sum);
    base_free(work->timed);
}

/**
 * Times calls [first, end) after the untimed calls [lead, first), repeatedly until each has an
 * undisturbed time. If the stretch has all calls, runs the algorithm from the beginning.
 */
static enum tcplan_status time_calls(struct work *work, const struct stretch *stretch,
                                     struct tcplan_error *error) {
    const int64_t count = stretch->end - stretch->first;
    enum tcplan_status status = TCPLAN_OK;
    int64_t open = count;
    for (int64_t c = 0; c < count; c++) {
        work->ns[c] = INFINITY;
        work->settled[c] = false;
    }
    for (int t = 0; t < TRIES && open > 0 && status == TCPLAN_OK; t++) {
        sequence_restore_calls(&work->sequence, stretch->lead, stretch->end);
        status = timings_stretch(work->timings, stretch->lead, stretch->first, stretch->end,
                                 work->tried_ns, work->tried_disturbed, error);
        if (status != TCPLAN_OK) return status;
        open =
            stretches_settle(work->ns, work->settled, work->tried_ns, work->tried_disturbed, count);
        work->executed += stretches_work(&work->stretches, stretch->lead, stretch->end);
        work->out->stretches++;
    }
    work->out->disturbed = work->out->disturbed || open > 0;
    return status;
}

static void note_call(struct work *work, int stratum, int64_t call, double ns) {
    stretches_note(&work->stretches, stratum, call, ns);
    work->timed[work->call[call].statement]++;
}

static enum tcplan_status time_stretch(struct work *work, const struct stretch *stretch,
                                       struct tcplan_error *error) {
    const enum tcplan_status status = time_calls(work, stretch, error);
    for (int64_t c = stretch->first; c < stretch->end && status == TCPLAN_OK; c++) {
        note_call(work, stretch->stratum, c, work->ns[c - stretch->first]);
    }
    return status;
}

/** Returns the stratum of a call. */
static int stratum_of(const struct stretches *stretches, int64_t call) {
    int stratum = 0;
    while (call >= stretches->begin[stratum + 1]) stratum++;
    return stratum;
}

static enum tcplan_status time_whole(struct work *work, struct tcplan_error *error) {
    const enum tcplan_status status =
        time_calls(work, &(struct stretch){.end = work->sequence.count}, error);
    for (int64_t c = 0; c < work->sequence.count && status == TCPLAN_OK; c++) {
        note_call(work, stratum_of(&work->stretches, c), c, work->ns[c]);
    }
    return status;
}

static enum tcplan_status time_strata(struct work *work, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int k = 0; k < work->stretches.strata && status == TCPLAN_OK; k++) {
        struct stretch stretch;
        while (status == TCPLAN_OK && stretches_next(&stretch, &work->stretches, k, &work->random))
            status = time_stretch(work, &stretch, error);
    }
    return status;
}

/** Takes one sample of the algorithm's nanoseconds. */
static enum tcplan_status take_sample(struct work *work, double *ns, struct tcplan_error *error) {
    stretches_begin(&work->stretches);
    const enum tcplan_status status =
        work->out->whole ? time_whole(work, error) : time_strata(work, error);
    if (status == TCPLAN_OK) *ns = stretches_sum(&work->stretches, work->of_statement);
    return status;
}

/** Times a whole run for comparison: takes an undisturbed run, or else the shortest of the
 * disturbed ones. */
static enum tcplan_status measure(struct work *work, double *ns, struct tcplan_error *error) {
    const double began = monotonic_seconds();
    enum tcplan_status status = TCPLAN_OK;
    bool disturbed = true;
    *ns = INFINITY;
    for (int t = 0; t < TRIES && disturbed && status == TCPLAN_OK; t++) {
        double sum = 0;
        status = timings_algorithm(work->timings, work->ns, work->tried_disturbed, error);
        disturbed = false;
        for (int64_t c = 0; c < work->sequence.count; c++) {
            sum += work->ns[c];
            disturbed = disturbed || work->tried_disturbed[c];
        }
        *ns = disturbed ? fmin(*ns, sum) : sum;
    }
    work->out->measured_spent_seconds += monotonic_seconds() - began;
    return status;
}

/** Returns whether the stretches of a sample would cover most of the algorithm, as in recursions,
 * where a few calls of each kernel, with sizes of their own, are most of the work. */
static bool is_whole(struct work *work) {
    struct random random = work->random;
    struct stretch stretch;
    double made = 0;
    if (work->sequence.blocked->is_recursive) return true;
    stretches_begin(&work->stretches);
    for (int k = 0; k < work->stretches.strata; k++) {
        while (stretches_next(&stretch, &work->stretches, k, &random)) {
            made += stretches_work(&work->stretches, stretch.lead, stretch.end);
            for (int64_t c = stretch.first; c < stretch.end; c++)
                stretches_note(&work->stretches, k, c, 0);
        }
    }
    return made > WHOLE_SHARE * work->sequence.work;
}

/** Takes samples until there are enough or the time limit is reached. The first sample does not
 * count, because memory and routines are cold. */
static enum tcplan_status take_samples(struct work *work,
                                       const struct tcplan_blocked_windows_options *options,
                                       struct tcplan_error *error) {
    const struct deadline deadline = deadline_in(options->time_limit_seconds);
    const double precision = options->precision > 0 ? options->precision : TCPLAN_WINDOWS_PRECISION;
    const int wanted = options->samples > 0 ? options->samples : TCPLAN_WINDOWS_MOST;
    const int most = wanted < TCPLAN_MAX_SAMPLES ? wanted : TCPLAN_MAX_SAMPLES;
    const int least = most < TCPLAN_WINDOWS_LEAST ? most : TCPLAN_WINDOWS_LEAST;
    double ns[TCPLAN_MAX_SAMPLES], run[TCPLAN_MAX_SAMPLES], first;
    int count = 0;
    bool enough = false;
    work->out->whole = options->whole || is_whole(work);
    enum tcplan_status status = take_sample(work, &first, error);
    work->out->stretches = 0;
    work->out->disturbed = false;
    memset(work->timed, 0, (size_t)work->stretches.statements * sizeof *work->timed);
    while (status == TCPLAN_OK && count < most && !enough) {
        status = take_sample(work, &ns[count], error);
        if (status == TCPLAN_OK && options->measure) status = measure(work, &run[count], error);
        if (status != TCPLAN_OK) return status;
        for (int s = 0; s < work->stretches.statements; s++) work->sum[s] += work->of_statement[s];
        work->out->estimate = statistics_mean_estimate(ns, ++count);
        const struct tcplan_estimate *estimate = &work->out->estimate;
        enough = count >= least &&
                 (estimate->high - estimate->low <= 2 * precision * estimate->seconds ||
                  deadline_is_over(deadline));
    }
    for (int s = 0; s < work->stretches.statements && count > 0; s++) work->sum[s] *= 1e-9 / count;
    if (options->measure && count > 0) work->out->measured = statistics_mean_estimate(run, count);
    return status;
}

static void list_kernels(const struct work *work) {
    struct tcplan_blocked_windows *out = work->out;
    for (int64_t c = 0; c < work->sequence.count; c++) {
        const int statement = work->sequence.call[c].statement;
        char name[TCPLAN_WINDOWS_KERNEL];
        int k = 0;
        sequence_name(name, sizeof name, work->sequence.blocked, statement);
        while (k < out->kernel_count && strcmp(out->kernel[k].name, name) != 0) k++;
        struct tcplan_blocked_windows_kernel *kernel = &out->kernel[k];
        if (k == out->kernel_count)
            memcpy(out->kernel[out->kernel_count++].name, name, sizeof name);
        kernel->calls++;
        /* Each statement is added to its kernel once. */
        kernel->seconds += work->sum[statement];
        kernel->timed += work->timed[statement];
        work->sum[statement] = 0;
        work->timed[statement] = 0;
    }
}

enum tcplan_status tcplan_blocked_windows(struct tcplan_blocked_windows *out,
                                          const struct tcplan_blocked *blocked,
                                          const struct tcplan_blocked_sizes *sizes,
                                          const struct tcplan_blocked_windows_options *options,
                                          struct tcplan_error *error) {
    const double began = monotonic_seconds();
    struct work work = {.out = out, .random = {.state = options->seed}};
    *out = (struct tcplan_blocked_windows){.flops = 0};
    struct session session;
    const struct session_options wanted = {.threads = options->threads > 0 ? options->threads : 1,
                                           .binding = &options->binding};
    enum tcplan_status status = session_begin_with(&session, &wanted, error);
    if (status == TCPLAN_OK) status = open_work(&work, blocked, sizes, options, error);
    if (status == TCPLAN_OK) status = take_samples(&work, options, error);
    if (status == TCPLAN_OK) {
        out->flops = tcplan_blocked_flops(blocked, sizes);
        out->calls = work.sequence.count;
        out->executed = work.executed / work.sequence.work;
        list_kernels(&work);
    }
    close_work(&work);
    session_end(&session);
    out->spent_seconds = monotonic_seconds() - began - out->measured_spent_seconds;
    return status;
}

void tcplan_blocked_windows_free(struct tcplan_blocked_windows *windows) {
    base_free(windows->kernel);
    *windows = (struct tcplan_blocked_windows){.flops = 0};
}
