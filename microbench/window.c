#include "microbench/window.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ast/refine.h"
#include "microbench/clock.h"
#include "microbench/precondition.h"
#include "microbench/reduce.h"

/* Copies and scalings that touch more than this, in lines or in pages, are predicted from a part of them. */
#define MAX_APART_BYTES 8e6
#define MAX_APART_PAGE_BYTES 64e6

enum { WARM_REPETITIONS = 3, WARM_STRETCH_NS = 10000, DISTURBED_RETRIES = 3, LEAD_PIECES = 8 };

/** What the grades differ in. The history is cut at the last cache where that is smaller. */
static const struct {
    double window_ns;
    double lead_ns;
    double history_bytes;
} grades[WINDOW_GRADES] = {
    [WINDOW_SCOUT] = {.window_ns = 60e3, .lead_ns = 150e3, .history_bytes = 0},
    [WINDOW_STANDARD] = {.window_ns = 1e6, .lead_ns = 300e3, .history_bytes = 2 << 20},
    /* Processors regulate power and memory bandwidth in steps of a millisecond: two of them hold both halves of what swings. */
    [WINDOW_LONG] = {.window_ns = 2e6, .lead_ns = 1e6, .history_bytes = 8 << 20},
};

struct window_settings window_settings_for(const struct tcplan_machine *machine, enum tcplan_cache_state cache, enum window_grade grade) {
    const double last_level = machine->cache_count > 0 ? (double)machine->cache[machine->cache_count - 1].size_bytes : INFINITY;
    return (struct window_settings){.window_ns = grades[grade].window_ns,
                                    .lead_ns = grades[grade].lead_ns,
                                    .history_bytes = fmin(last_level, grades[grade].history_bytes),
                                    .granularity = {.line_bytes = machine->line_bytes, .page_bytes = sysconf(_SC_PAGESIZE)},
                                    .cache = cache};
}

/* The length of a stretch. */

/** Whether a copy or scaling is timed by itself: a stretch would meet it less than once, or it touches more memory than a stretch may. */
static bool is_apart(const struct window *window, const struct operation *operation) {
    if (operation->kind != OPERATION_COPY && operation->kind != OPERATION_SCALE) return false;
    const double period = (double)window->program->calls / program_occurrences(window->program, operation);
    return period > (double)window->calls ||
           strided_footprint_bytes(&operation->strided, window->settings.granularity.page_bytes) > MAX_APART_PAGE_BYTES;
}

static void separate_rare(struct window *window, struct operation *body) {
    const struct granularity granularity = window->settings.granularity;
    for (struct operation *operation = body; operation; operation = operation->next) {
        if (operation->kind == OPERATION_LOOP) separate_rare(window, operation->body);
        if (operation->skipped || !is_apart(window, operation)) continue;
        assert(window->rare_count < WINDOW_MAX_RARE);
        operation->skipped = true;
        struct strided *block = &operation->strided;
        double scale = strided_reduce(block, granularity.line_bytes, MAX_APART_BYTES);
        scale *= strided_reduce(block, granularity.page_bytes, MAX_APART_PAGE_BYTES);
        window->rare[window->rare_count++] = (struct rare_operation){.operation = operation, .scale = scale};
    }
}

/** About `wanted` calls, whole runs of the innermost loops that fit. */
static int64_t whole_loops(const struct window *window, double wanted) {
    int64_t period = 1;
    for (const struct operation *loop = window->program->kernel->parent; loop; loop = loop->parent) {
        if ((double)loop->calls > wanted) break;
        period = loop->calls;
    }
    const double periods = wanted / (double)period;
    return period * (periods < 1 ? 1 : (int64_t)(periods + 0.5));
}

/** Sets the length of a stretch; what it would now miss is timed apart. */
static void set_calls(struct window *window, double wanted) {
    window->calls = whole_loops(window, wanted);
    separate_rare(window, window->program->body);
}

/* Timing. */

/** One timed stretch. */
struct timing {
    double ns;
    bool disturbed; /**< the thread did not have the core all the time */
};

