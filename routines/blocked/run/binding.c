#include "routines/blocked/run/binding.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "microbench/providers/blas.h"

enum { LINE_BYTES = 64 };

size_t binding_element_bytes(const struct tcplan_blocked *blocked, int matrix) {
    return blocked->blocks.matrix[matrix].is_integer
               ? sizeof(int)
               : tcplan_dtype_bytes(blocked_element_type(blocked, matrix));
}

/** Returns whether an argument is memory that belongs to no matrix of the algorithm, such as work
 * memory. */
static bool is_unbound(const struct blocked_call *call, int a) {
    const enum signature_class class = call->signature->argument[a].class;
    return (class == SIGNATURE_DATA || class == SIGNATURE_WORK) && call->data[a].matrix < 0;
}

/** Returns the bytes, in whole cache lines, of an argument that belongs to no matrix of the
 * algorithm. */
static int64_t unbound_bytes(const struct blocked_call *call, int a) {
    const int64_t bytes = saturated_mul_i64(signature_extent(call->signature, call->value, a),
                                            signature_element_bytes(call->signature, a));
    return bytes > INT64_MAX - LINE_BYTES ? INT64_MAX
                                          : (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static bool has_room_itself(const struct blocked_call *call, int a) {
    return call->signature->argument[a].class == SIGNATURE_DATA &&
           unbound_bytes(call, a) <= LINE_BYTES &&
           signature_extent(call->signature, call->value, a) == 1;
}

/** Records how much work memory a call needs. */
static bool note_work(void *context, const struct blocked_call *call) {
    struct binding *binding = context;
    int64_t bytes = 0;
    for (int a = 0; a < call->signature->count && !call->empty; a++) {
        if (!is_unbound(call, a) || has_room_itself(call, a)) continue;
        if (!checked_add_i64(bytes, unbound_bytes(call, a), &bytes)) bytes = INT64_MAX;
    }
    if (bytes > binding->work_bytes) binding->work_bytes = bytes;
    return true;
}

static enum tcplan_status reserve(char **out, int64_t bytes, struct tcplan_error *error) {
    const size_t least = bytes > 0 ? (size_t)bytes : 1;
    if ((uint64_t)bytes > (uint64_t)(SIZE_MAX / 2))
        return error_set(error, TCPLAN_OVERFLOW, "the temporaries exceed the memory");
    *out = base_aligned_alloc(LINE_BYTES, least);
    if (!*out) return error_no_memory(error);
    memset(*out, 0, least);
    return TCPLAN_OK;
}

static enum tcplan_status bind_matrix(struct binding *out, int m, void *memory,
                                      struct tcplan_error *error) {
    const struct tcplan_matrix *matrix = &out->blocked->blocks.matrix[m];
    const struct blocked_extent extent = blocked_extent_of(out->blocked, &out->sizes, m);
    const int64_t elements = blocked_elements(&extent);
    out->element_bytes[m] = binding_element_bytes(out->blocked, m);
    out->is_ours[m] = matrix->role == TCPLAN_MATRIX_TEMPORARY;
    if (out->is_ours[m])
        return reserve(&out->matrix[m], saturated_mul_i64(elements, (int64_t)out->element_bytes[m]),
                       error);
    if (!memory && elements > 0)
        return error_set(error, TCPLAN_INVALID, "the pointer to matrix %s is NULL", matrix->name);
    out->matrix[m] = memory;
    return TCPLAN_OK;
}

static enum tcplan_status bind_routines(struct binding *out, enum tcplan_provider provider,
                                        struct tcplan_error *error) {
    const struct tcplan_blocked *blocked = out->blocked;
    enum tcplan_status status = TCPLAN_OK;
    out->routine = base_alloc_zero((size_t)blocked->statement_count + 1, sizeof *out->routine);
    if (!out->routine) return error_no_memory(error);
    for (int s = 0; s < blocked->statement_count && status == TCPLAN_OK; s++) {
        const struct signature *signature = blocked->statement[s].signature;
        status = routine_bind(&out->routine[s], signature,
                              signature->is_own ? TCPLAN_PROVIDER_BLAS : provider, error);
    }
    return status;
}

enum tcplan_status binding_open(struct binding *out, const struct tcplan_blocked *blocked,
                                const struct tcplan_blocked_sizes *sizes,
                                enum tcplan_provider provider, void *const matrix[],
                                struct tcplan_error *error) {
    *out = (struct binding){.blocked = blocked, .sizes = *sizes};
    enum tcplan_status status = tcplan_blocked_check(blocked, sizes, error);
    if (status == TCPLAN_OK) status = blas_check_memory(1, error);
    if (status == TCPLAN_OK) status = bind_routines(out, provider, error);
    for (int m = 0; m < blocked->blocks.matrix_count && status == TCPLAN_OK; m++)
        status = bind_matrix(out, m, matrix[m], error);
    if (status != TCPLAN_OK) return status;
    blocked_walk(blocked, sizes, note_work, out);
    return reserve(&out->work, out->work_bytes, error);
}

void binding_close(struct binding *binding) {
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) {
        if (binding->is_ours[m]) base_free(binding->matrix[m]);
    }
    base_free(binding->work);
    base_free(binding->routine);
    *binding = (struct binding){0};
}

enum tcplan_status binding_prepare(struct call *out, const struct binding *binding,
                                   const struct blocked_call *call, struct tcplan_error *error) {
    struct call_scalar scalar[SIGNATURE_MAX_ARGUMENTS];
    void *data[SIGNATURE_MAX_ARGUMENTS] = {NULL};
    int64_t used = 0;
    for (int a = 0; a < call->signature->count; a++) {
        scalar[a] = (struct call_scalar){.re = call->scalar[a]};
        if (is_unbound(call, a)) {
            const bool inside = has_room_itself(call, a);
            data[a] = inside ? (void *)out->immediate[a] : binding->work + used;
            if (!inside) used += unbound_bytes(call, a);
        } else if (call->signature->argument[a].class == SIGNATURE_DATA) {
            const int m = call->data[a].matrix;
            data[a] =
                binding->matrix[m] + call->data[a].offset * (int64_t)binding->element_bytes[m];
        }
    }
    return call_prepare(out, &binding->routine[call->statement->node->call.number], call->value,
                        scalar, data, error);
}

int64_t binding_first_row(const struct blocked_call *call) {
    for (int a = 0; a < call->signature->count; a++) {
        const int stride = call->signature->argument[a].stride;
        if (call->signature->argument[a].class != SIGNATURE_DATA || call->data[a].matrix < 0)
            continue;
        const int64_t leading = stride >= 0 ? call->value[stride] : 0;
        return leading > 0 ? call->data[a].offset % leading : call->data[a].offset;
    }
    return 0;
}
