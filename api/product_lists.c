/*
 * Products from lists of indices, or from shapes and subscripts of einsum. Lists and shapes are
 * written as text, which the usual parsers read.
 */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "api/product.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "tcplan/shapes.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum { LETTERS = sizeof letters - 1 };

/** The lists of a product. Its indices are numbered in the order in which D, A and B first have
 * them. */
struct lists {
    const struct tcplan_dimensions *tensor[TCPLAN_TENSORS]; /* lists of each operand; NULL: there is
                                                               no addend */
    const char *name[TCPLAN_TENSORS];
    struct tcplan_error *error;
    int count;
    int64_t label[TCPLAN_MAX_INDICES];
    int64_t extent[TCPLAN_MAX_INDICES];
    const char *owner[TCPLAN_MAX_INDICES]; /* name of the first tensor that has the index */
    uint64_t in[TCPLAN_TENSORS];           /* the set of indices of each tensor */
};

/** Text of a label for a message, such as `97 ('a')`. */
struct label_text {
    char text[40];
};

static struct label_text label_text(int64_t label) {
    struct label_text out = {""};
    struct strbuf text = {0};
    strbuf_add(&text, label > ' ' && label <= '~' ? "%lld ('%c')" : "%lld", (long long)label,
               (int)label);
    if (text.text)
        memcpy(out.text, text.text,
               text.length < sizeof out.text ? text.length : sizeof out.text - 1);
    strbuf_free(&text);
    return out;
}

/** Returns the number of an index; lists->count if it is new. */
static int find(const struct lists *lists, int64_t label) {
    int index = 0;
    while (index < lists->count && lists->label[index] != label) index++;
    return index;
}

static enum tcplan_status check_tensor(const struct lists *lists, enum tcplan_operand operand) {
    const struct tcplan_dimensions *tensor = lists->tensor[operand];
    const char *name = lists->name[operand];
    if (!tensor)
        return error_set(lists->error, TCPLAN_INVALID, "expected the dimensions of %s, found NULL",
                         name);
    if (tensor->rank < 0 || tensor->rank > TCPLAN_MAX_RANK) {
        return error_set(lists->error, TCPLAN_INVALID,
                         "tensor %s has %d dimensions, expected 0 to %d", name, tensor->rank,
                         TCPLAN_MAX_RANK);
    }
    if (tensor->rank == 0) return TCPLAN_OK;
    if (!tensor->extent)
        return error_set(lists->error, TCPLAN_INVALID, "expected the extents of %s, found NULL",
                         name);
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->extent[d] >= 0 && tensor->extent[d] <= INT_MAX) continue;
        return error_set(lists->error, TCPLAN_INVALID,
                         "dimension %d of %s has extent %lld, expected 0 to %d", d + 1, name,
                         (long long)tensor->extent[d], INT_MAX);
    }
    return TCPLAN_OK;
}

/** Adds the indices of a tensor to the product's list. */
static enum tcplan_status add_indices(struct lists *lists, enum tcplan_operand operand) {
    const struct tcplan_dimensions *tensor = lists->tensor[operand];
    if (tensor->rank > 0 && !tensor->label) {
        return error_set(lists->error, TCPLAN_INVALID, "expected the labels of %s, found NULL",
                         lists->name[operand]);
    }
    for (int d = 0; d < tensor->rank; d++) {
        const int index = find(lists, tensor->label[d]);
        if (index == TCPLAN_MAX_INDICES) {
            return error_set(lists->error, TCPLAN_INVALID,
                             "label %s of %s exceeds the limit of %d different labels in a product",
                             label_text(tensor->label[d]).text, lists->name[operand],
                             TCPLAN_MAX_INDICES);
        }
        if (index == lists->count) {
            lists->label[index] = tensor->label[d];
            lists->extent[index] = tensor->extent[d];
            lists->owner[index] = lists->name[operand];
            lists->count++;
        }
        lists->in[operand] |= (uint64_t)1 << index;
        if (lists->extent[index] == tensor->extent[d]) continue;
        return error_set(
            lists->error, TCPLAN_INVALID,
            "the index with label %s has extent %lld in %s and %lld in dimension %d of %s; expected equal extents",
            label_text(tensor->label[d]).text, (long long)lists->extent[index], lists->owner[index],
            (long long)tensor->extent[d], d + 1, lists->name[operand]);
    }
    return TCPLAN_OK;
}

/** Returns the label of the first index in a non-empty set, as text for a message. */
static struct label_text first_of(const struct lists *lists, uint64_t set) {
    assert(set && __builtin_ctzll(set) < lists->count);
    return label_text(lists->label[__builtin_ctzll(set)]);
}

