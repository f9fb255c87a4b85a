#include "ast/contraction/tensor.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"

int64_t tensor_stride(const struct tcplan_tensor *tensor, int index) {
    int64_t stride = 0;
    for (int d = 0; d < tensor->rank; d++)
        stride += tensor->dims[d] == index ? tensor->stride[d] : 0;
    return stride;
}

static uint64_t magnitude(int64_t stride) {
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/** Sorts dimensions by stride; equal strides keep storage order. */
static void sort_by_stride(struct tcplan_tensor *tensor) {
    for (int d = 1; d < tensor->rank; d++) {
        const uint8_t index = tensor->nearest[d];
        const uint64_t own = magnitude(tensor_stride(tensor, index));
        int place = d;
        for (; place > 0 && magnitude(tensor_stride(tensor, tensor->nearest[place - 1])) > own;
             place--) {
            tensor->nearest[place] = tensor->nearest[place - 1];
        }
        tensor->nearest[place] = index;
    }
}

void tensor_sort(struct tcplan_tensor *tensor, enum tcplan_order order) {
    for (int d = 0; d < tensor->rank; d++)
        tensor->nearest[d] = tensor->dims[order == TCPLAN_COLUMN_MAJOR ? d : tensor->rank - 1 - d];
    if (tensor->strided) sort_by_stride(tensor);
}

bool tensor_is_diagonal(const struct tcplan_tensor *tensor, int index) {
    int occurrences = 0;
    for (int d = 0; d < tensor->rank; d++) occurrences += tensor->dims[d] == index;
    return occurrences > 1;
}

/** Returns whether every index has a stride that fits; the strides of a diagonal's dimensions
 * add up. */
static bool strides_fit(const struct tcplan_tensor *tensor) {
    int64_t stride[TCPLAN_MAX_INDICES] = {0};
    for (int d = 0; d < tensor->rank; d++) {
        if (!checked_add_i64(stride[tensor->dims[d]], tensor->stride[d], &stride[tensor->dims[d]]))
            return false;
    }
    return true;
}

enum tcplan_status tcplan_contraction_set_strides(struct tcplan_contraction *contraction,
                                                  enum tcplan_operand operand,
                                                  const int64_t stride[],
                                                  struct tcplan_error *error) {
    struct tcplan_tensor tensor = contraction->tensor[operand];
    tensor.strided = stride && tensor.rank > 0;
    tensor.falling = tensor.still = 0;
    memset(tensor.stride, 0, sizeof tensor.stride);
    if (tensor.strided) memcpy(tensor.stride, stride, (size_t)tensor.rank * sizeof *stride);
    if (!strides_fit(&tensor)) {
        return error_set(error, TCPLAN_OVERFLOW,
                         "the strides of a diagonal of tensor %.40s add up to more than %lld",
                         tensor.name, (long long)INT64_MAX);
    }
    for (int d = 0; d < tensor.rank && tensor.strided; d++) {
        const int64_t own = tensor_stride(&tensor, tensor.dims[d]);
        if (own <= 0) tensor.falling |= indexset_of(tensor.dims[d]);
        if (own == 0) tensor.still |= indexset_of(tensor.dims[d]);
    }
    tensor_sort(&tensor, contraction->order);
    contraction->tensor[operand] = tensor;
    return TCPLAN_OK;
}
