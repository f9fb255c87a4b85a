EMIT_tiles;
/* Packs rows of a for the tiles, in the order of the result's cache lines; rows before the first
 * line follow the last row. */
EMIT_target static void EMIT_name_pack(EMIT_number *to, const EMIT_number *a, ptrdiff_t lead,
                                       ptrdiff_t h, ptrdiff_t end) {
    for (ptrdiff_t l = h; l < end; l++) {
        const ptrdiff_t row = lead + EMIT_line * l;
        EMIT_pack_whole;
        for (ptrdiff_t p = 0; p < EMIT_k; p++) {
            for (ptrdiff_t r = 0; r < EMIT_line; r++) {
                const ptrdiff_t x = row + r < EMIT_m ? row + r : row + r - EMIT_m;
                EMIT_pack_element;
            }
        }
        to += EMIT_line_panel;
    }
}

EMIT_target static void EMIT_name(const EMIT_number *a, const EMIT_number *b, EMIT_number *c) {
    EMIT_number packed[EMIT_packed] __attribute__((aligned(64)));
    EMIT_number shared[EMIT_line_numbers] __attribute__((aligned(64)));
    EMIT_mask ends[EMIT_line_numbers] __attribute__((aligned(64)));
    EMIT_passes;
    const ptrdiff_t lead = EMIT_lead; /* number of elements before the first cache line */
    for (ptrdiff_t i = 0; i < EMIT_line_numbers; i++)
        ends[i] = i < EMIT_line_numbers - EMIT_parts * lead ? -1 : 0;
    for (ptrdiff_t h = 0; h < EMIT_lines; h += EMIT_panel) {
        const ptrdiff_t end = h + EMIT_panel < EMIT_lines ? h + EMIT_panel : EMIT_lines;
        EMIT_next;
        EMIT_name_pack(packed, a, lead, EMIT_first_packed, end);
        for (ptrdiff_t j = 0; j < EMIT_whole_columns; j += EMIT_columns) {
            EMIT_name_by_EMIT_columns(a + EMIT_parts * lead, packed, b EMIT_b_j, c EMIT_c_j, lead,
                                      h, end, shared, ends, j == 0 EMIT_arguments);
        }
        EMIT_rest;
    }
    EMIT_last;
    (void)ends;
}
