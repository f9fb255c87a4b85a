#include "routines/sampler/experiments/workshop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/random.h"
#include "microbench/program/buffers.h"

enum { BLOCK_CALLS = 256, ALIGNMENT = 64, FILL_COLUMN = 1 << 20 };

/** A block of prepared calls in a list. Calls must not move, because the queue borrows them. */
struct call_block {
    struct call_block *next;
    size_t used;
    struct call call[BLOCK_CALLS];
};

static enum tcplan_status bind_call(struct workshop *workshop, int call,
                                    struct tcplan_error *error) {
    const struct experiment_call *from = &workshop->experiment->call[call];
    const enum tcplan_provider library =
        from->signature->is_own ? TCPLAN_PROVIDER_BLAS : from->library;
    enum tcplan_status status =
        routine_bind(&workshop->routine[call], from->signature, library, error);
    if (status != TCPLAN_OK && status != TCPLAN_NO_MEMORY)
        experiment_blame(workshop->experiment, from->line, error);
    return status;
}

/** Finds the routine that fills an operand, such as `dgerand` for doubles. */
static enum tcplan_status bind_random(struct workshop *workshop, int operand,
                                      struct tcplan_error *error) {
    const char name[] = {
        workshop->experiment->operand[operand].type, 'g', 'e', 'r', 'a', 'n', 'd', '\0'};
    const struct signature *signature;
    if (!strchr("sdcz", name[0])) return TCPLAN_OK;
    enum tcplan_status status = signature_find(&signature, name, error);
    return status == TCPLAN_OK
               ? routine_bind(&workshop->random[operand], signature, TCPLAN_PROVIDER_BLAS, error)
               : status;
}

static enum tcplan_status bind_all(struct workshop *workshop, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c < workshop->experiment->call_count && status == TCPLAN_OK; c++)
        status = bind_call(workshop, c, error);
    for (int o = 0; o < workshop->experiment->operand_count && workshop->experiment->randomize &&
                    status == TCPLAN_OK;
         o++) {
        status = bind_random(workshop, o, error);
    }
    return status;
}

static void fill(void *memory, char type, int64_t elements, struct random *random) {
    const int64_t numbers = type == 'c' || type == 'z' ? 2 * elements : elements;
    for (int64_t i = 0; i < numbers && (type == 'd' || type == 'z'); i++)
        ((double *)memory)[i] = random_unit(random);
    for (int64_t i = 0; i < numbers && (type == 's' || type == 'c'); i++)
        ((float *)memory)[i] = (float)(random_next(random) >> 40) * 0x1p-24F;
    for (int64_t i = 0; i < numbers && type == 'i'; i++) ((int *)memory)[i] = 1;
    for (int64_t i = 0; i < numbers && type == 'b'; i++)
        ((unsigned char *)memory)[i] = (unsigned char)random_next(random);
}

/** Computes the bytes of `elements` elements, at least one, in whole cache lines; returns false on
 * overflow. */
static bool bytes_of(int64_t elements, int bytes, int64_t *out) {
    const int64_t some = elements > 0 ? elements : 1;
    if (!checked_mul_i64(some, bytes, out) || !checked_add_i64(*out, ALIGNMENT - 1, out))
        return false;
    *out -= *out % ALIGNMENT;
    return true;
}

static char work_type(const struct signature *signature) {
    return tcplan_dtype_letter(signature->dtype);
}

/** Computes the total memory of all operands. */
static bool total_bytes(const struct tcplan_experiment *experiment,
                        const struct nest_memory *memory, int64_t *total) {
    int64_t bytes;
    *total = 0;
    for (int o = 0; o < experiment->operand_count; o++) {
        if (!bytes_of(memory->elements[o], experiment->operand[o].bytes, &bytes) ||
            !checked_add_i64(*total, bytes, total))
            return false;
    }
    for (int c = 0; c < experiment->call_count; c++) {
        for (int a = 0; a < experiment->call[c].signature->count; a++) {
            if (memory->work[c][a] <= 0) continue;
            if (!bytes_of(memory->work[c][a],
                          signature_element_bytes(experiment->call[c].signature, a), &bytes))
                return false;
            if (!checked_add_i64(*total, bytes, total)) return false;
        }
    }
    return true;
}

static enum tcplan_status check_memory(const struct tcplan_experiment *experiment,
                                       const struct nest_memory *memory, int64_t most_bytes,
                                       struct tcplan_error *error) {
    const int64_t available = most_bytes > 0 ? most_bytes : buffers_available_bytes();
    int64_t total;
    if (!total_bytes(experiment, memory, &total))
        return error_set(error, TCPLAN_OVERFLOW, "the operands exceed the address space");
    if (available == 0 || total <= available) return TCPLAN_OK;
    return error_set(error, TCPLAN_NO_MEMORY, "the operands need %s, more than the %s that %s",
                     quantity_bytes((double)total).text, quantity_bytes((double)available).text,
                     most_bytes > 0 ? "they may take" : "are free");
}

