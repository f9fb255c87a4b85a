/*
 * Computes a part as one matrix product. The blocks of each factor are packed into a matrix; one
 * product of the matrices replaces the products of the pairs, and its result is unpacked. Along
 * each axis, the matrices have the sections that occur in the part, one after the other: those of
 * A's free indices along the rows, those of B's free indices along the columns, and those of the
 * contracted indices along the contracted axis. A tensor of which the part has a single block is
 * used in place.
 */
#include <stdlib.h>
#include <string.h>

#include "api/product.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "blocks/block_plan.h"
#include "blocks/table.h"
#include "microbench/program/share.h"

/* Packed matrices begin at multiples of this number of elements, so that every type is aligned to
 * cache lines. */
enum { ALIGNED_ELEMENTS = 16 };

/** One axis of the matrices: the combinations of sections that occur in the part, one after the
 * other. Each has an id (blocks/pairs.h). */
struct axis {
    uint64_t indices; /* indices of the axis, without batch indices */
    struct id_table ids;
    int64_t *offset; /* for each id, the position at which it begins on the axis; the last entry is
                        the extent of the axis */
    int index[TCPLAN_MAX_INDICES]; /* the indices of the axis in order, the fastest first */
    int rank;
};

/** The two operands that have each axis. The axis is ordered as in the first operand. */
static const enum tcplan_operand axis_of[PAIRS_IDS][2] = {
    {TCPLAN_A, TCPLAN_B}, {TCPLAN_A, TCPLAN_C}, {TCPLAN_B, TCPLAN_C}};

struct fusing {
    struct tcplan_block_plan *plan;
    const struct tcplan_block_product *product;
    struct block_part part;
    struct fused_part *out;
    struct axis axis[PAIRS_IDS];
    struct id_table used[TCPLAN_OPERANDS]; /* for each tensor, its blocks that occur in the part */
    uint64_t batch;
    int64_t stride[TCPLAN_OPERANDS][PAIRS_IDS]; /* for each tensor, the stride of each axis in its
                                                   packed matrix */
    int64_t batch_stride[TCPLAN_OPERANDS][TCPLAN_MAX_INDICES];
    struct tcplan_error *error;
};

static int64_t extent_of(const struct fusing *fusing, enum tcplan_operand t, int64_t block, int d) {
    const int i = fusing->product->contraction->tensor[t].dims[d];
    return fusing->product->index[i].extent[structure_at(fusing->product, t, block)[d]];
}

/** Computes the strides of a block's dimensions. */
static void strides_of(int64_t out[TCPLAN_MAX_RANK], const struct fusing *fusing,
                       enum tcplan_operand t, int64_t block) {
    tcplan_block_product_shape(fusing->product, t, block, NULL, out);
}

static bool has_axis(enum tcplan_operand t, int k) {
    return axis_of[k][0] == t || axis_of[k][1] == t;
}

static bool note(struct id_table *table, int32_t number) {
    table->width = 1;
    return id_table_find(table, &number, true) >= 0;
}

/** Lists the blocks and the ids that occur in the part. */
static enum tcplan_status list_used(struct fusing *fusing) {
    const struct block_pairs *pairs = fusing->product->pairs;
    bool ok = true;
    for (int64_t n = fusing->part.first; n < fusing->part.first + fusing->part.count; n++) {
        const int32_t c = pairs->order[n];
        ok = ok && note(&fusing->used[TCPLAN_C], c);
        for (int64_t p = pairs->first[c]; p < pairs->first[c + 1] && ok; p++) {
            const int32_t a = pairs->pair[p].a, b = pairs->pair[p].b;
            ok = note(&fusing->used[TCPLAN_A], a) && note(&fusing->used[TCPLAN_B], b) &&
                 note(&fusing->axis[PAIRS_MEET].ids, pairs->ids[PAIRS_MEET].of[TCPLAN_A][a]) &&
                 note(&fusing->axis[PAIRS_ROW].ids, pairs->ids[PAIRS_ROW].of[TCPLAN_A][a]) &&
                 note(&fusing->axis[PAIRS_COLUMN].ids, pairs->ids[PAIRS_COLUMN].of[TCPLAN_B][b]);
        }
    }
    return ok ? TCPLAN_OK : error_no_memory(fusing->error);
}

