/*
 * Copies of blocks with any strides, times a factor: each piece is multiplied while it is in the
 * L1 cache.
 */

/* Computes x = factor * x over all dimensions; if the factor is 0, x is not read. */
static void copy_multiply(copy_element *x, int rank, const struct copy_dimension *dimension,
                          copy_element factor) {
    const ptrdiff_t count = rank > 0 ? dimension[rank - 1].extent : 1,
                    step = rank > 0 ? dimension[rank - 1].to : 0;
    for (ptrdiff_t k = 0; k < count; k++) {
        if (rank > 1) {
            copy_multiply(x + k * step, rank - 1, dimension, factor);
        } else {
            x[k * step] = factor == 0 ? 0 : factor * x[k * step];
        }
    }
}

/* Computes to = factor * from, or with COPY_CONJUGATE factor * the conjugate of from; if the
 * factor is 0, nothing is read. */
static void copy_scaled(copy_element *to, const copy_element *from, int rank,
                        const struct copy_dimension *dimension, unsigned flags,
                        copy_element factor) {
    enum { PIECE = 16384 / sizeof(copy_element), MOST_DIMENSIONS = 64 };
    struct copy_dimension half[MOST_DIMENSIONS];
    ptrdiff_t elements = 1;
    int longest = 0;
    for (int d = 0; d < rank; d++) {
        half[d] = dimension[d];
        elements *= dimension[d].extent;
        if (dimension[d].extent > dimension[longest].extent) longest = d;
    }
    if (elements <= PIECE || dimension[longest].extent < 2) {
        if (factor != 0) copy_block(to, from, rank, dimension, flags, 0, NULL);
        copy_multiply(to, rank, dimension, factor);
        return;
    }
    const struct copy_dimension *whole = &dimension[longest];
    const ptrdiff_t first = whole->extent >= 2 * COPY_LINE
                                ? whole->extent / 2 / COPY_LINE * COPY_LINE
                                : whole->extent / 2;
    half[longest].extent = first;
    copy_scaled(to, from, rank, half, flags, factor);
    half[longest].extent = whole->extent - first;
    copy_scaled(to + first * whole->to, from + first * whole->from, rank, half, flags, factor);
}
