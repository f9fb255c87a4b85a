/*
 * The way `packed`. If free and contracted indices alternate in a tensor, a pair of blocks is not a
 * product of matrices, and each pair would rearrange its blocks again. This way copies each block
 * of such a tensor once, with its free indices adjacent, and its contracted indices too. The copies
 * are the blocks of a product with another order of dimensions, which has a plan of its own; its
 * result is copied back. Tensors whose indices already have such an order are used in place.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "blocks/block_plan.h"

/* Copies begin at multiples of this number of elements: a cache line of doubles. */
enum { ALIGNED_ELEMENTS = 8 };

/** For each axis, the two operands that have it. */
static const enum tcplan_operand axis_of[PAIRS_IDS][2] = {
    {TCPLAN_A, TCPLAN_B}, {TCPLAN_A, TCPLAN_C}, {TCPLAN_B, TCPLAN_C}};

struct packing {
    struct tcplan_block_plan *plan;
    const struct tcplan_block_product *product;
    struct packed_plan *out;
    uint64_t batch;
    int index[PAIRS_IDS][TCPLAN_MAX_INDICES]; /* indices of each axis without batch indices, the
                                                 fastest first */
    int rank[PAIRS_IDS];
    int order[TCPLAN_OPERANDS][TCPLAN_MAX_RANK]; /* for each tensor, the dimensions of its copies,
                                                    the fastest first */
    struct tcplan_error *error;
};

/** Returns dimension `n` of a tensor, counted from the fastest one. */
static int fastest(const struct packing *packing, enum tcplan_operand t, int n) {
    const struct tcplan_contraction *contraction = packing->product->contraction;
    return contraction->order == TCPLAN_ROW_MAJOR ? contraction->tensor[t].rank - 1 - n : n;
}

static double elements_of(const struct packing *packing, enum tcplan_operand t) {
    double elements = 0;
    for (int64_t b = 0; b < packing->product->tensor[t].count; b++)
        elements += structure_volume(packing->product, t, b, ~(uint64_t)0);
    return elements;
}

/** Orders the indices of an axis as in the larger of its two tensors, so that the larger tensor can
 * stay in place. */
static void order_axis(struct packing *packing, int k, const double elements[]) {
    const struct tcplan_contraction *contraction = packing->product->contraction;
    const enum tcplan_operand t =
        axis_of[k][elements[axis_of[k][1]] > elements[axis_of[k][0]] ? 1 : 0];
    const uint64_t own = packing->product->pairs->ids[k].indices & ~packing->batch;
    for (int n = 0; n < contraction->tensor[t].rank; n++) {
        const int i = contraction->tensor[t].dims[fastest(packing, t, n)];
        if (own >> i & 1U) packing->index[k][packing->rank[k]++] = i;
    }
}

static int dimension_of(const struct packing *packing, enum tcplan_operand t, int index) {
    const struct tcplan_tensor *tensor = &packing->product->contraction->tensor[t];
    int d = 0;
    while (tensor->dims[d] != index) d++;
    return d;
}

/** Orders the dimensions of a tensor's copies: first the axis with the fastest dimension, then the
 * other axis, then batch dimensions. Returns whether the blocks already have this order. */
static bool order_tensor(struct packing *packing, enum tcplan_operand t) {
    const struct tcplan_tensor *tensor = &packing->product->contraction->tensor[t];
    int *order = packing->order[t], count = 0, axis[2], axes = 0;
    bool in_place = !packing->product->tensor[t].stride;
    for (int k = 0; k < PAIRS_IDS; k++)
        if (axis_of[k][0] == t || axis_of[k][1] == t) axis[axes++] = k;
    for (int n = 0; n < tensor->rank; n++) {
        const int i = tensor->dims[fastest(packing, t, n)];
        if (packing->batch >> i & 1U) continue;
        if (!(packing->product->pairs->ids[axis[0]].indices >> i & 1U)) {
            const int other = axis[0];
            axis[0] = axis[1];
            axis[1] = other;
        }
        break;
    }
    for (int a = 0; a < 2; a++)
        for (int n = 0; n < packing->rank[axis[a]]; n++)
            order[count++] = dimension_of(packing, t, packing->index[axis[a]][n]);
    for (int i = 0; i < packing->product->contraction->index_count; i++)
        if (packing->batch >> i & 1U) order[count++] = dimension_of(packing, t, i);
    for (int n = 0; n < tensor->rank; n++)
        in_place = in_place && order[n] == fastest(packing, t, n);
    return in_place;
}