static void *take(int64_t elements, int element_bytes, char type, struct random *random) {
    int64_t bytes;
    void *memory = bytes_of(elements, element_bytes, &bytes)
                       ? base_aligned_alloc(ALIGNMENT, (size_t)bytes)
                       : NULL;
    if (memory) fill(memory, type, elements > 0 ? elements : 1, random);
    return memory;
}

static enum tcplan_status take_all(struct workshop *workshop, const struct nest_memory *memory,
                                   struct tcplan_error *error) {
    const struct tcplan_experiment *experiment = workshop->experiment;
    struct random random = {.state = 1};
    for (int o = 0; o < experiment->operand_count; o++) {
        workshop->operand[o] = take(memory->elements[o], experiment->operand[o].bytes,
                                    experiment->operand[o].type, &random);
        if (!workshop->operand[o]) return error_no_memory(error);
        workshop->operand_bytes[o] = (size_t)(memory->elements[o] > 0 ? memory->elements[o] : 1) *
                                     (size_t)experiment->operand[o].bytes;
    }
    for (int c = 0; c < experiment->call_count; c++) {
        const struct signature *signature = experiment->call[c].signature;
        for (int a = 0; a < signature->count; a++) {
            if (signature->argument[a].class != SIGNATURE_WORK) continue;
            workshop->work[c][a] = take(memory->work[c][a], signature_element_bytes(signature, a),
                                        work_type(signature), &random);
            if (!workshop->work[c][a]) return error_no_memory(error);
        }
    }
    return TCPLAN_OK;
}

enum tcplan_status workshop_open(struct workshop *out, const struct tcplan_experiment *experiment,
                                 const struct nest_memory *memory, int64_t most_bytes,
                                 struct tcplan_error *error) {
    out->experiment = experiment;
    enum tcplan_status status = check_memory(experiment, memory, most_bytes, error);
    if (status == TCPLAN_OK) status = bind_all(out, error);
    if (status == TCPLAN_OK) status = take_all(out, memory, error);
    if (status != TCPLAN_OK) return status;
    out->queue = queue_new();
    return out->queue ? TCPLAN_OK : error_no_memory(error);
}

/** Returns the next free call; NULL if memory runs out. */
static struct call *next_call(struct workshop *workshop) {
    struct call_block *block = workshop->blocks;
    if (!block || block->used == BLOCK_CALLS) {
        struct call_block *added = base_aligned_alloc(ALIGNMENT, sizeof *added);
        if (!added) return NULL;
        added->next = block;
        added->used = 0;
        workshop->blocks = block = added;
    }
    return &block->call[block->used++];
}

static void free_calls(struct workshop *workshop) {
    while (workshop->blocks) {
        struct call_block *next = workshop->blocks->next;
        base_free(workshop->blocks);
        workshop->blocks = next;
    }
    workshop->calls = 0;
}

static enum tcplan_status count_call(struct workshop *workshop, struct tcplan_error *error) {
    if (++workshop->calls <= EXPERIMENT_QUEUED_MAX) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "more than %d calls would run without a pause",
                     EXPERIMENT_QUEUED_MAX);
}

static bool is_parallel(const struct tcplan_experiment *experiment) {
    return experiment->parallel_calls || experiment->parallel_sum;
}

static enum tcplan_status queue_call(void *context, const struct nest_place *place,
                                     struct tcplan_error *error) {
    struct workshop *workshop = context;
    const struct tcplan_experiment *experiment = place->experiment;
    const struct experiment_call *from = &experiment->call[place->call];
    const struct planned_call *planned =
        &place->plan->call[place->sum * (size_t)experiment->call_count + (size_t)place->call];
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    enum tcplan_status status = count_call(workshop, error);
    struct call *call = status == TCPLAN_OK ? next_call(workshop) : NULL;
    if (status != TCPLAN_OK || !call) return status != TCPLAN_OK ? status : error_no_memory(error);
    for (int a = 0; a < from->signature->count; a++) {
        const int operand = from->argument[a].operand;
        data[a] = workshop->work[place->call][a];
        if (operand >= 0)
            data[a] = (char *)workshop->operand[operand] +
                      nest_offset(place, operand) * experiment->operand[operand].bytes;
    }
    status = call_prepare(call, &workshop->routine[place->call], planned->value, planned->scalar,
                          data, error);
    if (status != TCPLAN_OK) {
        if (status != TCPLAN_NO_MEMORY) experiment_blame(experiment, from->line, error);
        return status;
    }
    return queue_add(workshop->queue, call, is_parallel(experiment) ? -1 : (int)workshop->samples++,
                     error);
}

/** Queues the filling of one matrix. */
static enum tcplan_status queue_fill(struct workshop *workshop, int operand, int64_t first,
                                     int64_t rows, int64_t columns, struct tcplan_error *error) {
    const struct experiment_operand *of = &workshop->experiment->operand[operand];
    const struct call_scalar none[SIGNATURE_MAX_ARGUMENTS] = {{0}};
    const int64_t value[SIGNATURE_MAX_ARGUMENTS] = {rows, columns, 0,
                                                    rows}; /* the arguments m, n, A, ldA */
    void *const data[SIGNATURE_MAX_ARGUMENTS] = {
        NULL, NULL, (char *)workshop->operand[operand] + first * of->bytes};
    struct call *call = next_call(workshop);
    if (!call) return error_no_memory(error);
    enum tcplan_status status =
        call_prepare(call, &workshop->random[operand], value, none, data, error);
    return status == TCPLAN_OK ? queue_add(workshop->queue, call, -1, error) : status;
}

