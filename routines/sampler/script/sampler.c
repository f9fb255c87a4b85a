#include "tcplan/sampler.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "routines/sampler/script/script.h"
#include "tcplan/program.h"

enum { ALIGNMENT_BYTES = 64, MOST_ALIGNMENT_BYTES = 1 << 26 };

struct tcplan_sampler_options tcplan_sampler_defaults(void) {
    return (struct tcplan_sampler_options){
        .threads = 1, .alignment_bytes = ALIGNMENT_BYTES, .counters = "perf"};
}

static enum tcplan_status check_options(const struct tcplan_sampler_options *options,
                                        struct tcplan_error *error) {
    const int64_t alignment = options->alignment_bytes;
    if (options->threads < 1 || options->threads > TCPLAN_MAX_THREADS) {
        return error_set(error, TCPLAN_INVALID, "%d threads: expected 1 to %d", options->threads,
                         TCPLAN_MAX_THREADS);
    }
    if (alignment < 16 || alignment > MOST_ALIGNMENT_BYTES || (alignment & (alignment - 1)) != 0) {
        return error_set(error, TCPLAN_INVALID,
                         "memory aligned to %lld bytes: expected a power of two from 16 to 64M",
                         (long long)alignment);
    }
    if (options->offset_bytes < 0 || options->offset_bytes > MOST_ALIGNMENT_BYTES ||
        options->offset_bytes % 16 != 0) {
        return error_set(error, TCPLAN_INVALID,
                         "anonymous memory begins at byte %lld; expected a multiple of 16 up to "
                         "64M",
                         (long long)options->offset_bytes);
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_sampler_open(struct tcplan_sampler **out,
                                       const struct tcplan_sampler_options *options,
                                       struct tcplan_error *error) {
    enum tcplan_status status = check_options(options, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_sampler *sampler = base_alloc_zero(1, sizeof *sampler);
    struct queue *queue = queue_new();
    if (!sampler || !queue) {
        base_free(sampler);
        queue_free(queue);
        return error_no_memory(error);
    }
    sampler->options = *options;
    sampler->queue = queue;
    memory_init(&sampler->memory, options->alignment_bytes, options->offset_bytes,
                options->max_memory_bytes, options->check_only);
    const struct session_options session = {.threads = options->threads,
                                            .binding = &sampler->options.binding,
                                            .no_warm_up = options->no_warm_up};
    if (!options->check_only) status = session_begin_with(&sampler->session, &session, error);
    if (status == TCPLAN_OK && options->threads == 1 && !options->check_only)
        sampler->frequency =
            frequency_open(frequency_processors, frequency_registers, sched_getcpu());
    if (status == TCPLAN_OK) {
        *out = sampler;
    } else {
        tcplan_sampler_close(sampler);
    }
    return status;
}

void tcplan_sampler_close(struct tcplan_sampler *sampler) {
    if (!sampler) return;
    if (queue_given_up(sampler->queue))
        return; /* an abandoned thread still uses the memory, which is therefore not freed */
    session_end(&sampler->session);
    frequency_close(&sampler->frequency);
    counter_close(sampler->source);
    memory_free(&sampler->memory);
    arena_free(&sampler->arena);
    arena_free(&sampler->deliveries);
    queue_free(sampler->queue);
    base_free(sampler);
}

bool tcplan_sampler_given_up(const struct tcplan_sampler *sampler) {
    return queue_given_up(sampler->queue);
}

void tcplan_sampler_reset(struct tcplan_sampler *sampler) {
    if (queue_given_up(sampler->queue)) return;
    queue_clear(sampler->queue);
    arena_free(&sampler->arena);
    sampler->first = sampler->last = NULL;
    sampler->entries = 0;
    sampler->in_region = sampler->in_sequence = false;
    sampler->numbers = sampler->integers = sampler->most_numbers = sampler->most_integers = 0;
    sampler->refused_line = 0;
    memory_unuse(&sampler->memory);
}

enum tcplan_status tcplan_sampler_line(struct tcplan_sampler *sampler, const char *text,
                                       struct tcplan_error *error) {
    struct tcplan_error own;
    struct tcplan_error *const why = error ? error : &own;
    const size_t line = ++sampler->line;
    why->line = 0;
    const enum tcplan_status status = script_line(sampler, text, why);
    if (status == TCPLAN_OK) return status;
    if (why->line == 0) why->line = line;
    if (sampler->refused_line == 0) sampler->refused_line = line;
    return status;
}

/** Sets the addresses of a call's arguments that are memory without a name. */
static void place(struct tcplan_sampler *sampler, struct script_call *call) {
    const struct signature *signature = call->routine.signature;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        const bool is_integer =
            argument->elements == SIGNATURE_INTEGER || argument->class == SIGNATURE_INFO;
        const struct memory_block *block =
            is_integer ? &sampler->memory.integers : &sampler->memory.numbers;
        if (!call->anonymous[a]) continue;
        call->data[a] = memory_at(&sampler->memory, block, call->offset_bytes[a]);
        if (is_integer && argument->class == SIGNATURE_DATA) {
            memory_fill_integers(call->data[a], call->bytes[a] / (int64_t)sizeof(int));
        }
    }
}

/** Returns whether an earlier call writes the pivots of a call. */
static bool writes(const struct script_call *call, const struct call *reader) {
    const struct signature *signature = call->routine.signature;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class != SIGNATURE_DATA || argument->elements != SIGNATURE_INTEGER ||
            !(argument->access & SIGNATURE_WRITTEN))
            continue;
        const char *from = call->data[a], *to = from + call->bytes[a];
        if ((const char *)(reader->pivots + reader->pivot_count) > from &&
            (const char *)reader->pivots < to)
            return true;
    }
    return false;
}

