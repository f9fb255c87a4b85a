#include "microbench/window.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cachesim/history.h"
#include "microbench/clock.h"
#include "microbench/reduce.h"
#include "microbench/touch.h"

/* Copies and scalings that touch more than this, in lines or in pages, are predicted from a part of them. */
#define MAX_APART_BYTES 8e6
#define MAX_APART_PAGE_BYTES 64e6

/* Pages that the history may fill, of those the buffers may hold; the rest is for the stretch itself. */
#define HISTORY_SHARE_OF_MEMORY 0.4
#define STRETCH_SHARE_OF_MEMORY 0.5

enum { WARM_REPETITIONS = 3, WARM_STRETCH_NS = 10000, DISTURBED_RETRIES = 3, LAST_LEVEL_CAP_BYTES = 40 << 20 };

struct window_settings window_settings_for(const struct tcplan_machine *machine, enum tcplan_cache_state cache) {
    double last_level = machine->cache_count > 0 ? (double)machine->cache[machine->cache_count - 1].size_bytes : LAST_LEVEL_CAP_BYTES;
    return (struct window_settings){.window_ns = 40e3,
                                    .lead_ns = 100e3,
                                    .history_bytes = last_level < LAST_LEVEL_CAP_BYTES ? last_level : LAST_LEVEL_CAP_BYTES,
                                    .granularity = {.line_bytes = machine->line_bytes, .page_bytes = sysconf(_SC_PAGESIZE)},
                                    .cache = cache};
}

/* The length of a stretch. */

/** Whether a copy or scaling is timed by itself: a stretch would meet it less than once, or it touches more memory than a stretch may. */
static bool is_apart(const struct window *window, const struct operation *operation) {
    if (operation->kind != OPERATION_COPY && operation->kind != OPERATION_SCALE) return false;
    const double period = (double)window->program->calls / operation_occurrences(operation);
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

/** Sets the length of a stretch: about `wanted` calls, whole runs of the innermost loops that fit; what it would now miss is timed apart. */
static void set_calls(struct window *window, double wanted) {
    int64_t period = 1;
    for (const struct operation *loop = window->program->kernel->parent; loop; loop = loop->parent) {
        if ((double)loop->calls > wanted) break;
        period = loop->calls;
    }
    const double periods = wanted / (double)period;
    window->calls = period * (periods < 1 ? 1 : (int64_t)(periods + 0.5));
    separate_rare(window, window->program->body);
}

/* Places. */

struct tensor_pointers window_base(const struct window *window) {
    struct tensor_pointers base;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base.tensor[t] = window->buffers->tensor[t].base;
    return base;
}

static struct history_place place_of(const struct window *window, const struct tcplan_node *leaf, const int64_t *at,
                                     const struct tcplan_node **skipped) {
    for (int r = 0; r < window->rare_count; r++) skipped[r] = window->rare[r].operation->node;
    return (struct history_place){.nest = window->program->nest,
                                  .problem = &window->problem,
                                  .leaf = leaf,
                                  .granularity = window->settings.granularity,
                                  .at = at,
                                  .skipped = skipped,
                                  .skipped_count = window->rare_count};
}

static char *region_base(const struct window *window, const struct region *region) {
    return region->temporary ? window->program->temporary[region->operand] : window->buffers->tensor[region->operand].base;
}

/** The iteration of every loop before kernel call `position`. */
static void iterations_at(const struct tcplan_program *program, int64_t position, int64_t at[TCPLAN_MAX_INDICES]) {
    for (const struct operation *loop = program->kernel->parent; loop; loop = loop->parent) {
        const int64_t calls_each = loop->calls / loop->extent;
        at[loop->node->loop.index] = position / calls_each % loop->extent;
    }
}

/* Making the cache state. */

static void back_list(struct window *window, const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) buffers_back(window->buffers, &list->region[r]);
}

static size_t missing_bytes(const struct window *window, const struct region_list *list) {
    size_t bytes = 0;
    for (size_t r = 0; r < list->count; r++) bytes += buffers_missing_bytes(window->buffers, &list->region[r]);
    return bytes;
}

/**
 * Backs all pages of both lists. Where the bound would be exceeded everything else is given back first, then the older part of the
 * history is left out; TCPLAN_NO_MEMORY where what lies ahead alone exceeds it.
 */
