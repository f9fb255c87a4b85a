
/* Divides the next block of b among the calls of tiles. */
static void EMIT_name_divide_next(struct EMIT_name_next *next, const struct kernel_gemm *gemm) {
    const ptrdiff_t panels = (gemm->m + gemm->panel_rows - 1) / gemm->panel_rows;
    const ptrdiff_t tiles = (next->columns + gemm->tile_columns - 1) / gemm->tile_columns;
    const int is_along_k = gemm->apart[1] > 0;
    if (next->columns == 0 || (!is_along_k && gemm->columns.stride[0][0] != EMIT_parts)) return;
    next->units = is_along_k ? next->columns : next->k;
    next->count = (next->units + panels * tiles - 1) / (panels * tiles);
}

/* Determines which lines of the next block of b a tile prefetches: the next columns of it or, if b
 * is not contiguous along contracted indices, the next contracted index. */
static void EMIT_name_look_behind(struct EMIT_name_ahead *ahead, const struct kernel_gemm *gemm,
                                  struct EMIT_name_next *next) {
    const ptrdiff_t left = next->units - next->unit, apart = gemm->apart[1];
    const ptrdiff_t count = next->count < left ? next->count : left;
    ahead->second_count = 0;
    if (left <= 0) return;
    if (apart > 0) {
        const ptrdiff_t *column = next->column + next->unit;
        ahead->second = next->b + column[0];
        ahead->second_places = next->k_b;
        ahead->second_count = count;
        ahead->second_apart = count > 1 ? column[1] - column[0] : 0;
        ahead->second_advance = apart == 1 ? EMIT_round : 1;
        ahead->second_last = next->k_b + next->k - ahead->second_advance;
        if (apart > 1 && count == 1) { /* the end of the lines, which may be in others */
            ahead->second_count = 2;
            ahead->second_apart = EMIT_parts * (EMIT_line_elems - 1);
        }
    } else {
        ahead->second = next->b + next->k_b[next->unit];
        ahead->second_places = next->column;
        ahead->second_count = count;
        ahead->second_apart = count > 1 ? next->k_b[next->unit + 1] - next->k_b[next->unit] : 0;
        ahead->second_advance = EMIT_line_elems;
        ahead->second_last = next->column + next->columns - EMIT_line_elems;
    }
    next->unit += count;
}
