/*
 * Copies of blocks with any strides: real numbers are their own conjugates.
 */
static inline copy_element copy_conjugate(copy_element x) {
    return x;
}
