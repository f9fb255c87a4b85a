/* Computes pointers to blocks in one buffer, after checking that the blocks are within the buffer
 * and that blocks of the result do not overlap. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "blocks/emit.h"

/** A block in the buffer: the offsets of its lowest and highest element, in elements. */
struct placed {
    int64_t low, high, block;
};

static bool span_of(struct placed *out, const struct tcplan_block_product *product,
                    enum tcplan_operand operand, int64_t block, int64_t offset) {
    int64_t extent[TCPLAN_MAX_RANK], stride[TCPLAN_MAX_RANK], reach;
    *out = (struct placed){offset, offset, block};
    tcplan_block_product_shape(product, operand, block, extent, stride);
    for (int d = 0; d < product->contraction->tensor[operand].rank; d++) {
        int64_t *end = stride[d] < 0 ? &out->low : &out->high;
        if (!checked_mul_i64(extent[d] - 1, stride[d], &reach) ||
            !checked_add_i64(*end, reach, end))
            return false;
    }
    return true;
}

int64_t block_buffer_elements(const struct tcplan_block_product *product,
                              enum tcplan_operand operand, int64_t offset[]) {
    int64_t next = 0;
    for (int64_t b = 0; b < product->tensor[operand].count; b++) {
        struct placed placed;
        if (!span_of(&placed, product, operand, b, 0)) return -1;
        if (offset) offset[b] = next - placed.low;
        if (!checked_add_i64(next, placed.high - placed.low + 1, &next)) return -1;
    }
    return next;
}

static int compare(const void *a, const void *b) {
    const struct placed *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/** Marks the elements of a block; returns false if one of them was already marked. */
static bool mark(unsigned char marked[], const struct tcplan_block_product *product, int64_t block,
                 int64_t offset) {
    const int rank = product->contraction->tensor[TCPLAN_C].rank;
    int64_t extent[TCPLAN_MAX_RANK], stride[TCPLAN_MAX_RANK], at[TCPLAN_MAX_RANK] = {0};
    tcplan_block_product_shape(product, TCPLAN_C, block, extent, stride);
    while (true) {
        if (marked[offset / 8] >> offset % 8 & 1U) return false;
        marked[offset / 8] |= (unsigned char)(1U << offset % 8);
        int d = 0;
        for (; d < rank; d++) {
            offset += stride[d];
            if (++at[d] < extent[d]) break;
            offset -= extent[d] * stride[d];
            at[d] = 0;
        }
        if (d == rank) return true;
    }
}

/** Rejects a list in which two blocks of the result share an element. Blocks whose address ranges
 * are disjoint are accepted at once; otherwise every element of the buffer is marked. */
static enum tcplan_status check_apart(const struct tcplan_block_product *product,
                                      struct placed placed[], int64_t count, int64_t elements,
                                      const int64_t offset[], struct tcplan_error *error) {
    bool apart = true;
    qsort(placed, (size_t)count, sizeof *placed, compare);
    for (int64_t n = 1; n < count; n++) apart = apart && placed[n].low > placed[n - 1].high;
    if (apart) return TCPLAN_OK;
    unsigned char *marked = base_alloc_zero((size_t)elements / 8 + 1, 1);
    if (!marked) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t b = 0; b < count && status == TCPLAN_OK; b++) {
        if (!mark(marked, product, b, offset[b]))
            status = error_set(
                error, TCPLAN_INVALID,
                "block %lld of the result, %s at offset %lld, overlaps an earlier one",
                (long long)b,
                structure_name(product, TCPLAN_C, structure_at(product, TCPLAN_C, b)).text,
                (long long)offset[b]);
    }
    base_free(marked);
    return status;
}

enum tcplan_status tcplan_block_pointers(void *pointer[],
                                         const struct tcplan_block_product *product,
                                         enum tcplan_operand operand, void *buffer,
                                         int64_t elements, const int64_t offset[],
                                         struct tcplan_error *error) {
    const int64_t count = product->tensor[operand].count;
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(product->dtype);
    struct placed *placed = base_alloc(((size_t)count + 1) * sizeof *placed);
    enum tcplan_status status = placed ? TCPLAN_OK : error_no_memory(error);
    int64_t next = 0;
    for (int64_t b = 0; b < count && status == TCPLAN_OK; b++) {
        const int64_t here = offset ? offset[b] : next;
        if (!span_of(&placed[b], product, operand, b, here) || placed[b].low < 0 ||
            placed[b].high >= elements) {
            status = error_set(
                error, TCPLAN_INVALID,
                "block %lld, %s at offset %lld, exceeds the buffer of %lld elements", (long long)b,
                structure_name(product, operand, structure_at(product, operand, b)).text,
                (long long)here, (long long)elements);
            break;
        }
        pointer[b] = (char *)buffer + here * bytes;
        next = placed[b].high + 1;
    }
    if (status == TCPLAN_OK && offset && operand == TCPLAN_C)
        status = check_apart(product, placed, count, elements, offset, error);
    base_free(placed);
    return status;
}
