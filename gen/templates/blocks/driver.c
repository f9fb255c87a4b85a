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