static enum tcplan_status check_indices(const struct lists *lists) {
    const uint64_t result = lists->in[TCPLAN_C],
                   lonely = result & ~lists->in[TCPLAN_A] & ~lists->in[TCPLAN_B];
    if (lonely) {
        return error_set(lists->error, TCPLAN_INVALID,
                         "the index with label %s of the result D is in neither A nor B",
                         first_of(lists, lonely).text);
    }
    if (!lists->tensor[TCPLAN_ADDEND]) return TCPLAN_OK;
    const uint64_t missing = result & ~lists->in[TCPLAN_ADDEND],
                   foreign = lists->in[TCPLAN_ADDEND] & ~result;
    if (missing)
        return error_set(lists->error, TCPLAN_INVALID, "C lacks the index with label %s of D",
                         first_of(lists, missing).text);
    if (!foreign) return TCPLAN_OK;
    return error_set(lists->error, TCPLAN_INVALID, "C has an index with label %s, which D lacks",
                     first_of(lists, foreign).text);
}

static enum tcplan_status read_lists(struct lists *lists) {
    static const enum tcplan_operand order[TCPLAN_TENSORS] = {TCPLAN_C, TCPLAN_A, TCPLAN_B,
                                                              TCPLAN_ADDEND};
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < TCPLAN_TENSORS && status == TCPLAN_OK; t++) {
        if (order[t] == TCPLAN_ADDEND && !lists->tensor[TCPLAN_ADDEND]) continue;
        status = check_tensor(lists, order[t]);
        if (status == TCPLAN_OK) status = add_indices(lists, order[t]);
    }
    return status == TCPLAN_OK ? check_indices(lists) : status;
}

/* Functions that write lists as notation. */

/** Returns whether all labels are letters, which then serve as names. */
static bool are_letters(const struct lists *lists) {
    for (int i = 0; i < lists->count; i++) {
        const int64_t label = lists->label[i];
        if (!((label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z'))) return false;
    }
    return true;
}

/** Appends `A[a,i]`. The names are the labels if all are letters, otherwise the first letters of
 * the alphabet or, if there are too many indices, i0, i1, ... */
static void add_tensor(struct strbuf *out, const struct lists *lists, enum tcplan_operand operand,
                       bool by_label) {
    const struct tcplan_dimensions *tensor = lists->tensor[operand];
    strbuf_add(out, "%s[", lists->name[operand]);
    for (int d = 0; d < tensor->rank; d++) {
        const int index = find(lists, tensor->label[d]);
        assert(index < lists->count); /* ensured by add_indices(), which added all labels */
        strbuf_add(out, "%s", d > 0 ? "," : "");
        if (by_label || lists->count <= LETTERS) {
            strbuf_add(out, "%c", by_label ? (int)tensor->label[d] : letters[index]);
        } else {
            strbuf_add(out, "i%d", index);
        }
    }
    strbuf_add(out, "]");
}

static enum tcplan_status parse_lists(struct tcplan_contraction **out, const struct lists *lists,
                                      enum tcplan_order order) {
    const bool by_label = are_letters(lists);
    struct strbuf text = {0};
    add_tensor(&text, lists, TCPLAN_C, by_label);
    strbuf_add(&text, "=");
    add_tensor(&text, lists, TCPLAN_A, by_label);
    strbuf_add(&text, "*");
    add_tensor(&text, lists, TCPLAN_B, by_label);
    if (lists->tensor[TCPLAN_ADDEND]) {
        strbuf_add(&text, "+");
        add_tensor(&text, lists, TCPLAN_ADDEND, by_label);
    }
    char *notation = strbuf_finish(&text);
    if (!notation) return error_no_memory(lists->error);
    const enum tcplan_status status = tcplan_contraction_parse(out, notation, order, lists->error);
    base_free(notation);
    return status;
}

/* Layout. */

/** Returns the order in which more tensors are dense. A tensor without strides has the wanted
 * order. */
static enum tcplan_order best_order(const struct lists *lists, enum tcplan_order wanted) {
    const enum tcplan_order other =
        wanted == TCPLAN_COLUMN_MAJOR ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    int more = 0;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct tcplan_dimensions *tensor = lists->tensor[t];
        if (!tensor || tensor->rank == 0) continue;
        if (!tensor->stride) return wanted;
        more += product_is_dense(tensor->rank, tensor->extent, tensor->stride, other);
        more -= product_is_dense(tensor->rank, tensor->extent, tensor->stride, wanted);
    }
    return more > 0 ? other : wanted;
}

/** Gives a tensor its strides, unless it is dense. */
static enum tcplan_status set_strides(struct tcplan_contraction *contraction,
                                      enum tcplan_operand operand, const int64_t extent[],
                                      const int64_t stride[], struct tcplan_error *error) {
    const int rank = contraction->tensor[operand].rank;
    if (rank == 0 || !stride || product_is_dense(rank, extent, stride, contraction->order))
        return TCPLAN_OK;
    return tcplan_contraction_set_strides(contraction, operand, stride, error);
}

/** Sets which tensors are conjugated. A conjugated D conjugates the right side, and with it each
 * tensor. */
static void set_conjugates(struct tcplan_contraction *contraction, const struct lists *lists) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const bool own = t != TCPLAN_C && lists->tensor[t] && lists->tensor[t]->conjugated;
        tcplan_contraction_set_conjugated(contraction, (enum tcplan_operand)t,
                                          own != lists->tensor[TCPLAN_C]->conjugated);
    }
}