/** Lists the blocks of a tensor that take part in pairs. */
static enum tcplan_status list_used(struct packing *packing, enum tcplan_operand t) {
    const struct block_pairs *pairs = packing->product->pairs;
    struct packed_tensor *packed = &packing->out->tensor[t];
    const int64_t count = packing->product->tensor[t].count;
    unsigned char *used = base_alloc_zero((size_t)count + 1, 1);
    packed->block = base_alloc_zero((size_t)count + 1, sizeof *packed->block);
    packing->out->pointer[t] = base_alloc_zero((size_t)count + 1, sizeof(void *));
    const bool ok = used && packed->block && packing->out->pointer[t];
    for (int64_t p = 0; ok && p < pairs->count && t != TCPLAN_C; p++)
        used[t == TCPLAN_A ? pairs->pair[p].a : pairs->pair[p].b] = 1;
    for (int64_t c = 0; ok && c < count && t == TCPLAN_C; c++)
        used[c] = pairs->first[c + 1] > pairs->first[c];
    for (int64_t b = 0; ok && b < count; b++)
        if (used[b]) packed->block[packed->count++].block = (int32_t)b;
    base_free(used);
    return ok ? TCPLAN_OK : error_no_memory(packing->error);
}

/** Adds a tensor of copies to the notation of their product. */
static void add_tensor(struct strbuf *text, const struct packing *packing, enum tcplan_operand t) {
    const struct tcplan_tensor *tensor = &packing->product->contraction->tensor[t];
    strbuf_add(text, "%s[", t == TCPLAN_A ? "A" : t == TCPLAN_B ? "B" : "C");
    for (int n = 0; n < tensor->rank; n++)
        strbuf_add(text, "%si%d", n > 0 ? "," : "",
                   tensor->dims[packing->order[t][fastest(packing, t, n)]]);
    strbuf_add(text, "]%s", t == TCPLAN_C ? "=" : t == TCPLAN_A ? "*" : "");
}

/** Makes the contraction of the copies. */
static enum tcplan_status make_contraction(struct tcplan_contraction **out,
                                           const struct packing *packing) {
    const struct tcplan_contraction *whole = packing->product->contraction;
    struct strbuf text = {0};
    add_tensor(&text, packing, TCPLAN_C);
    add_tensor(&text, packing, TCPLAN_A);
    add_tensor(&text, packing, TCPLAN_B);
    char *notation = strbuf_finish(&text);
    if (!notation) return error_no_memory(packing->error);
    const enum tcplan_status status =
        tcplan_contraction_parse(out, notation, whole->order, packing->error);
    free(notation);
    if (status != TCPLAN_OK) return status;
    for (int t = 0; t < TCPLAN_C; t++)
        tcplan_contraction_set_conjugated(*out, (enum tcplan_operand)t,
                                          whole->tensor[t].conjugated);
    (*out)->alpha = whole->alpha;
    (*out)->beta =
        packing->out->tensor[TCPLAN_C].in_place ? whole->beta : (struct tcplan_scalar){0};
    return TCPLAN_OK;
}

/** Makes the product of the copies of the used blocks. */
static enum tcplan_status make_product(struct tcplan_block_product **out,
                                       const struct packing *packing) {
    struct tcplan_contraction *contraction = NULL;
    struct block_sections index[TCPLAN_MAX_INDICES] = {{0}};
    struct block_list list[TCPLAN_OPERANDS] = {{0}};
    enum tcplan_status status = make_contraction(&contraction, packing);
    for (int i = 0; status == TCPLAN_OK && i < contraction->index_count; i++)
        index[i] = packing->product->index[atoi(contraction->index[i].name + 1)];
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const struct packed_tensor *packed = &packing->out->tensor[t];
        const int rank = contraction->tensor[t].rank;
        list[t].count = packed->count;
        list[t].at = base_alloc(((size_t)packed->count * (size_t)rank + 1) * sizeof *list[t].at);
        if (!list[t].at) status = error_no_memory(packing->error);
        for (int64_t n = 0; n < packed->count && status == TCPLAN_OK; n++) {
            const int32_t *at = structure_at(packing->product, operand, packed->block[n].block);
            for (int d = 0; d < rank; d++)
                list[t].at[n * rank + d] = at[packing->order[t][fastest(packing, operand, d)]];
        }
    }
    if (status == TCPLAN_OK)
        status =
            structure_make(out, contraction, index, list, packing->product->dtype, packing->error);
    else
        tcplan_contraction_free(contraction);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(list[t].at);
    return status;
}

/** Finds the positions of a tensor's copies in the workspace, and how blocks of each shape are
 * copied. */
static enum tcplan_status list_copies(struct packing *packing, enum tcplan_operand t) {
    const struct tcplan_block_product *product = packing->product;
    const int rank = product->contraction->tensor[t].rank;
    struct packed_tensor *packed = &packing->out->tensor[t];
    if (packed->in_place) return TCPLAN_OK;
    packed->copy_count = product->pairs->shape_count[t];
    packed->copy = base_alloc_zero((size_t)packed->copy_count + 1, sizeof *packed->copy);
    if (!packed->copy) return error_no_memory(packing->error);
    for (int64_t n = 0; n < packed->count; n++) {
        struct packed_block *block = &packed->block[n];
        int64_t extent[TCPLAN_MAX_RANK], mine[TCPLAN_MAX_RANK], copy[TCPLAN_MAX_RANK], elements = 1;
        tcplan_block_product_shape(product, t, block->block, extent, mine);
        for (int d = 0; d < rank; d++) {
            copy[packing->order[t][d]] = elements;
            elements *= extent[packing->order[t][d]];
        }
        block->shape = product->pairs->shape[t][block->block];
        block->offset = packed->elements;
        packed->elements += (elements + ALIGNED_ELEMENTS - 1) / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS;
        if (packed->copy[block->shape].rank == 0)
            packed->copy[block->shape] = t == TCPLAN_C
                                             ? block_copy(rank, extent, mine, copy, product->dtype)
                                             : block_copy(rank, extent, copy, mine, product->dtype);
    }
    packing->out->workspace_elements += packed->elements;
    return TCPLAN_OK;
}

