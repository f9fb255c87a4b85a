/**
 * Tensor products. Making a product plans it; it can be executed any number of times.
 *
 * An index is a number. An index in A and B only is summed over. The product of an index in A, B
 * and D is element-wise (Hadamard). An index in A or B only is summed over before the product. An
 * index that occurs twice in a tensor selects its diagonal; in D, the other elements are not
 * written. An index in D only is an error.
 */
#ifndef TAPP_PRODUCT_H_
#define TAPP_PRODUCT_H_

#include <stdint.h>

#include "tapp/datatype.h"
#include "tapp/error.h"
#include "tapp/executor.h"
#include "tapp/handle.h"
#include "tapp/status.h"
#include "tapp/tensor.h"
#include "tapp/util.h"

typedef int TAPP_element_op;

enum {
    TAPP_IDENTITY = 0,
    TAPP_CONJUGATE = 1 /**< real numbers do not change */
};

#define TAPP_IN_PLACE NULL

typedef intptr_t TAPP_tensor_product;

/**
 * Makes a product and plans it.
 *
 * @param plan  receives the product. After an error it receives a value that makes every execution
 *     return the same error; destroying it has no effect.
 * @param idx_A  one index for each dimension of A; may be NULL if A has none. The same holds for
 *     idx_B, idx_C and idx_D.
 * @param C  has the extents and indices of D, in the same order; 0: the same info as D
 * @param prec the minimum precision
 */
TAPP_EXPORT TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec);

TAPP_EXPORT TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan);

/**
 * Computes D. D must not overlap A or B. C must not overlap D, but may be D itself with the same
 * strides and type.
 *
 * @param exec    0: a default executor
 * @param status  receives a status, or 0 after an error; NULL: no status is made
 * @param alpha   number of D's type, as is beta. If alpha is 0, A and B are not read and may be
 *                NULL.
 * @param C       not read if beta is 0, and may then be NULL
 */
TAPP_EXPORT TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec,
                                            TAPP_status *status, const void *alpha, const void *A,
                                            const void *B, const void *beta, const void *C,
                                            void *D);

/**
 * Computes D[0] to D[num_batches - 1], each from the A, B and C of the same number. No D may
 * overlap another D, or the A or B of any batch. If a pointer is missing, nothing is computed. C
 * may be NULL if beta is 0.
 */
TAPP_EXPORT TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec,
                                                    TAPP_status *status, int num_batches,
                                                    const void *alpha, const void **A,
                                                    const void **B, const void *beta,
                                                    const void **C, void **D);

#endif
