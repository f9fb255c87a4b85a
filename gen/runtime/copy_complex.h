/*
 * Copies of blocks with any strides: complex numbers.
 */
static inline copy_element copy_conjugate(copy_element x) {
    __imag__ x = -__imag__ x;
    return x;
}
