#include "routines/blocked/cache/sequence.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quantity.h"
#include "tcplan/blocked_run.h"

/** The overhead of a call in units of work: operations or bytes. */
#define CALL_WORK 1000.0

enum { LINE_BYTES = 64, PAGE_BYTES = 4096 };

static bool is_ours(const struct sequence *sequence, int m) {
    return sequence->blocked->blocks.matrix[m].role != TCPLAN_MATRIX_TEMPORARY;
}

static int64_t matrix_bytes(const struct sequence *sequence, int m) {
    const int64_t elements = blocked_elements(&sequence->extent[m]);
    return saturated_mul_i64(elements, (int64_t)binding_element_bytes(sequence->blocked, m));
}

static enum tcplan_status refuse_memory(double bytes, int64_t most, struct tcplan_error *error) {
    return error_set(error, TCPLAN_INVALID, "the matrices and their copies take %s; %s are allowed",
                     quantity_bytes(bytes).text, quantity_bytes((double)most).text);
}

/** Sets pivots to row 1, which exists in any block, before a call writes them. */
static void fill_pivots(const struct sequence *sequence, int m) {
    int *pivot = (int *)(void *)sequence->memory[m];
    for (int64_t i = 0; i < blocked_elements(&sequence->extent[m]); i++) pivot[i] = 1;
}

static enum tcplan_status reserve(struct sequence *out, int64_t max_memory_bytes,
                                  struct tcplan_error *error) {
    const int count = out->blocked->blocks.matrix_count;
    double bytes = 0;
    for (int m = 0; m < count; m++) {
        out->extent[m] = blocked_extent_of(out->blocked, &out->sizes, m);
        out->whole_bytes += (double)matrix_bytes(out, m);
        bytes += (is_ours(out, m) ? 2.0 : 1.0) * (double)matrix_bytes(out, m);
    }
    if (max_memory_bytes > 0 && bytes > (double)max_memory_bytes)
        return refuse_memory(bytes, max_memory_bytes, error);
    for (int m = 0; m < count; m++) {
        const size_t own = (size_t)matrix_bytes(out, m);
        if (!is_ours(out, m) || own == 0) continue;
        out->memory[m] = base_aligned_alloc(PAGE_BYTES, own);
        out->first[m] = base_aligned_alloc(PAGE_BYTES, own);
        if (!out->memory[m] || !out->first[m]) return error_no_memory(error);
        memset(out->memory[m], 0, own);
    }
    void *matrix[TCPLAN_MAX_MATRICES] = {NULL};
    for (int m = 0; m < count; m++) matrix[m] = out->memory[m];
    tcplan_blocked_fill(out->blocked, &out->sizes, matrix, 1);
    for (int m = 0; m < count; m++) {
        if (!out->memory[m]) continue;
        if (out->blocked->blocks.matrix[m].is_integer) fill_pivots(out, m);
        memcpy(out->first[m], out->memory[m], (size_t)matrix_bytes(out, m));
    }
    return TCPLAN_OK;
}

void sequence_restore(const struct sequence *sequence) {
    for (int m = 0; m < sequence->blocked->blocks.matrix_count; m++) {
        if (sequence->memory[m])
            memcpy(sequence->memory[m], sequence->first[m], (size_t)matrix_bytes(sequence, m));
    }
}

static void restore_operand(const struct sequence *sequence, const struct call_operand *operand) {
    const int m = operand->matrix;
    const size_t bytes = (size_t)operand->element_bytes, length = (size_t)operand->rows * bytes;
    for (int64_t c = operand->column; c < operand->column + operand->columns && sequence->memory[m];
         c++) {
        const size_t at = (size_t)(c * sequence->extent[m].leading + operand->row) * bytes;
        assert(at + length <= (size_t)matrix_bytes(sequence, m));
        memcpy(sequence->memory[m] + at, sequence->first[m] + at, length);
    }
}

