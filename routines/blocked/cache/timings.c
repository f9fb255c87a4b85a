#include "routines/blocked/cache/timings.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "microbench/copy/touch.h"
#include "routines/sampler/generation/operands.h"
#include "routines/sampler/timing/queue.h"

/** SWEEPS: multiple of the cache's size that is read to empty the cache. It is more than 1 because
 * caches do not exactly replace the least recently used line. */
enum { SWEEPS = 2, PAGE_BYTES = 4096, TRIES = 3 };

/** Kinds of calls in the queue. */
enum role { ROLE_UNTIMED, ROLE_TIMED };

struct timings {
    const struct sequence *sequence;
    struct timings_setting setting;
    struct queue *queue;
    struct generation_case *of; /* the cases, one for each statement that makes calls */
    int *number;                /* the case of each statement; -1: it makes no calls */
    struct operands *operands;
    char *sweep;
    int64_t sweep_bytes;
    struct operands_calls calls; /* operands of the calls that are timed separately */
};

/** Sets a case to the routine of a call and its arguments other than sizes. */
static void set_case(struct generation_case *out, const struct sequence_call *call,
                     const double scalar[]) {
    const struct signature *signature = call->call.routine.signature;
    out->signature = signature;
    snprintf(out->text, sizeof out->text, "%s", signature->name);
    out->domain.count = 0;
    for (int a = 0; a < signature->count; a++) {
        const enum signature_class class = signature->argument[a].class;
        out->scalar[a] = scalar[a];
        if (class == SIGNATURE_FLAG) out->value[a] = call->call.value[a];
        if (class == SIGNATURE_INC) out->value[a] = call->call.value[a] == 1;
        if (class == SIGNATURE_DIM && out->domain.count < TCPLAN_MODEL_SIZES)
            out->size_argument[out->domain.count++] = a;
    }
}

/** Extends the domain to the sizes of a call. */
static void add_sizes(struct generation_case *out, const struct sequence_call *call) {
    for (int s = 0; s < out->domain.count; s++) {
        const int64_t size = call->call.value[out->size_argument[s]];
        if (out->domain.low[s] == 0 || size < out->domain.low[s]) out->domain.low[s] = size;
        if (size > out->domain.high[s]) out->domain.high[s] = size;
    }
}

/** Returns the largest leading dimension among the arguments of a call. */
static int64_t leading_of(const struct sequence_call *call) {
    const struct signature *signature = call->call.routine.signature;
    int64_t leading = 1;
    for (int a = 0; a < signature->count; a++) {
        const enum signature_class class = signature->argument[a].class;
        if ((class == SIGNATURE_LD || class == SIGNATURE_INC) && call->call.value[a] > leading)
            leading = call->call.value[a];
    }
    return leading;
}

/** Lists the cases of the statements that make calls. */
static int list_cases(struct timings *out, int64_t leading[]) {
    const struct tcplan_blocked *blocked = out->sequence->blocked;
    int count = 0;
    for (int s = 0; s < blocked->statement_count; s++) out->number[s] = -1;
    for (int64_t c = 0; c < out->sequence->count; c++) {
        const struct sequence_call *call = &out->sequence->call[c];
        int *n = &out->number[call->statement];
        if (*n < 0) {
            *n = count++;
            set_case(&out->of[*n], call, blocked->statement[call->statement].scalar);
        }
        add_sizes(&out->of[*n], call);
        if (leading_of(call) > leading[*n]) leading[*n] = leading_of(call);
    }
    for (int n = 0; n < count; n++) {
        const int64_t least = case_least_leading(&out->of[n]);
        if (leading[n] < least) leading[n] = least;
    }
    return count;
}

static enum tcplan_status bind_operands(struct timings *out, struct tcplan_error *error) {
    const size_t statements = (size_t)out->sequence->blocked->statement_count;
    int64_t *leading = base_alloc_zero(statements, sizeof *leading);
    out->of = base_alloc_zero(statements, sizeof *out->of);
    out->number = base_alloc_zero(statements, sizeof *out->number);
    enum tcplan_status status = TCPLAN_OK;
    if (!leading || !out->of || !out->number) {
        status = error_no_memory(error);
    } else {
        const int count = list_cases(out, leading);
        status = operands_new(&out->operands, out->of, leading, count, out->setting.provider, 1,
                              out->setting.max_memory_bytes, error);
    }
    base_free(leading);
    return status;
}