/** Checks pivots that no earlier call writes, before anything runs. */
static enum tcplan_status check_pivots(const struct tcplan_sampler *sampler,
                                       const struct script_entry *entry,
                                       struct tcplan_error *error) {
    const struct call *call = &entry->call->call;
    if (!call->pivots || call_pivots_are_good(call)) return TCPLAN_OK;
    for (const struct script_entry *before = sampler->first; before != entry;
         before = before->next) {
        if (before->kind == SCRIPT_CALL && writes(before->call, call)) return TCPLAN_OK;
    }
    error_set(
        error, TCPLAN_INVALID,
        "line %zu: the pivots that %s reads are not rows of its matrix (1 to %lld); write them as "
        "getrf does, or use [COUNT], which swaps nothing",
        entry->line, entry->call->name, (long long)call->pivot_most);
    if (error) error->line = entry->line;
    return TCPLAN_INVALID;
}

/** Sets the largest valid pivot of a call. Pivots may reach to the end of the memory in the last
 * column. */
static void bound_pivots(struct script_call *call) {
    const struct signature *signature = call->routine.signature;
    if (!call->call.pivots) return;
    for (int a = 0; a < signature->count; a++) {
        int64_t rows, columns;
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class != SIGNATURE_DATA || argument->storage != SIGNATURE_GENERAL ||
            argument->stride < 0)
            continue;
        signature_shape(signature, call->value, a, &rows, &columns);
        const int64_t there = call->bytes[a] / signature_element_bytes(signature, a) -
                              (columns - 1) * call->value[argument->stride];
        if (columns > 0 && there < call->call.pivot_most) call->call.pivot_most = there;
    }
}

static enum tcplan_status enqueue(struct tcplan_sampler *sampler, struct script_entry *entry,
                                  int tag, struct tcplan_error *error) {
    struct script_call *call = entry->call;
    enum tcplan_status status = TCPLAN_OK;
    switch (entry->kind) {
    case SCRIPT_REGION: return queue_begin_region(sampler->queue, tag, error);
    case SCRIPT_SEQUENCE: return queue_begin_sequence(sampler->queue, error);
    case SCRIPT_END_SEQUENCE: queue_end_sequence(sampler->queue); return TCPLAN_OK;
    case SCRIPT_END_REGION: queue_end_region(sampler->queue); return TCPLAN_OK;
    case SCRIPT_CALL: break;
    }
    place(sampler, call);
    status =
        call_prepare(&call->call, &call->routine, call->value, call->scalar, call->data, error);
    if (status != TCPLAN_OK) return status;
    bound_pivots(call);
    status = check_pivots(sampler, entry, error);
    return status == TCPLAN_OK ? queue_add(sampler->queue, &call->call, tag, error) : status;
}

static enum tcplan_status enqueue_all(struct tcplan_sampler *sampler, struct tcplan_error *error) {
    enum tcplan_status status = memory_reserve_anonymous(&sampler->memory, sampler->most_numbers,
                                                         sampler->most_integers, error);
    int tag = 0;
    queue_clear(sampler->queue);
    for (struct script_entry *entry = sampler->first; entry && status == TCPLAN_OK;
         entry = entry->next) {
        status = enqueue(sampler, entry, tag++, error);
    }
    return status;
}

/** Adds the calls and operations of an entry to a sample. If the entry begins a region, adds the
 * calls and operations of all entries up to the region's end. */
static void sum_up(struct tcplan_call_sample *out, const struct script_entry *entry) {
    const bool is_region = entry->kind == SCRIPT_REGION;
    do {
        if (entry->kind == SCRIPT_CALL) {
            out->calls++;
            out->flops += signature_flops(entry->call->routine.signature, entry->call->value);
        }
        entry = entry->next;
    } while (is_region && entry && entry->kind != SCRIPT_END_REGION);
}

