#include "microbench/predict/benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/problem/slice.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "base/strbuf.h"
#include "microbench/copy/touch.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

enum {
    SHORT_CALL_NS = 2000, /* nanoseconds of a batch of short calls */
    TIMER_TRIALS = 63,
    USUAL_NEAR_BYTES = 32 << 10,
    PAGE_ALIGNMENT = 4096,
    DISTURBED_RETRIES = 4,
    DISTURBED_NS = 5000
};

/* The ratio of wall time to CPU time of a disturbed repetition. */
#define DISTURBED_FACTOR 1.02

struct benchmark_settings benchmark_settings_for(const struct tcplan_machine *machine) {
    double pair_ns[TIMER_TRIALS];
    for (int t = 0; t < TIMER_TRIALS; t++) {
        const uint64_t start_ns = clock_now_ns();
        pair_ns[t] = (double)(clock_now_ns() - start_ns);
    }
    return (struct benchmark_settings){.line_bytes = machine->line_bytes,
                                       .near_bytes = machine->cache_count > 0
                                                         ? (double)machine->cache[0].size_bytes
                                                         : USUAL_NEAR_BYTES,
                                       .timer_ns = statistics_median(pair_ns, TIMER_TRIALS)};
}

/* Remote memory. */

void remote_memory_free(struct remote_memory *remote) {
    base_free(remote->base);
    remote->base = NULL;
}

static bool remote_reserve(struct remote_memory *remote, double wanted_bytes) {
    if (remote->base && wanted_bytes <= (double)remote->bytes) return true;
    if (remote->base && remote->bytes == remote->limit_bytes) return true;
    remote_memory_free(remote);
    remote->bytes =
        wanted_bytes < (double)remote->limit_bytes ? (size_t)wanted_bytes : remote->limit_bytes;
    remote->base = base_aligned_alloc(PAGE_ALIGNMENT, remote->bytes);
    if (remote->base) memset(remote->base, 1, remote->bytes);
    return remote->base;
}

/** Reads `bytes` of memory after *position, continuing at the start when the end is reached. */
static void remote_access(const struct remote_memory *remote, size_t *position, double bytes,
                          int64_t line_bytes) {
    while (bytes >= 1) {
        const size_t rest = remote->bytes - *position;
        const size_t length = bytes < (double)rest ? (size_t)bytes : rest;
        const struct region region = {.rank = 1,
                                      .element_bytes = 1,
                                      .offset_bytes = (int64_t)*position,
                                      .dimension = {{(int64_t)length, 1}}};
        touch_region(&region, remote->base, line_bytes);
        *position = length < rest ? *position + length : 0;
        bytes -= (double)length;
    }
}

static uint64_t loop_indices(const struct benchmark *benchmark, enum tcplan_operand operand) {
    const struct tcplan_slice slice = benchmark->window->program->kernel->slice[operand];
    return slice.temporary
               ? 0
               : slice_moving_indices(benchmark->window->problem.refinement, slice) & ~slice.span;
}

/** Returns the number of iterations of a loop after which an operand is on another cache line. */
static int64_t line_step(const struct benchmark *benchmark, enum tcplan_operand operand,
                         int index) {
    const struct refined_problem *problem = &benchmark->window->problem;
    const int64_t stride_bytes =
        llabs(problem->stride_elems[operand][index]) * (int64_t)problem->written.element_bytes;
    const int64_t line_bytes = benchmark->settings->line_bytes;
    return stride_bytes > 0 && stride_bytes < line_bytes
               ? (line_bytes + stride_bytes - 1) / stride_bytes
               : 1;
}

static int64_t line_steps(const struct benchmark *benchmark, enum tcplan_operand operand,
                          int index) {
    const int64_t step = line_step(benchmark, operand, index);
    return (benchmark->window->problem.extent[index] + step - 1) / step;
}

/**
 * Returns the loop whose steps lead from one call of the class to the next: the innermost loop that
 * is not in its first iteration. If all loops are in their first iteration, returns the innermost
 * one.
 */
static int stepping_loop(const struct benchmark *benchmark) {
    const struct tcplan_call_class *call_class = benchmark->call_class;
    const bool apart = call_class->kind == TCPLAN_CLASS_FIRST && call_class->loop > 0;
    return (apart ? call_class->loop : benchmark->window->program->nest->algorithm.loop_count) - 1;
}

