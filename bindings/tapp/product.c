#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/handles.h"
#include "bindings/tapp/objects.h"
#include "bindings/tapp/products.h"
#include "bindings/tapp/tensors.h"

/** A tensor as passed by the client. */
struct argument {
    TAPP_element_op op;
    TAPP_tensor_info info;
    const int64_t *index;
};

static TAPP_error read_operand(struct tapp_operand *out, const struct argument *argument,
                               enum tapp_role role) {
    const struct tapp_tensor *tensor = tapp_object_find(argument->info, TAPP_KIND_TENSOR);
    const char *name = tapp_role_name[role];
    if (!tensor)
        return tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                         "The tensor info of %s is invalid, or was destroyed.", name);
    if (argument->op != TAPP_IDENTITY && argument->op != TAPP_CONJUGATE) {
        return tapp_fail(TAPP_TCPLAN_OPERATION,
                         "The operation of %s is %d: expected 0 (identity) or 1 (conjugate).", name,
                         argument->op);
    }
    if (tensor->rank > TAPP_MAX_INDICES) {
        return tapp_fail(TAPP_TCPLAN_LIMIT, "%s has %d dimensions: expected at most %d.", name,
                         tensor->rank, (int)TAPP_MAX_INDICES);
    }
    if (tensor->rank > 0 && !argument->index)
        return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The indices of %s are NULL.", name);
    out->type = tensor->type;
    out->conjugated = argument->op == TAPP_CONJUGATE && tapp_type_is_complex(tensor->type);
    out->given.rank = tensor->rank;
    for (int d = 0; d < tensor->rank; d++) {
        out->given.label[d] = argument->index[d];
        out->given.extent[d] = tensor->extent[d];
        out->given.stride[d] = tensor->stride[d];
    }
    return TAPP_TCPLAN_SUCCESS;
}

/** Reads the four tensors. If C has no tensor info, uses the info and the indices of D for C. */
static TAPP_error read_operands(struct tapp_product *product,
                                const struct argument argument[TAPP_TENSORS]) {
    TAPP_error error = TAPP_TCPLAN_SUCCESS;
    for (int t = 0; t < TAPP_TENSORS && error == TAPP_TCPLAN_SUCCESS; t++) {
        const bool like_result = t == TAPP_C && argument[TAPP_C].info == 0;
        const struct argument as = {argument[t].op, argument[like_result ? TAPP_D : t].info,
                                    argument[like_result ? TAPP_D : t].index};
        error = read_operand(&product->operand[t], &as, (enum tapp_role)t);
    }
    return error;
}

/** Checks that no elements of D coincide. Needed if D is converted, because libtcplan then checks
 * only the temporary. */
static TAPP_error check_result(const struct tapp_product *product) {
    const struct tapp_shape *D = &product->operand[TAPP_D].given;
    const struct tcplan_dimensions result = {
        .rank = D->rank, .label = D->label, .extent = D->extent, .stride = D->stride};
    const struct tcplan_dimensions factor = {
        .rank = D->rank, .label = D->label, .extent = D->extent};
    const struct tcplan_dimensions scalar = {.rank = 0};
    struct tcplan_product *own = NULL;
    struct tcplan_error error = {.status = TCPLAN_OK};
    const enum tcplan_status status =
        tcplan_product_make(&own, &factor, &scalar, NULL, &result, product->operand[TAPP_D].type,
                            TCPLAN_COLUMN_MAJOR, &error);
    tcplan_product_free(own);
    return status == TCPLAN_OK ? TAPP_TCPLAN_SUCCESS
                               : tapp_fail_as(TAPP_TCPLAN_ALIASING, status, &error);
}

/** Makes a product without a number in the table of objects. */
static TAPP_error make(struct tapp_product *product, TAPP_handle handle,
                       const struct argument argument[TAPP_TENSORS], TAPP_prectype prec) {
    struct tapp_plan *plan = NULL;
    TAPP_error error = read_operands(product, argument);
    if (error == TAPP_TCPLAN_SUCCESS) error = tapp_check_structure(product->operand);
    if (error == TAPP_TCPLAN_SUCCESS) error = tapp_decide_types(product, prec);
    if (error == TAPP_TCPLAN_SUCCESS && product->operand[TAPP_D].converted)
        error = check_result(product);
    if (error != TAPP_TCPLAN_SUCCESS) return error;
    product->settings = tapp_handle_settings(handle, &error);
    if (!product->settings) return error;
    return tapp_product_plan(&plan, product, product->settings->threads, false);
}

// NOLINTNEXTLINE(readability-function-size): the parameters are those of the interface
TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
    const struct argument argument[TAPP_TENSORS] = {
        {op_A, A, idx_A}, {op_B, B, idx_B}, {op_C, C, idx_C}, {op_D, D, idx_D}};
    if (!plan) return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The pointer for the product is NULL.");
    struct tapp_product *product = calloc(1, sizeof *product);
    TAPP_error error = product ? TAPP_TCPLAN_SUCCESS : tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    if (product) {
        pthread_mutex_init(&product->planning, NULL);
        error = make(product, handle, argument, prec);
    }
    *plan = error == TAPP_TCPLAN_SUCCESS ? tapp_object_add(TAPP_KIND_PRODUCT, product) : 0;
    if (*plan) return TAPP_TCPLAN_SUCCESS;
    if (error == TAPP_TCPLAN_SUCCESS) error = tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    tapp_product_free(product);
    *plan = -(intptr_t)error; /* a number that makes executions return this error, for clients that
                                 ignore it here */
    return error;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan) {
    if (plan < 0 && plan > -TAPP_LAST_CODE)
        return TAPP_TCPLAN_SUCCESS; /* the number of a product that could not be made */
    struct tapp_product *product = tapp_object_remove(plan, TAPP_KIND_PRODUCT);
    if (!product)
        return tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                         "The handle is not a product, or the product was destroyed.");
    tapp_product_free(product);
    return TAPP_TCPLAN_SUCCESS;
}