static struct timing since(uint64_t wall_ns, uint64_t cpu_ns) {
    const uint64_t wall = clock_now_ns() - wall_ns;
    const uint64_t cpu = clock_thread_cpu_ns() - cpu_ns;
    return (struct timing){.ns = (double)wall, .disturbed = clock_disturbed((double)wall, (double)cpu)};
}

static struct timing time_calls(struct window *window, struct cursor *cursor, int64_t calls) {
    const struct tensor_pointers base = window_base(window);
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const uint64_t wall_ns = clock_now_ns();
    program_run_calls(window->program, cursor, calls, base);
    return since(wall_ns, cpu_ns);
}

/** Makes up to `most` calls, until the wanted time has passed; returns how many calls take a nanosecond. */
static double run_lead(struct window *window, struct cursor *cursor, int64_t most) {
    const int64_t piece = most / LEAD_PIECES + 1;
    const uint64_t start_ns = clock_now_ns();
    double last_rate = 1 / window->warm_call_ns;
    uint64_t now_ns = start_ns;
    for (int64_t done = 0; done < most && (double)(now_ns - start_ns) < window->settings.lead_ns; done += piece) {
        const uint64_t before_ns = now_ns;
        const int64_t calls = most - done < piece ? most - done : piece;
        program_run_calls(window->program, cursor, calls, window_base(window));
        now_ns = clock_now_ns();
        if (now_ns > before_ns) last_rate = (double)calls / (double)(now_ns - before_ns);
    }
    return last_rate;
}

/** Shortens the untimed and the timed part of a stretch until it fits the memory bound. */
static void fit_stretch(struct window *window, int64_t position, int64_t *lead) {
    while (*lead + window->calls > 1 && !precondition_fits_memory(window, position, *lead + window->calls)) {
        if (window->calls > *lead) set_calls(window, (double)window->calls / 2);
        *lead /= 2;
    }
}

static int64_t calls_for(const struct window *window, double ns) {
    const double calls = ns / window->warm_call_ns;
    return calls < 1 ? 1 : calls < 1e12 ? (int64_t)calls : (int64_t)1e12;
}

/* Samples. */

/** Of the calls that a stretch may have, those that take the wanted time. */
static int64_t calls_at_rate(struct window *window, double rate) {
    const double wanted = rate * window->settings.window_ns;
    /* Copies that a shorter stretch may miss are timed apart from now on. */
    if (wanted < (double)window->calls / 2) set_calls(window, wanted);
    return window->calls;
}

static void count_stretch(struct window *window, const struct timing *timing) {
    window->taken++;
    window->disturbed += timing->disturbed;
}

static enum tcplan_status sample_calls(struct window *window, double *ns, struct tcplan_error *error) {
    int64_t lead = calls_for(window, window->settings.lead_ns);
    const int64_t position = random_below(&window->random, window->program->calls);
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        fit_stretch(window, position, &lead);
        enum tcplan_status status = precondition_make(window, position, lead + window->calls, NULL, error);
        if (status != TCPLAN_OK) return status;
        struct cursor cursor;
        program_seek(window->program, &cursor, position, window_base(window));
        const int64_t calls = calls_at_rate(window, run_lead(window, &cursor, lead));
        const struct timing timing = time_calls(window, &cursor, calls);
        *ns = timing.ns / (double)calls * (double)window->program->calls;
        count_stretch(window, &timing);
        if (!timing.disturbed) break;
    }
    return TCPLAN_OK;
}

/** A run of consecutive executions of a copy or scaling, and the real kernel calls before it that are not timed. */
struct rare_run {
    const struct operation *operation;
    int64_t occurrence;
    int64_t count;
    int64_t lead;
};

static struct timing time_rare(struct window *window, const struct rare_run *run) {
    struct tensor_pointers at[WINDOW_MAX_RUN];
    for (int64_t i = 0; i < run->count; i++)
        at[i] = program_locate(window->program, run->operation, run->occurrence + i, window_base(window));
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const uint64_t wall_ns = clock_now_ns();
    for (int64_t i = 0; i < run->count; i++) program_apply(window->program, run->operation, at[i]);
    return since(wall_ns, cpu_ns);
}

