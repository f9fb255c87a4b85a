
/* Multiplies c by beta. */
static void EMIT_name_scale_result(const struct kernel_gemm *gemm, EMIT_number *c) {
    ptrdiff_t row[EMIT_most_rows], column[1];
    if (gemm->beta[1] == 0 && (gemm->beta[0] == 0 || gemm->beta[0] == 1)) return;
    for (ptrdiff_t j = 0; j < gemm->n; j++) {
        kernel_places(column, &gemm->columns, 1, j, 1);
        for (ptrdiff_t first = 0; first < gemm->m; first += EMIT_most_rows) {
            const ptrdiff_t rows =
                gemm->m - first < EMIT_most_rows ? gemm->m - first : EMIT_most_rows;
            kernel_places(row, &gemm->rows, 1, first, rows);
            for (ptrdiff_t i = 0; i < rows; i++) {
                EMIT_number *to = c + row[i] + column[0];
                EMIT_times_beta;
            }
        }
    }
}