static enum tcplan_status back_lists(struct window *window, struct region_list *before, const struct region_list *ahead,
                                     struct tcplan_error *error) {
    struct buffers *buffers = window->buffers;
    if (before->out_of_memory || ahead->out_of_memory) return error_no_memory(error);
    if (buffers->resident_bytes + missing_bytes(window, before) + missing_bytes(window, ahead) > buffers->limit_bytes) {
        buffers_release(buffers);
        while (before->count > 0 && missing_bytes(window, before) + missing_bytes(window, ahead) > buffers->limit_bytes) before->count /= 2;
    }
    const size_t needed_bytes = missing_bytes(window, ahead);
    if (buffers->resident_bytes + needed_bytes > buffers->limit_bytes) {
        return error_set(error, TCPLAN_NO_MEMORY, "one stretch of calls touches %.1f MiB, more than the %.1f MiB allowed",
                         (double)needed_bytes / 0x1p20, (double)buffers->limit_bytes / 0x1p20);
    }
    back_list(window, before);
    back_list(window, ahead);
    return TCPLAN_OK;
}

static void replay(const struct window *window, const struct region_list *history) {
    for (size_t r = history->count; r-- > 0;) {
        const struct region *region = &history->region[r];
        touch_region(region, region_base(window, region), window->settings.granularity.line_bytes);
    }
}

static void evict(const struct window *window, const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) {
        touch_evict(&list->region[r], region_base(window, &list->region[r]), window->settings.granularity.line_bytes);
    }
}

static void list_ahead(const struct window *window, int64_t position, int64_t calls, struct region_list *out) {
    const struct tcplan_node *skipped[WINDOW_MAX_RARE];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    iterations_at(window->program, position, at);
    const struct history_place place = place_of(window, window->program->kernel->node, at, skipped);
    history_ahead(out, &place, calls);
}

/** Whether the pages that `calls` calls from `position` on touch are well within the bound. */
static bool fits_memory(const struct window *window, int64_t position, int64_t calls) {
    struct region_list ahead = {0};
    list_ahead(window, position, calls, &ahead);
    const double page_bytes = ahead.page_bytes;
    region_list_free(&ahead);
    return page_bytes <= STRETCH_SHARE_OF_MEMORY * (double)window->buffers->limit_bytes;
}

/** Shortens the untimed and the timed part of a stretch until it fits the memory bound. */
static void fit_stretch(struct window *window, int64_t position, int64_t *lead) {
    while (*lead + window->calls > 1 && !fits_memory(window, position, *lead + window->calls)) {
        if (window->calls > *lead) set_calls(window, (double)window->calls / 2);
        *lead /= 2;
    }
}

/** Backs what `calls` calls from `position` on touch. */
static enum tcplan_status prepare_bare(struct window *window, int64_t position, int64_t calls, struct tcplan_error *error) {
    struct region_list nothing = {0};
    struct region_list ahead = {0};
    list_ahead(window, position, calls, &ahead);
    enum tcplan_status status = back_lists(window, &nothing, &ahead, error);
    region_list_free(&ahead);
    return status;
}

/**
 * Brings memory and caches into the state before kernel call `position`, from which `calls` calls are about to be made.
 * `extra`: regions needed besides, may be NULL.
 */
static enum tcplan_status prepare(struct window *window, int64_t position, int64_t calls, const struct region_list *extra,
                                  struct tcplan_error *error) {
    const struct tcplan_node *skipped[WINDOW_MAX_RARE];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    iterations_at(window->program, position, at);
    const struct history_place place = place_of(window, window->program->kernel->node, at, skipped);
    struct region_list before = {0};
    struct region_list ahead = {0};
    /* The first stretch is thrown away and needs no history. */
    if (window->started) {
        const double page_bytes = (double)window->buffers->limit_bytes * HISTORY_SHARE_OF_MEMORY;
        history_before(&before, &place, window->settings.history_bytes, page_bytes, window->settings.cache == TCPLAN_CACHE_WARM);
    }
    history_ahead(&ahead, &place, calls);
    for (size_t r = 0; extra && r < extra->count; r++) region_list_add(&ahead, &extra->region[r], window->settings.granularity);
    enum tcplan_status status = back_lists(window, &before, &ahead, error);
    if (status == TCPLAN_OK) {
        if (window->settings.cache == TCPLAN_CACHE_COLD) evict(window, &ahead);
        replay(window, &before);
    }
    region_list_free(&before);
    region_list_free(&ahead);
    return status;
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
    return (struct timing){.ns = (double)wall, .disturbed = (double)wall > 1.1 * (double)cpu + 3000};
}

static struct timing time_calls(struct window *window, struct cursor *cursor, int64_t calls) {
    const struct tensor_pointers base = window_base(window);
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const uint64_t wall_ns = clock_now_ns();
    program_run_calls(window->program, cursor, calls, base);
    return since(wall_ns, cpu_ns);
}