/** Times copies or scalings after the calls that precede the first of them. */
static enum tcplan_status time_after_calls(struct window *window, const struct rare_run *run, struct timing *out,
                                           struct tcplan_error *error) {
    const int64_t before = program_calls_before(window->program, run->operation, run->occurrence);
    /* The very first one follows the end of the previous execution. */
    const int64_t end = before > 0 ? before : window->program->calls;
    int64_t lead = run->lead < end ? run->lead : end;
    while (lead > 0 && !precondition_fits_memory(window, end - lead, lead)) lead /= 2;
    struct region_list own = {0};
    for (int64_t i = 0; i < run->count; i++) precondition_rare_regions(window, &own, run->operation, run->occurrence + i);
    enum tcplan_status status = precondition_make(window, end - lead, lead, &own, error);
    region_list_free(&own);
    if (status != TCPLAN_OK) return status;
    if (lead > 0) { /* none fits the memory: there may be no such place */
        struct cursor cursor;
        program_seek(window->program, &cursor, end - lead, window_base(window));
        program_run_calls(window->program, &cursor, lead, window_base(window));
    }
    *out = time_rare(window, run);
    count_stretch(window, out);
    return TCPLAN_OK;
}

/** A random execution of an operation, `count` of them in a row; those of full tiles only. */
static int64_t random_occurrence(struct window *window, const struct operation *operation, int64_t count) {
    const int64_t occurrences = (int64_t)program_occurrences(window->program, operation);
    const int64_t occurrence = random_below(&window->random, occurrences - count + 1);
    for (int64_t i = 0; i < count; i++) {
        if (program_is_at_border(window->program, operation, occurrence + i)) return 0;
    }
    return occurrence;
}

/** Times one execution of a copy or scaling after the calls that precede it, and adds all of them to *ns. */
static enum tcplan_status sample_rare(struct window *window, const struct rare_operation *rare, double *ns, struct tcplan_error *error) {
    const double occurrences = program_occurrences(window->program, rare->operation);
    const int64_t occurrence = random_occurrence(window, rare->operation, 1);
    struct timing timing = {0};
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        const struct rare_run run = {
            .operation = rare->operation, .occurrence = occurrence, .count = 1, .lead = calls_for(window, window->settings.lead_ns)};
        enum tcplan_status status = time_after_calls(window, &run, &timing, error);
        if (status != TCPLAN_OK) return status;
        if (!timing.disturbed) break;
    }
    *ns += timing.ns * rare->scale * occurrences;
    return TCPLAN_OK;
}

enum tcplan_status window_time_operation(struct window *window, const struct operation *operation, int64_t count, double *ns,
                                         struct tcplan_error *error) {
    const struct rare_run run = {
        .operation = operation, .occurrence = random_occurrence(window, operation, count), .count = count, .lead = 1};
    struct timing timing;
    enum tcplan_status status = time_after_calls(window, &run, &timing, error);
    if (status == TCPLAN_OK) *ns = timing.ns;
    return status;
}

static enum tcplan_status sample_all(struct window *window, struct window_strata *out, struct tcplan_error *error) {
    *out = (struct window_strata){0};
    window->random.state = window->seed + (uint64_t)window->sample_count;
    random_next(&window->random);
    enum tcplan_status status = sample_calls(window, &out->calls_ns, error);
    for (int r = 0; r < window->rare_count && status == TCPLAN_OK; r++) {
        status = sample_rare(window, &window->rare[r], &out->rare_ns[r], error);
    }
    return status;
}

/** Calls in place can be ten times shorter than real ones. True where a stretch is much shorter from now on. */
static bool resize(struct window *window, double calls_ns) {
    const double call_ns = calls_ns / (double)window->program->calls;
    window->sized = true;
    if ((double)window->calls * call_ns <= 2 * window->settings.window_ns) return false;
    set_calls(window, window->settings.window_ns / call_ns);
    return true;
}

