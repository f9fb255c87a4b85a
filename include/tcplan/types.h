/**
 * Types that every part of the interface uses.
 */
#ifndef TCPLAN_TYPES_H
#define TCPLAN_TYPES_H

/** Element types, named as in BLAS. Complex numbers are two real ones, as C, C++ and Fortran have
 * them: real part, imaginary part. */
enum tcplan_dtype {
    TCPLAN_FLOAT,
    TCPLAN_DOUBLE,
    TCPLAN_FLOAT_COMPLEX,
    TCPLAN_DOUBLE_COMPLEX,
    TCPLAN_DTYPES
};

/** Which dimension of a dense tensor is contiguous. */
enum tcplan_order {
    TCPLAN_COLUMN_MAJOR, /**< the first index, as in Fortran and in the source papers */
    TCPLAN_ROW_MAJOR     /**< the last index, as in C and NumPy */
};

/**
 * The tensors of a product. A product is written as `D := alpha * A * B + beta * C`; where D is C
 * itself it has no addend. `struct tcplan_execution` calls the pointers as the formula does: `D` is
 * to the TCPLAN_RESULT and `C` to the TCPLAN_ADDEND.
 */
enum tcplan_operand {
    TCPLAN_A,
    TCPLAN_B,
    TCPLAN_C, /**< the result, by the name that BLAS gives it: the same as TCPLAN_RESULT */
    TCPLAN_RESULT = TCPLAN_C,        /**< what is written: D */
    TCPLAN_OPERANDS,                 /**< of the product: what a kernel takes */
    TCPLAN_ADDEND = TCPLAN_OPERANDS, /**< what beta is applied to, where that is not the result but
                                        a tensor of its own: C */
    TCPLAN_TENSORS
};

/** A real or complex factor. */
struct tcplan_scalar {
    double re; /**< the real part */
    double im; /**< the imaginary part; 0 where the type is real */
};

#endif
