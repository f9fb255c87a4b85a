EMIT_places;
/*
 * Computes EMIT_rows x EMIT_columns of c from packed panels of a and b; k is a multiple of
 * EMIT_round. Prefetches cache lines from `fetch` on, `step` elements further in each round.
 */
EMIT_target static void EMIT_name_tile(ptrdiff_t k, const EMIT_number *a, const EMIT_number *b,
                                       EMIT_number *c, EMIT_tile_parameters ptrdiff_t rows,
                                       ptrdiff_t columns, int whole, const EMIT_number *fetch,
                                       ptrdiff_t step) {
    EMIT_sums;
    EMIT_fetch_result;
    for (ptrdiff_t p = 0; p < k; p += EMIT_round) {
        EMIT_fetches;
        EMIT_fetch_on;
        KERNEL_UNROLL(EMIT_round)
        for (int u = 0; u < EMIT_round; u++) {
            EMIT_products;
            a += EMIT_panel_a;
            b += EMIT_panel_b;
        }
    }
    EMIT_write_whole;
    EMIT_number sums[EMIT_tile_numbers] __attribute__((aligned(64)));
    EMIT_write_sums;
    (void)whole;
    for (ptrdiff_t j = 0; j < columns; j++) {
        for (ptrdiff_t i = 0; i < rows; i++) {
            EMIT_write_elements;
        }
    }
}

/* Packs rows of a for the tiles. Missing rows are zeros, and so are columns up to a multiple of
 * EMIT_round. */
EMIT_target static void EMIT_name_pack_a(EMIT_number *to, const EMIT_number *a,
                                         EMIT_pack_a_parameters ptrdiff_t rows, int whole,
                                         ptrdiff_t k, ptrdiff_t rounded) {
    for (ptrdiff_t p = 0; p < k && whole; p++) {
        EMIT_pack_whole;
    }
    for (ptrdiff_t p = whole ? k : 0; p < rounded; p++) {
        for (ptrdiff_t i = 0; i < EMIT_rows; i++) {
            EMIT_pack_row;
        }
    }
}

/* Packs columns of b for the tiles. Missing columns are zeros, and so are rows up to a multiple of
 * EMIT_round. */
EMIT_target static void EMIT_name_pack_b(EMIT_number *to, const EMIT_number *b,
                                         EMIT_pack_b_parameters ptrdiff_t columns, ptrdiff_t k,
                                         ptrdiff_t rounded) {
    for (ptrdiff_t i = 0; i < EMIT_panel_b * rounded && (columns < EMIT_columns || k < rounded);
         i++)
        to[i] = 0;
    EMIT_pack_b_outer {
        EMIT_pack_b_inner {
            EMIT_pack_column;
        }
    }
}

EMIT_target static void EMIT_name(const EMIT_number *a, const EMIT_number *b, EMIT_number *c) {
    EMIT_number panel[EMIT_panel_numbers] __attribute__((aligned(64)));
    EMIT_block;
    EMIT_tables;
    EMIT_scale;
    for (ptrdiff_t first = 0; first < EMIT_n; first += block_columns) {
        const ptrdiff_t end = first + block_columns < EMIT_n ? first + block_columns : EMIT_n;
        EMIT_find_columns;
        for (ptrdiff_t p = 0; p < EMIT_k; p += EMIT_block_k) {
            const ptrdiff_t k = EMIT_k - p < EMIT_block_k ? EMIT_k - p : EMIT_block_k;
            const ptrdiff_t rounded = (k + EMIT_round_less) / EMIT_round * EMIT_round;
            EMIT_find_k;
            for (ptrdiff_t j = first; j < end; j += EMIT_columns) {
                EMIT_name_pack_b(block + EMIT_panel_b * rounded * ((j - first) / EMIT_columns),
                                 b EMIT_b_p EMIT_b_j,
                                 EMIT_pack_b_arguments end - j < EMIT_columns ? end - j
                                                                              : EMIT_columns,
                                 k, rounded);
            }
            for (ptrdiff_t i = 0; i < EMIT_m; i += EMIT_rows) {
                const ptrdiff_t rows = EMIT_m - i < EMIT_rows ? EMIT_m - i : EMIT_rows;
                const int whole = rows == EMIT_rows EMIT_is_whole;
                const int is_last = i + EMIT_rows >= EMIT_m;
                const EMIT_number *next = is_last ? panel : a EMIT_a_next EMIT_a_p;
                EMIT_find_rows;
                EMIT_name_pack_a(panel, a EMIT_a_i EMIT_a_p, EMIT_pack_a_arguments rows, whole, k,
                                 rounded);
                for (ptrdiff_t j = first; j < end; j += EMIT_columns) {
                    const int fetches = !is_last && j - first < EMIT_fetching_columns;
                    EMIT_name_tile(rounded, panel,
                                   block + EMIT_panel_b * rounded * ((j - first) / EMIT_columns),
                                   c EMIT_c_i EMIT_c_j, EMIT_tile_arguments rows,
                                   end - j < EMIT_columns ? end - j : EMIT_columns, whole,
                                   fetches ? next : panel, fetches ? EMIT_fetch_step : 0);
                    EMIT_fetch_next;
                }
            }
        }
    }
    EMIT_release;
}
