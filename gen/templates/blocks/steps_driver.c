/* Blocks and elements of each tensor: the factors, then the results of the products. */
static const struct {
    int blocks;
    size_t elements;
} EMIT_function_sizes[] = {
    EMIT_sizes,
};

static int EMIT_function_out_of_memory(void) {
    printf("EMIT_function: out of memory\n");
    return 3;
}

/*
 * Exit status 0: the check passed and the function was timed; 1: the check failed; 3: out of
 * memory. Each product is executed and compared with the sums that define it; then the function
 * must find the last result.
 */
int main(void) {
    enum { TENSORS = EMIT_tensor_count, LAST = TENSORS - 1 };
    EMIT_element *tensor[TENSORS], **block[TENSORS];
    EMIT_set_threads;
    for (int t = 0; t < TENSORS; t++) {
        tensor[t] = malloc((EMIT_function_sizes[t].elements + 1) * sizeof *tensor[t]);
        block[t] = malloc(((size_t)EMIT_function_sizes[t].blocks + 1) * sizeof *block[t]);
        if (!tensor[t] || !block[t]) return EMIT_function_out_of_memory();
        EMIT_function_fill(tensor[t], EMIT_function_sizes[t].elements);
    }
    EMIT_pointers;
    const size_t bytes = EMIT_function_sizes[LAST].elements * sizeof *tensor[LAST];
    EMIT_element *before = malloc(bytes + 1), *made = malloc(bytes + 1);
    if (!before || !made) return EMIT_function_out_of_memory();
    memcpy(before, tensor[LAST], bytes);
    memcpy(made, tensor[LAST], bytes);
    const double start = EMIT_function_now();
    double worst = 0.0;
    int checked = 0;
    EMIT_checks;
    if (EMIT_function_buffers(EMIT_buffers)) return EMIT_function_out_of_memory();
    for (size_t n = 0; n < EMIT_function_sizes[LAST].elements; n++) {
        const double scale = EMIT_magnitude(tensor[LAST][n]) + 1.0,
                     error = EMIT_magnitude(made[n] - tensor[LAST][n]) / scale;
        if (!(error <= worst)) worst = error;
    }
    if (!(worst <= EMIT_allowed)) {
        printf("EMIT_function: check FAILED (max error %.1e, allowed %.1e)\n", worst, EMIT_allowed);
        return 1;
    }
    printf("EMIT_function: check passed (max error %.1e in %d of %d blocks), ", worst, checked,
           EMIT_all_blocks);
    fflush(stdout);
    memset(tensor[LAST], 0, bytes); /* with beta above 1, the result would grow with every call */
    int samples = 0;
    const double seconds = EMIT_function_time(EMIT_tensors, &samples);
    if (seconds < 0.0) return EMIT_function_out_of_memory();
    printf("%.4g GFLOP/s, %.2e s (median of %d)\n", EMIT_flops * 1e-9 / seconds, seconds, samples);
    for (int t = 0; t < TENSORS; t++) {
        free(tensor[t]);
        free(block[t]);
    }
    free(before);
    free(made);
    return 0;
}
