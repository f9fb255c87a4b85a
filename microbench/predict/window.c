#include "microbench/predict/window.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ast/nest/refine.h"
#include "microbench/predict/precondition.h"
#include "microbench/predict/strata.h"
#include "microbench/program/reduce.h"
#include "microbench/program/stretch.h"
#include "microbench/providers/blas.h"

/* Maximum number of bytes of a copy or scaling that is timed, in whole cache lines or pages; larger
 * ones are timed in part. For probes, the part only has to exceed the L2 cache. */
#define MAX_APART_BYTES 8e6
#define PROBED_CACHES 2.0
#define MAX_APART_PAGE_BYTES 64e6

/* Maximum number of bytes of such a copy as a share of the memory limit; the preceding accesses and
 * calls also need memory. */
#define MAX_APART_SHARE 0.25

/* Maximum number of bytes of a timed copy that sums: it reads much more than it writes, once and
 * row by row, so a smaller part suffices. */
#define MAX_SUMMED_BYTES 2e6

/* A call with cold caches takes at most this many times its time in place. */
#define LONG_CALL_FACTOR 4.0

/* Longer stretches are not timed again, because other load would disturb every attempt. */
#define LONG_STRETCH_NS 5e6

enum { WARM_REPETITIONS = 3, WARM_STRETCH_NS = 10000, DISTURBED_RETRIES = 3 };

/** Parameters of the grades. The history is also limited to the last cache's size. */
static const struct {
    double window_ns;
    double warm_up_ns;
    double history_bytes;
    double whole_factor;    /**< factor by which a timed stretch may be longer to contain all
                               iterations of a loop, not only first or later ones */
    double most_call_flops; /**< operations from which a call is timed in part: calls take some tens
                               of milliseconds, less for probes */
} grades[WINDOW_GRADES] = {
    [WINDOW_PROBE] = {.window_ns = 60e3,
                      .warm_up_ns = 150e3,
                      .history_bytes = 0,
                      .whole_factor = 4,
                      .most_call_flops = 0.25e9},
    [WINDOW_STANDARD] = {.window_ns = 1e6,
                         .warm_up_ns = 300e3,
                         .history_bytes = 2 << 20,
                         .whole_factor = 1,
                         .most_call_flops = 1.1e9},
    /* Processors regulate power and memory bandwidth in steps of a millisecond; two milliseconds
     * average over the slow and the fast step. */
    [WINDOW_LONG] = {.window_ns = 2e6,
                     .warm_up_ns = 1e6,
                     .history_bytes = 8 << 20,
                     .whole_factor = 1,
                     .most_call_flops = 1.1e9},
};

struct window_settings window_settings_for(const struct tcplan_machine *machine,
                                           enum tcplan_cache_state cache, enum window_grade grade) {
    const double last_level = machine->cache_count > 0
                                  ? (double)machine->cache[machine->cache_count - 1].size_bytes
                                  : INFINITY;
    const double second =
        machine->cache_count > 1 ? (double)machine->cache[1].size_bytes : INFINITY;
    return (struct window_settings){
        .window_ns = grades[grade].window_ns,
        .warm_up_ns = grades[grade].warm_up_ns,
        .history_bytes = fmin(last_level, grades[grade].history_bytes),
        .apart_bytes =
            grade == WINDOW_PROBE ? fmin(MAX_APART_BYTES, PROBED_CACHES * second) : MAX_APART_BYTES,
        .whole_factor = grades[grade].whole_factor,
        .most_call_flops = grades[grade].most_call_flops,
        .granularity = {.line_bytes = machine->line_bytes, .page_bytes = sysconf(_SC_PAGESIZE)},
        .cache = cache,
        .threads = 1};
}

void window_settings_lengthen(struct window_settings *settings, double ns) {
    ns = fmin(ns, grades[WINDOW_STANDARD].window_ns);
    settings->window_ns = fmax(settings->window_ns, ns);
    settings->warm_up_ns = fmax(settings->warm_up_ns, ns);
}

static bool is_late(const struct window *window) {
    return deadline_is_over(window->settings.deadline);
}

/** Returns whether one call takes much longer than a timed stretch and its warm-up should. Both
 * then consist of one call, however fast the call is with warm caches. */
static bool is_long_call(const struct window *window, double ns) {
    return ns > LONG_CALL_FACTOR * fmax(window->settings.window_ns, window->settings.warm_up_ns);
}