static enum tcplan_status queue_randomize(void *context, const struct nest_place *place,
                                          struct tcplan_error *error) {
    struct workshop *workshop = context;
    enum tcplan_status status = TCPLAN_OK;
    for (int o = 0; o < place->experiment->operand_count && status == TCPLAN_OK; o++) {
        const int64_t elements = place->plan->operand[o].elements, columns = elements / FILL_COLUMN,
                      rest = elements % FILL_COLUMN;
        if (!workshop->random[o].function) continue;
        if (columns > 0) status = queue_fill(workshop, o, 0, FILL_COLUMN, columns, error);
        if (rest > 0 && status == TCPLAN_OK)
            status = queue_fill(workshop, o, columns * FILL_COLUMN, rest, 1, error);
    }
    return status;
}

static enum tcplan_status begin_region(void *context, const struct nest_place *place,
                                       struct tcplan_error *error) {
    struct workshop *workshop = context;
    (void)place;
    return queue_begin_region(workshop->queue, (int)workshop->samples++, error);
}

static void end_region(void *context) {
    queue_end_region(((struct workshop *)context)->queue);
}

static enum tcplan_status begin_sequence(void *context, struct tcplan_error *error) {
    return queue_begin_sequence(((struct workshop *)context)->queue, error);
}

static void end_sequence(void *context) {
    queue_end_sequence(((struct workshop *)context)->queue);
}

/** Begins a session for other threads or another binding, which change only between units, and
 * moves the operands to the memory of the binding. */
static enum tcplan_status set_session(struct workshop *workshop, int threads,
                                      const struct tcplan_binding *binding,
                                      struct tcplan_error *error) {
    if (workshop->threads == threads && strcmp(workshop->binding.cores, binding->cores) == 0 &&
        strcmp(workshop->binding.memory, binding->memory) == 0)
        return TCPLAN_OK;
    session_end(&workshop->session);
    workshop->threads = threads;
    workshop->binding = *binding;
    const struct session_options session = {.threads = threads, .binding = &workshop->binding};
    enum tcplan_status status = session_begin_with(&workshop->session, &session, error);
    for (int o = 0; o < workshop->experiment->operand_count && status == TCPLAN_OK; o++)
        status = binding_move(workshop->session.bound, workshop->operand[o],
                              workshop->operand_bytes[o], error);
    return status;
}

static enum tcplan_status begin_point(void *context, const struct nest_place *place,
                                      struct tcplan_error *error) {
    struct workshop *workshop = context;
    if (workshop->part_count == workshop->part_capacity) {
        const size_t capacity = 2 * workshop->part_capacity + 16;
        struct workshop_part *part = base_realloc(workshop->part, capacity * sizeof *part);
        if (!part) return error_no_memory(error);
        workshop->part = part;
        workshop->part_capacity = capacity;
    }
    workshop->part[workshop->part_count++] =
        (struct workshop_part){.point = place->plan->point,
                               .repetition = place->repetition,
                               .first = workshop->samples,
                               .count = point_plan_samples(place->plan, place->experiment)};
    struct tcplan_binding binding;
    const enum tcplan_status status =
        experiment_binding(&binding, place->experiment, place->plan->point, error);
    return status == TCPLAN_OK ? set_session(workshop, place->plan->threads, &binding, error)
                               : status;
}

enum tcplan_status workshop_queue(struct workshop *workshop, const struct nest_part *part,
                                  int64_t unit, struct tcplan_error *error) {
    const struct nest_visitor visitor = {.context = workshop,
                                         .randomize = queue_randomize,
                                         .begin_point = begin_point,
                                         .begin_region = begin_region,
                                         .call = queue_call,
                                         .end_region = end_region,
                                         .begin_sequence = begin_sequence,
                                         .end_sequence = end_sequence};
    queue_clear(workshop->queue);
    free_calls(workshop);
    workshop->samples = workshop->part_count = 0;
    return nest_walk(workshop->experiment, part, unit, &visitor, error);
}

int workshop_threads(const struct workshop *workshop) {
    return workshop->threads;
}

void workshop_close(struct workshop *workshop) {
    if (workshop->queue) queue_free(workshop->queue);
    free_calls(workshop);
    session_end(&workshop->session);
    for (int o = 0; o < EXPERIMENT_OPERANDS_MAX; o++) base_free(workshop->operand[o]);
    for (int c = 0; c < EXPERIMENT_CALLS_MAX; c++) {
        for (int a = 0; a < SIGNATURE_MAX_ARGUMENTS; a++) base_free(workshop->work[c][a]);
    }
    base_free(workshop->part);
    *workshop = (struct workshop){0};
}
