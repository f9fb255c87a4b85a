/* Chooses the type of the computation and the operands to be converted. */
#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/products.h"
#include "bindings/tapp/tensors.h"

/** Makes a shape in which each index occurs once; the strides of an index that occurs twice are
 * added. */
static void merge(struct tapp_shape *out, const struct tapp_shape *given) {
    *out = (struct tapp_shape){.rank = 0};
    for (int d = 0; d < given->rank; d++) {
        int to = 0;
        while (to < out->rank && out->label[to] != given->label[d]) to++;
        if (to == out->rank) {
            out->label[to] = given->label[d];
            out->extent[to] = given->extent[d];
            out->rank++;
        }
        out->stride[to] += given->stride[d];
    }
}

/**
 * Computes the strides of a dense temporary. Its dimensions have the order of the tensor's
 * strides, so that contiguous elements stay contiguous. A dimension with stride 0 gets stride 0.
 *
 * @param elements  receives the number of elements
 * @return false if it overflows
 */
static bool lay_out(int64_t stride[TAPP_MAX_INDICES], int64_t *elements,
                    const struct tapp_shape *shape) {
    bool done[TAPP_MAX_INDICES] = {false};
    *elements = 1;
    for (int round = 0; round < shape->rank; round++) {
        int closest = -1;
        for (int d = 0; d < shape->rank; d++) {
            if (!done[d] &&
                (closest < 0 || llabs(shape->stride[d]) < llabs(shape->stride[closest])))
                closest = d;
        }
        done[closest] = true;
        const bool still = shape->stride[closest] == 0;
        stride[closest] = still ? 0 : *elements;
        const int64_t extent = shape->extent[closest] > 0 ? shape->extent[closest] : 1;
        if (!still && __builtin_mul_overflow(*elements, extent, elements)) return false;
    }
    return true;
}

/** Converts an operand: assigns a place in memory to its temporary, after the temporaries of other
 * operands. */
static TAPP_error convert(struct tapp_product *product, enum tapp_role role) {
    enum { LINE = 64 }; /* bytes of a cache line; each temporary begins at a multiple */
    struct tapp_operand *operand = &product->operand[role];
    int64_t bytes = 0;
    merge(&operand->shape, &operand->given);
    operand->converted = true;
    operand->place_bytes = product->temporary_bytes;
    const bool fits =
        lay_out(operand->stride, &bytes, &operand->shape) &&
        !__builtin_mul_overflow(bytes, (int64_t)tapp_type_bytes(product->type), &bytes) &&
        !__builtin_add_overflow(bytes, LINE - 1, &bytes) &&
        !__builtin_add_overflow(product->temporary_bytes, bytes / LINE * LINE,
                                &product->temporary_bytes);
    if (fits && product->temporary_bytes <= PTRDIFF_MAX - LINE) return TAPP_TCPLAN_SUCCESS;
    return tapp_fail(TAPP_TCPLAN_LIMIT, "The copy of %s in another type exceeds the address space.",
                     tapp_role_name[role]);
}

static TAPP_error wants_double(bool *out, TAPP_prectype prec) {
    switch (prec) {
    case TAPP_DEFAULT_PREC:
    case TAPP_F32F32_ACCUM_F32:
    case TAPP_F16F16_ACCUM_F16:
    case TAPP_F16F16_ACCUM_F32:
    case TAPP_BF16BF16_ACCUM_F32: *out = false; return TAPP_TCPLAN_SUCCESS;
    case TAPP_F64F64_ACCUM_F64: *out = true; return TAPP_TCPLAN_SUCCESS;
    default:
        return tapp_fail(TAPP_TCPLAN_OPERATION,
                         "Precision %d is unknown: expected -1 (the default), 0, 1, 4, 5 or 6.",
                         prec);
    }
}

static bool have_equal_strides(const struct tapp_shape *one, const struct tapp_shape *other) {
    for (int d = 0; d < one->rank; d++) {
        if (one->extent[d] > 1 && one->stride[d] != other->stride[d]) return false;
    }
    return true;
}

static bool has_no_elements(const struct tapp_shape *shape) {
    for (int d = 0; d < shape->rank; d++) {
        if (shape->extent[d] == 0) return true;
    }
    return false;
}

TAPP_error tapp_decide_types(struct tapp_product *product, TAPP_prectype prec) {
    struct tapp_operand *A = &product->operand[TAPP_A], *B = &product->operand[TAPP_B],
                        *C = &product->operand[TAPP_C], *D = &product->operand[TAPP_D];
    bool is_double = false;
    TAPP_error error = wants_double(&is_double, prec);
    if (error != TAPP_TCPLAN_SUCCESS) return error;
    is_double = is_double || tapp_type_is_double(A->type) || tapp_type_is_double(B->type) ||
                tapp_type_is_double(D->type);
    product->type =
        tapp_type_with(is_double, tapp_type_is_complex(A->type) || tapp_type_is_complex(B->type));
    product->same_layout = C->type == D->type && have_equal_strides(&C->given, &D->given);
    product->empty = has_no_elements(&D->given);
    product->sums_nothing = has_no_elements(&A->given) || has_no_elements(&B->given);
    if (A->type != product->type) error = convert(product, TAPP_A);
    if (error == TAPP_TCPLAN_SUCCESS && B->type != product->type) error = convert(product, TAPP_B);
    if (error == TAPP_TCPLAN_SUCCESS && D->type != product->type) {
        merge(&C->shape, &C->given);
        return convert(product, TAPP_D);
    }
    return error == TAPP_TCPLAN_SUCCESS && C->type != product->type ? convert(product, TAPP_C)
                                                                    : error;
}
