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

struct EMIT_function_copying {
    const struct EMIT_function_once *once;
    const EMIT_element *const *from, **factor; /* blocks of factors, and the pointers to set */
    EMIT_element *const *to, **result;         /* blocks and result pointers of C */
    EMIT_element *workspace;
};

/* Sets the pointers to some blocks of a factor or to their copies, and makes these. */
static void EMIT_function_copy_in(void *context, int first, int end) {
    const struct EMIT_function_copying *copying = context;
    for (int n = first; n < end; n++) {
        const struct EMIT_function_once *once = &copying->once[n];
        EMIT_element *copy = copying->workspace + once->place;
        copying->factor[n] = once->shape < 0 ? copying->from[once->block] : copy;
        if (once->shape < 0) continue;
        EMIT_copy_block(
            copy, copying->from[once->block], EMIT_function_packed_shapes[once->shape].rank,
            &EMIT_function_packed_dimensions[EMIT_function_packed_shapes[once->shape].first], 0, 0,
            NULL);
    }
}

/* Copies some blocks of C back. */
static void EMIT_function_copy_out(void *context, int first, int end) {
    const struct EMIT_function_copying *copying = context;
    for (int n = first; n < end; n++) {
        const struct EMIT_function_once *once = &copying->once[n];
        if (once->shape < 0) continue;
        EMIT_copy_block(
            copying->to[once->block], copying->result[n],
            EMIT_function_packed_shapes[once->shape].rank,
            &EMIT_function_packed_dimensions[EMIT_function_packed_shapes[once->shape].first],
            EMIT_copying_back, NULL);
    }
}

static int EMIT_function_run_packed(const EMIT_element *const A[], const EMIT_element *const B[],
                                    EMIT_element *const C[], EMIT_element *workspace) {
    enum { FACTORS_A = EMIT_packed_A, FACTORS_B = EMIT_packed_B, RESULTS = EMIT_packed_C };
    const struct EMIT_function_once *results = EMIT_function_packed + FACTORS_A + FACTORS_B;
    const EMIT_element **a = malloc((FACTORS_A + FACTORS_B) * sizeof *a), **b = a + FACTORS_A;
    EMIT_element **c = malloc(RESULTS * sizeof *c);
    struct EMIT_function_copying copies_a = {EMIT_function_packed, A, a, NULL, NULL, workspace},
                                 copies_b = {EMIT_function_packed + FACTORS_A,
                                             B,
                                             b,
                                             NULL,
                                             NULL,
                                             workspace},
                                 copies_c = {results, NULL, NULL, C, c, workspace};
    int status = a && c ? 0 : ENOMEM;
    if (!status) {
        EMIT_copy_in_all;
        for (int n = 0; n < RESULTS; n++)
            c[n] = results[n].shape < 0 ? C[results[n].block] : workspace + results[n].place;
    }
    EMIT_run_copies;
    if (!status) {
        EMIT_copy_out_all;
    }
    free(a);
    free(c);
    return status;
}
