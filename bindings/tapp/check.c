/*
 * Checks products. The checks are those of the reference implementation, in the same order and
 * with the same codes, so that input with several errors gives the same code.
 */
#include <limits.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/products.h"

const char *const tapp_role_name[TAPP_TENSORS] = {"A", "B", "C", "D"};

/** Returns the first dimension with an index; the rank if there is none. */
static int find(const struct tapp_shape *shape, int64_t label) {
    int d = 0;
    while (d < shape->rank && shape->label[d] != label) d++;
    return d;
}

static TAPP_error check_result_indices(const struct tapp_operand operand[TAPP_TENSORS]) {
    const struct tapp_shape *A = &operand[TAPP_A].given, *B = &operand[TAPP_B].given,
                            *D = &operand[TAPP_D].given;
    for (int d = 0; d < D->rank; d++) {
        if (find(A, D->label[d]) < A->rank || find(B, D->label[d]) < B->rank) continue;
        return tapp_fail(TAPP_TCPLAN_INDEX_ONLY_IN_D, "The index %s of D is in neither A nor B.",
                         tapp_index_text(D->label[d]).text);
    }
    return TAPP_TCPLAN_SUCCESS;
}

/** Compares the extent of dimension d of one tensor with the extents of the same index in another
 * tensor. */
static TAPP_error check_extent(const struct tapp_operand operand[TAPP_TENSORS], enum tapp_role one,
                               int d, enum tapp_role other, TAPP_error code) {
    const struct tapp_shape *a = &operand[one].given, *b = &operand[other].given;
    for (int e = 0; e < b->rank; e++) {
        if (b->label[e] != a->label[d] || b->extent[e] == a->extent[d]) continue;
        return tapp_fail(
            code,
            "The index %s has extent %lld in dimension %d of %s, and %lld in dimension %d of %s.",
            tapp_index_text(a->label[d]).text, (long long)a->extent[d], d + 1, tapp_role_name[one],
            (long long)b->extent[e], e + 1, tapp_role_name[other]);
    }
    return TAPP_TCPLAN_SUCCESS;
}

static TAPP_error check_extents(const struct tapp_operand operand[TAPP_TENSORS]) {
    static const struct {
        enum tapp_role one, other[3];
        TAPP_error code[3];
    } pairs[] = {
        {TAPP_A,
         {TAPP_A, TAPP_B, TAPP_D},
         {TAPP_TCPLAN_EXTENT_A, TAPP_TCPLAN_EXTENT_A_B, TAPP_TCPLAN_EXTENT_A_D}},
        {TAPP_B,
         {TAPP_B, TAPP_A, TAPP_D},
         {TAPP_TCPLAN_EXTENT_B, TAPP_TCPLAN_EXTENT_A_B, TAPP_TCPLAN_EXTENT_B_D}},
        {TAPP_D,
         {TAPP_D, TAPP_A, TAPP_B},
         {TAPP_TCPLAN_EXTENT_D, TAPP_TCPLAN_EXTENT_A_D, TAPP_TCPLAN_EXTENT_B_D}},
    };
    TAPP_error error = TAPP_TCPLAN_SUCCESS;
    for (int p = 0; p < 3; p++) {
        for (int d = 0; d < operand[pairs[p].one].given.rank; d++) {
            for (int other = 0; other < 3 && error == TAPP_TCPLAN_SUCCESS; other++) {
                error = check_extent(operand, pairs[p].one, d, pairs[p].other[other],
                                     pairs[p].code[other]);
            }
            if (error != TAPP_TCPLAN_SUCCESS) return error;
        }
    }
    return error;
}

static TAPP_error check_addend(const struct tapp_shape *C, const struct tapp_shape *D) {
    if (C->rank != D->rank)
        return tapp_fail(TAPP_TCPLAN_RANK_C_D,
                         "C has %d dimensions and D has %d; expected equal numbers.", C->rank,
                         D->rank);
    for (int d = 0; d < D->rank; d++) {
        if (C->label[d] != D->label[d]) {
            return tapp_fail(
                TAPP_TCPLAN_INDEX_C_D,
                "Dimension %d has the index %s in C and %s in D; expected the same index.", d + 1,
                tapp_index_text(C->label[d]).text, tapp_index_text(D->label[d]).text);
        }
        if (C->extent[d] != D->extent[d]) {
            return tapp_fail(
                TAPP_TCPLAN_EXTENT_C_D,
                "Dimension %d (index %s) has extent %lld in C and %lld in D; expected equal extents.",
                d + 1, tapp_index_text(D->label[d]).text, (long long)C->extent[d],
                (long long)D->extent[d]);
        }
    }
    return TAPP_TCPLAN_SUCCESS;
}

/** Checks the limits of libtcplan: the number of indices, and their extents. */
static TAPP_error check_limits(const struct tapp_operand operand[TAPP_TENSORS]) {
    struct tapp_shape all = {.rank = 0};
    for (int t = 0; t < TAPP_TENSORS; t++) {
        const struct tapp_shape *shape = &operand[t].given;
        for (int d = 0; d < shape->rank; d++) {
            if (shape->extent[d] > INT_MAX) {
                return tapp_fail(TAPP_TCPLAN_LIMIT,
                                 "Dimension %d of %s has extent %lld: expected at most %d.", d + 1,
                                 tapp_role_name[t], (long long)shape->extent[d], INT_MAX);
            }
            if (find(&all, shape->label[d]) < all.rank) continue;
            if (all.rank == TAPP_MAX_INDICES) {
                return tapp_fail(TAPP_TCPLAN_LIMIT, "The tensors have more than %d indices.",
                                 (int)TAPP_MAX_INDICES);
            }
            all.label[all.rank++] = shape->label[d];
        }
    }
    return TAPP_TCPLAN_SUCCESS;
}

TAPP_error tapp_check_structure(const struct tapp_operand operand[TAPP_TENSORS]) {
    TAPP_error error = check_result_indices(operand);
    if (error == TAPP_TCPLAN_SUCCESS) error = check_extents(operand);
    if (error == TAPP_TCPLAN_SUCCESS)
        error = check_addend(&operand[TAPP_C].given, &operand[TAPP_D].given);
    return error == TAPP_TCPLAN_SUCCESS ? check_limits(operand) : error;
}