static int64_t calls_for(const struct window *window, double ns) {
    assert(window->warm_call_ns > 0); /* a call was timed before */
    const double calls = ns / window->warm_call_ns;
    return calls < 1 ? 1 : calls < 1e12 ? (int64_t)calls : (int64_t)1e12;
}

/**
 * Returns the number of untimed warm-up calls before a stretch, which bring the caches to their
 * usual state. Long calls need none: they find little of their data in cache, and data that all
 * calls share is in cache because the kernel was timed before.
 */
static int64_t warm_up_calls(const struct window *window) {
    return is_long_call(window, window->warm_call_ns)
               ? 0
               : calls_for(window, window->settings.warm_up_ns);
}

static double most_page_bytes(const struct window *window) {
    return fmin(MAX_APART_PAGE_BYTES, MAX_APART_SHARE * (double)window->buffers->limit_bytes);
}

/** Returns whether a stretch misses an operation because the operation is executed before the
 * program's only call, and the stretch begins at that call, without a warm-up. Before any call was
 * timed, calls count as short. */
static bool is_missed(const struct window *window, const struct operation *operation) {
    if (window->warm_call_ns == 0 || window->program->calls > 1 || warm_up_calls(window) > 0)
        return false;
    const struct operation *behind = operation->next;
    while (behind && behind->kind != OPERATION_KERNEL && behind->kind != OPERATION_LOOP)
        behind = behind->next;
    return behind != NULL; /* a loop around the call has one iteration */
}

/**
 * Returns whether a copy or scaling is timed separately: timed stretches do not contain it, only
 * one thread executes it, it occurs less than once in a stretch, or it touches more memory than a
 * stretch may.
 */
static bool is_apart(const struct window *window, const struct operation *operation) {
    if (operation->kind != OPERATION_COPY && operation->kind != OPERATION_SCALE) return false;
    if (is_missed(window, operation)) return true;
    if (window->program->shared && !program_is_shared(window->program, operation))
        return true; /* one thread executes it while the others wait */
    const double most_bytes =
        operation->strided.summed > 0 ? MAX_SUMMED_BYTES : most_page_bytes(window);
    const double period =
        (double)window->program->calls / program_occurrences(window->program, operation);
    return period > (double)window->calls ||
           strided_footprint_bytes(&operation->strided, window->settings.granularity.page_bytes) >
               most_bytes;
}

static void separate_rare(struct window *window, struct operation *body) {
    const struct granularity granularity = window->settings.granularity;
    for (struct operation *operation = body; operation; operation = operation->next) {
        if (operation->kind == OPERATION_LOOP) separate_rare(window, operation->body);
        if (operation->skipped || !is_apart(window, operation)) continue;
        assert(window->rare_count < WINDOW_MAX_RARE);
        operation->skipped = true;
        struct strided *block = &operation->strided;
        double scale =
            strided_reduce(block, granularity.line_bytes,
                           block->summed > 0 ? MAX_SUMMED_BYTES : window->settings.apart_bytes);
        scale *= strided_reduce(block, granularity.page_bytes, most_page_bytes(window));
        window->rare[window->rare_count++] =
            (struct rare_operation){.operation = operation, .scale = scale};
    }
}

static void set_calls(struct window *window, double wanted, double most) {
    window->calls = stretch_whole_loops(window, wanted, most);
    separate_rare(window, window->program->body);
}

void window_set_calls(struct window *window, double wanted) {
    assert(wanted > 0 && window->calls > 0);
    /* Not more calls than before, whose memory is within the limit. */
    set_calls(window, wanted,
              fmin(fmax(window->settings.whole_factor, 1) * wanted, (double)window->calls));
}

/* Timing. */

/** Reduces the calls of the warm-up and of the timed stretch until their memory is within the
 * limit. */
static void fit_stretch(struct window *window, int64_t position, int64_t *warm_up) {
    while (*warm_up + window->calls > 1 &&
           !precondition_fits_memory(window, position, *warm_up + window->calls)) {
        if (window->calls > *warm_up)
            set_calls(window, (double)window->calls / 2, (double)window->calls / 2);
        *warm_up /= 2;
    }
}

bool window_has_long_calls(const struct window *window, enum window_grade grade) {
    return window->warm_call_ns >
           LONG_CALL_FACTOR * fmax(grades[grade].window_ns, grades[grade].warm_up_ns);
}

double window_in_place_ns(const struct window *window) {
    return window->program->calls == 1 ? window->warm_call_ns * window->scale : 0;
}

/** Returns whether to time a stretch again: it was disturbed, and is so short that the next attempt
 * may succeed. */
