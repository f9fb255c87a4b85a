#include "study/conformance/reduce.h"

#include <string.h>

#include "base/alloc.h"

enum { EXTENT_WAYS = 4, TENSOR_WAYS = 2, OPTIONS = 10, SPAN = 1 << 16 };

static void remove_dimension(struct product_tensor *tensor, int d) {
    const size_t rest = (size_t)(tensor->rank - d - 1) * sizeof *tensor->index;
    memmove(&tensor->index[d], &tensor->index[d + 1], rest);
    memmove(&tensor->extent[d], &tensor->extent[d + 1], rest);
    memmove(&tensor->stride[d], &tensor->stride[d + 1], rest);
    tensor->rank--;
}

/** Removes an index from all tensors. */
static int remove_index(struct product *out, const struct product_loops *loops, int number) {
    if (number >= loops->count || out->routine != 0) return 0;
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        for (int d = out->tensor[t].rank - 1; d >= 0; d--) {
            if (out->tensor[t].index[d] == loops->index[number])
                remove_dimension(&out->tensor[t], d);
        }
    }
    return 1;
}

/** Removes one of two equal indices of a tensor; for D, also from C. */
static int remove_diagonal(struct product *out, int t) {
    struct product_tensor *tensor = &out->tensor[t];
    if (t == PRODUCT_C) return 0;
    for (int d = tensor->rank - 1; d > 0; d--) {
        for (int e = 0; e < d; e++) {
            if (tensor->index[d] != tensor->index[e]) continue;
            remove_dimension(tensor, d);
            if (t == PRODUCT_D) remove_dimension(&out->tensor[PRODUCT_C], d);
            return 1;
        }
    }
    return 0;
}

static int shrink_extent(struct product *out, const struct product_loops *loops, int number,
                         int way) {
    const int64_t extent = number < loops->count ? loops->extent[number] : 0;
    const int64_t smaller[EXTENT_WAYS] = {1, 2, extent / 2, extent - 1};
    if (extent < 2 || smaller[way] >= extent) return 0;
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        for (int d = 0; d < out->tensor[t].rank; d++) {
            if (out->tensor[t].index[d] == loops->index[number])
                out->tensor[t].extent[d] = smaller[way];
        }
    }
    return 1;
}

/** Makes a tensor dense; a matrix of BLAS keeps its order. */
static bool make_dense(struct product_tensor *tensor, bool is_blas) {
    const struct product_tensor before = *tensor;
    const bool is_row_major = is_blas && tensor->rank == 2 && tensor->stride[0] != 1;
    product_make_dense(tensor);
    if (is_row_major) {
        tensor->stride[0] = tensor->extent[1] > 1 ? tensor->extent[1] : 1;
        tensor->stride[1] = 1;
    } else if (is_blas && tensor->rank == 2) {
        tensor->stride[1] = tensor->extent[0] > 1 ? tensor->extent[0] : 1;
    }
    return !product_same_strides(&before, tensor);
}

static int simplify_tensor(struct product *out, int t, int way) {
    struct product_tensor *tensor = &out->tensor[t];
    if (way == 1) {
        const bool had = tensor->op == TAPP_CONJUGATE;
        tensor->op = TAPP_IDENTITY;
        return had;
    }
    const bool changed = make_dense(tensor, out->routine != 0);
    if (t == PRODUCT_D && out->is_in_place) out->tensor[PRODUCT_C] = *tensor;
    return changed && !(t == PRODUCT_C && out->is_in_place);
}

static bool set_type(struct product *out, TAPP_datatype type) {
    bool changed = false;
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        changed = changed || out->tensor[t].type != type;
        out->tensor[t].type = type;
    }
    return changed;
}

static int simplify_option(struct product *out, const struct product *from, int option) {
    const bool is_blas = out->routine != 0;
    switch (option) {
    case 0: out->call = PRODUCT_ONCE; return from->call != PRODUCT_ONCE;
    case 1: out->alpha = 1; return from->alpha != 1;
    case 2:
        out->beta = 0;
        return from->beta != 0 && (!is_blas || from->beta != 1) &&
               !(from->with_nan >> PRODUCT_C & 1);
    case 3: out->beta = 1; return from->beta != 1 && from->beta != 0;
    case 4:
        out->is_in_place = out->lacks_C = false;
        return !is_blas && (from->is_in_place || from->lacks_C);
    case 5: out->is_guarded = false; return from->is_guarded;
    case 6: out->unread = 0; return from->unread != 0;
    case 7: out->is_one_factor = false; return from->is_one_factor;
    case 8: return set_type(out, TAPP_F64);
    case 9: return product_is_complex(from->tensor[PRODUCT_D].type) && set_type(out, TAPP_C64);
    default: return 0;
    }
}

/** Returns whether two elements of D have the same address; if D has an index twice, this
 * includes elements that are not on its diagonal. Returns false if D is empty or too large to
 * check. */
static bool overlaps(const struct product *product) {
    const struct product_tensor *D = &product->tensor[PRODUCT_D];
    const struct product_span span = product_span(D);
    int64_t place[PRODUCT_RANK] = {0}, elements = 1;
    for (int d = 0; d < D->rank; d++) elements *= D->extent[d];
    if (elements > span.elems) return true;
    if (span.elems > SPAN || elements == 0) return false;
    bool *taken = base_alloc_zero((size_t)span.elems, sizeof *taken);
    bool found = !taken;
    for (int64_t e = 0; !found && e < elements; e++) {
        int64_t offset = span.first;
        for (int d = 0; d < D->rank; d++) offset += place[d] * D->stride[d];
        found = taken[offset];
        taken[offset] = true;
        for (int d = 0; d < D->rank && ++place[d] == D->extent[d]; d++) place[d] = 0;
    }
    base_free(taken);
    return found;
}

/** Reduces a product as product_reduce() does, but elements of D may coincide in the result. */
static int reduce(struct product *out, const struct product *product, int step) {
    const struct product_loops loops = product_loops(product);
    *out = *product;
    if (product->is_invalid) return -1; /* invalid products are small already */
    if (step < PRODUCT_RANK) return remove_index(out, &loops, step);
    step -= PRODUCT_RANK;
    if (step < PRODUCT_TENSORS) return remove_diagonal(out, step);
    step -= PRODUCT_TENSORS;
    if (step < OPTIONS) return simplify_option(out, product, step);
    step -= OPTIONS;
    if (step < EXTENT_WAYS * PRODUCT_RANK)
        return shrink_extent(out, &loops, step % PRODUCT_RANK, step / PRODUCT_RANK);
    step -= EXTENT_WAYS * PRODUCT_RANK;
    if (step < TENSOR_WAYS * PRODUCT_TENSORS)
        return simplify_tensor(out, step / TENSOR_WAYS, step % TENSOR_WAYS);
    return -1;
}

int product_reduce(struct product *out, const struct product *product, int step) {
    const int found = reduce(out, product, step);
    return found > 0 && overlaps(out) ? 0 : found;
}