/** Returns how many slices of an operand, on different cache lines, the stepping loop and the loops
 * around it reach. */
static int64_t distinct_slices(const struct benchmark *benchmark, enum tcplan_operand operand) {
    const uint8_t *loop = benchmark->window->program->nest->algorithm.loop;
    int64_t count = 1; /* cannot overflow: at most the tensor's number of elements */
    for (int l = stepping_loop(benchmark); l >= 0; l--) {
        if (indexset_has(loop_indices(benchmark, operand), loop[l]))
            count *= line_steps(benchmark, operand, loop[l]);
    }
    return count;
}

/** Sets the loop iterations of an operand's slice for call `slot` of a batch, in the order of
 * the nest from its middle on. */
static void locate(const struct benchmark *benchmark, enum tcplan_operand operand, int64_t slot,
                   int64_t at[TCPLAN_MAX_INDICES]) {
    const uint8_t *loop = benchmark->window->program->nest->algorithm.loop;
    const int64_t count = distinct_slices(benchmark, operand);
    int64_t place = (count / 2 + (benchmark->moves[operand] ? slot : 0)) % count;
    for (int l = stepping_loop(benchmark); l >= 0; l--) {
        if (!indexset_has(loop_indices(benchmark, operand), loop[l])) continue;
        const int64_t steps = line_steps(benchmark, operand, loop[l]);
        at[loop[l]] = place % steps * line_step(benchmark, operand, loop[l]);
        place /= steps;
    }
}

/** Returns the slice of an operand; if the operand is prefetched, only one cache line along the
 * first dimension. */
static struct region operand_region(const struct benchmark *benchmark, enum tcplan_operand operand,
                                    int64_t slot, bool prefetch) {
    const struct refined_problem *problem = &benchmark->window->problem;
    struct tcplan_slice slice = benchmark->window->program->kernel->slice[operand];
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    struct region_scope scope = {.at = at, .fixed = loop_indices(benchmark, operand), .ranged = -1};
    const int unit = slice_unit_index(problem->refinement, slice);
    const int64_t line_elems =
        benchmark->settings->line_bytes / (int64_t)problem->written.element_bytes;
    locate(benchmark, operand, slot, at);
    if (prefetch && unit >= 0 && indexset_has(slice.span, unit) && !slice.temporary &&
        problem->extent[unit] > line_elems) {
        slice.span &= ~indexset_of(unit);
        scope.ranged = unit;
        scope.count = line_elems > 0 ? line_elems : 1;
    }
    return region_of(problem, slice, operand == TCPLAN_C, &scope);
}

static char *operand_base(const struct benchmark *benchmark, const struct region *region) {
    const struct window *window = benchmark->window;
    return region->temporary ? window->program->temporary[region->operand]
                             : window->buffers->tensor[region->operand].base;
}

static char *operand_pointer(const struct benchmark *benchmark, enum tcplan_operand operand,
                             int64_t slot) {
    const struct region region = operand_region(benchmark, operand, slot, false);
    return operand_base(benchmark, &region) + region.offset_bytes;
}

/** Returns how many calls of a batch use different slices of an operand. */
static int64_t slots_of(const struct benchmark *benchmark, enum tcplan_operand operand) {
    return benchmark->moves[operand] ? benchmark->batch : 1;
}

static enum tcplan_status back_operands(const struct benchmark *benchmark,
                                        struct tcplan_error *error) {
    struct region_list list = {0};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        for (int64_t slot = 0; slot < slots_of(benchmark, (enum tcplan_operand)t); slot++) {
            const struct region region =
                operand_region(benchmark, (enum tcplan_operand)t, slot, false);
            region_list_add(&list, &region, benchmark->window->settings.granularity);
        }
    }
    enum tcplan_status status = window_back(benchmark->window, &list, error);
    region_list_free(&list);
    return status;
}

/* Layout. */

/** Returns whether an operand moves from one call of the class to the next; in the first class
 * of a nest every operand does. */