/** Orders the indices of an axis as in the layout of operand `t`, the fastest first. */
static void order_axis(struct axis *axis, const struct fusing *fusing, enum tcplan_operand t) {
    const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
    int64_t stride[TCPLAN_MAX_RANK], of[TCPLAN_MAX_INDICES];
    strides_of(stride, fusing, t, fusing->used[t].key[0]);
    for (int d = 0; d < tensor->rank; d++) {
        if (!(axis->indices >> tensor->dims[d] & 1U)) continue;
        int place = axis->rank++;
        while (place > 0 && llabs(of[place - 1]) > llabs(stride[d])) {
            of[place] = of[place - 1];
            axis->index[place] = axis->index[place - 1];
            place--;
        }
        of[place] = stride[d];
        axis->index[place] = tensor->dims[d];
    }
}

/** Assigns positions on axis `k` to the ids, one after the other. */
static enum tcplan_status place_axis(struct fusing *fusing, int k) {
    struct axis *axis = &fusing->axis[k];
    const enum tcplan_operand t = axis_of[k][0];
    axis->indices = fusing->product->pairs->ids[k].indices & ~fusing->batch;
    order_axis(axis, fusing, t);
    axis->offset = base_alloc_zero((size_t)axis->ids.count + 1, sizeof *axis->offset);
    if (!axis->offset) return error_no_memory(fusing->error);
    for (int32_t u = 0; u < fusing->used[t].count; u++) {
        const int32_t block = fusing->used[t].key[u];
        const int32_t id =
            id_table_find(&axis->ids, &fusing->product->pairs->ids[k].of[t][block], false);
        axis->offset[id + 1] = (int64_t)structure_volume(fusing->product, t, block, axis->indices);
    }
    for (int32_t id = 0; id < axis->ids.count; id++) axis->offset[id + 1] += axis->offset[id];
    return TCPLAN_OK;
}

static int64_t extent_of_axis(const struct axis *axis) {
    return axis->offset[axis->ids.count];
}

/** Returns whether the fastest dimension of a tensor, batch dimensions excluded, belongs to axis
 * `k`. */
static bool is_fastest(const struct fusing *fusing, enum tcplan_operand t, int k) {
    const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
    int64_t stride[TCPLAN_MAX_RANK], least = INT64_MAX;
    int fastest = -1;
    strides_of(stride, fusing, t, fusing->used[t].key[0]);
    for (int d = 0; d < tensor->rank; d++) {
        if ((fusing->batch >> tensor->dims[d] & 1U) || llabs(stride[d]) >= least) continue;
        least = llabs(stride[d]);
        fastest = tensor->dims[d];
    }
    return fastest >= 0 && (fusing->axis[k].indices >> fastest & 1U);
}

/** Determines the strides of a tensor's matrix, and whether the tensor is used in place. */
static enum tcplan_status lay_out(struct fusing *fusing, enum tcplan_operand t) {
    const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
    struct packed_tensor *packed = &fusing->out->tensor[t];
    int64_t elements = 1;
    int fast = -1;
    for (int k = 0; k < PAIRS_IDS; k++) {
        if (has_axis(t, k) && (fast < 0 || is_fastest(fusing, t, k))) fast = k;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < PAIRS_IDS; k++) {
            if (!has_axis(t, k) || (k == fast) != (pass == 0)) continue;
            fusing->stride[t][k] = elements;
            elements = saturated_mul_i64(elements, extent_of_axis(&fusing->axis[k]));
        }
    }
    for (int d = 0; d < tensor->rank; d++) {
        if (!(fusing->batch >> tensor->dims[d] & 1U)) continue;
        fusing->batch_stride[t][tensor->dims[d]] = elements;
        elements = saturated_mul_i64(elements, extent_of(fusing, t, fusing->used[t].key[0], d));
    }
    packed->elements = elements;
    packed->in_place = fusing->used[t].count == 1;
    for (int k = 0; k < PAIRS_IDS; k++)
        packed->in_place = packed->in_place && (!has_axis(t, k) || fusing->axis[k].ids.count == 1);
    if (packed->in_place) return TCPLAN_OK;
    if (elements > INT64_MAX / 64)
        return error_set(fusing->error, TCPLAN_OVERFLOW, "the matrix of a sector is too large");
    fusing->out->workspace_elements +=
        (elements + ALIGNED_ELEMENTS - 1) / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS;
    return TCPLAN_OK;
}

