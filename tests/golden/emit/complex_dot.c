/*
 * contraction: C[I,row]=(0,-1)*A[I,for]*B[for,row]+(0.5,2)*C[I,row]
 * sizes: I=3,row=5,for=4
 * type: double _Complex
 * storage: row-major: the last index is contiguous
 * algorithm: row.I-zdotu
 *
 * for row = 1:row
 *   for I = 1:I
 *     zdotu: C[I,row] := (0,-1) A[I,:] B[:,row] + (0.5,2) C[I,row]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[I,for]: 3 x 4, strides 4, 1
 *   B = B[for,row]: 4 x 5, strides 5, 1
 *   C = C[I,row]: 3 x 5, strides 5, 1
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <complex.h>
#include <stddef.h>

#include <cblas.h>

int contract(const double _Complex *A, const double _Complex *B, double _Complex *C) {
    for (ptrdiff_t i_row = 0; i_row < 5; i_row++) {
        for (ptrdiff_t i_I = 0; i_I < 3; i_I++) {
            double _Complex dot;
            cblas_zdotu_sub(3, A + 4 * i_I, 1, B + i_row, 5, &dot);
            dot += (A + 4 * i_I)[3] * (B + i_row)[15]; /* no call: OpenBLAS would read one stride too far */
            C[5 * i_I + i_row] = (0.0 - 1.0 * _Complex_I) * dot + (0.5 + 2.0 * _Complex_I) * C[5 * i_I + i_row];
        }
    }
    return 0;
}
