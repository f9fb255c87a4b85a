int EMIT_function_buffers(const EMIT_element *A, const EMIT_element *B, EMIT_element *C) {
    const EMIT_element **factor = malloc((EMIT_blocks_A + EMIT_blocks_B + 1) * sizeof *factor);
    EMIT_element **result = malloc((EMIT_blocks_C + 1) * sizeof *result);
    int status = factor && result ? 0 : ENOMEM;
    for (int n = 0; n < EMIT_blocks_A && !status; n++) factor[n] = A + EMIT_function_offset_A[n];
    for (int n = 0; n < EMIT_blocks_B && !status; n++)
        factor[EMIT_blocks_A + n] = B + EMIT_function_offset_B[n];
    for (int n = 0; n < EMIT_blocks_C && !status; n++) result[n] = C + EMIT_function_offset_C[n];
    if (!status) status = EMIT_function(factor, factor + EMIT_blocks_A, result);
    free(factor);
    free(result);
    return status;
}
