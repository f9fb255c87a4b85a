#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/objects.h"
#include "bindings/tapp/tensors.h"

bool tapp_type_of(enum tcplan_dtype *out, TAPP_datatype type) {
    switch (type) {
    case TAPP_F32: *out = TCPLAN_FLOAT; return true;
    case TAPP_F64: *out = TCPLAN_DOUBLE; return true;
    case TAPP_C32: *out = TCPLAN_FLOAT_COMPLEX; return true;
    case TAPP_C64: *out = TCPLAN_DOUBLE_COMPLEX; return true;
    case TAPP_F16:
    case TAPP_BF16:
        tapp_fail(TAPP_TCPLAN_TYPE,
                  "Elements of type %s are not supported: expected F32, F64, C32 or C64.",
                  type == TAPP_F16 ? "F16" : "BF16");
        return false;
    default:
        tapp_fail(TAPP_TCPLAN_TYPE,
                  "Element type %d is unknown: expected F32, F64, C32 or C64 (0 to 3).", type);
        return false;
    }
}

size_t tapp_type_bytes(enum tcplan_dtype type) {
    return (size_t)(tapp_type_is_double(type) ? 8 : 4) * (tapp_type_is_complex(type) ? 2 : 1);
}

enum tcplan_dtype tapp_type_with(bool is_double, bool is_complex) {
    if (is_complex) return is_double ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_FLOAT_COMPLEX;
    return is_double ? TCPLAN_DOUBLE : TCPLAN_FLOAT;
}

/* Checks. */

static TAPP_error check_rank(int rank) {
    if (rank >= 0) return TAPP_TCPLAN_SUCCESS;
    return tapp_fail(TAPP_TCPLAN_NEGATIVE_RANK, "A tensor has %d dimensions: expected 0 or more.",
                     rank);
}

static TAPP_error check_extents(int rank, const int64_t extents[]) {
    for (int d = 0; d < rank; d++) {
        if (extents[d] >= 0) continue;
        return tapp_fail(TAPP_TCPLAN_NEGATIVE_EXTENT,
                         "Dimension %d of %d of a tensor has extent %lld: expected 0 or more.",
                         d + 1, rank, (long long)extents[d]);
    }
    return TAPP_TCPLAN_SUCCESS;
}

static struct tapp_tensor *find(TAPP_tensor_info info) {
    struct tapp_tensor *tensor = tapp_object_find(info, TAPP_KIND_TENSOR);
    if (!tensor)
        tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                  "The handle is not a tensor info, or the tensor info was destroyed.");
    return tensor;
}

static TAPP_error no_list(const char *what) {
    return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The %s of a tensor are NULL.", what);
}

/* Objects. */

static void free_tensor(struct tapp_tensor *tensor) {
    free(tensor->extent);
    free(tensor->stride);
    free(tensor);
}

/** Sets the number of dimensions; new ones have extent 1 and stride 1. Returns false if out of
 * memory. */
static bool resize(struct tapp_tensor *tensor, int rank) {
    if (rank > tensor->rank) {
        int64_t *extent = realloc(tensor->extent, (size_t)rank * sizeof *extent);
        if (extent) tensor->extent = extent;
        int64_t *stride = realloc(tensor->stride, (size_t)rank * sizeof *stride);
        if (stride) tensor->stride = stride;
        if (!extent || !stride) return false;
    }
    for (int d = tensor->rank; d < rank; d++) tensor->extent[d] = tensor->stride[d] = 1;
    tensor->rank = rank;
    return true;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode,
                                   const int64_t *extents, const int64_t *strides) {
    enum tcplan_dtype own_type = TCPLAN_FLOAT;
    if (!info)
        return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The pointer for the tensor info is NULL.");
    *info = 0;
    TAPP_error error = check_rank(nmode);
    if (error != TAPP_TCPLAN_SUCCESS) return error;
    if (nmode > 0 && !extents) return no_list("extents");
    if (nmode > 0 && !strides) return no_list("strides");
    error = check_extents(nmode, extents);
    if (error != TAPP_TCPLAN_SUCCESS) return error;
    if (!tapp_type_of(&own_type, type)) return TAPP_TCPLAN_TYPE;

    struct tapp_tensor *tensor = calloc(1, sizeof *tensor);
    if (!tensor) return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    tensor->type = own_type;
    const bool complete = resize(tensor, nmode);
    if (complete && nmode > 0) {
        memcpy(tensor->extent, extents, (size_t)nmode * sizeof *extents);
        memcpy(tensor->stride, strides, (size_t)nmode * sizeof *strides);
    }
    if (complete) *info = tapp_object_add(TAPP_KIND_TENSOR, tensor);
    if (*info) return TAPP_TCPLAN_SUCCESS;
    free_tensor(tensor);
    return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info) {
    struct tapp_tensor *tensor = tapp_object_remove(info, TAPP_KIND_TENSOR);
    if (!tensor)
        return tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                         "The handle is not a tensor info, or the tensor info was destroyed.");
    free_tensor(tensor);
    return TAPP_TCPLAN_SUCCESS;
}

int TAPP_get_nmodes(TAPP_tensor_info info) {
    const struct tapp_tensor *tensor = find(info);
    return tensor ? tensor->rank : -1;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes) {
    struct tapp_tensor *tensor = find(info);
    if (!tensor) return TAPP_TCPLAN_NO_OBJECT;
    const TAPP_error error = check_rank(nmodes);
    if (error != TAPP_TCPLAN_SUCCESS) return error;
    return resize(tensor, nmodes) ? TAPP_TCPLAN_SUCCESS : tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
}

void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents) {
    const struct tapp_tensor *tensor = find(info);
    if (tensor && extents && tensor->rank > 0)
        memcpy(extents, tensor->extent, (size_t)tensor->rank * sizeof *extents);
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents) {
    struct tapp_tensor *tensor = find(info);
    if (!tensor) return TAPP_TCPLAN_NO_OBJECT;
    if (tensor->rank == 0) return TAPP_TCPLAN_SUCCESS;
    if (!extents) return no_list("extents");
    const TAPP_error error = check_extents(tensor->rank, extents);
    if (error == TAPP_TCPLAN_SUCCESS)
        memcpy(tensor->extent, extents, (size_t)tensor->rank * sizeof *extents);
    return error;
}

void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides) {
    const struct tapp_tensor *tensor = find(info);
    if (tensor && strides && tensor->rank > 0)
        memcpy(strides, tensor->stride, (size_t)tensor->rank * sizeof *strides);
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides) {
    struct tapp_tensor *tensor = find(info);
    if (!tensor) return TAPP_TCPLAN_NO_OBJECT;
    if (tensor->rank == 0) return TAPP_TCPLAN_SUCCESS;
    if (!strides) return no_list("strides");
    memcpy(tensor->stride, strides, (size_t)tensor->rank * sizeof *strides);
    return TAPP_TCPLAN_SUCCESS;
}