/** Returns the stride of an index of one block in the packed matrix of its tensor. */
static int64_t packed_stride(const struct fusing *fusing, enum tcplan_operand t, int64_t block,
                             int index) {
    const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
    if (fusing->batch >> index & 1U) return fusing->batch_stride[t][index];
    for (int k = 0; k < PAIRS_IDS; k++) {
        if (!has_axis(t, k) || !(fusing->axis[k].indices >> index & 1U)) continue;
        int64_t stride = fusing->stride[t][k];
        for (int i = 0; i < fusing->axis[k].rank && fusing->axis[k].index[i] != index; i++) {
            for (int d = 0; d < tensor->rank; d++)
                if (tensor->dims[d] == fusing->axis[k].index[i])
                    stride *= extent_of(fusing, t, block, d);
        }
        return stride;
    }
    return 0;
}

/** Returns the operation that copies a block into or out of its matrix. `*offset` receives the
 * position, in the matrix, of the block's first element. */
static struct strided copy_of(const struct fusing *fusing, enum tcplan_operand t, int32_t block,
                              int64_t *offset) {
    const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
    int64_t extent[TCPLAN_MAX_RANK], mine[TCPLAN_MAX_RANK], packed[TCPLAN_MAX_RANK];
    tcplan_block_product_shape(fusing->product, t, block, extent, mine);
    for (int d = 0; d < tensor->rank; d++)
        packed[d] = packed_stride(fusing, t, block, tensor->dims[d]);
    *offset = 0;
    for (int k = 0; k < PAIRS_IDS; k++) {
        if (!has_axis(t, k)) continue;
        const int32_t id = id_table_find(&((struct fusing *)(uintptr_t)fusing)->axis[k].ids,
                                         &fusing->product->pairs->ids[k].of[t][block], false);
        *offset += fusing->axis[k].offset[id] * fusing->stride[t][k];
    }
    return t == TCPLAN_C ? block_copy(tensor->rank, extent, mine, packed, fusing->product->dtype)
                         : block_copy(tensor->rank, extent, packed, mine, fusing->product->dtype);
}

double fused_copy_seconds(const struct tcplan_block_plan *plan, const struct strided *copy,
                          double resident_bytes) {
    const struct tcplan_copy_costs *costs = &plan->costs.copy[copy->dtype];
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(copy->dtype);
    const bool to = copy->to_bytes[0] == bytes, from = copy->from_bytes[0] == bytes;
    double elements = 1, lines = 0;
    bool transposes = false;
    for (int d = 0; d < copy->rank; d++) {
        elements *= (double)copy->extent[d];
        transposes = transposes || copy->from_bytes[d] == bytes;
    }
    for (int c = 0; c < plan->costs.cache_count; c++) {
        if (resident_bytes > plan->costs.cache[c].held_bytes)
            lines += plan->costs.cache[c].line_seconds;
    }
    return costs->begin + elements / (double)copy->extent[0] * costs->contiguous_row +
           elements * (to && from   ? costs->run
                       : transposes ? costs->transposed
                                    : costs->scattered) +
           elements * (double)bytes / 64 * lines * (1 + plan->costs.written);
}

/** Returns the number of the copy operation for blocks of this block's shape, which the first such
 * block adds; -1 if memory runs out. */
static int32_t shape_of(struct fusing *fusing, enum tcplan_operand t, int32_t block,
                        struct id_table *shapes, const struct strided *copy) {
    struct packed_tensor *packed = &fusing->out->tensor[t];
    const int32_t shape = id_table_find(shapes, &fusing->product->pairs->shape[t][block], true);
    if (shape < packed->copy_count) return shape;
    struct strided *larger = base_grow(packed->copy, (size_t)packed->copy_count, sizeof *larger);
    if (!larger) return -1;
    packed->copy = larger;
    larger[packed->copy_count++] = *copy;
    return shape;
}

