/* Cache lines of the next panel of a, which tiles prefetch while they multiply. In each round:
 * lines of `count` columns (or rows) of the panel. */
struct EMIT_name_ahead {
    const EMIT_number *from;
    const ptrdiff_t *places;
    ptrdiff_t apart, count, advance;
};

/* Some tiles of rows: address of each tile's rows of a, stride between columns of a, offsets in c.
 */
struct EMIT_name_strip {
    const EMIT_number *const *a;
    ptrdiff_t step;
    const ptrdiff_t *start; /* offset of each tile in c */
    const ptrdiff_t *row;   /* offset of each row in c, if rows are not contiguous */
    ptrdiff_t tiles;
    ptrdiff_t rows; /* number of rows of c to write; 0: all, which are contiguous */
    int lie;        /* whether rows of c are contiguous */
    int adds;       /* whether the products are added to c */
    ptrdiff_t k;
};

/* Writes tiles of c with fewer rows, or with rows that are not contiguous. */
EMIT_target static void EMIT_name_write(const EMIT_number *sums, ptrdiff_t height,
                                        ptrdiff_t columns, EMIT_number *c, const ptrdiff_t *column,
                                        const struct EMIT_name_strip *strip) {
    for (ptrdiff_t j = 0; j < columns; j++) {
        const EMIT_number *from = sums + height * j;
        if (strip->lie) {
            const ptrdiff_t numbers = EMIT_parts * strip->rows;
            EMIT_number *to = c + column[j];
            ptrdiff_t i = 0;
            for (; i + EMIT_part_numbers <= numbers; i += EMIT_part_numbers) {
                EMIT_part x = *(const EMIT_part *)(from + i);
                if (strip->adds) x += *(const EMIT_part *)(to + i);
                *(EMIT_part *)(to + i) = x;
            }
            for (; i < numbers; i++) to[i] = strip->adds ? to[i] + from[i] : from[i];
            continue;
        }
        for (ptrdiff_t i = 0; i < strip->rows; i++, from += EMIT_parts) {
            EMIT_number *to = c + (strip->row[i] - strip->row[0]) + column[j];
            EMIT_write_element;
        }
    }
}

EMIT_tiles;
typedef void EMIT_name_tile_fn(const struct EMIT_name_strip *strip, const EMIT_number *b,
                               EMIT_number *c, const ptrdiff_t *column,
                               const struct EMIT_name_ahead *ahead);

EMIT_table;

/* Packs rows of a in the order in which tiles read them; missing rows are zeros. */
EMIT_target static void EMIT_name_pack_a(EMIT_number *to, const EMIT_number *a,
                                         const ptrdiff_t *row, ptrdiff_t rows, ptrdiff_t padded,
                                         const ptrdiff_t *column, ptrdiff_t k, int is_run,
                                         int by_rows, EMIT_number sign) {
    const ptrdiff_t step = EMIT_parts * padded;
    (void)sign;
    if (is_run) {
        for (ptrdiff_t p = 0; p < k; p++) {
            for (ptrdiff_t v = 0; v < step; v += EMIT_vector_numbers) {
                EMIT_vector x = *(const EMIT_vector *)(a + row[0] + column[p] + v);
                EMIT_conjugate;
                *(EMIT_vector *)(to + step * p + v) = x;
            }
        }
        return;
    }
    for (ptrdiff_t p = 0; p < k && rows < padded; p++) {
        for (ptrdiff_t i = EMIT_parts * rows; i < step; i++) to[step * p + i] = 0;
    }
    if (by_rows) {
        for (ptrdiff_t i = 0; i < rows; i++) {
            const EMIT_number *from = a + row[i];
            for (ptrdiff_t p = 0; p < k; p++) {
                EMIT_number *at = to + step * p + EMIT_parts * i;
                EMIT_copy_element;
            }
        }
        return;
    }
    for (ptrdiff_t p = 0; p < k; p++) {
        const EMIT_number *from_column = a + column[p];
        for (ptrdiff_t i = 0; i < rows; i++) {
            EMIT_number *at = to + step * p + EMIT_parts * i;
            EMIT_copy_row_element;
        }
    }
}

