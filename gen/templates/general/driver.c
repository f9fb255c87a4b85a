
/* Packs lanes, which are rows of a or columns of b, in the order in which tiles read them: `width`
 * lanes for each contracted index. Missing ones are zeros. */
static void EMIT_name_pack(const struct EMIT_name_set *set, EMIT_number *to,
                           const EMIT_number *from, const ptrdiff_t *lane, ptrdiff_t lanes,
                           ptrdiff_t width, const struct EMIT_name_depth *depth, EMIT_number sign) {
    const ptrdiff_t step = EMIT_parts * width, k = depth->k;
    const ptrdiff_t vectors = lanes / set->elems * set->elems;
    ptrdiff_t i = 0;
    for (ptrdiff_t p = 0; p < k && lanes < width; p++) {
        for (ptrdiff_t n = EMIT_parts * lanes; n < step; n++) to[step * p + n] = 0;
    }
    if (vectors > 0 && kernel_is_even(lane, vectors, EMIT_parts)) {
        set->copy(to, step, from + lane[0], EMIT_parts * vectors, depth, sign);
        i = vectors;
    }
    for (; depth->apart > 0 && i < vectors; i += set->elems)
        set->transpose(to + EMIT_parts * i, step, from, lane + i, depth, sign);
    while (i < lanes) { /* along the contiguous dimension first */
        const ptrdiff_t count = depth->apart == 1 ? 1 : lanes - i;
        EMIT_name_pack_elements(to + EMIT_parts * i, step, from, lane + i, count, depth->place, k,
                                sign);
        i += count;
    }
}

/* Returns the rows of a for a tile and the stride between their columns; packs them if needed. */
static const EMIT_number *EMIT_name_rows_of(ptrdiff_t *step, const struct EMIT_name_call *call,
                                            const struct EMIT_name_block *block, ptrdiff_t first,
                                            ptrdiff_t rows, ptrdiff_t padded, EMIT_number *packed) {
    const struct kernel_gemm *gemm = call->gemm;
    ptrdiff_t row[EMIT_tile_rows];
    kernel_places(row, &gemm->rows, 0, first, rows);
    *step = gemm->contracted.stride[0][0];
    if (gemm->in_place && rows == padded && kernel_is_even(row, rows, EMIT_parts))
        return call->a + row[0] + block->depth.place[0];
    if (!block->is_packed)
        EMIT_name_pack(call->set, packed, call->a, row, rows, padded, &block->depth,
                       (EMIT_number)gemm->sign[0]);
    *step = EMIT_parts * padded;
    return packed;
}

/* Multiplies a panel of a, whose rows begin with row `first`, by a block of b and prefetches the
 * next panel. */
static void EMIT_name_multiply(const struct EMIT_name_call *call,
                               const struct EMIT_name_block *block, ptrdiff_t first,
                               ptrdiff_t panel_rows, struct EMIT_name_ahead *ahead,
                               struct EMIT_name_next *next) {
    const struct kernel_gemm *gemm = call->gemm;
    const EMIT_number *from[EMIT_most_tiles];
    struct EMIT_name_strip strip[EMIT_most_tiles];
    ptrdiff_t start[EMIT_most_tiles], row[EMIT_most_rows];
    const ptrdiff_t elems = call->set->elems, whole = elems * gemm->vectors, k = block->depth.k;
    const int rows_lie = gemm->rows.stride[1][0] == EMIT_parts;
    int tiles = 0, strips = 0;
    (void)next;
    for (ptrdiff_t i = 0; i < panel_rows; i += whole, tiles++) {
        const ptrdiff_t rows = panel_rows - i < whole ? panel_rows - i : whole;
        const ptrdiff_t padded = (rows + elems - 1) / elems * elems;
        const int lie = rows_lie && kernel_is_run(&gemm->rows, first + i, rows);
        struct EMIT_name_strip own = {.a = &from[tiles],
                                      .start = &start[tiles],
                                      .row = row + i,
                                      .tiles = 1,
                                      .rows = lie && rows == padded ? 0 : rows,
                                      .lie = lie,
                                      .adds = block->adds,
                                      .k = k};
        start[tiles] = kernel_place(&gemm->rows, 1, first + i);
        if (!lie) kernel_places(row + i, &gemm->rows, 1, first + i, rows);
        from[tiles] = EMIT_name_rows_of(&own.step, call, block, first + i, rows, padded,
                                        call->panel + EMIT_parts * i * k);
        struct EMIT_name_strip *last = strips > 0 ? &strip[strips - 1] : NULL;
        if (last && own.rows == 0 && padded == whole && last->step == own.step && last->rows == 0) {
            last->tiles++;
        } else {
            strip[strips++] = own;
        }
    }
    for (ptrdiff_t j = 0; j < block->columns; j += gemm->tile_columns) {
        const ptrdiff_t columns =
            block->columns - j < gemm->tile_columns ? block->columns - j : gemm->tile_columns;
        EMIT_look_behind;
        for (int s = 0; s < strips; s++) {
            const ptrdiff_t left = panel_rows - (strip[s].row - row);
            const ptrdiff_t vectors = ((left < whole ? left : whole) + elems - 1) / elems;
            call->set->tile[(vectors - 1) * call->set->columns + columns - 1](
                &strip[s], block->b + EMIT_parts * j * k, call->c, block->column_c + j, ahead);
        }
        EMIT_fetched;
    }
}

