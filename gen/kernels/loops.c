/*
 * The kernel of nested loops over any indices with any strides. No library has it; the provider
 * `emitted` generates it for each call.
 */
#include <limits.h>

#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/emitted/loops.h"
#include "gen/kernels/kernel_code.h"
#include "gen/lower/lowering.h"

static int clamped(double value) {
    return value < INT_MAX ? (int)value : INT_MAX;
}

/** Adds the loop over an index to a kernel. If there is no room for it, first fuses loops that are
 * contiguous with each other. */
static void add_loop(struct emitted_loops *loops, struct lowering *lowering, int index) {
    struct blas_call_loop loop = {
        .extent = blas_call_extent(lowering->problem, index, lowering->place.partial)};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_slice slice = lowering->call->slice[t];
        loop.stride[t] =
            indexset_has(slice.span, index) ? slice_stride(lowering->problem, slice, index) : 0;
    }
    if (loops->count == EMITTED_LOOPS) emitted_fuse(loops);
    if (loops->count < EMITTED_LOOPS) {
        loops->loop[loops->count++] = loop;
    } else {
        lowering->status = error_set(
            lowering->error, TCPLAN_NOT_APPLICABLE,
            "the kernel has more than %d loops that do not continue each other", EMITTED_LOOPS);
    }
}

static void lower(struct blas_call *out, struct lowering *lowering) {
    struct emitted_loops loops = {.count = 0};
    double rows = 1, columns = 1, sums = 1;
    uint64_t span = 0;
    out->first = TCPLAN_A;
    out->second = TCPLAN_B;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) span |= lowering->call->slice[t].span;
    for (; span && lowering->status == TCPLAN_OK; span &= span - 1) {
        const int index = indexset_first(span);
        const double extent =
            (double)blas_call_extent(lowering->problem, index, lowering->place.partial);
        if (!indexset_has(lowering->call->slice[TCPLAN_C].span, index)) {
            sums *= extent;
        } else if (indexset_has(lowering->call->slice[TCPLAN_A].span, index)) {
            rows *= extent;
        } else {
            columns *= extent;
        }
        add_loop(&loops, lowering, index);
    }
    emitted_fuse(&loops);
    out->m = clamped(rows);
    out->n = clamped(columns);
    out->k = clamped(sums);
    out->loop_count = loops.count;
    for (int l = 0; l < loops.count; l++) out->loop[l] = loops.loop[l];
}

static enum tcplan_role role_at(const struct emit_call *call, int place) {
    return place == LOOPS_BATCH ? TCPLAN_H : kernel_matrix_role_at(call, place);
}

/** Emits nothing: the provider emits the call of a function that computes the whole kernel. */
static void emit(const struct emitter *emitter, const struct emit_call *call) {
    (void)emitter, (void)call;
}

KERNEL_CODE(loops, lower, role_at, kernel_matrix_step, emit, .emit_setup = NULL);