/* Multiplies an element of b by alpha. */
EMIT_target __attribute__((always_inline)) static inline void EMIT_name_scaled(
    EMIT_number *to, const EMIT_number *b, const struct kernel_gemm *gemm) {
    EMIT_scaled;
}

/* Packs columns of b, times alpha. */
EMIT_target static void EMIT_name_pack_b(EMIT_number *to, const EMIT_number *b,
                                         const ptrdiff_t *column, ptrdiff_t columns,
                                         const ptrdiff_t *row, ptrdiff_t k,
                                         const struct kernel_gemm *gemm, int by_columns) {
    if (by_columns) {
        for (ptrdiff_t j = 0; j < columns; j++) {
            for (ptrdiff_t p = 0; p < k; p++)
                EMIT_name_scaled(to + EMIT_parts * (columns * p + j), b + column[j] + row[p], gemm);
        }
        return;
    }
    for (ptrdiff_t p = 0; p < k; p++) {
        for (ptrdiff_t j = 0; j < columns; j++)
            EMIT_name_scaled(to + EMIT_parts * (columns * p + j), b + column[j] + row[p], gemm);
    }
}

/* Columns `first` to before `end` of b for a part of k: packed elements, and offsets of the
 * columns in c. */
struct EMIT_name_block {
    const EMIT_number *b;
    const ptrdiff_t *column_c;
    const ptrdiff_t *k_a;
    ptrdiff_t columns, k;
    int adds;
};

/* A panel of a: the rows of some tiles. */
struct EMIT_name_panel {
    ptrdiff_t first, rows;
    EMIT_number *packed;
};

/* Returns the rows of a for a tile and the stride between their columns; packs them if needed. */
EMIT_target static const EMIT_number *EMIT_name_rows_of(
    ptrdiff_t *step, const struct kernel_gemm *gemm, const EMIT_number *a,
    const struct EMIT_name_block *block, const struct EMIT_name_panel *panel, ptrdiff_t i,
    ptrdiff_t rows, ptrdiff_t padded) {
    ptrdiff_t row[EMIT_tile_rows];
    const ptrdiff_t first = panel->first + i;
    const int is_run = rows == padded && gemm->rows.stride[0][0] == EMIT_parts &&
                       kernel_is_run(&gemm->rows, first, rows);
    row[0] = kernel_place(&gemm->rows, 0, first);
    *step = gemm->contracted.stride[0][0];
    if (is_run && gemm->in_place) return a + row[0] + block->k_a[0];
    EMIT_number *const to = panel->packed + EMIT_parts * i * block->k;
    if (!is_run) kernel_places(row, &gemm->rows, 0, first, rows);
    EMIT_name_pack_a(to, a, row, rows, padded, block->k_a, block->k, is_run, gemm->by_rows,
                     (EMIT_number)gemm->sign[0]);
    *step = EMIT_parts * padded;
    return to;
}

/* Determines which lines of the next panel to prefetch while the current one is multiplied. */
static void EMIT_name_look_ahead(struct EMIT_name_ahead *ahead, const struct kernel_gemm *gemm,
                                 const EMIT_number *a, ptrdiff_t row,
                                 const struct EMIT_name_block *block) {
    const ptrdiff_t tiles = (block->columns + gemm->tile_columns - 1) / gemm->tile_columns;
    ahead->count = 0;
    if (gemm->by_rows && gemm->contracted.stride[0][0] == EMIT_parts) {
        *ahead = (struct EMIT_name_ahead){.from = a + row,
                                          .places = block->k_a + EMIT_round - 1,
                                          .apart = gemm->rows.stride[0][0],
                                          .count = 1,
                                          .advance = EMIT_round};
    } else if (gemm->rows.stride[0][0] == EMIT_parts) {
        const ptrdiff_t count = (EMIT_round + tiles - 1) / tiles;
        *ahead = (struct EMIT_name_ahead){.from = a + row + EMIT_parts * (EMIT_line_elems - 1),
                                          .places = block->k_a,
                                          .apart = EMIT_parts * EMIT_line_elems,
                                          .count = count,
                                          .advance = count};
    }
}

