/** Types of elements and of the computation. */
#ifndef TAPP_DATATYPE_H_
#define TAPP_DATATYPE_H_

#include "tapp/util.h"

typedef int TAPP_datatype;

/** Numbers below 0x1000 are the interface's, others a library's own. */
enum {
    TAPP_F32 = 0,  /**< IEEE 754 binary32 */
    TAPP_F64 = 1,  /**< IEEE 754 binary64 */
    TAPP_C32 = 2,  /**< complex: two binary32, the real part first, 8 bytes */
    TAPP_C64 = 3,  /**< complex: two binary64, 16 bytes */
    TAPP_F16 = 4,  /**< IEEE 754 binary16; not in this library */
    TAPP_BF16 = 5, /**< bfloat16; not in this library */

    TAPP_FLOAT = TAPP_F32,
    TAPP_DOUBLE = TAPP_F64,
    TAPP_SCOMPLEX = TAPP_C32,
    TAPP_DCOMPLEX = TAPP_C64
};

/** The precision of factors and sums: at least this one. Results are rounded to the type of D at
 * the end. */
typedef int TAPP_prectype;

enum {
    TAPP_DEFAULT_PREC = -1, /**< at least that of all operands: the widest of them, here */
    TAPP_F32F32_ACCUM_F32 = TAPP_F32, /**< 24 bits */
    TAPP_F64F64_ACCUM_F64 = TAPP_F64, /**< 53 bits */
    TAPP_F16F16_ACCUM_F16 = TAPP_F16, /**< 11 bits or, here, more */
    TAPP_F16F16_ACCUM_F32 = 5,
    TAPP_BF16BF16_ACCUM_F32 = 6
};

#endif
