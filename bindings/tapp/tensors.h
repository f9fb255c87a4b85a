/** Tensor infos. */
#ifndef TAPP_TENSORS_H
#define TAPP_TENSORS_H

#include <stdbool.h>

#include <tapp/tensor.h>

#include "tcplan/types.h"

struct tapp_tensor {
    enum tcplan_dtype type;
    int rank;
    int64_t *extent; /* extents; NULL, like `stride`, if the rank is 0 */
    int64_t *stride;
};

/** Finds the type with a number of the interface; returns false if it is not supported, which is
 * recorded by tapp_fail(). */
bool tapp_type_of(enum tcplan_dtype *out, TAPP_datatype type);

/** Returns the bytes of an element. */
size_t tapp_type_bytes(enum tcplan_dtype type);

static inline bool tapp_type_is_complex(enum tcplan_dtype type) {
    return type == TCPLAN_FLOAT_COMPLEX || type == TCPLAN_DOUBLE_COMPLEX;
}

static inline bool tapp_type_is_double(enum tcplan_dtype type) {
    return type == TCPLAN_DOUBLE || type == TCPLAN_DOUBLE_COMPLEX;
}

/** Returns the type with this precision, real or complex. */
enum tcplan_dtype tapp_type_with(bool is_double, bool is_complex);

#endif