/* Skips the lines that a tile has prefetched. */
static void EMIT_name_fetched(struct EMIT_name_ahead *ahead, const struct kernel_gemm *gemm,
                              const struct EMIT_name_block *block) {
    const ptrdiff_t rounds = block->k / EMIT_round;
    if (ahead->count == 0) return;
    if (ahead->advance == EMIT_round && ahead->count == 1) {
        ahead->from += EMIT_lines * gemm->rows.stride[0][0];
        return;
    }
    ahead->places += rounds * ahead->advance;
    if (ahead->places + rounds * ahead->advance > block->k_a + block->k) ahead->count = 0;
}

/* Multiplies a panel of a by a block of b and prefetches the next panel. */
EMIT_target static void EMIT_name_multiply(const struct kernel_gemm *gemm, const EMIT_number *a,
                                           EMIT_number *c, const struct EMIT_name_block *block,
                                           const struct EMIT_name_panel *panel,
                                           struct EMIT_name_ahead *ahead) {
    enum { TILES = EMIT_most_rows / EMIT_elems + 1 };
    const EMIT_number *from[TILES];
    struct EMIT_name_strip strip[TILES];
    ptrdiff_t start[TILES], row[EMIT_most_rows];
    const ptrdiff_t whole = EMIT_elems * gemm->vectors;
    const int rows_lie = gemm->rows.stride[1][0] == EMIT_parts;
    int tiles = 0, strips = 0;
    for (ptrdiff_t i = 0; i < panel->rows; i += whole, tiles++) {
        const ptrdiff_t rows = panel->rows - i < whole ? panel->rows - i : whole;
        const ptrdiff_t padded = (rows + EMIT_elems - 1) / EMIT_elems * EMIT_elems;
        const int lie = rows_lie && kernel_is_run(&gemm->rows, panel->first + i, rows);
        struct EMIT_name_strip own = {.a = &from[tiles],
                                      .start = &start[tiles],
                                      .row = row + i,
                                      .tiles = 1,
                                      .rows = lie && rows == padded ? 0 : rows,
                                      .lie = lie,
                                      .adds = block->adds,
                                      .k = block->k};
        start[tiles] = kernel_place(&gemm->rows, 1, panel->first + i);
        if (!lie) kernel_places(row + i, &gemm->rows, 1, panel->first + i, rows);
        from[tiles] = EMIT_name_rows_of(&own.step, gemm, a, block, panel, i, rows, padded);
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
        for (int s = 0; s < strips; s++) {
            const ptrdiff_t first = strip[s].row - row;
            const ptrdiff_t rows = panel->rows - first < whole ? panel->rows - first : whole;
            EMIT_name_tiles[(rows + EMIT_elems - 1) / EMIT_elems - 1][columns - 1](
                &strip[s], block->b + EMIT_parts * j * block->k, c, block->column_c + j, ahead);
        }
        EMIT_name_fetched(ahead, gemm, block);
    }
}

/* Multiplies all panels of a by a block of b. */
EMIT_target static void EMIT_name_panels(const struct kernel_gemm *gemm, const EMIT_number *a,
                                         EMIT_number *c, const struct EMIT_name_block *block,
                                         EMIT_number *packed) {
    for (ptrdiff_t i = 0; i < gemm->m; i += gemm->panel_rows) {
        const ptrdiff_t rows = gemm->m - i < gemm->panel_rows ? gemm->m - i : gemm->panel_rows;
        struct EMIT_name_ahead ahead = {0};
        if (i + rows < gemm->m && !gemm->in_place && gemm->panel_rows == EMIT_elems * gemm->vectors)
            EMIT_name_look_ahead(&ahead, gemm, a, kernel_place(&gemm->rows, 0, i + rows), block);
        const struct EMIT_name_panel panel = {.first = i, .rows = rows, .packed = packed};
        EMIT_name_multiply(gemm, a, c, block, &panel, &ahead);
    }
}

