/* Cache lines that tiles prefetch while they multiply: in each round, of `count` columns (or rows)
 * of the next panel of a, and of `more` columns of the next block of b. */
struct EMIT_name_ahead {
    const EMIT_number *from, *second;
    const ptrdiff_t *places, *second_places;
    ptrdiff_t apart, count, advance;
    ptrdiff_t second_apart, second_count, second_advance;
    const ptrdiff_t *second_last; /* the last of `second_places` from which to advance */
    ptrdiff_t rows; /* rows of the panel that are left if tiles prefetch some rows each; or 0 */
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

/* A part of the contracted indices of a factor: their places, and the distance of those that are
 * neighbours in memory (0: none are). `is_run` says for each vector along them whether it is
 * contiguous. */
struct EMIT_name_depth {
    ptrdiff_t k, apart;
    const ptrdiff_t *place;
    const unsigned char *is_run;
};

/* Transposes a square block: its vectors begin at `lane`, and are `step` apart afterwards. */
EMIT_target __attribute__((always_inline)) static inline void EMIT_name_transpose(
    EMIT_number *to, ptrdiff_t step, const EMIT_number *from, const ptrdiff_t *lane,
    EMIT_number sign) {
    (void)sign;
    EMIT_transpose;
}

/* Copies elements of some lanes for some contracted indices. */
EMIT_target static void EMIT_name_pack_elements(EMIT_number *to, ptrdiff_t step,
                                                const EMIT_number *from, const ptrdiff_t *lane,
                                                ptrdiff_t lanes, const ptrdiff_t *place,
                                                ptrdiff_t k, EMIT_number sign) {
    (void)sign;
    for (ptrdiff_t p = 0; p < k; p++) {
        for (ptrdiff_t i = 0; i < lanes; i++) {
            EMIT_number *at = to + step * p + EMIT_parts * i;
            EMIT_copy_element;
        }
    }
}

/* Copies a vector of lanes, in whose factor contracted indices are neighbours: blocks are
 * transposed. */
EMIT_target static void EMIT_name_pack_transposed(EMIT_number *to, ptrdiff_t step,
                                                  const EMIT_number *from, const ptrdiff_t *lane,
                                                  const struct EMIT_name_depth *depth,
                                                  EMIT_number sign) {
    const ptrdiff_t apart = depth->apart, length = EMIT_elems * apart, *place = depth->place;
    const unsigned char *is_run = depth->is_run;
    ptrdiff_t p = 0;
    for (; p + length <= depth->k; p += length) {
        for (ptrdiff_t x = p; x < p + apart; x++) {
            EMIT_number *at = to + step * x;
            if (*is_run++) {
                EMIT_name_transpose(at, step * apart, from + place[x], lane, sign);
                continue;
            }
            for (ptrdiff_t e = 0; e < EMIT_elems; e++)
                EMIT_name_pack_elements(at + step * apart * e, step, from, lane, EMIT_elems,
                                        place + x + apart * e, 1, sign);
        }
    }
    EMIT_name_pack_elements(to + step * p, step, from, lane, EMIT_elems, place + p, depth->k - p,
                            sign);
}

/* Packs lanes, which are rows of a or columns of b, in the order in which tiles read them: `width`
 * lanes for each contracted index. Missing ones are zeros. */
EMIT_target static void EMIT_name_pack(EMIT_number *to, const EMIT_number *from,
                                       const ptrdiff_t *lane, ptrdiff_t lanes, ptrdiff_t width,
                                       const struct EMIT_name_depth *depth, EMIT_number sign) {
    const ptrdiff_t step = EMIT_parts * width, k = depth->k, *place = depth->place;
    const ptrdiff_t vectors = lanes / EMIT_elems * EMIT_elems;
    ptrdiff_t i = 0;
    for (ptrdiff_t p = 0; p < k && lanes < width; p++) {
        for (ptrdiff_t n = EMIT_parts * lanes; n < step; n++) to[step * p + n] = 0;
    }
    if (kernel_is_even(lane, vectors, EMIT_parts)) {
        for (ptrdiff_t p = 0; p < k; p++) {
            const EMIT_number *row = from + lane[0] + place[p];
            for (ptrdiff_t n = 0; n < EMIT_parts * vectors; n += EMIT_vector_numbers) {
                EMIT_vector x = *(const EMIT_vector *)(row + n);
                EMIT_conjugate;
                *(EMIT_vector *)(to + step * p + n) = x;
            }
        }
        i = vectors;
    }
    for (; depth->apart > 0 && i < vectors; i += EMIT_elems)
        EMIT_name_pack_transposed(to + EMIT_parts * i, step, from, lane + i, depth, sign);
    if (depth->apart != 1) {
        EMIT_name_pack_elements(to + EMIT_parts * i, step, from, lane + i, lanes - i, place, k,
                                sign);
        return;
    }
    for (; i < lanes; i++)
        EMIT_name_pack_elements(to + EMIT_parts * i, step, from, lane + i, 1, place, k, sign);
}

/* Multiplies packed elements of b by alpha. */
EMIT_target static void EMIT_name_scale_packed(EMIT_number *to, ptrdiff_t elements,
                                               const struct kernel_gemm *gemm) {
    for (ptrdiff_t e = 0; e < elements; e++, to += EMIT_parts) {
        EMIT_scaled;
    }
}

/* Columns `first` to before `end` of b for a part of k: packed elements, and offsets of the
 * columns in c. */
struct EMIT_name_block {
    const EMIT_number *b;
    const ptrdiff_t *column_c;
    const ptrdiff_t *k_a;
    struct EMIT_name_depth depth; /* of a */
    ptrdiff_t columns, k;
    int is_packed; /* whether a is packed already */
    int adds;
};

/* The next block of b, of which tiles prefetch `count` units each, see EMIT_name_look_behind(). */
struct EMIT_name_next {
    const EMIT_number *b;
    const ptrdiff_t *column, *k_b;
    ptrdiff_t columns, k, unit, units, count;
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
    kernel_places(row, &gemm->rows, 0, panel->first + i, rows);
    *step = gemm->contracted.stride[0][0];
    if (gemm->in_place && rows == padded && kernel_is_even(row, rows, EMIT_parts))
        return a + row[0] + block->k_a[0];
    EMIT_number *const to = panel->packed + EMIT_parts * i * block->k;
    if (!block->is_packed)
        EMIT_name_pack(to, a, row, rows, padded, &block->depth, (EMIT_number)gemm->sign[0]);
    *step = EMIT_parts * padded;
    return to;
}

/* Determines which lines of the next panel, which begins at row `first`, to prefetch while the
 * current one is multiplied. */
static void EMIT_name_look_ahead(struct EMIT_name_ahead *ahead, const struct kernel_gemm *gemm,
                                 const EMIT_number *a, ptrdiff_t first,
                                 const struct EMIT_name_block *block) {
    const ptrdiff_t tiles = (block->columns + gemm->tile_columns - 1) / gemm->tile_columns;
    ahead->from = a + kernel_place(&gemm->rows, 0, first);
    if (gemm->by_rows && gemm->contracted.stride[0][0] == EMIT_parts) {
        ahead->places = block->k_a + EMIT_round - 1;
        ahead->apart = gemm->rows.stride[0][0];
        ahead->count = 1;
        ahead->advance = EMIT_round;
        ahead->rows = EMIT_elems * gemm->vectors;
    } else if (gemm->rows.stride[0][0] == EMIT_parts) {
        const ptrdiff_t count = (EMIT_round + tiles - 1) / tiles;
        ahead->from += EMIT_parts * (EMIT_line_elems - 1);
        ahead->places = block->k_a;
        ahead->apart = EMIT_parts * EMIT_line_elems;
        ahead->count = ahead->advance = count;
    }
}

/* Skips the lines of the next panel that a tile has prefetched. */
static void EMIT_name_fetched(struct EMIT_name_ahead *ahead, const struct kernel_gemm *gemm,
                              const struct EMIT_name_block *block) {
    const ptrdiff_t rounds = block->k / EMIT_round;
    if (ahead->count == 0) return;
    if (ahead->rows > 0) {
        ahead->from += EMIT_lines * gemm->rows.stride[0][0];
        ahead->rows -= EMIT_lines;
        if (ahead->rows <= 0) ahead->count = 0;
        return;
    }
    ahead->places += rounds * ahead->advance;
    if (ahead->places + rounds * ahead->advance > block->k_a + block->k) ahead->count = 0;
}

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

/* Multiplies a panel of a by a block of b and prefetches the next panel. */
EMIT_target static void EMIT_name_multiply(const struct kernel_gemm *gemm, const EMIT_number *a,
                                           EMIT_number *c, const struct EMIT_name_block *block,
                                           const struct EMIT_name_panel *panel,
                                           struct EMIT_name_ahead *ahead,
                                           struct EMIT_name_next *next) {
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
        EMIT_name_look_behind(ahead, gemm, next);
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
                                         EMIT_number *packed, struct EMIT_name_next *next) {
    for (ptrdiff_t i = 0; i < gemm->m; i += gemm->panel_rows) {
        const ptrdiff_t rows = gemm->m - i < gemm->panel_rows ? gemm->m - i : gemm->panel_rows;
        struct EMIT_name_ahead ahead = {0};
        if (i + rows < gemm->m && !gemm->in_place && gemm->panel_rows == EMIT_elems * gemm->vectors)
            EMIT_name_look_ahead(&ahead, gemm, a, i + rows, block);
        const struct EMIT_name_panel panel = {.first = i, .rows = rows, .packed = packed};
        EMIT_name_multiply(gemm, a, c, block, &panel, &ahead, next);
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

EMIT_linkage void EMIT_name(const struct kernel_gemm *gemm, const EMIT_number *a,
                            const EMIT_number *b, EMIT_number *c);
EMIT_target EMIT_linkage void EMIT_name(const struct kernel_gemm *gemm, const EMIT_number *a,
                                        const EMIT_number *b, EMIT_number *c) {
    EMIT_number packed[EMIT_panel_numbers] __attribute__((aligned(64)));
    EMIT_number near[EMIT_near_numbers] __attribute__((aligned(64)));
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
        far ? (EMIT_number *)(((uintptr_t)far + sizeof(size_t) + 63) / 64 * 64) : near;
    const ptrdiff_t block_columns = far ? gemm->block_columns : gemm->near_columns;
    const int overwrites = gemm->beta[0] == 0 && gemm->beta[1] == 0;
    int side = 0, part = 0;
    if (!overwrites && (gemm->beta[0] != 1 || gemm->beta[1] != 0)) EMIT_name_scale(gemm, c);
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
                kernel_runs(is_run[0], k_a, k, gemm->apart[0], EMIT_elems, EMIT_parts);
            }
            kernel_runs(is_run[1], k_b[part], k, gemm->apart[1], EMIT_elems, EMIT_parts);
            for (ptrdiff_t j = 0; j < columns; j += gemm->tile_columns) {
                const ptrdiff_t width =
                    columns - j < gemm->tile_columns ? columns - j : gemm->tile_columns;
                EMIT_name_pack(b_packed + EMIT_parts * j * k, b, column_b[side] + j, width, width,
                               &depth, (EMIT_number)gemm->sign[1]);
            }
            if (gemm->alpha[0] != 1 || gemm->alpha[1] != 0)
                EMIT_name_scale_packed(b_packed, columns * k, gemm);
            const struct EMIT_name_block block = {
                .b = b_packed,
                .column_c = column_c,
                .k_a = k_a,
                .depth = {.k = k, .apart = gemm->apart[0], .place = k_a, .is_run = is_run[0]},
                .columns = columns,
                .k = k,
                .is_packed = gemm->keeps && first > 0,
                .adds = !overwrites || p > 0};
            EMIT_name_divide_next(&next, gemm);
            EMIT_name_panels(gemm, a, c, &block, packed, &next);
            part = 1 - part;
        }
    }
    kernel_return_memory(far);
}