/** Lists the copy operations of a tensor's blocks, and adds their predicted seconds to the
 * part's. */
static enum tcplan_status list_copies(struct fusing *fusing, enum tcplan_operand t) {
    struct packed_tensor *packed = &fusing->out->tensor[t];
    const struct id_table *used = &fusing->used[t];
    const double bytes = (double)fusing->out->workspace_elements *
                         (double)tcplan_dtype_bytes(fusing->product->dtype);
    struct id_table shapes = {.width = 1};
    double covered = 0;
    packed->count = used->count;
    packed->block = base_alloc((size_t)used->count * sizeof *packed->block);
    if (!packed->block) return error_no_memory(fusing->error);
    for (int32_t u = 0; u < used->count; u++) {
        const int32_t block = used->key[u];
        packed->block[u] = (struct packed_block){.block = block};
        if (packed->in_place) break;
        const struct strided copy = copy_of(fusing, t, block, &packed->block[u].offset);
        packed->block[u].shape = shape_of(fusing, t, block, &shapes, &copy);
        if (packed->block[u].shape < 0) {
            id_table_free(&shapes);
            return error_no_memory(fusing->error);
        }
        covered += structure_volume(fusing->product, t, block, ~(uint64_t)0);
        fusing->out->packing_seconds += fused_copy_seconds(fusing->plan, &copy, bytes);
    }
    id_table_free(&shapes);
    packed->is_full = covered >= (double)packed->elements;
    if (!packed->in_place && !packed->is_full && t != TCPLAN_C)
        fusing->out->packing_seconds +=
            (double)packed->elements * fusing->plan->costs.copy[fusing->product->dtype].run;
    return TCPLAN_OK;
}

/** Adds a tensor to the notation of the matrix product. An axis with several ids becomes one index;
 * an axis with a single id keeps its indices. */
static void add_tensor(struct strbuf *text, const struct fusing *fusing, enum tcplan_operand t,
                       int64_t stride[TCPLAN_MAX_RANK], int *rank) {
    const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
    const int32_t block = fusing->used[t].key[0];
    int64_t mine[TCPLAN_MAX_RANK];
    *rank = 0;
    strides_of(mine, fusing, t, block);
    strbuf_add(text, "%s[", t == TCPLAN_A ? "A" : t == TCPLAN_B ? "B" : "C");
    for (int k = 0; k < PAIRS_IDS; k++) {
        if (!has_axis(t, k) || fusing->axis[k].ids.count == 1) continue;
        strbuf_add(text, "%s%c", *rank > 0 ? "," : "", "krc"[k]);
        stride[(*rank)++] = fusing->stride[t][k];
    }
    for (int d = 0; d < tensor->rank; d++) {
        const int i = tensor->dims[d];
        bool is_fused = false;
        for (int k = 0; k < PAIRS_IDS; k++)
            is_fused =
                is_fused || ((fusing->axis[k].indices >> i & 1U) && fusing->axis[k].ids.count > 1);
        if (is_fused) continue;
        strbuf_add(text, "%si%d", *rank > 0 ? "," : "", i);
        stride[(*rank)++] =
            fusing->out->tensor[t].in_place ? mine[d] : packed_stride(fusing, t, block, i);
    }
    strbuf_add(text, "]");
}

/** Returns the extent of an index of the matrix product. */
static int64_t named_extent(const struct fusing *fusing, const char *name) {
    for (int k = 0; k < PAIRS_IDS; k++)
        if (name[0] == "krc"[k]) return extent_of_axis(&fusing->axis[k]);
    const int i = (int)strtol(name + 1, NULL, 10);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &fusing->product->contraction->tensor[t];
        for (int d = 0; d < tensor->rank; d++)
            if (tensor->dims[d] == i)
                return extent_of(fusing, (enum tcplan_operand)t, fusing->used[t].key[0], d);
    }
    return 1;
}

/** Plans the matrix product. If the result is packed, the product overwrites it (beta is 0); if it
 * is in place, the product updates it. */
