/*
 * Products of pairs of blocks. Pairs whose blocks have equal extents and strides have one shape: a
 * function for the first pair of a block of the result, and one for later pairs, which add to the
 * block.EMIT_about_gemms
 */
static const struct EMIT_function_shape {
    EMIT_function_product *product[2];
    EMIT_shape_members;
} EMIT_function_shapes[] = {
    EMIT_shapes,
};

/* Consecutive pairs of a shape that add to a block of the result; `later`: after other pairs. */
static const struct {
    int shape, result, pairs;
    unsigned char later, sums;
} EMIT_function_runs[] = {
    EMIT_runs,
};

/* The block of A and the block of B of each pair. */
static const int EMIT_function_pairs[][2] = {
    EMIT_pairs,
};

static inline int EMIT_function_multiply(const struct EMIT_function_shape *shape, int later,
                                         const EMIT_element *a, const EMIT_element *b,
                                         EMIT_element *c) {
    EMIT_gemm;
    return shape->product[later](a, b, c);
}

EMIT_sum;
static int EMIT_function_run_pairs(const EMIT_element *const A[], const EMIT_element *const B[],
                                   EMIT_element *const C[],
                                   const struct EMIT_function_share *share) {
    const int(*pair)[2] = EMIT_function_pairs + share[0].pair;
    int status = 0;
    for (ptrdiff_t r = share[0].run; r < share[1].run; r++) {
        const struct EMIT_function_shape *shape =
            &EMIT_function_shapes[EMIT_function_runs[r].shape];
        EMIT_element *c = C[EMIT_function_runs[r].result];
        int later = EMIT_function_runs[r].later;
        const int count = EMIT_function_runs[r].pairs;
        EMIT_try_sum;
        for (int n = 0; n < count && !status; n++, later = 1)
            status = EMIT_function_multiply(shape, later, A[pair[n][0]], B[pair[n][1]], c);
        pair += count;
    }
    return status;
}