static bool moves_along(const struct benchmark *benchmark, enum tcplan_operand operand) {
    const struct tcplan_algorithm *algorithm = &benchmark->window->program->nest->algorithm;
    const struct tcplan_call_class *call_class = benchmark->call_class;
    const uint64_t indices = loop_indices(benchmark, operand);
    if (algorithm->loop_count == 0 ||
        (call_class->kind == TCPLAN_CLASS_FIRST && call_class->loop == 0))
        return indices != 0;
    return indexset_has(indices, algorithm->loop[stepping_loop(benchmark)]);
}

/** Returns the largest batch for which memory suffices, if each call uses other slices and all
 * slices are within the L1 cache. */
static int64_t batch_limit(const struct benchmark *benchmark) {
    int64_t limit = BENCHMARK_MAX_BATCH;
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (!benchmark->moves[t] && benchmark->call_class->setup_count == 0) continue;
        const int64_t distinct = benchmark->moves[t] ? distinct_slices(benchmark, operand) : limit;
        if (benchmark->call_class->setup_count > 0 && distinct < limit) limit = distinct;
        if (!benchmark->moves[t]) continue;
        const struct region region = operand_region(benchmark, operand, 0, false);
        bytes += region_footprint_bytes(&region, benchmark->settings->line_bytes);
    }
    const double near = bytes > 0 ? benchmark->settings->near_bytes / 2 / bytes : (double)limit;
    return near >= (double)limit ? limit : near > 1 ? (int64_t)near : 1;
}

/** Returns whether a batch is valid. If no operand moves, each call finds its operands in cache,
 * where the previous call left them; only a class without a setup permits that. */
static bool batch_makes_sense(const struct benchmark *benchmark) {
    bool any_moves = false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) any_moves = any_moves || benchmark->moves[t];
    return any_moves || benchmark->call_class->setup_count == 0;
}

struct benchmark benchmark_make(const struct benchmark_settings *settings,
                                const struct tcplan_call_class *call_class, struct window *window,
                                struct remote_memory *remote) {
    struct benchmark benchmark = {.settings = settings,
                                  .call_class = call_class,
                                  .window = window,
                                  .remote = remote,
                                  .batch = 1};
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        benchmark.moves[t] = moves_along(&benchmark, (enum tcplan_operand)t);
    if (window->warm_call_ns >= SHORT_CALL_NS || !batch_makes_sense(&benchmark)) return benchmark;
    const double wanted = SHORT_CALL_NS / window->warm_call_ns + 1;
    const int64_t limit = batch_limit(&benchmark);
    benchmark.batch = wanted < (double)limit ? (int64_t)wanted : limit;
    return benchmark;
}

/** Returns which operand of the routine (first, second, result) an operand of the contraction is;
 * the routine may exchange the factors. */
static int part_of(const struct blas_call *call, enum tcplan_operand operand) {
    return operand == TCPLAN_C ? 2 : operand == call->second;
}

static void add_operands(struct strbuf *out, const struct benchmark *benchmark) {
    const struct blas_call *call = &benchmark->window->program->kernel->kernel.call;
    const enum tcplan_operand operand[] = {call->first, call->second, TCPLAN_C};
    for (int part = 0; part < TCPLAN_OPERANDS; part++) {
        const struct tcplan_slice slice = benchmark->window->program->kernel->slice[operand[part]];
        strbuf_add(out, " %s%s%s", slice.temporary ? "temporary" : "slice",
                   benchmark->moves[operand[part]] ? "*" : "",
                   benchmark->call_class->access[operand[part]].never ? "!" : "");
    }
}

char *benchmark_text(const struct benchmark *benchmark) {
    const struct blas_call *call = &benchmark->window->program->kernel->kernel.call;
    const struct tcplan_call_class *call_class = benchmark->call_class;
    struct strbuf out = {0};
    strbuf_add(&out, "%d %d%d m=%d n=%d k=%d ld=%d,%d,%d beta=%.17g%+.17gi", (int)call->kernel,
               call->transposed[0], call->transposed[1], call->m, call->n, call->k, call->ld[0],
               call->ld[1], call->ld[2], call->beta.re, call->beta.im);
    if (call->length > 1) {
        strbuf_add(&out, " length=%lld", (long long)call->length);
        for (int part = 0; part < 3; part++)
            strbuf_add(&out, ",%lld", (long long)call->strides[part][0]);
    }
    add_operands(&out, benchmark);
    strbuf_add(&out, " batch=%lld:", (long long)benchmark->batch);
    for (int s = 0; s < call_class->setup_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        if (step->remote) {
            strbuf_add(&out, " [%lld]", (long long)step->elems);
        } else {
            strbuf_add(&out, " %d%s", part_of(call, step->operand), step->prefetch ? "'" : "");
        }
    }
    return strbuf_finish(&out);
}

