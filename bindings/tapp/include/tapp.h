/**
 * TAPP, Tensor Algebra Processing Primitives: the C interface for products of tensors that several
 * libraries share.
 *
 *   D[idx_D] := op_D(alpha * sum op_A(A[idx_A]) * op_B(B[idx_B]) + beta * op_C(C[idx_C]))
 *
 * Tensors are described (tapp/tensor.h), a product is made of four descriptions and their indices
 * (tapp/product.h), and executed as often as wanted. Whoever is written against these functions can
 * link with any library that has them. Extensions of this implementation are in tapp/tcplan.h.
 *
 * Every function may be called by several threads at once; an object must not be changed or
 * destroyed by one while another one uses it.
 */
#ifndef TAPP_TAPP_H_
#define TAPP_TAPP_H_

#include "tapp/attributes.h"
#include "tapp/datatype.h"
#include "tapp/error.h"
#include "tapp/executor.h"
#include "tapp/handle.h"
#include "tapp/product.h"
#include "tapp/status.h"
#include "tapp/tensor.h"
#include "tapp/util.h"

#endif
