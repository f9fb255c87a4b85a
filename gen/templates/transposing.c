#ifndef KERNEL_LOADED
/* Keeps a vector in a register: compilers would load it for each product instead. */
#if defined(__x86_64__)
#define KERNEL_LOADED(x) __asm__("" : "+v"(x))
#else
#define KERNEL_LOADED(x) (void)0
#endif
#endif

/* Lines that tiles write. */
struct EMIT_name_lines {
    EMIT_number *made;     /* lines that are not written to the result yet */
    EMIT_number *before;   /* lines of the column before */
    const EMIT_mask *ends; /* marks the elements of a shared line that end a column */
    int is_whole;          /* whether no columns share a line */
};

EMIT_tiles;
/* Finds the first rows of a panel. */
static void EMIT_name_find(ptrdiff_t *x, ptrdiff_t *y, ptrdiff_t *z, ptrdiff_t panel) {
    EMIT_find;
}

/* Sets the addresses of `count` rows of a from row x on; row 0 follows the last one. */
static void EMIT_name_rows(const EMIT_number **rows, const EMIT_number *a, const ptrdiff_t *x_a,
                           ptrdiff_t x, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t row = x + (i < EMIT_line ? i : EMIT_line - 1);
        rows[i] = a + x_a[row < EMIT_x ? row : row - EMIT_x];
    }
}

/* Writes the lines that the end of a column shares with the beginning of a column: `lead` elements
 * belong to the beginning. */
EMIT_target static void EMIT_name_ends(EMIT_number *c, const struct EMIT_name_lines *lines,
                                       const ptrdiff_t *lane, const ptrdiff_t *column,
                                       ptrdiff_t columns, ptrdiff_t lead, ptrdiff_t j) {
    for (ptrdiff_t y = 0; y < columns * EMIT_lanes; y++) {
        const EMIT_number *made = lines->made + EMIT_line * y;
        EMIT_number *to = c + lane[y % EMIT_lanes] + column[j + y / EMIT_lanes] + lead - EMIT_line;
        EMIT_join;
        for (ptrdiff_t e = 0; e < EMIT_line - lead; e++) to[EMIT_x + e] = made[e];
        for (ptrdiff_t e = EMIT_line - lead; e < EMIT_line; e++) to[e] = made[e];
    }
}

EMIT_target static void EMIT_name(const EMIT_number *a, const EMIT_number *b, EMIT_number *c) {
    ptrdiff_t x_a[EMIT_x], y_c[EMIT_y], z_a[EMIT_z], z_c[EMIT_z];
    ptrdiff_t column_b[EMIT_n], column_c[EMIT_n], k_a[EMIT_k], k_b[EMIT_k];
    EMIT_number packed[EMIT_packed] __attribute__((aligned(64)));
    EMIT_number factor[EMIT_n * EMIT_k] __attribute__((aligned(64)));
    EMIT_number made[EMIT_made] __attribute__((aligned(64)));
    EMIT_number before[EMIT_lanes * EMIT_line] __attribute__((aligned(64)));
    EMIT_mask ends[EMIT_line] __attribute__((aligned(64)));
    EMIT_tables;
    const ptrdiff_t lead = (ptrdiff_t)((64 - (uintptr_t)c % 64) % 64 / sizeof *c);
    for (ptrdiff_t e = 0; e < EMIT_line; e++) ends[e] = e < EMIT_line - lead ? -1 : 0;
    EMIT_number *to = factor;
    for (ptrdiff_t j = 0; j < EMIT_n; j += EMIT_columns) {
        for (ptrdiff_t p = 0; p < EMIT_k; p++) {
            for (ptrdiff_t i = j; i < j + EMIT_columns && i < EMIT_n; i++)
                *to++ = EMIT_alpha b[column_b[i] + k_b[p]];
        }
    }
    for (ptrdiff_t panel = 0; panel < EMIT_panels; panel++) {
        const EMIT_number *rows[EMIT_line], *ahead[EMIT_ahead];
        ptrdiff_t x, y, z, next_x, next_y, next_z;
        EMIT_name_find(&x, &y, &z, panel);
        EMIT_name_find(&next_x, &next_y, &next_z,
                       panel + EMIT_distance < EMIT_panels ? panel + EMIT_distance : panel);
        const struct EMIT_name_lines lines = {made, before, ends,
                                              x + EMIT_line < EMIT_x || lead == 0};
        EMIT_name_rows(rows, a + z_a[z] + y, x_a, lead + x, EMIT_line);
        EMIT_name_rows(ahead, a + z_a[next_z] + next_y + EMIT_lanes - 1, x_a, lead + next_x,
                       EMIT_ahead);
        EMIT_number *const to_z = c + z_c[z];
        EMIT_name_first_EMIT_columns(packed, factor, to_z + lead + x, y_c + y, column_c, ahead, k_a,
                                     &lines, rows);
        if (!lines.is_whole) EMIT_name_ends(to_z, &lines, y_c + y, column_c, EMIT_columns, lead, 0);
        EMIT_others;
        EMIT_last;
    }
}