void sequence_restore_calls(const struct sequence *sequence, int64_t first, int64_t end) {
    for (int64_t c = first; c < end; c++) {
        const struct call_accesses *accesses = &sequence->call[c].accesses;
        for (int o = 0; o < accesses->count; o++) {
            if (accesses->operand[o].written) restore_operand(sequence, &accesses->operand[o]);
        }
    }
}

struct lister {
    struct sequence *out;
    int64_t *latest; /* for each statement: the latest group of alike calls */
    int64_t *before; /* for each group of alike calls: the previous group of the same statement; -1:
                        none */
    int64_t step, step_calls;
    enum tcplan_status status;
    struct tcplan_error *error;
};

/** Returns how the data of an argument are stored. Without a flag uplo, a triangle is the upper one
 * (signature.h). */
static enum operand_shape shape_of(const struct blocked_call *call, int a) {
    const enum signature_storage storage = call->signature->argument[a].storage;
    const int uplo = signature_argument(call->signature, "uplo");
    if (storage != SIGNATURE_TRIANGLE && storage != SIGNATURE_SYMMETRIC) return OPERAND_RECTANGLE;
    return uplo >= 0 && call->value[uplo] == 'L' ? OPERAND_LOWER : OPERAND_UPPER;
}

static void add_operand(struct sequence_call *out, const struct sequence *sequence,
                        const struct blocked_call *call, int a) {
    const struct blocked_data *data = &call->data[a];
    const int64_t leading = sequence->extent[data->matrix].leading;
    if (data->rows <= 0 || data->columns <= 0 || out->accesses.count == CALL_HISTORY_OPERANDS)
        return;
    out->accesses.operand[out->accesses.count++] = (struct call_operand){
        .matrix = data->matrix,
        .shape = data->rows == data->columns ? shape_of(call, a) : OPERAND_RECTANGLE,
        .written = call->signature->argument[a].access & SIGNATURE_WRITTEN,
        .element_bytes = signature_element_bytes(call->signature, a),
        .row = leading > 0 ? data->offset % leading : 0,
        .rows = data->rows,
        .column = leading > 0 ? data->offset / leading : 0,
        .columns = data->columns};
}

/** Returns the number of the group of calls like this one; a new number if there is none. */
static int64_t number_of(struct lister *lister, const struct blocked_call *call, int64_t place) {
    struct sequence *out = lister->out;
    const int statement = call->statement->node->call.number;
    const size_t bytes = (size_t)call->signature->count * sizeof *call->value;
    for (int64_t n = lister->latest[statement]; n >= 0; n = lister->before[n]) {
        if (memcmp(out->call[out->example[n]].call.value, call->value, bytes) == 0) return n;
    }
    assert(out->alike_count <= out->count && lister->latest[statement] < out->alike_count);
    lister->before[out->alike_count] = lister->latest[statement];
    lister->latest[statement] = out->alike_count;
    out->example[out->alike_count] = place;
    return out->alike_count++;
}

static bool list(void *context, const struct blocked_call *call) {
    struct lister *lister = context;
    struct sequence *out = lister->out;
    if (call->empty) return true;
    struct sequence_call *next = &out->call[out->count];
    next->statement = call->statement->node->call.number;
    next->step = call->step;
    next->flops = call->signature->is_own ? 0 : signature_flops(call->signature, call->value);
    next->work = next->flops + signature_movement(call->signature, call->value) + CALL_WORK;
    for (int a = 0; a < call->signature->count; a++) {
        if (call->signature->argument[a].class == SIGNATURE_DATA && call->data[a].matrix >= 0)
            add_operand(next, out, call, a);
    }
    lister->status = binding_prepare(&next->call, &out->binding, call, lister->error);
    if (lister->status != TCPLAN_OK) return false;
    next->alike = (int)number_of(lister, call, out->count);
    lister->step_calls = out->count > 0 && call->step == lister->step ? lister->step_calls + 1 : 1;
    lister->step = call->step;
    if (lister->step_calls > out->step_calls) out->step_calls = lister->step_calls;
    out->work += next->work;
    out->count++;
    return true;
}