static bool is_to_be_retried(const struct window *window, const struct timing *timing) {
    return timing->disturbed && timing->ns < LONG_STRETCH_NS && !is_late(window);
}

/* Samples. */

/** Reserves the threads of the BLAS for threads that share a loop; returns the previous number. */
static int take_blas_threads(const struct window *window) {
    return window->program->shared ? blas_set_threads(1) : blas_threads();
}

enum { MOST_DRAWS = 1000 };

/** Draws the first call of a warm-up such that the stretch is within a stratum; after some
 * failed attempts, any call. */
static int64_t draw_position(struct window *window, const struct strata *strata, int which,
                             int64_t warm_up) {
    const int64_t total = window->program->calls;
    if (strata->count == 1) return random_below(&window->random, total);
    int64_t first = 0;
    for (int draw = 0; draw < MOST_DRAWS; draw++) {
        first = random_below(&window->random, total);
        if (strata_hold(strata, which, window->program, first, window->calls)) break;
    }
    assert(first < total && warm_up >= 0);
    return (first - warm_up % total + total) % total;
}

/** Returns whether operations contain copies or scalings. */
static bool has_copies(const struct operation *body) {
    for (const struct operation *operation = body; operation; operation = operation->next) {
        if (operation->kind == OPERATION_LOOP
                ? has_copies(operation->body)
                : operation->kind != OPERATION_KERNEL && !operation->skipped)
            return true;
    }
    return false;
}

/**
 * Returns whether the calls already have their first sample: in a nest of long calls without
 * preceding accesses, the call that was timed to size the windows equals a stretch.
 */
static bool is_timed_already(const struct window *window, const struct strata *strata) {
    const bool replays =
        window->settings.history_bytes > 0 || window->settings.cache != TCPLAN_CACHE_WARM;
    if (window->sample_count > 0 || warm_up_calls(window) > 0 || replays || window->warm_disturbed)
        return false;
    return window->program->calls == 1 ||
           (strata->count == 1 && window->calls == 1 && !has_copies(window->program->body));
}

/** Times a call of a stratum in a stretch at a random place. */
static enum tcplan_status sample_stratum(struct window *window, const struct strata *strata,
                                         int which, double *call_ns, struct tcplan_error *error) {
    struct timing timing = {0};
    int64_t warm_up = warm_up_calls(window);
    const int64_t position = draw_position(window, strata, which, warm_up);
    *call_ns = window->warm_call_ns;
    if (is_timed_already(window, strata)) return TCPLAN_OK;
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        int64_t calls;
        fit_stretch(window, position, &warm_up);
        enum tcplan_status status = stretch_time(window, position, warm_up, &calls, &timing, error);
        if (status != TCPLAN_OK) return status;
        *call_ns = timing.ns / (double)calls;
        if (!is_to_be_retried(window, &timing)) break;
    }
    window->is_disturbed |= timing.disturbed;
    return TCPLAN_OK;
}

static enum tcplan_status sample_strata(struct window *window, const struct strata *strata,
                                        double *ns, struct tcplan_error *error) {
    double call_ns[STRATA_MOST] = {0};
    for (int s = 0; s < strata->count; s++) {
        enum tcplan_status status = sample_stratum(window, strata, s, &call_ns[s], error);
        if (status != TCPLAN_OK) return status;
    }
    *ns = strata_weigh(strata, call_ns) *
          program_largest_share(window->program, window->program->kernel);
    return TCPLAN_OK;
}

/** Samples all strata. A stretch that becomes shorter may then contain calls of only one stratum;
 * such a sample is discarded, and the strata are determined again. */
static enum tcplan_status sample_calls(struct window *window, double *ns,
                                       struct tcplan_error *error) {
    struct strata strata = strata_of(window->program, window->calls);
    for (bool again = true; again;) {
        enum tcplan_status status = sample_strata(window, &strata, ns, error);
        if (status != TCPLAN_OK) return status;
        const struct strata shorter = strata_of(window->program, window->calls);
        again = !strata_are_alike(&strata, &shorter); /* the loop ends, because the stretch is
                                                         halved each time */
        strata = shorter;
    }
    return TCPLAN_OK;
}

/** Returns the number of a random execution of an operation, followed by `count` - 1 others, all of
 * full tiles. */