/** Records the conjugates that executions need and contractions cannot express. Real types have
 * none. */
static void note_conjugates(struct tcplan_product *product, const struct lists *lists) {
    const bool result = lists->tensor[TCPLAN_C]->conjugated;
    const struct tcplan_dimensions *addend = lists->tensor[TCPLAN_ADDEND];
    if (!tcplan_dtype_is_complex(product->problem.dtype)) return;
    product->conjugates_factors = result;
    product->conjugates_added = (addend && addend->conjugated) != result;
}

/** Finds the extents of a contraction's indices from the lists, which number the indices
 * differently. */
static void find_extents(int64_t extent[TCPLAN_MAX_INDICES],
                         const struct tcplan_contraction *contraction, const struct lists *lists) {
    assert(contraction->index_count == lists->count); /* holds, because the notation names all
                                                         indices */
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        assert(contraction->tensor[t].rank == lists->tensor[t]->rank);
        for (int d = 0; d < contraction->tensor[t].rank; d++)
            extent[contraction->tensor[t].dims[d]] = lists->tensor[t]->extent[d];
    }
}

enum tcplan_status tcplan_product_make(struct tcplan_product **out,
                                       const struct tcplan_dimensions *A,
                                       const struct tcplan_dimensions *B,
                                       const struct tcplan_dimensions *C,
                                       const struct tcplan_dimensions *D, enum tcplan_dtype dtype,
                                       enum tcplan_order order, struct tcplan_error *error) {
    struct lists lists = {
        .tensor = {A, B, D, C}, .name = {"A", "B", C ? "D" : "C", "C"}, .error = error};
    struct tcplan_contraction *contraction = NULL;
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    if (!out)
        return error_set(error, TCPLAN_INVALID, "expected a pointer for the product, found NULL");
    lists.name[TCPLAN_C] = "D"; /* messages call the result D, even if the notation calls it C */
    enum tcplan_status status = product_check_kind(dtype, order, error);
    if (status == TCPLAN_OK) status = read_lists(&lists);
    if (status == TCPLAN_OK) lists.name[TCPLAN_C] = C ? "D" : "C";
    if (status == TCPLAN_OK) status = parse_lists(&contraction, &lists, best_order(&lists, order));
    if (status != TCPLAN_OK || !contraction) return status;
    set_conjugates(contraction, &lists);
    find_extents(extent, contraction, &lists);
    for (int t = 0; t < TCPLAN_TENSORS && status == TCPLAN_OK; t++) {
        const struct tcplan_dimensions *tensor = lists.tensor[t];
        if (tensor)
            status = set_strides(contraction, (enum tcplan_operand)t, tensor->extent,
                                 tensor->stride, error);
    }
    if (status != TCPLAN_OK) {
        tcplan_contraction_free(contraction);
        return status;
    }
    status = product_of(out, contraction, extent, dtype, error);
    if (status == TCPLAN_OK) note_conjugates(*out, &lists);
    return status;
}

/* Functions that make products from einsum subscripts. */

/** Appends `(8,64)` or `()`: a shape as tcplan_shapes_parse() reads it. */
static void add_shape(struct strbuf *out, const struct tcplan_dimensions *tensor) {
    strbuf_add(out, "(");
    for (int d = 0; d < tensor->rank; d++)
        strbuf_add(out, "%s%lld", d > 0 ? "," : "", (long long)tensor->extent[d]);
    strbuf_add(out, ")");
}

static enum tcplan_status make_shapes(struct tcplan_shapes **out, const struct tcplan_dimensions *A,
                                      const struct tcplan_dimensions *B,
                                      struct tcplan_error *error) {
    struct strbuf text = {0};
    add_shape(&text, A);
    strbuf_add(&text, " ");
    add_shape(&text, B);
    char *shapes = strbuf_finish(&text);
    if (!shapes) return error_no_memory(error);
    const enum tcplan_status status = tcplan_shapes_parse(out, shapes, error);
    base_free(shapes);
    return status;
}