/** Allocates memory to read in order to empty the cache. */
static enum tcplan_status reserve_sweep(struct timings *out, struct tcplan_error *error) {
    out->sweep_bytes = saturated_mul_i64(out->setting.cache_bytes, SWEEPS);
    out->sweep = base_aligned_alloc(PAGE_BYTES, (size_t)out->sweep_bytes);
    if (!out->sweep) return error_no_memory(error);
    memset(out->sweep, 1, (size_t)out->sweep_bytes);
    return TCPLAN_OK;
}

enum tcplan_status timings_open(struct timings **out, const struct sequence *sequence,
                                const struct timings_setting *setting, struct tcplan_error *error) {
    struct timings *timings = base_alloc_zero(1, sizeof *timings);
    *out = NULL;
    if (!timings) return error_no_memory(error);
    timings->sequence = sequence;
    timings->setting = *setting;
    timings->queue = queue_new();
    enum tcplan_status status = timings->queue ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK && setting->cache_bytes > 0) status = reserve_sweep(timings, error);
    if (status == TCPLAN_OK && setting->cache_bytes > 0) status = bind_operands(timings, error);
    if (status == TCPLAN_OK) {
        *out = timings;
    } else {
        timings_close(timings);
    }
    return status;
}

void timings_close(struct timings *timings) {
    if (!timings) return;
    queue_free(timings->queue);
    operands_free(timings->operands);
    base_free(timings->sweep);
    base_free(timings->number);
    base_free(timings->of);
    base_free(timings);
}

static enum tcplan_status run(struct timings *timings, struct tcplan_error *error) {
    const struct queue_options options = {.threads = timings->setting.threads};
    return queue_run(timings->queue, &options, error);
}

/** Copies the last `count` times measured by the queue. */
static void take(const struct timings *timings, int64_t count, double ns[], bool disturbed[]) {
    int all;
    const struct sample *sample = queue_samples(timings->queue, &all);
    for (int64_t s = 0; s < count; s++) {
        ns[s] = sample[all - count + s].ns;
        if (disturbed) disturbed[s] = sample[all - count + s].disturbed;
    }
}

/** Reads more memory than the cache holds. */
static void empty_cache(const struct timings *timings) {
    const struct region region = {
        .element_bytes = 1, .rank = 1, .dimension = {{timings->sweep_bytes, 1}}};
    touch_region(&region, timings->sweep, timings->setting.line_bytes);
}

enum tcplan_status timings_stretch(struct timings *timings, int64_t lead, int64_t first,
                                   int64_t end, double ns[], bool disturbed[],
                                   struct tcplan_error *error) {
    const struct sequence *sequence = timings->sequence;
    enum tcplan_status status = TCPLAN_OK;
    queue_clear(timings->queue);
    for (int64_t c = lead; c < end && status == TCPLAN_OK; c++) {
        status = queue_add(timings->queue, &sequence->call[c].call,
                           c < first ? ROLE_UNTIMED : ROLE_TIMED, error);
    }
    if (status == TCPLAN_OK) status = run(timings, error);
    if (status == TCPLAN_OK) status = sequence_check(sequence, lead, end, error);
    if (status == TCPLAN_OK) take(timings, end - first, ns, disturbed);
    return status;
}

enum tcplan_status timings_algorithm(struct timings *timings, double ns[], bool disturbed[],
                                     struct tcplan_error *error) {
    sequence_restore(timings->sequence);
    return timings_stretch(timings, 0, 0, timings->sequence->count, ns, disturbed, error);
}

enum tcplan_status timings_aware(struct timings *timings, int statement, double ns[],
                                 struct tcplan_error *error) {
    const struct sequence *sequence = timings->sequence;
    enum tcplan_status status = TCPLAN_OK;
    int64_t done = 0;
    bool disturbed;
    sequence_restore(sequence);
    for (int64_t c = 0; c < sequence->count && status == TCPLAN_OK; c++) {
        if (sequence->call[c].statement != statement) continue;
        empty_cache(timings);
        status = timings_stretch(timings, done, c, c + 1, &ns[c], &disturbed, error);
        done = c + 1;
    }
    return status;
}

