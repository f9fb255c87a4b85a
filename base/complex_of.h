/**
 * Makes a complex number, as C11's CMPLX, which clang lacks with the GNU C library. `re + im * I`
 * gives another number if a part is infinite, NaN or a signed zero.
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
