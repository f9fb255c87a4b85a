#include "microbench/program/stretch.h"

#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/predict/precondition.h"
#include "microbench/program/share.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"

enum { WARM_UP_PIECES = 8 };

/* One thread. */

static struct timing time_calls(const struct window *window, struct cursor *cursor, int64_t calls,
                                int thread) {
    const struct tensor_pointers base = window_base(window);
    const bool alone =
        blas_threads() == 1; /* with several threads, each thread times its own calls */
    const struct clock_start start = clock_start();
    program_run_share(window->program, cursor, calls, base, thread);
    return clock_stop(&start, alone);
}

double stretch_rate(double rate, int64_t calls, uint64_t ns) {
    return ns > 0 ? fmax(rate, (double)calls / (double)ns) : rate;
}

/** Makes up to `most` calls until the wanted time has passed; returns their number, and in *rate
 * the calls per nanosecond of the fastest piece. */
static int64_t run_warm_up(const struct window *window, struct cursor *cursor, int64_t most,
                           int thread, double *rate) {
    assert(window->warm_call_ns > 0); /* calls were timed before, to size the windows */
    const int64_t piece = most / WARM_UP_PIECES + 1;
    const uint64_t start_ns = clock_now_ns();
    uint64_t now_ns = start_ns;
    int64_t done = 0;
    *rate = 0;
    while (done < most && (double)(now_ns - start_ns) < window->settings.warm_up_ns) {
        const uint64_t before_ns = now_ns;
        const int64_t calls = most - done < piece ? most - done : piece;
        program_run_share(window->program, cursor, calls, window_base(window), thread);
        now_ns = clock_now_ns();
        *rate = stretch_rate(*rate, calls, now_ns - before_ns);
        done += calls;
    }
    if (*rate == 0) *rate = 1 / window->warm_call_ns;
    return done;
}

struct timing stretch_time_calls(struct window *window, struct cursor *cursor, int64_t calls) {
    return time_calls(window, cursor, calls, 0);
}

int64_t stretch_whole_loops(const struct window *window, double wanted, double most) {
    int64_t period = 1;
    for (const struct operation *loop = window->program->kernel->parent; loop;
         loop = loop->parent) {
        if ((double)loop->calls > most) break;
        period = loop->calls;
    }
    const double periods = wanted / (double)period;
    return period * (periods < 1 ? 1 : (int64_t)(periods + 0.5));
}

/** Returns how many calls take the wanted time. */
static int64_t calls_at_rate(struct window *window, double rate) {
    const double wanted = rate * window->settings.window_ns;
    if (wanted < (double)window->calls / 2) window_set_calls(window, wanted);
    return window->calls;
}

/* All threads. */

enum tcplan_status stretch_init(struct window *window, struct tcplan_error *error) {
    const size_t threads = (size_t)window->program->sharing.threads;
    window->part = base_alloc(threads * sizeof *window->part);
    window->place = base_alloc(threads * sizeof *window->place);
    window->by = base_alloc(threads * sizeof *window->by);
    return window->part && window->place && window->by ? TCPLAN_OK : error_no_memory(error);
}

void stretch_free(struct window *window) {
    base_free(window->part);
    base_free(window->place);
    base_free(window->by);
    window->part = NULL;
    window->place = NULL;
    window->by = NULL;
}

/** Work that all threads do at the same time. */
struct joint_step {
    struct window *window;
    int64_t calls;
    const struct rare_run *run;
};

static struct tensor_pointers base_of(const struct window *window, int thread) {
    return program_share_base(window->program, window_base(window), thread);
}

/** Seeks the call that is `ahead` calls after the position of a thread. */
static void seek_part(struct window *window, int thread, int64_t ahead) {
    const int64_t position = window->place[thread].position + ahead;
    program_seek(window->program, &window->part[thread].cursor, position % window->program->calls,
                 base_of(window, thread));
}

