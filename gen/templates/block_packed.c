/*
 * Blocks that are copied once, so that their pairs are products of matrices. The copies of C are
 * copied back.
 */

/* A block, the shape of its copy, and the place of the copy in elements; a negative shape: the
 * block is used where it lies. */
static const struct EMIT_function_once {
    int block, shape;
    ptrdiff_t place;
} EMIT_function_packed[] = {
    EMIT_packed,
};

/* The dimensions of copies: extent, and distances between elements at the destination and at the
 * source. */
static const struct EMIT_copy_dimension EMIT_function_packed_dimensions[] = {
    EMIT_packed_dimensions,
};

/* The shape of a copy: how many dimensions, and which is the first. */
static const struct {
    int rank, first;
} EMIT_function_packed_shapes[] = {
    EMIT_packed_shapes,
};

/* Sets the pointers to `count` blocks or their copies, and makes these. */
static void EMIT_function_pack_once(const EMIT_element *to[], const EMIT_element *const block[],
                                    const struct EMIT_function_once *once, int count,
                                    EMIT_element *workspace) {
    for (int n = 0; n < count; n++, once++) {
        EMIT_element *copy = workspace + once->place;
        to[n] = once->shape < 0 ? block[once->block] : copy;
        if (once->shape < 0) continue;
        EMIT_copy_block(
            copy, block[once->block], EMIT_function_packed_shapes[once->shape].rank,
            &EMIT_function_packed_dimensions[EMIT_function_packed_shapes[once->shape].first], 0, 0,
            NULL);
    }
}

static int EMIT_function_run_packed(const EMIT_element *const A[], const EMIT_element *const B[],
                                    EMIT_element *const C[], EMIT_element *workspace) {
    enum { FACTORS_A = EMIT_packed_A, FACTORS_B = EMIT_packed_B, RESULTS = EMIT_packed_C };
    const struct EMIT_function_once *results = EMIT_function_packed + FACTORS_A + FACTORS_B;
    const EMIT_element **a = malloc((FACTORS_A + FACTORS_B) * sizeof *a), **b = a + FACTORS_A;
    EMIT_element **c = malloc(RESULTS * sizeof *c);
    int status = a && c ? 0 : ENOMEM;
    if (!status) {
        EMIT_function_pack_once(a, A, EMIT_function_packed, FACTORS_A, workspace);
        EMIT_function_pack_once(b, B, EMIT_function_packed + FACTORS_A, FACTORS_B, workspace);
        for (int n = 0; n < RESULTS; n++)
            c[n] = results[n].shape < 0 ? C[results[n].block] : workspace + results[n].place;
    }
    EMIT_run_copies;
    for (int n = 0; n < RESULTS && !status; n++) {
        if (results[n].shape < 0) continue;
        EMIT_copy_block(
            C[results[n].block], c[n], EMIT_function_packed_shapes[results[n].shape].rank,
            &EMIT_function_packed_dimensions[EMIT_function_packed_shapes[results[n].shape].first],
            EMIT_copying_back, NULL);
    }
    free(a);
    free(c);
    return status;
}
