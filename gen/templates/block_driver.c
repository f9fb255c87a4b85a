
/*
 * The driver. It compares blocks of the result with the sums that define them, found from section
 * numbers alone, until EMIT_check_seconds seconds have passed, and times the function.
 */
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

/* Uniform in [-1, 1). */
static double EMIT_function_random(void) {
    static unsigned long long state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) * 0x1p-52 - 1.0;
}

EMIT_fill;

/* Seconds since the first call. */
static double EMIT_function_now(void) {
    static time_t start;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (!start) start = t.tv_sec;
    return (double)(t.tv_sec - start) + 1e-9 * (double)t.tv_nsec;
}

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

static int EMIT_function_by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median time of a call; negative if memory runs out. A sample is as many calls as take
 * 0.1 ms. */
static double EMIT_function_time(const EMIT_element *const A[], const EMIT_element *const B[],
                                 EMIT_element *const C[], int *samples) {
    static double sample[2000];
    double total = 0.0;
    int calls = 1, count = 0;
    for (int warm = 0; count < 2000 && (total < 0.3 || count < 3);) {
        const double start = EMIT_function_now();
        for (int n = 0; n < calls; n++)
            if (EMIT_function(A, B, C)) return -1.0;
        const double seconds = fmax(EMIT_function_now() - start, 0.0);
        if (warm++ < 2) continue;
        if (seconds < 1e-4 && calls < 100000) {
            calls *= 2;
            continue;
        }
        sample[count++] = seconds / calls;
        total += seconds;
    }
    qsort(sample, (size_t)count, sizeof *sample, EMIT_function_by_value);
    *samples = count;
    return sample[count / 2];
}

/* Exit status 0: the check passed and the function was timed; 1: the check failed; 3: out of
 * memory. */
int main(void) {
    enum { BLOCKS = EMIT_blocks_C };
    EMIT_element *A = malloc(EMIT_bytes_A), *B = malloc(EMIT_bytes_B), *C = malloc(EMIT_bytes_C),
                 *before = malloc(EMIT_bytes_C);
    const EMIT_element **a = malloc((EMIT_blocks_A + 1) * sizeof *a),
                       **b = malloc((EMIT_blocks_B + 1) * sizeof *b);
    EMIT_element **c = malloc((BLOCKS + 1) * sizeof *c);
    EMIT_set_threads;
    if (!A || !B || !C || !before || !a || !b || !c) {
        printf("EMIT_function: out of memory\n");
        return 3;
    }
    for (int n = 0; n < EMIT_blocks_A; n++) a[n] = A + EMIT_function_offset_A[n];
    for (int n = 0; n < EMIT_blocks_B; n++) b[n] = B + EMIT_function_offset_B[n];
    for (int n = 0; n < BLOCKS; n++) c[n] = C + EMIT_function_offset_C[n];
    EMIT_function_fill(A, EMIT_elements_A);
    EMIT_function_fill(B, EMIT_elements_B);
    EMIT_function_fill(C, EMIT_elements_C);
    memcpy(before, C, EMIT_bytes_C);
    if (EMIT_function_buffers(A, B, C)) {
        printf("EMIT_function: out of memory\n");
        return 3;
    }
    const double start = EMIT_function_now();
    double worst = 0.0;
    int checked = 0, block = 0;
    for (; checked < BLOCKS && EMIT_function_now() - start < EMIT_check_seconds; checked++) {
        const double error = EMIT_function_check(block, A, B, C, before);
        if (error < 0.0) {
            printf("EMIT_function: out of memory\n");
            return 3;
        }
        if (!(error <= worst)) worst = error;
        block = (block + EMIT_check_step) % (BLOCKS > 0 ? BLOCKS : 1);
    }
    if (!(worst <= EMIT_allowed)) {
        printf("EMIT_function: check FAILED (max error %.1e, allowed %.1e)\n", worst, EMIT_allowed);
        return 1;
    }
    printf("EMIT_function: check passed (max error %.1e in %d of %d blocks), ", worst, checked,
           BLOCKS);
    fflush(stdout);
    EMIT_refill;
    int samples = 0;
    const double seconds = EMIT_function_time(a, b, c, &samples);
    if (seconds < 0.0) {
        printf("out of memory\n");
        return 3;
    }
    printf("%.4g GFLOP/s, %.2e s (median of %d)\n", EMIT_flops * 1e-9 / seconds, seconds, samples);
    free(A);
    free(B);
    free(C);
    free(before);
    free(a);
    free(b);
    free(c);
    return 0;
}
