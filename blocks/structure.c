#include "blocks/structure.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "blocks/pairs.h"
#include "blocks/table.h"

/* Maximum number of blocks of one tensor; longer lists are rejected. */
enum { MOST_BLOCKS = 1 << 28 };

static const char *const names[] = {"A", "B", "the result"};

struct block_name structure_name(const struct tcplan_block_product *product,
                                 enum tcplan_operand operand, const int32_t at[]) {
    struct block_name out;
    const int rank = product->contraction->tensor[operand].rank;
    size_t length = (size_t)snprintf(out.text, sizeof out.text, "%.20s(",
                                     product->contraction->tensor[operand].name);
    for (int d = 0; d < rank && length + 16 < sizeof out.text; d++)
        length += (size_t)snprintf(out.text + length, sizeof out.text - length, "%s%d",
                                   d > 0 ? "," : "", (int)at[d]);
    snprintf(out.text + length, sizeof out.text - length, ")");
    return out;
}

double structure_volume(const struct tcplan_block_product *product, enum tcplan_operand operand,
                        int64_t block, uint64_t indices) {
    const struct tcplan_tensor *tensor = &product->contraction->tensor[operand];
    const int32_t *at = structure_at(product, operand, block);
    double volume = 1;
    for (int d = 0; d < tensor->rank; d++) {
        if (indices >> tensor->dims[d] & 1U)
            volume *= (double)product->index[tensor->dims[d]].extent[at[d]];
    }
    return volume;
}

/* Making products. */

static enum tcplan_status check_contraction(const struct tcplan_contraction *contraction,
                                            struct tcplan_error *error) {
    if (tcplan_contraction_has_addend(contraction))
        return error_set(
            error, TCPLAN_INVALID,
            "a block-sparse product can only add to its own result; found another tensor, '%.40s'",
            contraction->tensor[TCPLAN_ADDEND].name);
    if (contraction->tensor[TCPLAN_C].conjugated)
        return error_set(
            error, TCPLAN_INVALID,
            "the result of a block-sparse product cannot be conjugated; conjugate A and B");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        if (tensor->rank != __builtin_popcountll(tensor->indices))
            return error_set(
                error, TCPLAN_INVALID,
                "an index occurs twice in '%.40s'; block-sparse tensors have each index once",
                tensor->name);
        if (tensor->strided)
            return error_set(
                error, TCPLAN_INVALID,
                "a block-sparse tensor has no strides of its own; found strides of '%.40s'",
                tensor->name);
    }
    return TCPLAN_OK;
}

static enum tcplan_status copy_sections(struct block_sections *out, const struct block_sections *in,
                                        const char *name, struct tcplan_error *error) {
    if (in->count < 1)
        return error_set(error, TCPLAN_INVALID, "index '%.40s' has %d sections; expected 1 or more",
                         name, in->count);
    out->extent = base_alloc((size_t)in->count * sizeof *out->extent);
    if (!out->extent) return error_no_memory(error);
    out->count = in->count;
    for (int s = 0; s < in->count; s++) {
        out->extent[s] = in->extent[s];
        if (in->extent[s] < 1 || in->extent[s] > INT32_MAX)
            return error_set(error, TCPLAN_INVALID,
                             "section %d of index '%.40s' has extent %lld; expected 1 to %d", s,
                             name, (long long)in->extent[s], INT32_MAX);
        if (!checked_add_i64(out->total, in->extent[s], &out->total))
            return error_set(error, TCPLAN_OVERFLOW,
                             "the sections of index '%.40s' add up to more than the largest extent",
                             name);
    }
    return TCPLAN_OK;
}

/** Lists all combinations of sections as blocks of a tensor. */
static enum tcplan_status list_all(struct tcplan_block_product *product,
                                   enum tcplan_operand operand, struct tcplan_error *error) {
    const struct tcplan_tensor *tensor = &product->contraction->tensor[operand];
    struct block_list *list = &product->tensor[operand];
    int64_t count = 1;
    for (int d = 0; d < tensor->rank; d++)
        count = saturated_mul_i64(count, product->index[tensor->dims[d]].count);
    if (count > MOST_BLOCKS)
        return error_set(error, TCPLAN_OVERFLOW, "%s has too many blocks; list the nonzero ones",
                         names[operand]);
    list->at = base_alloc_zero((size_t)count * (size_t)tensor->rank + 1, sizeof *list->at);
    if (!list->at) return error_no_memory(error);
    list->count = count;
    for (int64_t block = 0; block < count; block++) {
        int64_t rest = block;
        for (int d = tensor->rank - 1; d >= 0; d--) {
            const int sections = product->index[tensor->dims[d]].count;
            list->at[block * tensor->rank + d] = (int32_t)(rest % sections);
            rest /= sections;
        }
    }
    return TCPLAN_OK;
}

