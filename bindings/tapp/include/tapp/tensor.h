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
 * Describes a tensor. Pointers to it are then to the element whose indices are all 0.
 *
 * @param nmode    how many dimensions; 0: a scalar
 * @param extents  `nmode` of them, 0 or more; may be NULL if there is none
 * @param strides  `nmode` of them: elements from one to the next, of either sign; 0 in inputs: they
 *                 are all one
 */
TAPP_EXPORT TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type,
                                               int nmode, const int64_t *extents,
                                               const int64_t *strides);

/** Products made of it stay as they are. */
TAPP_EXPORT TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info);

/** The number of dimensions; -1 where `info` is none. */
TAPP_EXPORT int TAPP_get_nmodes(TAPP_tensor_info info);

/** Dimensions beyond those that were there have extent 1 and stride 1 until they are set. */
TAPP_EXPORT TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes);

/** Writes as many extents as there are dimensions. */
TAPP_EXPORT void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents);

TAPP_EXPORT TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents);

/** Writes as many strides as there are dimensions. */
TAPP_EXPORT void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides);

TAPP_EXPORT TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides);

#endif
