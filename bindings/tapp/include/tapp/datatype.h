/** Types of elements, and of computations. */
#ifndef TAPP_DATATYPE_H_
#define TAPP_DATATYPE_H_

#include "tapp/util.h"

typedef int TAPP_datatype;

/** Types of elements. Numbers below 0x1000 belong to the interface, others to a library. */
enum {
    TAPP_F32 = 0,  /**< IEEE 754 binary32 */
    TAPP_F64 = 1,  /**< IEEE 754 binary64 */
    TAPP_C32 = 2,  /**< complex: two binary32, the real part first, 8 bytes */
    TAPP_C64 = 3,  /**< complex: two binary64, 16 bytes */
    TAPP_F16 = 4,  /**< IEEE 754 binary16; not supported by this library */
    TAPP_BF16 = 5, /**< bfloat16; not supported by this library */

    TAPP_FLOAT = TAPP_F32,
    TAPP_DOUBLE = TAPP_F64,
    TAPP_SCOMPLEX = TAPP_C32,
    TAPP_DCOMPLEX = TAPP_C64
};

/** The minimum precision of products and sums. Results are rounded to the type of D at the end. */
typedef int TAPP_prectype;

enum {
    TAPP_DEFAULT_PREC = -1,           /**< in this library: the widest precision of A, B and D */
    TAPP_F32F32_ACCUM_F32 = TAPP_F32, /**< 24 bits */
    TAPP_F64F64_ACCUM_F64 = TAPP_F64, /**< 53 bits */
    TAPP_F16F16_ACCUM_F16 = TAPP_F16, /**< 11 bits; in this library: 24 bits or more */
    TAPP_F16F16_ACCUM_F32 = 5,
    TAPP_BF16BF16_ACCUM_F32 = 6
};

#endif
