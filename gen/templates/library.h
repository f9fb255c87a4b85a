/*
 * Planned contractions: every function computes one contraction at fixed sizes by the algorithm
 * that was predicted to be fastest. Operands come in the order of the notation, the result last.
 * All are dense unless strides are given, and pointers are to the element whose indices are all 0.
 * The result must not overlap other operands, which may overlap each other. A function returns 0,
 * or ENOMEM if it cannot allocate a temporary; the result is then unchanged.
 *
 * Emitted by tcplan EMIT_version.
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
EMIT_functions;

#ifdef __cplusplus
}
#endif

#endif
