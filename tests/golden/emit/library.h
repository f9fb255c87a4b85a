/*
 * Planned contractions: every function computes one contraction at fixed sizes by the algorithm
 * that was predicted to be fastest. Operands come in the order of the notation, the result last.
 * All are dense unless strides are given, and pointers are to the element whose indices are all 0.
 * The result must not overlap other operands, which may overlap each other. A function returns 0,
 * or ENOMEM if it cannot allocate a temporary; the result is then unchanged.
 *
 * Emitted by tcplan @VERSION@.
 */
#ifndef CONTRACTIONS_H
#define CONTRACTIONS_H

/* Complex types, which have the same layout in C and C++. */
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> contractions_complex_float;
typedef std::complex<double> contractions_complex_double;
extern "C" {
#else
typedef float _Complex contractions_complex_float;
typedef double _Complex contractions_complex_double;
#endif

/*
 * C_abc=A_ai*B_ibc; column-major
 * a=12,b=13,c=14,i=8
 * c-dgemm
 * as / * seen * / in *a* paper
 */
int contract_gemm(const double *A, const double *B, double *C);

/*
 * C_xacb=2*A_ija*B_jbicx-0.5*C_xacb; column-major
 * x=3,a=12,c=14,b=13,i=8,j=9
 * xb'i'-sgemm
 */
int contract_copies(const float *A, const float *B, float *C);

/*
 * C[I,row]=(0,-1)*A[I,for]*B[for,row]+(0.5,2)*C[I,row]; row-major
 * I=3,row=5,for=4
 * row.I-zdotu
 */
int contract_zdot(const contractions_complex_double *A, const contractions_complex_double *B, contractions_complex_double *C);

#ifdef __cplusplus
}
#endif

#endif