bool timings_differ(const struct timings *timings, enum timing_kind kind, int64_t alike) {
    const struct call *call = &timings->sequence->call[timings->sequence->example[alike]].call;
    if (kind != TIMING_IN_CACHE) return kind == TIMING_OUT_OF_CACHE;
    return signature_bytes(call->routine.signature, call->value) >
           (double)timings->setting.cache_bytes;
}

/** Reads and writes each line of a call's read-only data, without changing it. */
static void load_inputs(const struct timings *timings) {
    const struct call *call = &timings->calls.call;
    const struct signature *signature = call->routine.signature;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class != SIGNATURE_DATA || argument->access != SIGNATURE_READ ||
            signature_extent(signature, call->value, a) == 0)
            continue;
        const int64_t bytes = signature_element_bytes(signature, a);
        struct region region = {.element_bytes = bytes, .written = true, .rank = 1};
        int64_t rows, columns;
        signature_shape(signature, call->value, a, &rows, &columns);
        const int64_t stride_bytes =
            argument->stride >= 0 ? call->value[argument->stride] * bytes : bytes;
        const bool is_vector = argument->storage == SIGNATURE_VECTOR;
        region.dimension[0] = (struct region_dimension){rows, is_vector ? stride_bytes : bytes};
        if (!is_vector)
            region.dimension[region.rank++] = (struct region_dimension){columns, stride_bytes};
        region_sort(&region);
        touch_region(&region, call->argument[a], timings->setting.line_bytes);
    }
}

static enum tcplan_status add_restores(struct timings *timings, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int r = 0; r < timings->calls.restored && status == TCPLAN_OK; r++) {
        status = queue_add(timings->queue, &timings->calls.restore[r], ROLE_UNTIMED, error);
    }
    return status;
}

/** Queues an execution that is not timed, then the preparation of the timed execution. */
static enum tcplan_status add_first(struct timings *timings, struct tcplan_error *error) {
    queue_clear(timings->queue);
    enum tcplan_status status = add_restores(timings, error);
    if (status == TCPLAN_OK)
        status = queue_add(timings->queue, &timings->calls.call, ROLE_UNTIMED, error);
    return status == TCPLAN_OK ? add_restores(timings, error) : status;
}

static enum tcplan_status time_once(struct timings *timings, enum timing_kind kind, bool differs,
                                    double *ns, bool *disturbed, struct tcplan_error *error) {
    enum tcplan_status status = add_first(timings, error);
    if (status == TCPLAN_OK && differs) {
        status = run(timings, error);
        if (kind == TIMING_IN_CACHE) load_inputs(timings);
        if (kind == TIMING_OUT_OF_CACHE) empty_cache(timings);
        queue_clear(timings->queue);
    }
    if (status == TCPLAN_OK)
        status = queue_add(timings->queue, &timings->calls.call, ROLE_TIMED, error);
    if (status == TCPLAN_OK) status = run(timings, error);
    if (status == TCPLAN_OK) take(timings, 1, ns, disturbed);
    return status;
}

enum tcplan_status timings_alone(struct timings *timings, enum timing_kind kind, int64_t alike,
                                 double *ns, struct tcplan_error *error) {
    const struct sequence_call *call = &timings->sequence->call[timings->sequence->example[alike]];
    const int number = timings->number[call->statement];
    const struct generation_case *of = &timings->of[number];
    const bool differs = timings_differ(timings, kind, alike);
    int64_t size[TCPLAN_MODEL_SIZES] = {0};
    bool disturbed = true;
    for (int s = 0; s < of->domain.count; s++) size[s] = call->call.value[of->size_argument[s]];
    enum tcplan_status status =
        operands_prepare(&timings->calls, timings->operands, number, size, 0, error);
    for (int t = 0; t < TRIES && disturbed && status == TCPLAN_OK; t++)
        status = time_once(timings, kind, differs, ns, &disturbed, error);
    if (status != TCPLAN_OK || call_info(&timings->calls.call) == 0) return status;
    return error_set(error, TCPLAN_ENVIRONMENT, "%s reports an error: info = %d", of->text,
                     call_info(&timings->calls.call));
}
