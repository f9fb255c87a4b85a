
/* Determines which lines of the next panel, which begins at row `first`, to prefetch while the
 * current one is multiplied. */
static void EMIT_name_look_ahead(struct EMIT_name_ahead *ahead, const struct EMIT_name_call *call,
                                 ptrdiff_t first, const struct EMIT_name_block *block) {
    const struct kernel_gemm *gemm = call->gemm;
    const ptrdiff_t tiles = (block->columns + gemm->tile_columns - 1) / gemm->tile_columns;
    if (first >= gemm->m || gemm->in_place || gemm->panel_rows != call->set->elems * gemm->vectors)
        return;
    ahead->from = call->a + kernel_place(&gemm->rows, 0, first);
    if (gemm->by_rows && gemm->contracted.stride[0][0] == EMIT_parts) {
        ahead->places = block->depth.place + EMIT_round - 1;
        ahead->apart = gemm->rows.stride[0][0];
        ahead->count = 1;
        ahead->advance = EMIT_round;
        ahead->rows = call->set->elems * gemm->vectors;
    } else if (gemm->rows.stride[0][0] == EMIT_parts) {
        const ptrdiff_t count = (EMIT_round + tiles - 1) / tiles;
        ahead->from += EMIT_parts * (EMIT_line_elems - 1);
        ahead->places = block->depth.place;
        ahead->apart = EMIT_parts * EMIT_line_elems;
        ahead->count = ahead->advance = count;
    }
}

/* Skips the lines of the next panel that a tile has prefetched. */
static void EMIT_name_fetched(struct EMIT_name_ahead *ahead, const struct EMIT_name_call *call,
                              const struct EMIT_name_depth *depth) {
    const ptrdiff_t rounds = depth->k / EMIT_round;
    if (ahead->count == 0) return;
    if (ahead->rows > 0) {
        ahead->from += call->set->lines * call->gemm->rows.stride[0][0];
        ahead->rows -= call->set->lines;
        if (ahead->rows <= 0) ahead->count = 0;
        return;
    }
    ahead->places += rounds * ahead->advance;
    if (ahead->places + rounds * ahead->advance > depth->place + depth->k) ahead->count = 0;
}