/** Predicts the seconds of all copies. */
static double packing_seconds(const struct packing *packing) {
    const struct packed_plan *out = packing->out;
    const double bytes =
        (double)out->workspace_elements * (double)tcplan_dtype_bytes(packing->product->dtype);
    double seconds = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *packed = &out->tensor[t];
        for (int64_t n = 0; n < packed->count && !packed->in_place; n++)
            seconds +=
                fused_copy_seconds(packing->plan, &packed->copy[packed->block[n].shape], bytes);
    }
    return seconds;
}

static enum tcplan_status refuse(struct tcplan_block_plan *plan, const char *why_not) {
    plan->candidate[WAY_PACKED].figures.why_not = why_not;
    return TCPLAN_NOT_APPLICABLE;
}

enum tcplan_status packed_prepare(struct tcplan_block_plan *plan, const char *text,
                                  struct tcplan_error *error) {
    struct packing packing = {
        .plan = plan,
        .product = plan->product,
        .out = &plan->packed,
        .batch = tcplan_contraction_indices(plan->product->contraction, TCPLAN_BATCH),
        .error = error};
    struct tcplan_block_product *product = NULL;
    double elements[TCPLAN_OPERANDS];
    bool in_place = true;
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        elements[t] = elements_of(&packing, (enum tcplan_operand)t);
    for (int k = 0; k < PAIRS_IDS; k++) order_axis(&packing, k, elements);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        plan->packed.tensor[t].in_place = order_tensor(&packing, (enum tcplan_operand)t);
        in_place = in_place && plan->packed.tensor[t].in_place;
    }
    if (in_place) return refuse(plan, "all blocks are matrices already");
    if (plan->is_of_copies) return refuse(plan, "the blocks are copies in the order of matrices");
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = list_used(&packing, (enum tcplan_operand)t);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = list_copies(&packing, (enum tcplan_operand)t);
    if (status == TCPLAN_OK) status = make_product(&product, &packing);
    if (status == TCPLAN_OK)
        status = block_plan_of_copies(&plan->packed.inner, plan, product, text, !text, error);
    if (status == TCPLAN_OK) plan->packed.packing_seconds = packing_seconds(&packing);
    tcplan_block_product_free(product);
    return status;
}

enum tcplan_status packed_plan_again(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    struct tcplan_block_plan *better = NULL;
    const enum tcplan_status status =
        block_plan_of_copies(&better, plan, plan->packed.inner->product, NULL, false, error);
    if (status != TCPLAN_OK) return status;
    tcplan_block_plan_free(plan->packed.inner);
    plan->packed.inner = better;
    return TCPLAN_OK;
}

enum tcplan_status packed_run(const struct block_run *run, char *workspace,
                              struct tcplan_error *error) {
    struct tcplan_block_plan *plan = run->plan;
    const struct packed_plan *packed = &plan->packed;
    const void *const *const given[TCPLAN_OPERANDS] = {run->A, run->B, (const void *const *)run->D};
    const int threads = block_is_shared(plan->product->pairs->flops) ? plan->threads : 1;
    const struct block_factor zero = {{0, 0}};
    char *place[TCPLAN_OPERANDS];
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *tensor = &packed->tensor[t];
        const size_t bytes = tcplan_dtype_bytes(plan->product->dtype);
        place[t] = workspace;
        for (int64_t n = 0; n < tensor->count; n++)
            packed->pointer[t][n] = tensor->in_place
                                        ? (void *)(uintptr_t)given[t][tensor->block[n].block]
                                        : place[t] + (size_t)tensor->block[n].offset * bytes;
        if (tensor->in_place) continue;
        workspace += (size_t)tensor->elements * bytes;
        if (t != TCPLAN_C) fused_copy(run, tensor, (enum tcplan_operand)t, threads, place[t]);
    }
    const bool in_place = packed->tensor[TCPLAN_C].in_place;
    const enum tcplan_status status = tcplan_block_plan_run(
        packed->inner, run->alpha, in_place ? run->beta : zero.number,
        (const void *const *)packed->pointer[TCPLAN_A],
        (const void *const *)packed->pointer[TCPLAN_B], packed->pointer[TCPLAN_C], error);
    if (status == TCPLAN_OK && !in_place)
        fused_copy(run, &packed->tensor[TCPLAN_C], TCPLAN_C, threads, place[TCPLAN_C]);
    return status;
}

void packed_free(struct packed_plan *packed) {
    tcplan_block_plan_free(packed->inner);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        base_free((void *)packed->pointer[t]);
        base_free(packed->tensor[t].block);
        base_free(packed->tensor[t].copy);
    }
}
