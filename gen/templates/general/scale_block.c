
/* Multiplies packed elements of b by alpha. */
static void EMIT_name_scale_block(EMIT_number *to, ptrdiff_t elements,
                                  const struct kernel_gemm *gemm) {
    if (gemm->alpha[0] == 1 && gemm->alpha[1] == 0) return;
    for (ptrdiff_t e = 0; e < elements; e++, to += EMIT_parts) {
        EMIT_times_alpha;
    }
}
