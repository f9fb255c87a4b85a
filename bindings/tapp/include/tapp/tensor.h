/**
 * Tensor infos: the type, extents and strides of a tensor, without its elements.
 */
#ifndef TAPP_TENSOR_H_
#define TAPP_TENSOR_H_

#include <stdint.h>

#include "tapp/datatype.h"
#include "tapp/error.h"
#include "tapp/util.h"

typedef intptr_t TAPP_tensor_info;

/**
 * Describes a tensor. Pointers to the tensor point to the element whose indices are all 0.
 *
 * @param nmode    number of dimensions; 0: a scalar
 * @param extents  `nmode` extents, 0 or more; may be NULL if nmode is 0
 * @param strides  `nmode` strides: distance between neighbours in elements, of either sign. A
 *                 stride of 0 is allowed in inputs, where all positions along the dimension are
 *                 then the same element
 */
TAPP_EXPORT TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type,
                                               int nmode, const int64_t *extents,
                                               const int64_t *strides);

/** Destroys an info. Products that were made with it stay valid. */
TAPP_EXPORT TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info);

/** Returns the number of dimensions; -1 if `info` is not a tensor info. */
TAPP_EXPORT int TAPP_get_nmodes(TAPP_tensor_info info);

/** Sets the number of dimensions. Additional dimensions have extent 1 and stride 1 until these are
 * set. */
TAPP_EXPORT TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes);

/** Writes the extents of all dimensions. */
TAPP_EXPORT void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents);

TAPP_EXPORT TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents);

/** Writes the strides of all dimensions. */
TAPP_EXPORT void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides);

TAPP_EXPORT TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides);

#endif
