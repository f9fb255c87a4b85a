#include "api/product.h"

#include <string.h>

#include "ast/contraction/contraction.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"

enum tcplan_status product_check_kind(enum tcplan_dtype dtype, enum tcplan_order order,
                                      struct tcplan_error *error) {
    const int type = (int)dtype, layout = (int)order;
    if (type < 0 || type >= (int)TCPLAN_DTYPES) {
        return error_set(error, TCPLAN_INVALID, "expected a type of enum tcplan_dtype, found %d",
                         type);
    }
    if (layout == (int)TCPLAN_COLUMN_MAJOR || layout == (int)TCPLAN_ROW_MAJOR) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "expected an order of enum tcplan_order, found %d",
                     layout);
}

bool product_is_dense(int rank, const int64_t extent[], const int64_t stride[],
                      enum tcplan_order order) {
    int64_t elems = 1;
    for (int i = 0; i < rank; i++) {
        const int d = order == TCPLAN_COLUMN_MAJOR ? i : rank - 1 - i;
        if (extent[d] == 0) return true;
        if (extent[d] > 1 && stride[d] != elems) return false;
        if (!checked_mul_i64(elems, extent[d], &elems)) return false;
    }
    return true;
}

enum tcplan_status product_of(struct tcplan_product **out, struct tcplan_contraction *contraction,
                              const int64_t extent[], enum tcplan_dtype dtype,
                              struct tcplan_error *error) {
    struct tcplan_product *product = base_alloc(sizeof *product);
    if (!product) {
        tcplan_contraction_free(contraction);
        return error_no_memory(error);
    }
    *product = (struct tcplan_product){.contraction = contraction};
    tcplan_contraction_fit_type(contraction, dtype);
    const enum tcplan_operand added =
        tcplan_contraction_has_addend(contraction) ? TCPLAN_ADDEND : TCPLAN_C;
    product->conjugates_added = contraction->tensor[added].conjugated;
    enum tcplan_status status =
        tcplan_problem_init(&product->problem, contraction, extent, dtype, error);
    if (status == TCPLAN_OK) {
        *out = product;
    } else {
        tcplan_product_free(product);
    }
    return status;
}

enum tcplan_status product_copy(struct tcplan_product **out, const struct tcplan_product *product,
                                struct tcplan_error *error) {
    struct tcplan_product *copy = base_alloc(sizeof *copy);
    if (!copy) return error_no_memory(error);
    *copy = *product;
    copy->contraction = NULL;
    enum tcplan_status status = contraction_copy(&copy->contraction, product->contraction, error);
    copy->problem.contraction = copy->contraction;
    if (status == TCPLAN_OK) {
        *out = copy;
    } else {
        tcplan_product_free(copy);
    }
    return status;
}

struct tcplan_scalar product_factor(const struct tcplan_product *product, const void *value) {
    struct tcplan_scalar factor = {0, 0};
    float single[2] = {0, 0};
    switch (product->problem.dtype) {
    case TCPLAN_FLOAT:
    case TCPLAN_FLOAT_COMPLEX:
        memcpy(single, value, product->problem.element_bytes);
        factor = (struct tcplan_scalar){single[0], single[1]};
        break;
    case TCPLAN_DOUBLE: memcpy(&factor.re, value, sizeof factor.re); break;
    case TCPLAN_DOUBLE_COMPLEX: memcpy(&factor, value, sizeof factor); break;
    case TCPLAN_DTYPES: break;
    }
    if (product->conjugates_factors) factor.im = -factor.im;
    return factor;
}

/* Functions that make products from text. */

/** Prefixes the message of an error with the name of the faulty text. */
static enum tcplan_status about(const char *what, enum tcplan_status status,
                                struct tcplan_error *error) {
    if (status == TCPLAN_OK || status == TCPLAN_NO_MEMORY || !error) return status;
    char message[TCPLAN_MESSAGE_SIZE];
    memcpy(message, error->message, sizeof message);
    const struct tcplan_error place = *error;
    error_set(error, status, "%s: %.300s", what, message);
    error->line = place.line;
    error->column = place.column;
    error->length = place.length;
    return status;
}

/** Reads the extents from a text that has exactly one size point. */
static enum tcplan_status read_sizes(int64_t extent[TCPLAN_MAX_INDICES],
                                     const struct tcplan_contraction *contraction,
                                     const char *notation, const char *text,
                                     struct tcplan_error *error) {
    struct tcplan_sizes *sizes = NULL;
    enum tcplan_status status = tcplan_sizes_parse(&sizes, contraction, text ? text : "", error);
    if (status != TCPLAN_OK && contraction->index_count == 0) {
        if (error) error->column = 1; /* the error is in the notation, not in the sizes */
        if (error) error->length = strlen(notation);
        return status;
    }
    if (status != TCPLAN_OK) return about("sizes", status, error);
    const int64_t points = tcplan_sizes_count(sizes);
    tcplan_sizes_point(sizes, 0, extent);
    tcplan_sizes_free(sizes);
    if (points == 1) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "sizes: expected one size point, found a sweep of %lld points",
                     (long long)points);
}