static enum tcplan_status plan_product(struct fusing *fusing) {
    const struct tcplan_contraction *whole = fusing->product->contraction;
    static const enum tcplan_operand order[] = {TCPLAN_C, TCPLAN_A, TCPLAN_B};
    int64_t stride[TCPLAN_OPERANDS][TCPLAN_MAX_RANK], extent[TCPLAN_MAX_INDICES];
    int rank[TCPLAN_OPERANDS];
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_product *product = NULL;
    struct strbuf text = {0};
    for (int n = 0; n < TCPLAN_OPERANDS; n++) {
        add_tensor(&text, fusing, order[n], stride[order[n]], &rank[order[n]]);
        strbuf_add(&text, "%s", n == 0 ? "=" : n == 1 ? "*" : "");
    }
    char *notation = strbuf_finish(&text);
    if (!notation) return error_no_memory(fusing->error);
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, notation, whole->order, fusing->error);
    base_free(notation);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++) {
        if (t != TCPLAN_C)
            tcplan_contraction_set_conjugated(contraction, (enum tcplan_operand)t,
                                              whole->tensor[t].conjugated);
        if (rank[t] > 0)
            status = tcplan_contraction_set_strides(contraction, (enum tcplan_operand)t, stride[t],
                                                    fusing->error);
    }
    if (status != TCPLAN_OK) {
        tcplan_contraction_free(contraction);
        return status;
    }
    contraction->alpha = whole->alpha;
    contraction->beta =
        fusing->out->tensor[TCPLAN_C].in_place ? whole->beta : (struct tcplan_scalar){0};
    for (int i = 0; i < contraction->index_count; i++)
        extent[i] = named_extent(fusing, contraction->index[i].name);
    tcplan_contraction_fit_type(contraction, fusing->product->dtype);
    status = product_of(&product, contraction, extent, fusing->product->dtype, fusing->error);
    if (status == TCPLAN_OK) {
        fusing->out->flops = tcplan_product_flops(product);
        fusing->out->threads = block_is_shared(fusing->part.flops) &&
                                       fusing->part.flops > fusing->product->pairs->flops /
                                                                (2.0 * fusing->plan->threads)
                                   ? fusing->plan->threads
                                   : 1;
        status = dense_plan(&fusing->out->plan, &fusing->out->seconds, &fusing->plan->dense,
                            product, fusing->out->threads, fusing->error);
    }
    tcplan_product_free(product);
    return status;
}

enum tcplan_status fused_prepare(struct tcplan_block_plan *plan, int part,
                                 struct tcplan_error *error) {
    struct fusing fusing = {
        .plan = plan,
        .product = plan->product,
        .part = part < plan->product->pairs->part_count ? plan->product->pairs->part[part]
                                                        : block_whole(plan->product->pairs),
        .out = &plan->fused[part],
        .batch = tcplan_contraction_indices(plan->product->contraction, TCPLAN_BATCH),
        .error = error};
    enum tcplan_status status = list_used(&fusing);
    for (int k = 0; k < PAIRS_IDS && status == TCPLAN_OK; k++) status = place_axis(&fusing, k);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = lay_out(&fusing, (enum tcplan_operand)t);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = list_copies(&fusing, (enum tcplan_operand)t);
    if (status == TCPLAN_OK) status = plan_product(&fusing);
    fusing.out->seconds += fusing.out->packing_seconds;
    for (int k = 0; k < PAIRS_IDS; k++) {
        id_table_free(&fusing.axis[k].ids);
        base_free(fusing.axis[k].offset);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) id_table_free(&fusing.used[t]);
    return status;
}

double fused_whole_flops(const struct tcplan_block_product *product) {
    double flops = tcplan_dtype_is_complex(product->dtype) ? 8 : 2;
    for (int i = 0; i < product->contraction->index_count; i++)
        flops *= (double)product->index[i].total;
    return flops;
}

double fused_whole_elements(const struct tcplan_block_product *product) {
    double elements = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &product->contraction->tensor[t];
        double own = 1;
        for (int d = 0; d < tensor->rank; d++) own *= (double)product->index[tensor->dims[d]].total;
        elements += own;
    }
    return elements;
}

/* Running. */

