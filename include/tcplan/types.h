/** Defines the types that every part of the interface uses. */
#ifndef TCPLAN_TYPES_H
#define TCPLAN_TYPES_H

/** Element types, named as in BLAS. A complex number is stored as in C, C++ and Fortran: real part,
 * then imaginary part. */
enum tcplan_dtype {
    TCPLAN_FLOAT,
    TCPLAN_DOUBLE,
    TCPLAN_FLOAT_COMPLEX,
    TCPLAN_DOUBLE_COMPLEX,
    TCPLAN_DTYPES /**< number of element types */
};

/** Which dimension of a dense tensor is contiguous. */
enum tcplan_order {
    TCPLAN_COLUMN_MAJOR, /**< the first index is contiguous, as in Fortran and in the source papers
                          */
    TCPLAN_ROW_MAJOR     /**< the last index is contiguous, as in C and NumPy */
};

/**
 * The tensors of a product, `D := alpha * A * B + beta * C`. If D is C itself, there is no addend.
 * In `struct tcplan_execution`, `D` points to the TCPLAN_RESULT and `C` to the TCPLAN_ADDEND.
 */
enum tcplan_operand {
    TCPLAN_A,
    TCPLAN_B,
    TCPLAN_C,                 /**< the result under its BLAS name; the same as TCPLAN_RESULT */
    TCPLAN_RESULT = TCPLAN_C, /**< the tensor that is written: D */
    TCPLAN_OPERANDS,          /**< number of operands of a kernel */
    TCPLAN_ADDEND =
        TCPLAN_OPERANDS, /**< the tensor to which beta is applied if this is not the result: C */
    TCPLAN_TENSORS       /**< number of tensors, with the addend */
};

/** A real or complex number. */
struct tcplan_scalar {
    double re; /**< real part */
    double im; /**< imaginary part; 0 for real types */
};

#endif