/** For `conj(D)=...`, notes that executions conjugate their factors and, if the notation adds no
 * tensor, the D that they add to. */
static void note_conjugates(struct tcplan_product *product, const char *notation) {
    if (!tcplan_dtype_is_complex(product->problem.dtype) || !contraction_text_conjugates(notation))
        return;
    product->conjugates_factors = true;
    if (contraction_added(product->contraction) == TCPLAN_TENSORS) product->conjugates_added = true;
}

enum tcplan_status tcplan_product_parse(struct tcplan_product **out, const char *notation,
                                        const char *sizes, const char *strides,
                                        enum tcplan_dtype dtype, enum tcplan_order order,
                                        struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    if (!out || !notation)
        return error_set(error, TCPLAN_INVALID,
                         "expected a pointer for the product and a notation, found NULL");
    enum tcplan_status status = product_check_kind(dtype, order, error);
    if (status == TCPLAN_OK)
        status = tcplan_contraction_parse(&contraction, notation, order, error);
    if (status != TCPLAN_OK) return status;
    status = strides ? about("strides", tcplan_strides_parse(contraction, strides, error), error)
                     : TCPLAN_OK;
    if (status == TCPLAN_OK) status = read_sizes(extent, contraction, notation, sizes, error);
    if (status == TCPLAN_OK) {
        status = product_of(out, contraction, extent, dtype, error);
        if (status == TCPLAN_OK) note_conjugates(*out, notation);
        return status;
    }
    tcplan_contraction_free(contraction);
    return status;
}

/* Functions that return properties of a product. */

char *tcplan_product_text(const struct tcplan_product *product) {
    return product ? contraction_text(product->contraction, product->conjugates_factors) : NULL;
}

char *tcplan_product_sizes(const struct tcplan_product *product) {
    struct strbuf out = {0};
    if (!product) return NULL;
    strbuf_add(&out, "%s", "");
    for (int i = 0; i < product->contraction->index_count; i++) {
        strbuf_add(&out, "%s%s=%lld", i > 0 ? "," : "", product->contraction->index[i].name,
                   (long long)product->problem.extent[i]);
    }
    return strbuf_finish(&out);
}

char *tcplan_product_strides(const struct tcplan_product *product) {
    return product ? tcplan_strides_text(product->contraction) : NULL;
}

enum tcplan_dtype tcplan_product_dtype(const struct tcplan_product *product) {
    return product->problem.dtype;
}

enum tcplan_order tcplan_product_order(const struct tcplan_product *product) {
    return product->contraction->order;
}

bool tcplan_product_has_addend(const struct tcplan_product *product) {
    return product && tcplan_contraction_has_addend(product->contraction);
}

double tcplan_product_flops(const struct tcplan_product *product) {
    return product ? product->problem.flops : 0;
}

/** Returns a tensor of a product; NULL if absent. */
static const struct tcplan_tensor *tensor_of(const struct tcplan_product *product,
                                             enum tcplan_operand operand) {
    const int number = (int)operand;
    if (!product || number < 0 || number >= (int)TCPLAN_TENSORS) return NULL;
    const struct tcplan_tensor *tensor = &product->contraction->tensor[number];
    return tensor->name ? tensor : NULL;
}

int tcplan_product_rank(const struct tcplan_product *product, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = tensor_of(product, operand);
    return tensor ? tensor->rank : -1;
}

enum tcplan_status tcplan_product_shape(const struct tcplan_product *product,
                                        enum tcplan_operand operand, int64_t extent[],
                                        int64_t stride[]) {
    const struct tcplan_tensor *tensor = tensor_of(product, operand);
    if (!tensor) return TCPLAN_INVALID;
    int64_t elems = 1;
    for (int i = 0; i < tensor->rank; i++) {
        const int d = product->contraction->order == TCPLAN_COLUMN_MAJOR ? i : tensor->rank - 1 - i;
        const int64_t own = product->problem.extent[tensor->dims[d]];
        if (extent) extent[d] = own;
        if (stride) stride[d] = tensor->strided ? tensor->stride[d] : elems;
        elems *= own > 0 ? own : 1; /* cannot overflow, because the strides of the problem fit */
    }
    return TCPLAN_OK;
}

int64_t tcplan_product_span(const struct tcplan_product *product, enum tcplan_operand operand,
                            int64_t *first) {
    const bool exists = tensor_of(product, operand) != NULL;
    if (first) *first = exists ? product->problem.first_elems[operand] : 0;
    return exists ? product->problem.elems[operand] : 0;
}

void tcplan_product_free(struct tcplan_product *product) {
    if (!product) return;
    tcplan_contraction_free(product->contraction);
    base_free(product);
}