static int64_t calls_for(const struct window *window, double ns) {
    const double calls = ns / window->warm_call_ns;
    return calls < 1 ? 1 : calls < 1e12 ? (int64_t)calls : (int64_t)1e12;
}

/* Samples. */

static enum tcplan_status sample_calls(struct window *window, double *ns, struct tcplan_error *error) {
    int64_t lead = calls_for(window, window->settings.lead_ns);
    struct timing timing = {0};
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        const int64_t position = random_below(&window->random, window->program->calls);
        fit_stretch(window, position, &lead);
        enum tcplan_status status = prepare(window, position, lead + window->calls, NULL, error);
        if (status != TCPLAN_OK) return status;
        struct cursor cursor;
        program_seek(window->program, &cursor, position, window_base(window));
        program_run_calls(window->program, &cursor, lead, window_base(window));
        timing = time_calls(window, &cursor, window->calls);
        if (!timing.disturbed) break;
    }
    *ns = timing.ns / (double)window->calls * (double)window->program->calls;
    return TCPLAN_OK;
}

static void add_block(struct window *window, struct region_list *list, const struct strided *block, const ptrdiff_t *steps,
                      struct tcplan_slice slice, bool written, struct tensor_pointers at) {
    if (slice.temporary) return;
    struct region region = {.operand = slice.operand,
                            .written = written,
                            .rank = block->rank,
                            .offset_bytes = at.tensor[slice.operand] - window->buffers->tensor[slice.operand].base,
                            .element_bytes = (int64_t)window->problem.element_bytes};
    for (int d = 0; d < block->rank; d++) region.dimension[d] = (struct region_dimension){block->extent[d], steps[d]};
    region_sort(&region);
    region_list_add(list, &region, window->settings.granularity);
}

/** What one execution of a copy or scaling touches outside temporaries. */
static void rare_regions(struct window *window, struct region_list *list, const struct operation *operation, int64_t occurrence) {
    const struct tensor_pointers at = program_locate(operation, occurrence, window_base(window));
    const struct strided *block = &operation->strided;
    if (operation->kind == OPERATION_SCALE) {
        add_block(window, list, block, block->to_bytes, operation->node->scale.slice, true, at);
    } else {
        add_block(window, list, block, block->to_bytes, operation->node->copy.to, true, at);
        add_block(window, list, block, block->from_bytes, operation->node->copy.from, false, at);
    }
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
    for (int64_t i = 0; i < run->count; i++) at[i] = program_locate(run->operation, run->occurrence + i, window_base(window));
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
    const int64_t lead = run->lead < end ? run->lead : end;
    struct region_list own = {0};
    for (int64_t i = 0; i < run->count; i++) rare_regions(window, &own, run->operation, run->occurrence + i);
    enum tcplan_status status = prepare(window, end - lead, lead, &own, error);
    region_list_free(&own);
    if (status != TCPLAN_OK) return status;
    struct cursor cursor;
    program_seek(window->program, &cursor, end - lead, window_base(window));
    program_run_calls(window->program, &cursor, lead, window_base(window));
    *out = time_rare(window, run);
    return TCPLAN_OK;
}

/** Times one execution of a copy or scaling after the calls that precede it, and adds all of them to *ns. */
static enum tcplan_status sample_rare(struct window *window, const struct rare_operation *rare, double *ns, struct tcplan_error *error) {
    const double occurrences = operation_occurrences(rare->operation);
    struct timing timing = {0};
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        const struct rare_run run = {.operation = rare->operation,
                                     .occurrence = random_below(&window->random, (int64_t)occurrences),
                                     .count = 1,
                                     .lead = calls_for(window, window->settings.lead_ns)};
        enum tcplan_status status = time_after_calls(window, &run, &timing, error);
        if (status != TCPLAN_OK) return status;
        if (!timing.disturbed) break;
    }
    *ns += timing.ns * rare->scale * occurrences;
    return TCPLAN_OK;
}

enum tcplan_status window_time_operation(struct window *window, const struct operation *operation, int64_t count, double *ns,
                                         struct tcplan_error *error) {
    const int64_t occurrences = (int64_t)operation_occurrences(operation);
    const struct rare_run run = {
        .operation = operation, .occurrence = random_below(&window->random, occurrences - count + 1), .count = count, .lead = 1};
    struct timing timing;
    window->started = true; /* from the first time on the history counts */
    enum tcplan_status status = time_after_calls(window, &run, &timing, error);
    if (status == TCPLAN_OK) *ns = timing.ns;
    return status;
}