static int64_t random_occurrence(struct window *window, const struct operation *operation,
                                 int64_t count) {
    const int64_t occurrences = (int64_t)program_occurrences(window->program, operation);
    assert(count > 0 && count <= occurrences);
    const int64_t occurrence = random_below(&window->random, occurrences - count + 1);
    for (int64_t i = 0; i < count; i++) {
        if (program_is_at_border(window->program, operation, occurrence + i)) return 0;
    }
    return occurrence;
}

/** Times one execution of a copy or scaling after the preceding calls, and adds the time of all
 * executions to *ns. */
static enum tcplan_status sample_rare(struct window *window, const struct rare_operation *rare,
                                      double *ns, struct tcplan_error *error) {
    const double occurrences = strata_full_blocks(window->program, rare->operation);
    const int64_t occurrence = random_occurrence(window, rare->operation, 1);
    struct timing timing = {0};
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        const struct rare_run run = {.operation = rare->operation,
                                     .occurrence = occurrence,
                                     .count = 1,
                                     .warm_up = warm_up_calls(window),
                                     .follows = rare->scale <= 1};
        enum tcplan_status status = stretch_time_rare(window, &run, &timing, error);
        if (status != TCPLAN_OK) return status;
        if (!is_to_be_retried(window, &timing)) break;
    }
    window->is_disturbed |= timing.disturbed;
    *ns += timing.ns * rare->scale * occurrences *
           program_largest_share(window->program, rare->operation);
    return TCPLAN_OK;
}

enum tcplan_status window_time_operation(struct window *window, const struct operation *operation,
                                         int64_t count, double *ns, struct tcplan_error *error) {
    const struct rare_run run = {.operation = operation,
                                 .occurrence = random_occurrence(window, operation, count),
                                 .count = count,
                                 .warm_up = 1};
    struct timing timing;
    enum tcplan_status status = stretch_time_rare(window, &run, &timing, error);
    if (status == TCPLAN_OK) *ns = timing.ns;
    return status;
}

static enum tcplan_status sample_all(struct window *window, struct window_strata *out,
                                     struct tcplan_error *error) {
    *out = (struct window_strata){0};
    window->random.state = window->seed + (uint64_t)window->sample_count;
    random_next(&window->random);
    enum tcplan_status status = sample_calls(window, &out->calls_ns, error);
    for (int r = 0; r < window->rare_count && status == TCPLAN_OK; r++) {
        status = sample_rare(window, &window->rare[r], &out->rare_ns[r], error);
    }
    return status;
}

/** Shortens stretches if calls take longer in place (up to ten times as long) than with warm
 * caches. Returns whether stretches became much shorter. */
static bool resize(struct window *window, double calls_ns) {
    const double call_ns =
        calls_ns / ((double)window->program->calls *
                    program_largest_share(window->program, window->program->kernel));
    window->sized = true;
    if (window->calls == 1 || (double)window->calls * call_ns <= 2 * window->settings.window_ns)
        return false;
    const int64_t before = window->calls;
    window_set_calls(window, window->settings.window_ns / call_ns);
    return window->calls < before;
}

static void keep_sample(struct window *window, const struct window_strata *strata) {
    assert(window->sample_count <= TCPLAN_MAX_SAMPLES);
    assert(strata->calls_ns >= 0);
    double ns = strata->calls_ns;
    if (window->sample_count == TCPLAN_MAX_SAMPLES) return;
    window->strata.calls_ns += strata->calls_ns * window->scale;
    for (int r = 0; r < window->rare_count; r++) {
        ns += strata->rare_ns[r];
        window->strata.rare_ns[r] += strata->rare_ns[r] * window->scale;
    }
    window->sample_ns[window->sample_count++] = ns * window->scale;
}

static enum tcplan_status sample_sized(struct window *window, struct window_strata *out,
                                       struct tcplan_error *error) {
    enum tcplan_status status = sample_all(window, out, error);
    /* Copies and scalings that occur less than once in the shorter stretch are now timed
     * separately. The first sample may contain them, so it is repeated. */
    if (status == TCPLAN_OK && !window->sized && resize(window, out->calls_ns))
        status = sample_all(window, out, error);
    return status;
}

enum tcplan_status window_sample(struct window *window, struct tcplan_error *error) {
    struct window_strata strata;
    const int blas_threads = take_blas_threads(window);
    window->is_disturbed = false;
    enum tcplan_status status = sample_sized(window, &strata, error);
    blas_set_threads(blas_threads);
    if (status == TCPLAN_OK) keep_sample(window, &strata);
    return status;
}

/* Preparation. */

/** Times a call with its operands in cache: repeats calls at one place, as many as the clock needs.
 */
