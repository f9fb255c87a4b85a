/**
 * Tensor products: made once, which is when they are planned, and executed often.
 *
 * An index is a number. In A and B only: it is summed over. In A, B and D: both are taken at the
 * same place (Hadamard). In A or B only: this factor is summed over it before. Twice in one tensor:
 * its diagonal; of D nothing else is written then. In D only: an error.
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
    TAPP_CONJUGATE = 1 /**< of real numbers the same */
};

#define TAPP_IN_PLACE NULL

typedef intptr_t TAPP_tensor_product;

/**
 * Makes a product and plans it.
 *
 * @param plan   receives the product. Of one that is not valid, a value that every execution
 *               answers with the same error; there is nothing to be destroyed then, though that is
 *               allowed.
 * @param idx_A  one index for each dimension of A, and so on; may be NULL if there is none
 * @param C      its extents and indices are those of D, in the same order. 0 means D's info.
 * @param prec   the least precision
 */
TAPP_EXPORT TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec);

TAPP_EXPORT TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan);

/**
 * Computes D. It must not overlap A or B; C must not overlap D, unless it is D itself with the same
 * strides and type.
 *
 * @param exec    0 means a default executor
 * @param status  receives a status; NULL: none is made. After an error there is none: it is 0.
 * @param alpha   of D's type, as beta is. If it is 0, A and B are not read and may be NULL.
 * @param C       may be NULL where beta is 0: it is not read then
 */
TAPP_EXPORT TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec,
                                            TAPP_status *status, const void *alpha, const void *A,
                                            const void *B, const void *beta, const void *C,
                                            void *D);

/**
 * Computes D[0] to D[num_batches - 1] of A[0], B[0], C[0] and so on. No D overlaps another one, or
 * an A or B of any batch. Nothing is computed where a pointer is missing. C may be NULL as a whole
 * where beta is 0.
 */
TAPP_EXPORT TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec,
                                                    TAPP_status *status, int num_batches,
                                                    const void *alpha, const void **A,
                                                    const void **B, const void *beta,
                                                    const void **C, void **D);

#endif