/* Running. */

static void evict_untouched(const struct benchmark *benchmark) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (!benchmark->call_class->access[t].never) continue;
        for (int64_t slot = 0; slot < slots_of(benchmark, operand); slot++) {
            const struct region region = operand_region(benchmark, operand, slot, false);
            touch_evict(&region, operand_base(benchmark, &region), benchmark->settings->line_bytes);
        }
    }
}

static void access_operand(const struct benchmark *benchmark,
                           const struct tcplan_setup_step *step) {
    for (int64_t slot = 0; slot < slots_of(benchmark, step->operand); slot++) {
        const struct region region = operand_region(benchmark, step->operand, slot, step->prefetch);
        touch_region(&region, operand_base(benchmark, &region), benchmark->settings->line_bytes);
    }
}

static void replay_setup(const struct benchmark *benchmark) {
    const struct tcplan_call_class *call_class = benchmark->call_class;
    size_t position = 0;
    evict_untouched(benchmark);
    for (int s = 0; s < call_class->setup_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        if (step->remote) {
            remote_access(benchmark->remote, &position,
                          (double)step->elems *
                              (double)benchmark->window->problem.written.element_bytes,
                          benchmark->settings->line_bytes);
        } else {
            access_operand(benchmark, step);
        }
    }
}

static bool reserve_remote(const struct benchmark *benchmark) {
    double elems = 0;
    for (int s = 0; s < benchmark->call_class->setup_count; s++) {
        if (benchmark->call_class->setup[s].remote)
            elems += (double)benchmark->call_class->setup[s].elems;
    }
    return elems == 0 ||
           remote_reserve(benchmark->remote,
                          elems * (double)benchmark->window->problem.written.element_bytes);
}

static double time_batch(const struct benchmark *benchmark, const struct kernel_operands at[]) {
    const struct kernel *kernel = &benchmark->window->program->kernel->kernel;
    const struct kernel_steps none = {0};
    const uint64_t start_ns = clock_now_ns();
    for (int64_t slot = 0; slot < benchmark->batch; slot++)
        kernel->burst(kernel, at[slot], none, 1);
    return fmax(clock_since_ns(start_ns) - benchmark->settings->timer_ns, 1) /
           (double)benchmark->batch;
}

/** Measures one repetition; repeats it if the thread lost its core, and with it the cache
 * content. */
static double sample(const struct benchmark *benchmark, const struct kernel_operands at[]) {
    double ns = 0;
    for (int attempt = 0; attempt < DISTURBED_RETRIES; attempt++) {
        const uint64_t cpu_ns = clock_thread_cpu_ns();
        const uint64_t wall_ns = clock_now_ns();
        replay_setup(benchmark);
        ns = time_batch(benchmark, at);
        const double wall = (double)(clock_now_ns() - wall_ns);
        const double cpu = (double)(clock_thread_cpu_ns() - cpu_ns);
        if (wall <= DISTURBED_FACTOR * cpu + DISTURBED_NS) break;
    }
    return ns;
}

enum tcplan_status benchmark_run(const struct benchmark *benchmark,
                                 double sample_ns[BENCHMARK_REPETITIONS],
                                 struct tcplan_error *error) {
    const struct blas_call *call = &benchmark->window->program->kernel->kernel.call;
    struct kernel_operands at[BENCHMARK_MAX_BATCH];
    if (!reserve_remote(benchmark)) return error_no_memory(error);
    enum tcplan_status status = back_operands(benchmark, error);
    if (status != TCPLAN_OK) return status;
    for (int64_t slot = 0; slot < benchmark->batch; slot++) {
        at[slot] =
            (struct kernel_operands){.first = operand_pointer(benchmark, call->first, slot),
                                     .second = operand_pointer(benchmark, call->second, slot),
                                     .result = operand_pointer(benchmark, TCPLAN_C, slot)};
    }
    for (int r = 0; r < BENCHMARK_REPETITIONS; r++) sample_ns[r] = sample(benchmark, at);
    return TCPLAN_OK;
}
