int EMIT_function(const EMIT_element *const A[], const EMIT_element *const B[],
                  EMIT_element *const C[]) {
    int status = 0;
    EMIT_begin;
    EMIT_scale;
    EMIT_run;
    EMIT_end;
    return status;
}

/* Where each block begins in a buffer, in elements. */
static const ptrdiff_t EMIT_function_offset_A[] = {
    EMIT_offset_A,
};
static const ptrdiff_t EMIT_function_offset_B[] = {
    EMIT_offset_B,
};
static const ptrdiff_t EMIT_function_offset_C[] = {
    EMIT_offset_C,
};
