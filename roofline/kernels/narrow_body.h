/* Kernels on single numbers and on vectors of 128 bits, of both precisions; included by the
 * baseline kernels and by those with FMA. */
typedef float vector_s128 __attribute__((vector_size(16)));
typedef double vector_d128 __attribute__((vector_size(16)));

#define VECTOR float
#define ELEMENT float
#define ELEMENTS 1
#define ELEMENT_ULP FLT_EPSILON
#define FUNCTION(name) s_scalar_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR double
#define ELEMENT double
#define ELEMENTS 1
#define ELEMENT_ULP DBL_EPSILON
#define FUNCTION(name) d_scalar_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR vector_s128
#define ELEMENT float
#define ELEMENTS 4
#define ELEMENT_ULP FLT_EPSILON
#define FUNCTION(name) s128_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR vector_d128
#define ELEMENT double
#define ELEMENTS 2
#define ELEMENT_ULP DBL_EPSILON
#define FUNCTION(name) d128_##name
#include "roofline/kernels/kernels_body.h"
