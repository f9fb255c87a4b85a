/*
 * Copies of blocks with any strides: a real number is its own conjugate.
 */
static inline copy_element copy_conjugate(copy_element x) {
    return x;
}
