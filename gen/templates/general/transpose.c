
/* Transposes a square block: its vectors begin at `lane`, and are `step` apart afterwards. */
EMIT_target KERNEL_TILE EMIT_own_transpose_block(EMIT_number *to, ptrdiff_t step,
                                                 const EMIT_number *from, const ptrdiff_t *lane,
                                                 EMIT_number sign) {
    (void)sign;
    EMIT_transpose;
}

/* Copies a vector of lanes, in whose factor contracted indices are neighbours: blocks are
 * transposed. */
EMIT_target static void EMIT_own_transpose(EMIT_number *to, ptrdiff_t step, const EMIT_number *from,
                                           const ptrdiff_t *lane,
                                           const struct EMIT_name_depth *depth, EMIT_number sign) {
    const ptrdiff_t apart = depth->apart, length = EMIT_elems * apart, *place = depth->place;
    const unsigned char *is_run = depth->is_run;
    ptrdiff_t p = 0;
    for (; p + length <= depth->k; p += length) {
        for (ptrdiff_t x = p; x < p + apart; x++) {
            EMIT_number *at = to + step * x;
            if (*is_run++) {
                EMIT_own_transpose_block(at, step * apart, from + place[x], lane, sign);
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
