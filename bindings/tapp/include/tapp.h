/**
 * TAPP, Tensor Algebra Processing Primitives: a C interface for products of tensors, shared by
 * several libraries.
 *
 *   D[idx_D] := op_D(alpha * sum op_A(A[idx_A]) * op_B(B[idx_B]) + beta * op_C(C[idx_C]))
 *
 * A program describes its tensors (tapp/tensor.h), makes a product from four descriptions and
 * their indices (tapp/product.h), and executes it any number of times. Programs that use these
 * functions can be linked with any library that has them. Extensions of this library are in
 * tapp/tcplan.h.
 *
 * Any function may be called by several threads at once. A thread must not change or destroy an
 * object while another thread uses it.
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