/** A stretch much longer than wanted costs time and tells no more. */
static void resize(struct window *window, double calls_ns) {
    const double stretch_ns = calls_ns / (double)window->program->calls * (double)window->calls;
    if (stretch_ns > 2 * window->settings.window_ns) set_calls(window, (double)window->calls * window->settings.window_ns / stretch_ns);
}

static enum tcplan_status sample_all(struct window *window, double *ns, struct tcplan_error *error) {
    enum tcplan_status status = sample_calls(window, ns, error);
    if (status == TCPLAN_OK && !window->started) resize(window, *ns);
    for (int r = 0; r < window->rare_count && status == TCPLAN_OK; r++) status = sample_rare(window, &window->rare[r], ns, error);
    return status;
}

enum tcplan_status window_sample(struct window *window, struct tcplan_error *error) {
    double ns = 0;
    enum tcplan_status status = TCPLAN_OK;
    if (!window->started) status = sample_all(window, &ns, error);
    window->started = true;
    if (status == TCPLAN_OK) status = sample_all(window, &ns, error);
    if (status == TCPLAN_OK && window->sample_count < TCPLAN_MAX_SAMPLES) window->sample_ns[window->sample_count++] = ns * window->scale;
    return status;
}

double window_warm_ns(const struct window *window) {
    return window->warm_call_ns * (double)window->program->calls * window->scale;
}

/* Preparing. */

/** A stretch long enough for the clock, run again and again in place: sets the time of a call when its operands are in cache. */
static enum tcplan_status time_warm(struct window *window, struct tcplan_error *error) {
    const int64_t total = window->program->calls;
    int64_t calls = 1;
    for (;;) {
        const int64_t position = total > calls ? random_below(&window->random, total - calls + 1) : 0;
        if (!fits_memory(window, position, calls) && window->warm_call_ns > 0) return TCPLAN_OK;
        enum tcplan_status status = prepare_bare(window, position, calls, error);
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

/** Puts numbers into the temporaries, for the copies that are timed by themselves do not fill them. */
static void fill_temporaries(struct window *window) {
    const struct buffers *buffers = window->buffers;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const size_t bytes = (size_t)window->program->temporary_bytes[t];
        for (size_t done = 0; done < bytes; done += buffers->page_bytes) {
            const size_t rest = bytes - done;
            memcpy(window->program->temporary[t] + done, buffers->pattern, rest < buffers->page_bytes ? rest : buffers->page_bytes);
        }
    }
}

enum tcplan_status window_init(struct window *out, const struct tcplan_nest *nest, const struct tcplan_problem *problem,
                               struct buffers *buffers, const struct window_settings *settings, uint64_t seed, struct tcplan_error *error) {
    *out = (struct window){.settings = *settings, .buffers = buffers, .problem = *problem, .random = {seed}};
    out->scale = kernel_reduce(&out->problem, nest);
    enum tcplan_status status = tcplan_program_build(&out->program, nest, &out->problem, error);
    if (status == TCPLAN_OK) {
        fill_temporaries(out);
        out->calls = INT64_MAX; /* until it is known, only what is too large is timed by itself */
        separate_rare(out, out->program->body);
        status = time_warm(out, error);
    }
    if (status != TCPLAN_OK) {
        window_free(out);
        return status;
    }
    out->total_calls = out->program->calls;
    set_calls(out, out->settings.window_ns / out->warm_call_ns);
    return TCPLAN_OK;
}

void window_free(struct window *window) {
    tcplan_program_free(window->program);
    window->program = NULL;
}

enum tcplan_status window_back_first(struct window *window, const struct operation *operation, struct tcplan_error *error) {
    if (operation->kind == OPERATION_KERNEL) return prepare_bare(window, 0, 1, error);
    struct region_list own = {0};
    struct region_list nothing = {0};
    rare_regions(window, &own, operation, 0);
    enum tcplan_status status = back_lists(window, &nothing, &own, error);
    region_list_free(&own);
    return status;
}

enum tcplan_status window_back(struct window *window, const struct region_list *list, struct tcplan_error *error) {
    struct region_list nothing = {0};
    return back_lists(window, &nothing, list, error);
}

double window_operation_scale(const struct window *window, const struct operation *operation) {
    for (int r = 0; r < window->rare_count; r++) {
        if (window->rare[r].operation == operation) return window->rare[r].scale * window->scale;
    }
    return window->scale;
}
