enum { EMIT_function_INDICES = EMIT_index_count };
typedef EMIT_wide EMIT_function_wide;

/* The extents of each index's sections. */
EMIT_section_lists;
static const int *const EMIT_function_sections[] = {
    EMIT_section_names,
};

/* The index of each dimension, and the section numbers of each block. */
EMIT_tensor_lists;
static const struct EMIT_function_tensor {
    int rank, blocks;
    const int *index, *at;
    const ptrdiff_t *stride; /* strides of each block; NULL: the blocks are dense */
    const ptrdiff_t *offset;
} EMIT_function_tensors[3] = {
    EMIT_tensors,
};

/* Returns the section of an index in a block; -1: the tensor has no such index. */
static int EMIT_function_section(int t, int block, int index) {
    const struct EMIT_function_tensor *tensor = &EMIT_function_tensors[t];
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->index[d] == index) return tensor->at[(size_t)block * (size_t)tensor->rank + d];
    return -1;
}

/* Whether two blocks have the same sections of the indices that both have. */
static int EMIT_function_meet(int t, int block, int u, int other) {
    for (int i = 0; i < EMIT_function_INDICES; i++) {
        const int a = EMIT_function_section(t, block, i), b = EMIT_function_section(u, other, i);
        if (a >= 0 && b >= 0 && a != b) return 0;
    }
    return 1;
}

/* Gets the distances between elements of a block, by index; 0: it has no such index. */
static void EMIT_function_strides(ptrdiff_t step[], int t, int block) {
    const struct EMIT_function_tensor *tensor = &EMIT_function_tensors[t];
    ptrdiff_t dense = 1;
    for (int i = 0; i < EMIT_function_INDICES; i++) step[i] = 0;
    for (int n = 0; n < tensor->rank; n++) {
        const int d = EMIT_dense_dimension, i = tensor->index[d];
        step[i] = tensor->stride ? tensor->stride[(size_t)block * (size_t)tensor->rank + d] : dense;
        dense *= EMIT_function_sections[i][EMIT_function_section(t, block, i)];
    }
}

/* Adds the product of a block of A and one of B to the sums of a block of the result, and the
 * magnitudes of its terms to `size`. */
static void EMIT_function_add(EMIT_function_wide *sum, double *size, const EMIT_element *A,
                              const EMIT_element *B, int a, int b, int c) {
    ptrdiff_t step[2][EMIT_function_INDICES], step_c[EMIT_function_INDICES];
    ptrdiff_t at[EMIT_function_INDICES] = {0}, extent[EMIT_function_INDICES], elements = 1,
              terms = 1;
    EMIT_function_strides(step[0], 0, a);
    EMIT_function_strides(step[1], 1, b);
    for (int i = 0; i < EMIT_function_INDICES; i++) {
        const int in_a = EMIT_function_section(0, a, i), in_b = EMIT_function_section(1, b, i),
                  in_c = EMIT_function_section(2, c, i), in = in_a >= 0 ? in_a : in_b;
        extent[i] = in >= 0 ? EMIT_function_sections[i][in] : 1;
        step_c[i] = in_c >= 0 ? elements : 0;
        elements *= in_c >= 0 ? extent[i] : 1;
        terms *= extent[i];
    }
    A += EMIT_function_tensors[0].offset[a];
    B += EMIT_function_tensors[1].offset[b];
    for (; terms > 0; terms--) {
        const EMIT_function_wide term = EMIT_factor_A * EMIT_factor_B;
        *sum += term;
        *size += EMIT_magnitude(term);
        for (int i = 0; i < EMIT_function_INDICES; i++) {
            const ptrdiff_t steps = at[i] + 1 < extent[i] ? 1 : -at[i];
            at[i] += steps;
            A += steps * step[0][i];
            B += steps * step[1][i];
            sum += steps * step_c[i];
            size += steps * step_c[i];
            if (steps > 0) break;
        }
    }
}

/* Returns the largest error in a block of the result, relative to the magnitudes of its terms;
 * negative if memory runs out. */
static double EMIT_function_check(int c, const EMIT_element *A, const EMIT_element *B,
                                  const EMIT_element *C, const EMIT_element *before) {
    ptrdiff_t step[EMIT_function_INDICES], at[EMIT_function_INDICES] = {0}, elements = 1;
    const struct EMIT_function_tensor *tensor = EMIT_function_tensors;
    double worst = 0.0;
    EMIT_function_strides(step, 2, c);
    for (int i = 0; i < EMIT_function_INDICES; i++) {
        const int section = EMIT_function_section(2, c, i);
        elements *= section >= 0 ? EMIT_function_sections[i][section] : 1;
    }
    EMIT_function_wide *sum = calloc((size_t)elements, sizeof *sum);
    double *size = calloc((size_t)elements, sizeof *size);
    for (int a = 0; a < tensor[0].blocks && sum && size; a++) {
        if (!EMIT_function_meet(0, a, 2, c)) continue;
        for (int b = 0; b < tensor[1].blocks; b++)
            if (EMIT_function_meet(1, b, 2, c) && EMIT_function_meet(0, a, 1, b))
                EMIT_function_add(sum, size, A, B, a, b, c);
    }
    ptrdiff_t place = tensor[2].offset[c];
    for (ptrdiff_t n = 0; n < elements && sum && size; n++) {
        const EMIT_function_wide old = EMIT_beta_before, expected = EMIT_alpha * sum[n] + old;
        const double scale = EMIT_alpha_size * size[n] + EMIT_magnitude(old),
                     error = EMIT_magnitude(C[place] - expected) / (scale > 0.0 ? scale : 1.0);
        if (!(error <= worst)) worst = error;
        for (int i = 0; i < EMIT_function_INDICES; i++) {
            const int section = EMIT_function_section(2, c, i);
            const int extent = section >= 0 ? EMIT_function_sections[i][section] : 1;
            const ptrdiff_t steps = at[i] + 1 < extent ? 1 : -at[i];
            at[i] += steps;
            place += steps * step[i];
            if (steps > 0) break;
        }
    }
    if (!sum || !size) worst = -1.0;
    free(sum);
    free(size);
    return worst;
}
