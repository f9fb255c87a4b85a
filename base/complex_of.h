/**
 * Complex numbers of two parts: CMPLX of C11, which clang lacks with this C library. `re + im * I`
 * is another number where a part is infinite, not a number, or a signed zero.
 */
#ifndef BASE_COMPLEX_OF_H
#define BASE_COMPLEX_OF_H

static inline double _Complex complex_of(double re, double im) {
    const union {
        double part[2];
        double _Complex whole;
    } number = {{re, im}};
    return number.whole;
}

#endif