static enum tcplan_status list_calls(struct sequence *out, struct tcplan_error *error) {
    const struct blocked_counts counts = blocked_count(out->blocked, &out->sizes);
    const size_t statements = (size_t)out->blocked->statement_count;
    if (counts.made == 0)
        return error_set(error, TCPLAN_INVALID, "%s makes no call at these sizes",
                         out->blocked->name);
    if (counts.made > SEQUENCE_MOST_CALLS) {
        return error_set(error, TCPLAN_INVALID,
                         "%s makes %" PRId64 " calls at these sizes, more than the %d that can be "
                         "studied; take larger blocks",
                         out->blocked->name, counts.made, SEQUENCE_MOST_CALLS);
    }
    const size_t made = (size_t)counts.made;
    struct lister lister = {.out = out, .status = TCPLAN_OK, .error = error};
    out->call = base_alloc_zero(made, sizeof *out->call);
    out->example = base_alloc_zero(made, sizeof *out->example);
    lister.latest = base_alloc_zero(statements, sizeof *lister.latest);
    lister.before = base_alloc_zero(made, sizeof *lister.before);
    if (out->call && out->example && lister.latest && lister.before) {
        for (size_t s = 0; s < statements; s++) lister.latest[s] = -1;
        blocked_walk(out->blocked, &out->sizes, list, &lister);
        assert(lister.status != TCPLAN_OK || out->count == counts.made);
    } else {
        lister.status = error_no_memory(error);
    }
    base_free(lister.latest);
    base_free(lister.before);
    return lister.status;
}

enum tcplan_status sequence_open(struct sequence *out, const struct tcplan_blocked *blocked,
                                 const struct tcplan_blocked_sizes *sizes,
                                 enum tcplan_provider provider, int64_t max_memory_bytes,
                                 struct tcplan_error *error) {
    *out = (struct sequence){.blocked = blocked, .sizes = *sizes};
    enum tcplan_status status = tcplan_blocked_check(blocked, sizes, error);
    if (status == TCPLAN_OK) status = reserve(out, max_memory_bytes, error);
    void *matrix[TCPLAN_MAX_MATRICES] = {NULL};
    for (int m = 0; m < blocked->blocks.matrix_count; m++) matrix[m] = out->memory[m];
    if (status == TCPLAN_OK)
        status = binding_open(&out->binding, blocked, sizes, provider, matrix, error);
    return status == TCPLAN_OK ? list_calls(out, error) : status;
}

void sequence_close(struct sequence *sequence) {
    binding_close(&sequence->binding);
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) {
        base_free(sequence->memory[m]);
        base_free(sequence->first[m]);
    }
    base_free(sequence->call);
    base_free(sequence->example);
    *sequence = (struct sequence){0};
}

int64_t sequence_previous(const struct sequence *sequence, int64_t at) {
    int64_t before = at - 1;
    assert(at < sequence->count);
    while (before >= 0 && sequence->call[before].statement != sequence->call[at].statement)
        before--;
    return before;
}

enum tcplan_status sequence_check(const struct sequence *sequence, int64_t first, int64_t end,
                                  struct tcplan_error *error) {
    for (int64_t c = first; c < end; c++) {
        const int info = call_info(&sequence->call[c].call);
        if (info == 0) continue;
        return error_set(
            error, TCPLAN_ENVIRONMENT, "%s, call %" PRId64 " of %s, reports an error: info = %d",
            sequence->call[c].call.routine.signature->name, c + 1, sequence->blocked->name, info);
    }
    return TCPLAN_OK;
}

void sequence_name(char *out, size_t size, const struct tcplan_blocked *blocked, int statement) {
    const struct blocked_statement *of = &blocked->statement[statement];
    const char *letters = of->node->call.letters ? of->node->call.letters : "";
    snprintf(out, size, "%s%s%s", of->signature->name, *letters ? "_" : "", letters);
}