EMIT_target static void EMIT_name_scale(const struct kernel_gemm *gemm, EMIT_number *c) {
    ptrdiff_t row[EMIT_most_rows], column[1];
    for (ptrdiff_t j = 0; j < gemm->n; j++) {
        kernel_places(column, &gemm->columns, 1, j, 1);
        for (ptrdiff_t first = 0; first < gemm->m; first += EMIT_most_rows) {
            const ptrdiff_t rows =
                gemm->m - first < EMIT_most_rows ? gemm->m - first : EMIT_most_rows;
            kernel_places(row, &gemm->rows, 1, first, rows);
            for (ptrdiff_t i = 0; i < rows; i++) {
                EMIT_number *to = c + row[i] + column[0];
                EMIT_scale;
            }
        }
    }
}

void EMIT_name(const struct kernel_gemm *gemm, const EMIT_number *a, const EMIT_number *b,
               EMIT_number *c);
EMIT_target void EMIT_name(const struct kernel_gemm *gemm, const EMIT_number *a,
                           const EMIT_number *b, EMIT_number *c) {
    EMIT_number packed[EMIT_panel_numbers] __attribute__((aligned(64)));
    EMIT_number near[EMIT_near_numbers] __attribute__((aligned(64)));
    ptrdiff_t column_b[EMIT_most_columns], column_c[EMIT_most_columns];
    ptrdiff_t k_a[EMIT_most_k], k_b[EMIT_most_k];
    const int is_far = gemm->block_columns > gemm->near_columns;
    void *far = is_far ? malloc(sizeof(EMIT_number) * EMIT_parts * (size_t)gemm->block_columns *
                                    (size_t)gemm->block_k +
                                64)
                       : NULL;
    EMIT_number *b_packed = far ? (EMIT_number *)(((uintptr_t)far + 63) / 64 * 64) : near;
    const ptrdiff_t block_columns = far ? gemm->block_columns : gemm->near_columns;
    const int overwrites = gemm->beta[0] == 0 && gemm->beta[1] == 0;
    if (!overwrites && (gemm->beta[0] != 1 || gemm->beta[1] != 0)) EMIT_name_scale(gemm, c);
    for (ptrdiff_t first = 0; first < gemm->n; first += block_columns) {
        const ptrdiff_t columns = gemm->n - first < block_columns ? gemm->n - first : block_columns;
        kernel_places(column_b, &gemm->columns, 0, first, columns);
        kernel_places(column_c, &gemm->columns, 1, first, columns);
        for (ptrdiff_t p = 0; p < gemm->k; p += gemm->block_k) {
            const ptrdiff_t k = gemm->k - p < gemm->block_k ? gemm->k - p : gemm->block_k;
            kernel_places(k_a, &gemm->contracted, 0, p, k);
            kernel_places(k_b, &gemm->contracted, 1, p, k);
            const ptrdiff_t near_k = gemm->contracted.stride[1][0];
            const ptrdiff_t near_columns = gemm->columns.stride[0][0];
            for (ptrdiff_t j = 0; j < columns; j += gemm->tile_columns) {
                EMIT_name_pack_b(b_packed + EMIT_parts * j * k, b, column_b + j,
                                 columns - j < gemm->tile_columns ? columns - j
                                                                  : gemm->tile_columns,
                                 k_b, k, gemm, near_k * near_k < near_columns * near_columns);
            }
            const struct EMIT_name_block block = {.b = b_packed,
                                                  .column_c = column_c,
                                                  .k_a = k_a,
                                                  .columns = columns,
                                                  .k = k,
                                                  .adds = !overwrites || p > 0};
            EMIT_name_panels(gemm, a, c, &block, packed);
        }
    }
    free(far);
}
