/**
 * Complex numbers of two parts. CMPLX of C11 is what clang has not; `re + im * I` is another number
 * where a part is infinite or none, or a signed zero.
 */
#ifndef SUPPORT_COMPLEX_OF_H
#define SUPPORT_COMPLEX_OF_H

static inline double _Complex complex_of(double re, double im) {
    const union {
        double part[2];
        double _Complex whole;
    } number = {{re, im}};
    return number.whole;
}

#endif