static enum tcplan_status time_warm(struct window *window, struct tcplan_error *error) {
    const int64_t total = window->program->calls;
    int64_t calls = 1;
    for (;;) {
        int64_t position =
            total > calls ? random_below(&window->warm_random, total - calls + 1) : 0;
        position = program_share_occurrence(window->program, window->program->kernel, position, 0);
        if (!precondition_fits_memory(window, position, calls) && window->warm_call_ns > 0)
            return TCPLAN_OK;
        enum tcplan_status status = precondition_memory(window, position, calls, error);
        if (status != TCPLAN_OK) return status;
        double best_ns = INFINITY;
        struct cursor start;
        program_seek(window->program, &start, position, window_base(window));
        for (int repetition = 0;
             repetition <= WARM_REPETITIONS && (repetition < 2 || !is_late(window)); repetition++) {
            struct cursor cursor = start;
            const struct timing timing = stretch_time_calls(window, &cursor, calls);
            const bool is_long = is_long_call(window, timing.ns / (double)calls);
            if ((repetition > 0 || is_long) && timing.ns < best_ns) best_ns = timing.ns;
            window->warm_disturbed = timing.disturbed;
            if (is_long) break;
        }
        window->warm_call_ns = (best_ns > 1 ? best_ns : 1) / (double)calls;
        if (best_ns >= WARM_STRETCH_NS || calls >= total) return TCPLAN_OK;
        const double factor = 1.2 * WARM_STRETCH_NS / (best_ns > 1 ? best_ns : 1);
        const double wanted = (double)calls * (factor < 2 ? 2 : factor < 64 ? factor : 64);
        calls = wanted < (double)total ? (int64_t)wanted : total;
    }
}

enum tcplan_status window_bind(struct window *out, const struct tcplan_nest *nest,
                               const struct tcplan_problem *problem, struct buffers *buffers,
                               const struct window_settings *settings, uint64_t seed,
                               struct tcplan_error *error) {
    *out = (struct window){.settings = *settings,
                           .buffers = buffers,
                           .seed = seed,
                           .random = {seed},
                           .warm_random = {~seed}};
    out->problem = problem_refine(problem, nest->refinement);
    out->scale = kernel_reduce(&out->problem, nest, settings->most_call_flops);
    enum tcplan_status status = program_build_refined(&out->program, nest, &out->problem,
                                                      &buffers->scratch, settings->maker, error);
    if (status == TCPLAN_OK)
        status = tcplan_program_set_threads(out->program, settings->threads, error);
    if (status == TCPLAN_OK) status = stretch_init(out, error);
    if (status != TCPLAN_OK) {
        window_free(out);
        return status;
    }
    out->calls = INT64_MAX; /* INT64_MAX: not known yet, so that only operations that touch too much
                               memory are timed separately */
    separate_rare(out, out->program->body);
    out->total_calls = out->program->calls;
    return TCPLAN_OK;
}

/** Times a call to determine how many calls a stretch has. If the call is long, a stretch is one
 * call whatever the exact time, so a known time is used. */
static enum tcplan_status size_calls(struct window *window, struct tcplan_error *error) {
    const double known_ns = window->settings.known_call_ns / window->scale;
    if (is_long_call(window, known_ns)) {
        window->warm_call_ns = known_ns;
        window->warm_disturbed = true;
        return TCPLAN_OK;
    }
    const int blas_threads = take_blas_threads(window);
    const enum tcplan_status status = time_warm(window, error);
    blas_set_threads(blas_threads);
    return status;
}

enum tcplan_status window_init(struct window *out, const struct tcplan_nest *nest,
                               const struct tcplan_problem *problem, struct buffers *buffers,
                               const struct window_settings *settings, uint64_t seed,
                               struct tcplan_error *error) {
    enum tcplan_status status = window_bind(out, nest, problem, buffers, settings, seed, error);
    if (status != TCPLAN_OK) return status;
    status = size_calls(out, error);
    if (status == TCPLAN_OK) {
        window_set_calls(out, out->settings.window_ns / out->warm_call_ns);
    } else {
        window_free(out);
    }
    return status;
}

void window_free(struct window *window) {
    stretch_free(window);
    tcplan_program_free(window->program);
    window->program = NULL;
}

double window_operation_scale(const struct window *window, const struct operation *operation) {
    for (int r = 0; r < window->rare_count; r++) {
        if (window->rare[r].operation == operation) return window->rare[r].scale * window->scale;
    }
    return window->scale;
}