static void warm_up_part(void *context, int thread) {
    const struct joint_step *step = context;
    struct window_part *part = &step->window->part[thread];
    precondition_replay(step->window, &step->window->place[thread], thread);
    seek_part(step->window, thread, 0);
    const int64_t done = run_warm_up(step->window, &part->cursor, step->calls, thread, &part->rate);
    /* A warm-up that ends early must not move the timed call, because its stratum was chosen
     * (strata.h). */
    if (done < step->calls && !step->window->program->shared)
        seek_part(step->window, thread, step->calls);
}

static void time_part(void *context, int thread) {
    const struct joint_step *step = context;
    struct window_part *part = &step->window->part[thread];
    part->timing = time_calls(step->window, &part->cursor, step->calls, thread);
}

struct timing stretch_joint_timing(const struct window_part part[], const int by[], int parts) {
    struct timing joint = {0};
    for (int thread = 0, counted = 0; counted < parts; thread++) {
        assert(thread < parts); /* no more threads than parts */
        double ns = 0;
        for (int p = 0; p < parts; p++) {
            if (by[p] != thread) continue;
            counted++;
            ns += part[p].timing.ns;
            joint.disturbed = joint.disturbed || part[p].timing.disturbed;
        }
        joint.ns = fmax(joint.ns, ns);
    }
    return joint;
}

static double slowest_rate(const struct window *window, int threads) {
    double rate = INFINITY;
    for (int thread = 0; thread < threads; thread++) rate = fmin(rate, window->part[thread].rate);
    return rate;
}

static void count_stretch(struct window *window, const struct timing *timing) {
    window->taken++;
    window->disturbed += timing->disturbed;
}

enum tcplan_status stretch_time(struct window *window, int64_t position, int64_t warm_up,
                                int64_t *calls, struct timing *out, struct tcplan_error *error) {
    const int threads = window->program->sharing.threads;
    for (int thread = 0; thread < threads; thread++) {
        window->place[thread].position =
            program_share_occurrence(window->program, window->program->kernel, position, thread);
    }
    enum tcplan_status status =
        precondition_begin(window, threads, warm_up + window->calls, NULL, error);
    if (status == TCPLAN_OK) {
        struct joint_step step = {.window = window, .calls = warm_up};
        share_run(threads, warm_up_part, &step, NULL);
        *calls = step.calls = calls_at_rate(window, slowest_rate(window, threads));
        share_run(threads, time_part, &step, window->by);
        for (int thread = 0; thread < threads; thread++)
            program_write_ends(window->program, thread);
        *out = stretch_joint_timing(window->part, window->by, threads);
        count_stretch(window, out);
    }
    precondition_end(window, threads);
    return status;
}

/* Copies and scalings. */

/** Returns how many threads execute an operation at the same time. */
static int threads_of(const struct window *window, const struct operation *operation) {
    const bool by_all = program_is_shared(window->program, operation) ||
                        program_divides(window->program, operation);
    return by_all ? window->program->sharing.threads : 1;
}

/** Executes an operation; if all threads divide it, this thread's part. */
static void apply_rare(const struct window *window, const struct operation *operation,
                       struct tensor_pointers at, int thread) {
    if (program_divides(window->program, operation)) {
        program_apply_part(window->program, operation, at, thread);
    } else {
        program_apply(window->program, operation, at);
    }
}

/** Returns whether a previous execution is made before the timed one: there is one, and it has
 * full tiles. */
static bool has_previous(const struct window *window, const struct rare_run *run,
                         int64_t occurrence) {
    return run->follows && occurrence > 0 &&
           !program_is_at_border(window->program, run->operation, occurrence - 1);
}

static void warm_up_rare_part(void *context, int thread) {
    const struct joint_step *step = context;
    struct window *window = step->window;
    const struct rare_run *run = step->run;
    const int64_t occurrence = window->part[thread].occurrence;
    if (has_previous(window, run, occurrence)) {
        apply_rare(window, run->operation,
                   program_locate(window->program, run->operation, occurrence - 1,
                                  base_of(window, thread)),
                   thread);
    }
    if (step->calls == 0) { /* without calls, the memory limit may exclude the place of the
                               execution */
        precondition_replay(window, &window->place[thread], thread);
        return;
    }
    precondition_replay(window, &window->place[thread], thread);
    seek_part(window, thread, 0);
    program_run_share(window->program, &window->part[thread].cursor, step->calls,
                      window_base(window), thread);
}