/* Multiplies all panels of a by a block of b. */
static void EMIT_name_panels(const struct EMIT_name_call *call, const struct EMIT_name_block *block,
                             struct EMIT_name_next *next) {
    const struct kernel_gemm *gemm = call->gemm;
    for (ptrdiff_t i = 0; i < gemm->m; i += gemm->panel_rows) {
        const ptrdiff_t rows = gemm->m - i < gemm->panel_rows ? gemm->m - i : gemm->panel_rows;
        struct EMIT_name_ahead ahead = {.places = block->depth.place,
                                        .second_places = block->column_c};
        EMIT_look_ahead;
        EMIT_name_multiply(call, block, i, rows, &ahead, next);
    }
}

/* Packs one block of b after the other, and multiplies all panels of a by it. */
static void EMIT_name_run(const struct EMIT_name_call *call) {
    const struct kernel_gemm *gemm = call->gemm;
    const EMIT_number *b = call->b;
    ptrdiff_t column_b[2][EMIT_most_columns], column_c[EMIT_most_columns];
    ptrdiff_t k_a[EMIT_most_k], k_b[2][EMIT_most_k];
    unsigned char is_run[2][EMIT_most_k];
    const int is_far = gemm->block_columns > gemm->near_columns;
    void *far = is_far
                    ? kernel_take_memory(sizeof(EMIT_number) * EMIT_parts *
                                             (size_t)gemm->block_columns * (size_t)gemm->block_k +
                                         64)
                    : NULL;
    EMIT_number *b_packed =
        far ? (EMIT_number *)(((uintptr_t)far + sizeof(size_t) + 63) / 64 * 64) : call->near;
    const ptrdiff_t block_columns = far ? gemm->block_columns : gemm->near_columns;
    const int overwrites = gemm->beta[0] == 0 && gemm->beta[1] == 0;
    int side = 0, part = 0;
    EMIT_scale_result;
    kernel_places(column_b[0], &gemm->columns, 0, 0,
                  gemm->n < block_columns ? gemm->n : block_columns);
    kernel_places(k_b[0], &gemm->contracted, 1, 0,
                  gemm->k < gemm->block_k ? gemm->k : gemm->block_k);
    for (ptrdiff_t first = 0; first < gemm->n; first += block_columns, side = 1 - side) {
        const ptrdiff_t columns = gemm->n - first < block_columns ? gemm->n - first : block_columns;
        const ptrdiff_t other_columns = gemm->n - first - columns;
        kernel_places(column_c, &gemm->columns, 1, first, columns);
        kernel_places(column_b[1 - side], &gemm->columns, 0, first + columns,
                      other_columns < block_columns ? other_columns : block_columns);
        for (ptrdiff_t p = 0; p < gemm->k; p += gemm->block_k) {
            const ptrdiff_t k = gemm->k - p < gemm->block_k ? gemm->k - p : gemm->block_k;
            const int is_last = p + k == gemm->k;
            const ptrdiff_t next_p = is_last ? 0 : p + k, left = gemm->k - next_p;
            const struct EMIT_name_depth depth = {
                .k = k, .apart = gemm->apart[1], .place = k_b[part], .is_run = is_run[1]};
            struct EMIT_name_next next = {.b = b,
                                          .column = column_b[is_last ? 1 - side : side],
                                          .columns = is_last ? other_columns : columns,
                                          .k_b = k_b[1 - part],
                                          .k = left < gemm->block_k ? left : gemm->block_k};
            if (next.columns > block_columns) next.columns = block_columns;
            kernel_places(k_b[1 - part], &gemm->contracted, 1, next_p, next.k);
            if (!gemm->keeps || first == 0) {
                kernel_places(k_a, &gemm->contracted, 0, p, k);
                kernel_runs(is_run[0], k_a, k, gemm->apart[0], call->set->elems, EMIT_parts);
            }
            kernel_runs(is_run[1], k_b[part], k, gemm->apart[1], call->set->elems, EMIT_parts);
            for (ptrdiff_t j = 0; j < columns; j += gemm->tile_columns) {
                const ptrdiff_t width =
                    columns - j < gemm->tile_columns ? columns - j : gemm->tile_columns;
                EMIT_name_pack(call->set, b_packed + EMIT_parts * j * k, b, column_b[side] + j,
                               width, width, &depth, (EMIT_number)gemm->sign[1]);
            }
            EMIT_scale_block;
            const struct EMIT_name_block block = {
                .b = b_packed,
                .column_c = column_c,
                .depth = {.k = k, .apart = gemm->apart[0], .place = k_a, .is_run = is_run[0]},
                .columns = columns,
                .is_packed = gemm->keeps && first > 0,
                .adds = !overwrites || p > 0};
            EMIT_divide_next;
            EMIT_name_panels(call, &block, &next);
            part = 1 - part;
        }
    }
    kernel_return_memory(far);
}