static void keep_sample(struct window *window, const struct window_strata *strata) {
    double ns = strata->calls_ns;
    if (window->sample_count == TCPLAN_MAX_SAMPLES) return;
    window->strata.calls_ns += strata->calls_ns * window->scale;
    for (int r = 0; r < window->rare_count; r++) {
        ns += strata->rare_ns[r];
        window->strata.rare_ns[r] += strata->rare_ns[r] * window->scale;
    }
    window->sample_ns[window->sample_count++] = ns * window->scale;
}

enum tcplan_status window_sample(struct window *window, struct tcplan_error *error) {
    struct window_strata strata;
    enum tcplan_status status = sample_all(window, &strata, error);
    /* What a shorter stretch misses is timed apart: the first sample may have met it or not. */
    if (status == TCPLAN_OK && !window->sized && resize(window, strata.calls_ns)) status = sample_all(window, &strata, error);
    if (status == TCPLAN_OK) keep_sample(window, &strata);
    return status;
}

/* Preparing. */

/** A stretch long enough for the clock, run again and again in place: sets the time of a call when its operands are in cache. */
static enum tcplan_status time_warm(struct window *window, struct tcplan_error *error) {
    const int64_t total = window->program->calls;
    int64_t calls = 1;
    for (;;) {
        const int64_t position = total > calls ? random_below(&window->warm_random, total - calls + 1) : 0;
        if (!precondition_fits_memory(window, position, calls) && window->warm_call_ns > 0) return TCPLAN_OK;
        enum tcplan_status status = precondition_memory(window, position, calls, error);
        if (status != TCPLAN_OK) return status;
        double best_ns = INFINITY;
        for (int repetition = 0; repetition <= WARM_REPETITIONS; repetition++) {
            struct cursor cursor;
            program_seek(window->program, &cursor, position, window_base(window));
            const double ns = time_calls(window, &cursor, calls).ns;
            if (repetition > 0 && ns < best_ns) best_ns = ns;
        }
        window->warm_call_ns = (best_ns > 1 ? best_ns : 1) / (double)calls;
        if (best_ns >= WARM_STRETCH_NS || calls >= total) return TCPLAN_OK;
        const double factor = 1.2 * WARM_STRETCH_NS / (best_ns > 1 ? best_ns : 1);
        const double wanted = (double)calls * (factor < 2 ? 2 : factor < 64 ? factor : 64);
        calls = wanted < (double)total ? (int64_t)wanted : total;
    }
}

enum tcplan_status window_bind(struct window *out, const struct tcplan_nest *nest, const struct tcplan_problem *problem,
                               struct buffers *buffers, const struct window_settings *settings, uint64_t seed, struct tcplan_error *error) {
    *out = (struct window){.settings = *settings, .buffers = buffers, .seed = seed, .random = {seed}, .warm_random = {~seed}};
    problem_refine(&out->problem, problem, nest->contraction);
    out->scale = kernel_reduce(&out->problem, nest);
    enum tcplan_status status = program_build_on(&out->program, nest, &out->problem, &buffers->scratch, error);
    if (status != TCPLAN_OK) return status;
    out->calls = INT64_MAX; /* until it is known, only what is too large is timed by itself */
    separate_rare(out, out->program->body);
    out->total_calls = out->program->calls;
    return TCPLAN_OK;
}

enum tcplan_status window_init(struct window *out, const struct tcplan_nest *nest, const struct tcplan_problem *problem,
                               struct buffers *buffers, const struct window_settings *settings, uint64_t seed, struct tcplan_error *error) {
    enum tcplan_status status = window_bind(out, nest, problem, buffers, settings, seed, error);
    if (status != TCPLAN_OK) return status;
    status = time_warm(out, error);
    if (status == TCPLAN_OK) {
        set_calls(out, out->settings.window_ns / out->warm_call_ns);
    } else {
        window_free(out);
    }
    return status;
}

void window_free(struct window *window) {
    tcplan_program_free(window->program);
    window->program = NULL;
}

double window_operation_scale(const struct window *window, const struct operation *operation) {
    for (int r = 0; r < window->rare_count; r++) {
        if (window->rare[r].operation == operation) return window->rare[r].scale * window->scale;
    }
    return window->scale;
}