/** State of copying the blocks of a tensor, which several threads may do together. */
struct copying {
    const struct block_run *run;
    const struct packed_tensor *packed;
    enum tcplan_operand t;
    int threads;
    char *matrix;
    size_t element_bytes;
};

/** Copies a thread's share of the blocks: into the matrix; for the result, to := from + beta *
 * to. */
static void copy_some(void *context, int thread) {
    const struct copying *copying = context;
    const struct packed_tensor *packed = copying->packed;
    const struct block_run *run = copying->run;
    const bool adds = !block_factor_is_zero(run->beta, run->plan->product->dtype);
    const int64_t end = packed->count * (thread + 1) / copying->threads;
    for (int64_t n = packed->count * thread / copying->threads; n < end; n++) {
        const struct packed_block *block = &packed->block[n];
        char *at = copying->matrix + (size_t)block->offset * copying->element_bytes;
        if (copying->t != TCPLAN_C) {
            const void *const *from = copying->t == TCPLAN_A ? run->A : run->B;
            strided_run_copy(&packed->copy[block->shape], at, from[block->block]);
            continue;
        }
        struct strided copy = packed->copy[block->shape];
        copy.accumulates = adds;
        if (adds) memcpy(&copy.factor, run->beta, copying->element_bytes);
        strided_run_copy(&copy, run->D[block->block], at);
    }
}

void fused_copy(const struct block_run *run, const struct packed_tensor *packed,
                enum tcplan_operand t, int threads, char *matrix) {
    struct copying copying = {.run = run,
                              .packed = packed,
                              .t = t,
                              .threads = threads,
                              .matrix = matrix,
                              .element_bytes = tcplan_dtype_bytes(run->plan->product->dtype)};
    if (threads > 1)
        share_run(threads, copy_some, &copying, NULL);
    else
        copy_some(&copying, 0);
}

/** Gives a tensor the part of the workspace that begins at `*place`, returns its address, and
 * advances `*place`. */
static char *place_of(const struct packed_tensor *packed, char **place, size_t element_bytes) {
    char *matrix = *place;
    *place += (size_t)(packed->elements + ALIGNED_ELEMENTS - 1) / ALIGNED_ELEMENTS *
              ALIGNED_ELEMENTS * element_bytes;
    return matrix;
}

/** Packs a factor, unless it is used in place, and returns the matrix's address; advances
 * `*place`. */
static const void *pack(const struct block_run *run, const struct fused_part *part,
                        enum tcplan_operand t, char **place, size_t element_bytes) {
    const struct packed_tensor *packed = &part->tensor[t];
    if (packed->in_place) return (t == TCPLAN_A ? run->A : run->B)[packed->block[0].block];
    char *matrix = place_of(packed, place, element_bytes);
    if (!packed->is_full) memset(matrix, 0, (size_t)packed->elements * element_bytes);
    fused_copy(run, packed, t, part->threads, matrix);
    return matrix;
}

enum tcplan_status fused_run(const struct block_run *run, const struct fused_part *part,
                             char *workspace, struct tcplan_error *error) {
    const enum tcplan_dtype dtype = run->plan->product->dtype;
    const size_t element_bytes = tcplan_dtype_bytes(dtype);
    const struct packed_tensor *result = &part->tensor[TCPLAN_C];
    const struct block_factor zero = {{0, 0}};
    struct tcplan_execution execution = {.size = sizeof execution, .alpha = run->alpha};
    char *place = workspace;
    execution.A = pack(run, part, TCPLAN_A, &place, element_bytes);
    execution.B = pack(run, part, TCPLAN_B, &place, element_bytes);
    execution.D = result->in_place ? run->D[result->block[0].block] : place;
    execution.beta = result->in_place ? run->beta : zero.number;
    const enum tcplan_status status = tcplan_plan_run(part->plan, &execution, error);
    if (status != TCPLAN_OK || result->in_place) return status;
    fused_copy(run, result, TCPLAN_C, part->threads, place);
    return TCPLAN_OK;
}

void fused_free(struct fused_part *part) {
    tcplan_plan_free(part->plan);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        base_free(part->tensor[t].block);
        base_free(part->tensor[t].copy);
    }
}