static void deliver(const struct tcplan_sampler *sampler, const struct sample *sample,
                    const struct script_entry *entry) {
    struct tcplan_call_sample out = {.line = entry->line,
                                     .kernel =
                                         entry->kind == SCRIPT_REGION ? "omp" : entry->call->name,
                                     .cycles = sample->ticks,
                                     .seconds = sample->ns * 1e-9,
                                     .hz = sample->hz,
                                     .disturbed = sample->disturbed,
                                     .counters = sampler->counters};
    sum_up(&out, entry);
    for (int c = 0; c < sampler->counters; c++) {
        out.counter_name[c] = sampler->counter_name[c];
        out.counted[c] =
            sampler->source && sample->counter[c] >= 0; /* comparison with NAN is false */
        out.counter[c] = out.counted[c] ? sample->counter[c] : 0;
    }
    if (sampler->options.sample) sampler->options.sample(sampler->options.context, &out);
}

/** Passes samples to the callback in the order of the entries. A region has one sample, its calls
 * have none. */
static const struct script_entry *deliver_all(const struct tcplan_sampler *sampler) {
    int count, tag = 0;
    const struct sample *samples = queue_samples(sampler->queue, &count);
    const struct script_entry *entry = sampler->first;
    for (int s = 0; s < count; s++) {
        for (; tag < samples[s].tag; tag++) entry = entry->next;
        deliver(sampler, &samples[s], entry);
    }
    return entry;
}

/** Warns about routines that returned an error, because the times of failed calls are in the
 * samples. */
static void report_infos(const struct tcplan_sampler *sampler) {
    char text[TCPLAN_MESSAGE_SIZE];
    size_t first = 0;
    int failures = 0, info = 0;
    const char *name = "";
    if (!sampler->options.note) return;
    for (const struct script_entry *entry = sampler->first; entry; entry = entry->next) {
        const int of_call = entry->kind == SCRIPT_CALL ? call_info(&entry->call->call) : 0;
        if (of_call == 0 || failures++ > 0) continue;
        first = entry->line;
        info = of_call;
        name = entry->call->name;
    }
    if (failures == 0) return;
    const int length = snprintf(text, sizeof text, "%s returned info = %d", name, info);
    if (failures > 1)
        snprintf(text + length, sizeof text - (size_t)length, ", and %d more calls failed",
                 failures - 1);
    sampler->options.note(sampler->options.context, first, text);
}

static size_t line_of(const struct tcplan_sampler *sampler, int tag) {
    const struct script_entry *entry = sampler->first;
    for (; tag > 0 && entry; tag--) entry = entry->next;
    return entry && tag == 0 ? entry->line : 0;
}

static enum tcplan_status run(struct tcplan_sampler *sampler, struct tcplan_error *error) {
    struct tcplan_error why;
    const struct queue_options options = {.threads = sampler->options.threads,
                                          .source = sampler->source,
                                          .counters = sampler->counters,
                                          .counter = sampler->counter,
                                          .frequency = &sampler->frequency,
                                          .limit_seconds = sampler->options.limit_seconds};
    const enum tcplan_status status = queue_run(sampler->queue, &options, &why);
    deliver_all(sampler);
    if (status == TCPLAN_OK) {
        report_infos(sampler);
        return status;
    }
    const size_t line = line_of(sampler, queue_stopped_at(sampler->queue));
    if (line > 0) {
        error_set(error, status, "line %zu: %s", line, why.message);
    } else if (error) {
        *error = why;
    }
    if (error) error->line = line;
    return status;
}

enum tcplan_status tcplan_sampler_go(struct tcplan_sampler *sampler, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (error) error->line = 0;
    if (sampler->refused_line > 0) {
        return error_set(error, TCPLAN_INVALID, "no call was run: line %zu was rejected",
                         sampler->refused_line);
    }
    if (sampler->in_region) {
        size_t line = 0;
        for (const struct script_entry *entry = sampler->first; entry; entry = entry->next) {
            const bool opens = entry->kind == SCRIPT_REGION || entry->kind == SCRIPT_SEQUENCE;
            if (opens && (entry->kind == SCRIPT_SEQUENCE) == sampler->in_sequence)
                line = entry->line;
        }
        return error_set(error, TCPLAN_INVALID,
                         "no call was run: line %zu opens a region that is not closed; expected }",
                         line);
    }
    if (sampler->options.check_only) {
        tcplan_sampler_reset(sampler);
        return TCPLAN_OK;
    }
    status = enqueue_all(sampler, error);
    if (status == TCPLAN_OK) status = run(sampler, error);
    if (status == TCPLAN_OK) tcplan_sampler_reset(sampler);
    return status;
}