static void time_rare_part(void *context, int thread) {
    const struct joint_step *step = context;
    const struct tcplan_program *program = step->window->program;
    const struct rare_run *run = step->run;
    struct window_part *part = &step->window->part[thread];
    struct tensor_pointers at[WINDOW_MAX_RUN];
    for (int64_t i = 0; i < run->count; i++) {
        at[i] = program_locate(program, run->operation, part->occurrence + i,
                               base_of(step->window, thread));
    }
    const struct clock_start start = clock_start();
    for (int64_t i = 0; i < run->count; i++)
        apply_rare(step->window, run->operation, at[i], thread);
    part->timing = clock_stop(&start, true);
}

/** Returns an execution of full tiles in a thread's share, if there is one. */
static int64_t occurrence_of(const struct window *window, const struct rare_run *run, int thread) {
    const struct tcplan_program *program = window->program;
    if (run->count > 1 || !program_is_shared(program, run->operation)) return run->occurrence;
    const int64_t own = program_share_occurrence(program, run->operation, run->occurrence, thread);
    return program_is_at_border(program, run->operation, own) ? run->occurrence : own;
}

/** Seeks, for every thread, `warm_up` calls before its execution. */
static void place_rare(struct window *window, const struct rare_run *run, int threads,
                       int64_t *warm_up) {
    const struct tcplan_program *program = window->program;
    *warm_up = run->warm_up;
    for (int thread = 0; thread < threads; thread++) {
        struct window_part *part = &window->part[thread];
        struct precondition *place = &window->place[thread];
        part->occurrence = occurrence_of(window, run, thread);
        const int64_t before = program_calls_before(program, run->operation, part->occurrence);
        /* Before the first execution of a run are the last calls of the previous run. */
        place->position = before > 0 ? before : program->calls;
        if (*warm_up > place->position) *warm_up = place->position;
    }
    while (*warm_up > 0 &&
           !precondition_fits_memory(window, window->place[0].position - *warm_up, *warm_up))
        *warm_up /= 2;
    for (int thread = 0; thread < threads; thread++) {
        struct precondition *place = &window->place[thread];
        assert(place->position >= *warm_up);
        place->position -= *warm_up;
        /* Without a warm-up, the position may be after the last call; calls then continue with
         * the first one. */
        place->position = *warm_up > 0 ? program_share_occurrence(program, program->kernel,
                                                                  place->position, thread)
                                       : place->position % program->calls;
    }
}

enum tcplan_status stretch_time_rare(struct window *window, const struct rare_run *run,
                                     struct timing *out, struct tcplan_error *error) {
    const int threads = threads_of(window, run->operation);
    struct joint_step step = {.window = window, .run = run};
    struct region_list own = {0};
    place_rare(window, run, threads, &step.calls);
    const int executions = program_is_shared(window->program, run->operation) ? threads : 1;
    for (int thread = 0; thread < executions; thread++) {
        const int64_t occurrence = window->part[thread].occurrence;
        for (int64_t i = has_previous(window, run, occurrence) ? -1 : 0; i < run->count; i++) {
            precondition_rare_regions(window, &own, run->operation, occurrence + i);
        }
    }
    enum tcplan_status status = precondition_begin(window, threads, step.calls, &own, error);
    if (status == TCPLAN_OK) {
        share_run(threads, warm_up_rare_part, &step, NULL);
        share_run(threads, time_rare_part, &step, window->by);
        for (int thread = 0; thread < threads; thread++)
            program_write_ends(window->program, thread);
        *out = stretch_joint_timing(window->part, window->by, threads);
        count_stretch(window, out);
    }
    precondition_end(window, threads);
    region_list_free(&own);
    return status;
}