/**
 * Finds the extents that shapes give the indices of a contraction. Clears the place of an error,
 * which refers to a text that the caller does not have.
 */
static enum tcplan_status find_shape_extents(int64_t extent[TCPLAN_MAX_INDICES],
                                             const struct tcplan_shapes *shapes,
                                             const struct tcplan_contraction *contraction,
                                             struct tcplan_error *error) {
    struct tcplan_sizes *sizes = NULL;
    const enum tcplan_status status = tcplan_shapes_sizes(&sizes, shapes, contraction, error);
    if (status == TCPLAN_OK) {
        tcplan_sizes_point(sizes, 0, extent);
        tcplan_sizes_free(sizes);
    } else if (error) {
        error->column = error->length = 0;
    }
    return status;
}

/**
 * Sets the strides of a factor. The contraction may lack dimensions of extent 1 of the given
 * tensor; the others have the same order. If several such dimensions make it ambiguous which ones
 * are missing, their strides have no effect.
 */
static enum tcplan_status set_matching_strides(struct tcplan_contraction *contraction,
                                               enum tcplan_operand operand,
                                               const struct tcplan_dimensions *given,
                                               const int64_t extent[], struct tcplan_error *error) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int64_t own_extent[TCPLAN_MAX_RANK] = {0}, own_stride[TCPLAN_MAX_RANK] = {0};
    int found = 0;
    if (!given->stride) return TCPLAN_OK;
    for (int d = 0; d < given->rank && found < tensor->rank; d++) {
        own_extent[found] = extent[tensor->dims[found]];
        if (given->extent[d] != own_extent[found]) continue;
        own_stride[found++] = given->stride[d];
    }
    return set_strides(contraction, operand, own_extent, own_stride, error);
}

static enum tcplan_status lay_out(struct tcplan_contraction *contraction, const struct lists *lists,
                                  const int64_t extent[], const int64_t stride_D[]) {
    const struct tcplan_tensor *result = &contraction->tensor[TCPLAN_C];
    int64_t result_extent[TCPLAN_MAX_RANK] = {0};
    for (int d = 0; d < result->rank; d++) result_extent[d] = extent[result->dims[d]];
    enum tcplan_status status =
        set_matching_strides(contraction, TCPLAN_A, lists->tensor[TCPLAN_A], extent, lists->error);
    if (status == TCPLAN_OK)
        status = set_matching_strides(contraction, TCPLAN_B, lists->tensor[TCPLAN_B], extent,
                                      lists->error);
    return status == TCPLAN_OK
               ? set_strides(contraction, TCPLAN_C, result_extent, stride_D, lists->error)
               : status;
}

enum tcplan_status tcplan_product_einsum(struct tcplan_product **out, const char *subscripts,
                                         const struct tcplan_dimensions *A,
                                         const struct tcplan_dimensions *B,
                                         const int64_t stride_D[], enum tcplan_dtype dtype,
                                         enum tcplan_order order, struct tcplan_error *error) {
    const struct lists lists = {.tensor = {A, B}, .name = {"A", "B"}, .error = error};
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_shapes *shapes = NULL;
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    if (!out || !subscripts)
        return error_set(error, TCPLAN_INVALID,
                         "expected a pointer for the product and subscripts, found NULL");
    enum tcplan_status status = product_check_kind(dtype, order, error);
    if (status == TCPLAN_OK && strchr(subscripts, '=')) {
        status = error_set(error, TCPLAN_INVALID,
                           "expected subscripts of einsum, such as ai,ibc->abc, found a '='");
    }
    if (status == TCPLAN_OK) status = check_tensor(&lists, TCPLAN_A);
    if (status == TCPLAN_OK) status = check_tensor(&lists, TCPLAN_B);
    if (status == TCPLAN_OK) status = make_shapes(&shapes, A, B, error);
    if (status == TCPLAN_OK)
        status = tcplan_contraction_parse_shaped(&contraction, subscripts, shapes, order, error);
    if (status == TCPLAN_OK) status = find_shape_extents(extent, shapes, contraction, error);
    if (status == TCPLAN_OK) status = lay_out(contraction, &lists, extent, stride_D);
    tcplan_shapes_free(shapes);
    if (status != TCPLAN_OK) {
        tcplan_contraction_free(contraction);
        return status;
    }
    tcplan_contraction_set_conjugated(contraction, TCPLAN_A, A->conjugated);
    tcplan_contraction_set_conjugated(contraction, TCPLAN_B, B->conjugated);
    return product_of(out, contraction, extent, dtype, error);
}
