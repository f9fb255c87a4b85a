/** The internals of a tensor info. */
#ifndef TAPP_TENSORS_H
#define TAPP_TENSORS_H

#include <stdbool.h>

#include <tapp/tensor.h>

#include "tcplan/types.h"

struct tapp_tensor {
    enum tcplan_dtype type;
    int rank;
    int64_t *extent; /* NULL where the rank is 0, as stride */
    int64_t *stride;
};

/** The type of elements by its number in the interface; false: it is not supported, which is noted.
 */
bool tapp_type_of(enum tcplan_dtype *out, TAPP_datatype type);

/** Bytes of one element. */
size_t tapp_type_bytes(enum tcplan_dtype type);

static inline bool tapp_type_is_complex(enum tcplan_dtype type) {
    return type == TCPLAN_FLOAT_COMPLEX || type == TCPLAN_DOUBLE_COMPLEX;
}

static inline bool tapp_type_is_double(enum tcplan_dtype type) {
    return type == TCPLAN_DOUBLE || type == TCPLAN_DOUBLE_COMPLEX;
}

/** The type with that precision and that many parts. */
enum tcplan_dtype tapp_type_with(bool is_double, bool is_complex);

#endif