/** Rejects coordinates that are out of range, and blocks that are listed twice. */
static enum tcplan_status check_list(const struct tcplan_block_product *product,
                                     enum tcplan_operand operand, struct tcplan_error *error) {
    const struct tcplan_tensor *tensor = &product->contraction->tensor[operand];
    struct id_table table = {.width = tensor->rank};
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t block = 0; block < product->tensor[operand].count && status == TCPLAN_OK;
         block++) {
        const int32_t *at = structure_at(product, operand, block);
        for (int d = 0; d < tensor->rank && status == TCPLAN_OK; d++) {
            const int sections = product->index[tensor->dims[d]].count;
            if (at[d] < 0 || at[d] >= sections)
                status =
                    error_set(error, TCPLAN_INVALID,
                              "block %lld of %s has section %d of index '%.40s'; expected 0 to %d",
                              (long long)block, names[operand], (int)at[d],
                              product->contraction->index[tensor->dims[d]].name, sections - 1);
        }
        if (status != TCPLAN_OK) break;
        const int32_t id = id_table_find(&table, at, true);
        if (id == -2) status = error_no_memory(error);
        if (id >= 0 && id < block)
            status = error_set(error, TCPLAN_INVALID,
                               "blocks %d and %lld of %s are the same, %s; list each block once",
                               (int)id, (long long)block, names[operand],
                               structure_name(product, operand, at).text);
    }
    id_table_free(&table);
    return status;
}

static enum tcplan_status copy_list(struct tcplan_block_product *product,
                                    enum tcplan_operand operand, const struct block_list *in,
                                    struct tcplan_error *error) {
    const size_t rank = (size_t)product->contraction->tensor[operand].rank;
    struct block_list *list = &product->tensor[operand];
    if (in->count == TCPLAN_BLOCKS_ALL) return list_all(product, operand, error);
    if (operand == TCPLAN_C && in->count == TCPLAN_BLOCKS_REACHED) return TCPLAN_OK;
    if (in->count < 0 || in->count > MOST_BLOCKS || (in->count > 0 && rank > 0 && !in->at))
        return error_set(error, TCPLAN_INVALID, "%s has %lld blocks; expected a list of 0 to %d",
                         names[operand], (long long)in->count, MOST_BLOCKS);
    const size_t numbers = (size_t)in->count * rank;
    list->count = in->count;
    list->at = base_alloc_zero(numbers + 1, sizeof *list->at);
    if (!list->at) return error_no_memory(error);
    if (numbers > 0) memcpy(list->at, in->at, numbers * sizeof *list->at);
    if (in->stride && numbers > 0) {
        list->stride = base_alloc(numbers * sizeof *list->stride);
        if (!list->stride) return error_no_memory(error);
        memcpy(list->stride, in->stride, numbers * sizeof *list->stride);
    }
    return check_list(product, operand, error);
}

enum tcplan_status structure_make(struct tcplan_block_product **out,
                                  struct tcplan_contraction *contraction,
                                  const struct block_sections index[],
                                  const struct block_list list[TCPLAN_OPERANDS],
                                  enum tcplan_dtype dtype, struct tcplan_error *error) {
    struct tcplan_block_product *product = base_alloc_zero(1, sizeof *product);
    enum tcplan_status status = product ? TCPLAN_OK : error_no_memory(error);
    if (!product) {
        tcplan_contraction_free(contraction);
        return status;
    }
    product->owners = 1;
    product->contraction = contraction;
    product->dtype = dtype;
    status = check_contraction(contraction, error);
    for (int i = 0; i < contraction->index_count && status == TCPLAN_OK; i++)
        status = copy_sections(&product->index[i], &index[i], contraction->index[i].name, error);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++)
        status = copy_list(product, (enum tcplan_operand)t, &list[t], error);
    if (status == TCPLAN_OK)
        status = pairs_find(product, list[TCPLAN_C].count == TCPLAN_BLOCKS_REACHED, error);
    if (status == TCPLAN_OK) {
        *out = product;
    } else {
        tcplan_block_product_free(product);
    }
    return status;
}

struct tcplan_block_product *structure_share(const struct tcplan_block_product *product) {
    struct tcplan_block_product *shared = (struct tcplan_block_product *)(uintptr_t)product;
    atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void tcplan_block_product_free(struct tcplan_block_product *product) {
    if (!product || atomic_fetch_sub(&product->owners, 1) > 1) return;
    pairs_free(product->pairs);
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) base_free(product->index[i].extent);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        base_free(product->tensor[t].at);
        base_free(product->tensor[t].stride);
    }
    tcplan_contraction_free(product->contraction);
    base_free(product);
}
